package audit

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/check"
)

// Profile is the ceiling of a privacy profile, of many (ε, δ) guarantees that hold at once. Each
// point of the ROC lies below the lowest of their ceilings.
type Profile struct {
	lines []segment // ascending in v, slopes falling
	name  string
}

// NewProfile returns the ceiling of guarantees that all hold. At least one is needed. Upper bounds
// on δ give a ceiling that is too high, never too low. A claim is then contradicted less easily.
func NewProfile(name string, guarantees []EpsilonDelta) (Profile, error) {
	if len(guarantees) == 0 {
		return Profile{}, errors.New("audit: guarantees are empty: must hold at least one (ε, δ)")
	}
	lines := []segment{{at: 1}}
	for i, g := range guarantees {
		if err := g.validate(fmt.Sprintf("audit: guarantees[%d] ", i)); err != nil {
			return Profile{}, err
		}
		up, down := math.Exp(g.Epsilon), math.Exp(-g.Epsilon)
		lines = append(lines, segment{at: g.Delta, slope: up}, segment{at: 1 - down*(1-g.Delta), slope: down})
	}
	return Profile{lowerEnvelope(lines), name}, nil
}

// lowerEnvelope returns the lines that are lowest somewhere on [0, 1], with their ends.
func lowerEnvelope(lines []segment) []segment {
	slices.SortFunc(lines, func(a, b segment) int { // steep first; of parallels the lower
		return cmp.Or(cmp.Compare(b.slope, a.slope), cmp.Compare(a.at, b.at))
	})
	var hull []segment
	for _, line := range lines {
		if n := len(hull); n > 0 && hull[n-1].slope == line.slope {
			continue
		}
		for len(hull) > 0 {
			last := &hull[len(hull)-1]
			last.end = (line.at - last.at) / (last.slope - line.slope) // where they cross
			start := 0.0
			if len(hull) > 1 {
				start = hull[len(hull)-2].end
			}
			if last.end > start {
				break
			}
			hull = hull[:len(hull)-1] // the new line is lower before the last one begins to count
		}
		hull = append(hull, line)
	}
	for i, line := range hull {
		if i == len(hull)-1 || line.end >= 1 {
			hull[i].end = 1
			return hull[:i+1]
		}
	}
	return hull
}

// Validate returns an error for the zero Profile, which is not a claim.
func (c Profile) Validate() error {
	if len(c.lines) == 0 {
		return errors.New("audit: Profile is empty: must come from NewProfile or ClaimOf")
	}
	return nil
}

func (c Profile) segments() []segment { return c.lines }

// TPR returns G(v).
func (c Profile) TPR(v float64) float64 {
	i := sort.Search(len(c.lines)-1, func(i int) bool { return c.lines[i].end >= v })
	return math.Min(1, c.lines[i].at+c.lines[i].slope*v)
}

// FPR returns the least v with G(v) >= t.
func (c Profile) FPR(t float64) float64 {
	i := sort.Search(len(c.lines)-1, func(i int) bool { return c.lines[i].at+c.lines[i].slope*c.lines[i].end >= t })
	if c.lines[i].slope == 0 {
		return c.start(i)
	}
	return math.Min(1, math.Max(c.start(i), (t-c.lines[i].at)/c.lines[i].slope))
}

func (c Profile) start(i int) float64 {
	if i == 0 {
		return 0
	}
	return c.lines[i-1].end
}

// Kinks returns the ends of the lines if there are only a handful. The lines of a fine grid bend so
// little that quadratures need not be split there.
func (c Profile) Kinks() []float64 {
	if len(c.lines) > 16 {
		return nil
	}
	var kinks []float64
	for _, line := range c.lines[:len(c.lines)-1] {
		kinks = append(kinks, line.end)
	}
	return kinks
}

// Named returns the same ceiling with another name.
func (c Profile) Named(name string) Profile {
	c.name = name
	return c
}

// String names the claim.
func (c Profile) String() string { return c.name }

// profilePoints is the number of ε at which an accountant is asked.
const profilePoints = 128

// ClaimOf returns the ceiling on the ROC of every attack on event, from an accountant's upper
// bounds on δ(ε). They are taken on a grid of ε between 0 and the ε at δ = 1e-12. The accountant is
// that of auto.Default. One with a method DeltasAt, such as contour.Accountant or pld.Accountant,
// is asked once, which takes a tenth of the time.
func ClaimOf(event accounting.Event, accountants ...accounting.Accountant) (Profile, error) {
	f := check.In("audit: ")
	f.That(event != nil, "event", "is nil", "must be an event")
	if event != nil {
		f.Add(event.Validate())
	}
	if err := f.Err(); err != nil {
		return Profile{}, err
	}
	accountant := auto.Default(accountants...)
	top, err := accountant.EpsilonAt(event, 1e-12)
	if err != nil {
		return Profile{}, err
	}
	limit := math.Min(top.Epsilon.Upper, maxClaimEpsilon)
	epsilons := make([]float64, profilePoints+1)
	for i := range epsilons {
		epsilons[i] = limit * float64(i) / profilePoints
	}
	deltas, err := deltasAt(accountant, event, epsilons)
	if err != nil {
		return Profile{}, err
	}
	var guarantees []EpsilonDelta
	for i, delta := range deltas {
		guarantees = append(guarantees, EpsilonDelta{epsilons[i], math.Min(1, math.Max(0, delta.Upper))})
	}
	return NewProfile(fmt.Sprintf("%v by %s", event, accountant.Name()), guarantees)
}

// deltasAt returns bounds on δ at each of epsilons, all at once if the accountant can.
func deltasAt(a accounting.Accountant, event accounting.Event, epsilons []float64) (deltas []accounting.Interval, err error) {
	if many, ok := a.(interface {
		DeltasAt(event accounting.Event, epsilons []float64) ([]accounting.Interval, error)
	}); ok {
		return many.DeltasAt(event, epsilons)
	}
	for _, epsilon := range epsilons {
		delta, err := a.DeltaAt(event, epsilon)
		if err != nil {
			return nil, err
		}
		deltas = append(deltas, delta)
	}
	return deltas, nil
}
