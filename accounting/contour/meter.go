package contour

// meter counts work, in units of about 10 ns on a machine of 2026, so that what is tried for
// a hard case ends and gives the same answer on a slow machine.
type meter struct{ spent float64 }

func (m *meter) add(units int) { m.spent += float64(units) }

// Hits (hits.go) stop looking for a lower guess at the first, and for anything at the second.
const (
	someSpent = 6e6
	mostSpent = 2e7
)
