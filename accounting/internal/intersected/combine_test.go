package intersected_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/intersected"
)

// says is an accountant that answers every question with one interval.
type says struct {
	name    string
	epsilon accounting.Interval
}

func (s says) Name() string                      { return s.name }
func (says) Neighboring() accounting.Neighboring { return accounting.AddOrRemoveOne }

func (s says) EpsilonAt(_ accounting.Event, delta float64) (accounting.Guarantee, error) {
	return accounting.Guarantee{Epsilon: s.epsilon, Delta: delta, Neighboring: s.Neighboring(), Method: s.name}, nil
}

func (s says) DeltaAt(accounting.Event, float64) (accounting.Interval, error) { return s.epsilon, nil }

// Two accountants that cannot both be right are an error with the names and ends of both, and no
// answer. Ends that cross by rounding are no contradiction.
func TestContradictions(t *testing.T) {
	low, high := says{"low", accounting.Certified(0.1, 0.15, 0.2)}, says{"high", accounting.Certified(0.3, 0.35, 0.4)}
	inside := says{"inside", accounting.Certified(0.12, 0.13, 0.14)}
	rounded := says{"rounded", accounting.Certified(0.2*(1+1e-14), 0.3, 0.5)}
	infinite, upper := says{"infinite", accounting.Exact(math.Inf(1))}, says{"upper", accounting.UpperBound(0.15)}
	for _, c := range []struct {
		named       []accounting.Accountant
		contradict  string
		want, lower float64
	}{
		{[]accounting.Accountant{low, high}, "in [0.1, 0.2] by low, in [0.3, 0.4] by high", 0, 0},
		{[]accounting.Accountant{high, low}, "in [0.3, 0.4] by high, in [0.1, 0.2] by low", 0, 0},
		{[]accounting.Accountant{low, high, inside}, "in [0.1, 0.2] by low, in [0.3, 0.4] by high", 0, 0},
		{[]accounting.Accountant{upper, infinite}, "<= 0.15 by upper, in [+Inf, +Inf] by infinite", 0, 0},
		{[]accounting.Accountant{low, inside}, "", 0.14, 0.12},
		{[]accounting.Accountant{low, upper}, "", 0.15, 0.1},
		{[]accounting.Accountant{low, rounded}, "", 0.2 * (1 + 1e-14), 0.2},
	} {
		a := intersected.Accountant{Named: c.named}
		g, epsilonErr := a.EpsilonAt(accounting.Gaussian{NoiseMultiplier: 1}, 1e-5)
		d, deltaErr := a.DeltaAt(accounting.Gaussian{NoiseMultiplier: 1}, 1)
		for _, err := range []error{epsilonErr, deltaErr} {
			if contradict := err != nil; contradict != (c.contradict != "") || contradict && !(errors.Is(err, intersected.ErrContradiction) && strings.Contains(err.Error(), c.contradict)) {
				t.Errorf("%v: error %v, want one of %q", c.named, err, c.contradict)
			}
		}
		if c.contradict == "" && (g.Epsilon.Upper != c.want || g.Epsilon.Lower != c.lower || d.Upper != c.want || d.Lower != c.lower) {
			t.Errorf("%v: ε %v, δ %v, want [%g, %g]", c.named, g.Epsilon, d, c.lower, c.want)
		}
	}
}
