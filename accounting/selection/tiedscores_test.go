package selection_test

import (
	"errors"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

// Theorem 3 and Corollary 1 of Xiang et al. on random pairs: with ties that break without the
// data, every strict order of the tied outputs has the larger divergence.
func TestStrictOrdersLeakMore(t *testing.T) {
	rng := newRand(11)
	cases := 300
	if testing.Short() {
		cases = 60
	}
	for range cases {
		n := 2 + rng.IntN(5)
		p, q := make([]float64, n), make([]float64, n)
		tied, strict := make([]float64, n), make([]float64, n)
		var sumP, sumQ float64
		for i := range n {
			p[i], q[i] = rng.ExpFloat64(), rng.ExpFloat64()
			sumP, sumQ = sumP+p[i], sumQ+q[i]
			tied[i] = float64(rng.IntN(3))
			strict[i] = tied[i] + rng.Float64()/2
		}
		for i := range n {
			p[i], q[i] = p[i]/sumP, q[i]/sumQ
		}
		for _, l := range []law.Law{law.Fixed{Count: 3}, law.TNB{Eta: 1, Gamma: 0.1}, law.TwoPoint{Runs: 9, Single: 0.2}} {
			for _, order := range []float64{1.2, 4, 20} {
				loose := enumerate.Renyi(finite(t, l, p, tied, selection.TieUniform), finite(t, l, q, tied, selection.TieUniform), order)
				tight := enumerate.Renyi(finite(t, l, p, strict, selection.TieUniform), finite(t, l, q, strict, selection.TieUniform), order)
				if loose > tight*(1+1e-9)+1e-12 {
					t.Fatalf("%v, order %g, p %v, q %v, scores %v: %g with ties, %g without (Theorem 3)", l, order, p, q, tied, loose, tight)
				}
			}
		}
	}
}

// The counterexample to Theorem 3 for weights by the outputs' own mass, derived in the
// comment of BestOfFinite.
func TestTheorem3FailsForFirstOfTies(t *testing.T) {
	l := law.Fixed{Count: 100}
	p, q := []float64{0.5, 0.5}, []float64{0.6, 0.4}
	constant := enumerate.Renyi(finite(t, l, p, []float64{1, 1}, selection.TieFirst), finite(t, l, q, []float64{1, 1}, selection.TieFirst), 2)
	if want := numeric.Log(25.0 / 24); math.Abs(constant-want) > 1e-12 {
		t.Errorf("one score: D_2 = %.15g, want ln(25/24) = %.15g", constant, want)
	}
	for _, scores := range [][]float64{{0, 1}, {1, 0}} {
		if strict := enumerate.Renyi(finite(t, l, p, scores, selection.TieFirst), finite(t, l, q, scores, selection.TieFirst), 2); strict > 1e-9 {
			t.Errorf("scores %v: D_2 = %g, want less than 1e-9", scores, strict)
		}
	}
}

func finite(t *testing.T, l law.Law, p, scores []float64, ties selection.TieBreak) []float64 {
	t.Helper()
	out, err := selection.BestOfFinite(l, p, scores, ties)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestBestOfFiniteRefuses(t *testing.T) {
	l := law.Fixed{Count: 2}
	for name, f := range map[string]func() ([]float64, error){
		"nil law":   func() ([]float64, error) { return selection.BestOfFinite(nil, []float64{1}, []float64{0}, 0) },
		"lengths":   func() ([]float64, error) { return selection.BestOfFinite(l, []float64{1}, nil, 0) },
		"sum":       func() ([]float64, error) { return selection.BestOfFinite(l, []float64{0.5}, []float64{0}, 0) },
		"negative":  func() ([]float64, error) { return selection.BestOfFinite(l, []float64{2, -1}, []float64{0, 1}, 0) },
		"NaN score": func() ([]float64, error) { return selection.BestOfFinite(l, []float64{1}, []float64{math.NaN()}, 0) },
		"tie":       func() ([]float64, error) { return selection.BestOfFinite(l, []float64{1}, []float64{0}, 7) },
		"broken law": func() ([]float64, error) {
			return selection.BestOfFinite(law.Fixed{}, []float64{1}, []float64{0}, 0)
		},
	} {
		if got, err := f(); err == nil {
			t.Errorf("%s: %v, no error", name, got)
		}
	}
}

// The bounds hold whatever the scores and however ties are broken: by a uniform choice, or
// by the first of the best runs.
func TestBoundsHoldWithTies(t *testing.T) {
	rng := newRand(31)
	cases := 40
	if testing.Short() {
		cases = 10
	}
	for range cases {
		pair, law := randomPair(rng), randomLaw(rng)
		scores := make([]float64, len(pair.P))
		for i := range scores {
			scores[i] = float64(rng.IntN(3))
		}
		const delta = 1e-3
		price, err := selection.PriceAt(law, knownOf(pair), delta)
		if err != nil {
			t.Fatal(err)
		}
		epsilon := price.Least().Epsilon
		for _, ties := range []selection.TieBreak{selection.TieUniform, selection.TieFirst} {
			best := enumerate.Of(finite(t, law, pair.P, scores, ties), finite(t, law, pair.Q, scores, ties))
			if exact := best.Delta(epsilon); exact > delta*(1+1e-9)+1e-15*(1+math.Exp(epsilon)) {
				t.Errorf("%v, pair %v, scores %v, ties %v: δ(%g) = %g, above %g (%s)", law, pair, scores, ties, epsilon, exact, delta, price.Least().Name)
			}
		}
	}
}

// A tuning on a sample needs Rényi curves; where a run has none, that is an error.
func TestTuneThenTrainWithoutCurve(t *testing.T) {
	approximate := accounting.ApproxDP{Epsilon: 1, Delta: 1e-9}
	event := subsample.Event{TuningRate: 0.1, Variant: subsample.AllData, Tuning: selection.BestOf{Law: tnb(t, 0, 5), Base: approximate}, Training: accounting.Gaussian{NoiseMultiplier: 2}}
	if p, err := subsample.PriceAt(event, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) {
		t.Errorf("%v, error %v, want ErrUnsupportedEvent", p.Guarantee, err)
	}
}
