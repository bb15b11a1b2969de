package record

import (
	"cmp"
	"fmt"
	"slices"
)

// The significance of a check is divided among its tests. By the union bound, the chance that any
// of them accuses a mechanism that is as declared is at most the significance. Half goes to the
// noise of the recording and of the replays, in equal parts. Half goes to how often the neighbors
// move the answers, in equal parts. A run's part goes to the families of noiseTests, in equal
// parts, and a family's part to its tests.

// defaultSignificance is the significance of a check whose config gives none.
const defaultSignificance = 1e-6

// share divides the significance among so many neighbors.
func share(significance float64, neighbors int) (noise, moves float64) {
	const alone = 2 // the recording, and the replay on the same data
	return significance / 2 / float64(neighbors+alone), significance / 2 / float64(neighbors)
}

// family is tests of one kind, whose level they divide.
type family struct {
	name  string
	limit float64 // of the chance of each test
	found []accusation
}

// accusation is a test whose outcome is too unlikely.
type accusation struct {
	where, statistic string
	chance           float64 // upper bound on the chance of an outcome as unlikely
}

func newFamily(name string, level float64, tests int) family {
	return family{name: name, limit: level / float64(tests)}
}

// accuse turns the findings of a family into one fault, of the least likely outcome.
func (s *Session) accuse(f family) {
	if len(f.found) == 0 {
		return
	}
	worst := slices.MinFunc(f.found, func(a, b accusation) int { return cmp.Compare(a.chance, b.chance) })
	detail := fmt.Sprintf("%s, %s: %s: chance at most %.2g, limit %.2g", f.name, worst.where, worst.statistic, worst.chance, f.limit)
	if more := len(f.found) - 1; more > 0 {
		detail += fmt.Sprintf(" (and %d more tests of these)", more)
	}
	s.faults = append(s.faults, Fault{Kind: f.kind(), Neighbor: s.neighbor, Step: -1, Detail: detail,
		Test: f.name, Chance: worst.chance, Limit: f.limit})
}

// kind returns the kind of fault that a family finds.
func (f family) kind() Kind {
	if f.name == testMoves {
		return Sampling
	}
	return Noise
}
