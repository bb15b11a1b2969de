package certified_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certified"
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

// Two accountants that cannot both be right: the answer is the larger upper end, says so, and
// claims no lower end. Ends that cross by rounding are no contradiction.
func TestContradictions(t *testing.T) {
	low, high := says{"low", accounting.Certified(0.1, 0.15, 0.2)}, says{"high", accounting.Certified(0.3, 0.35, 0.4)}
	inside := says{"inside", accounting.Certified(0.12, 0.13, 0.14)}
	rounded := says{"rounded", accounting.Certified(0.2*(1+1e-14), 0.3, 0.5)}
	for _, c := range []struct {
		named       []accounting.Accountant
		contradict  bool
		want, lower float64
	}{
		{[]accounting.Accountant{low, high}, true, 0.4, 0},
		{[]accounting.Accountant{high, low}, true, 0.4, 0},
		{[]accounting.Accountant{low, high, inside}, true, 0.4, 0},
		{[]accounting.Accountant{low, inside}, false, 0.14, 0.12},
		{[]accounting.Accountant{low, rounded}, false, 0.2 * (1 + 1e-14), 0.2},
	} {
		a := certified.Accountant{Named: c.named}
		name := fmt.Sprint(c.named)
		g, err := a.EpsilonAt(accounting.Gaussian{NoiseMultiplier: 1}, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		warned := false
		for _, w := range g.Warnings {
			warned = warned || errors.Is(w, certified.ErrContradiction)
		}
		if warned != c.contradict || g.Epsilon.HasLower == c.contradict || g.Epsilon.Upper != c.want || g.Epsilon.Lower != c.lower {
			t.Errorf("%s: %v, warnings %v, want at most %g, from %g, contradiction %v", name, g.Epsilon, g.Warnings, c.want, c.lower, c.contradict)
		}
		d, err := a.DeltaAt(accounting.Gaussian{NoiseMultiplier: 1}, 1)
		if err != nil || d.HasLower == c.contradict || d.Upper != c.want {
			t.Errorf("%s: δ %v, %v, want at most %g, with a lower end only if they agree", name, d, err, c.want)
		}
	}
}
