package selection_test

import (
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

var certifiedQuestions = flag.Int("selection.questions", 0, "questions of TestEveryPriceIsShownOrMarked, instead of 24 with -short and 1,000 without")

// Every drawn price is shown by its check, or marked by a warning. At least 95 % are shown. The price
// is the ε that was checked, and no order of a few outputs leaks more than δ there.
func TestEveryPriceIsShownOrMarked(t *testing.T) {
	n := *certifiedQuestions
	switch {
	case n > 0:
	case testing.Short():
		n = 24
	default:
		n = 1000
	}
	rng := rand.New(rand.NewPCG(33, 3))
	priced, shown, marked := 0, 0, 0
	for range n {
		l, event, leaks, accountants := drawnTuning(t, rng)
		delta := math.Exp(-20*rng.Float64() - 0.5)
		price, err := selection.EventAt(selection.BestOf{Law: l, Base: event}, delta, accountants...)
		if err != nil {
			t.Fatalf("%v of %v: %v", l, event, err)
		}
		g := price.Guarantee
		if math.IsInf(g.Epsilon.Upper, 1) {
			continue // it claims nothing
		}
		priced++
		uncertified := false
		for _, w := range g.Warnings {
			uncertified = uncertified || errors.Is(w, accounting.ErrUncertified)
		}
		if uncertified {
			marked++
			t.Logf("marked: %v of %v at δ %g: %v: %v", l, event, delta, g, g.Warnings)
		}
		switch c := g.Certificate; {
		case c != nil:
			shown++
			if c.Epsilon != g.Epsilon.Upper || !(c.DeltaUpper <= delta) || c.Claim == "" || len(c.Given) == 0 && c.Proof == nil || c.Work < 1 || g.Epsilon.Upper != price.Least().Epsilon {
				t.Errorf("%v of %v at δ %g: %v, least %v, %+v", l, event, delta, g, price.Least(), c)
			}
		case !uncertified:
			t.Errorf("%v of %v at δ %g: %v is neither shown nor marked", l, event, delta, g)
		}
		if leaks != nil {
			if leak := leaks(g.Epsilon.Upper); leak > delta*(1+1e-9)+1e-15*(1+math.Exp(g.Epsilon.Upper)) { // the rounding of the enumeration
				t.Errorf("%v of %v at δ %g: %v, but an order leaks %g", l, event, delta, g, leak)
			}
		}
	}
	t.Logf("%d prices: %.1f %% shown, %d with a warning", priced, 100*float64(shown)/float64(priced), marked)
	if float64(shown) < 0.95*float64(priced) || marked > priced/20 {
		t.Errorf("%d of %d prices are shown, %d have a warning", shown, priced, marked)
	}
}

// Prices by "interleaved" that are little below "pointwise" are shown without a raise of ε, by a few
// thousand boxes.
func TestInterleavedIsShownWithFewBoxes(t *testing.T) {
	for _, c := range []struct {
		law  law.Law
		run  accounting.Event
		most int
	}{
		{law.Poisson{MeanRepeats: 10}, sgd(0.01, 2, 5000), 4000},
		{law.Binomial{Trials: 20, P: 0.5}, sgd(0.004, 1, 10000), 2000},
		{law.TwoPoint{Runs: 20, Single: 0.1}, sgd(0.01, 2, 5000), 2000},
		{law.Fixed{Count: 5}, sgd(0.25, 4, 100), 10000},
	} {
		tuning := selection.BestOf{Law: c.law, Base: c.run}
		price, err := selection.EventAt(tuning, 1e-5, contour.NewAccountant())
		if err != nil {
			t.Fatal(err)
		}
		search, err := selection.EventAt(tuning, 1e-5, accounting.Unchecked(contour.NewAccountant()))
		if err != nil {
			t.Fatal(err)
		}
		name := "interleaved, contour"
		if got := price.Guarantee.Certificate; price.Least().Name != name || got == nil || got.Epsilon != search.Least().Epsilon || got.Work > c.most {
			t.Errorf("%v of %v: %+v, %+v: want %s, ε <= %g by at most %d boxes", c.law, c.run, price.Least(), got, name, search.Least().Epsilon, c.most)
		}
	}
}

// drawnTuning draws a law and the event of a run. leaks returns what the worst order leaks, for runs
// of a few outputs.
func drawnTuning(t *testing.T, rng *rand.Rand) (l law.Law, event accounting.Event, leaks func(epsilon float64) float64, accountants []accounting.Accountant) {
	t.Helper()
	switch rng.IntN(8) {
	case 0, 1, 2:
		tnb, err := law.TNBFromMean([]float64{-0.5, 0, 1, 3}[rng.IntN(4)], 1+math.Exp(5*rng.Float64()))
		if err != nil {
			t.Fatal(err)
		}
		l = tnb
	case 3:
		l = law.Poisson{MeanRepeats: math.Exp(6*rng.Float64() - 1)}
	default:
		l = enumerate.Laws[rng.IntN(len(enumerate.Laws))]
	}
	switch rng.IntN(7) {
	case 0:
		return l, accounting.Gaussian{NoiseMultiplier: math.Exp(rng.NormFloat64())}, nil, nil
	case 1:
		return l, sgd(0.01, 1+3*rng.Float64(), 1+rng.IntN(1000)), nil, nil
	case 2:
		return l, accounting.Laplace{NoiseMultiplier: math.Exp(rng.NormFloat64())}, nil, nil
	case 3:
		return l, accounting.RandomizedResponse{Truth: 0.5 + 0.45*rng.Float64()}, nil, nil
	case 4:
		return l, sgd(0.01, 1+3*rng.Float64(), 1+rng.IntN(1000)), nil, []accounting.Accountant{rdp.NewAccountant()}
	case 5:
		return l, accounting.ApproxDP{Epsilon: 2 * rng.Float64(), Delta: 1e-8}, nil, nil
	}
	pair := enumerate.DrawnPair(rng, 3, 0.7)
	return l, pld.DiscretePair{With: pair.P, Without: pair.Q}, func(epsilon float64) float64 { return worstLeak(l, pair, epsilon) }, nil
}

// worstLeak is the largest δ at ε over all orders of the outputs, in both directions.
func worstLeak(l law.Law, pair enumerate.Pair, epsilon float64) (delta float64) {
	for _, order := range combin.Permutations(len(pair.P), len(pair.P)) {
		ordered := enumerate.Of(make([]float64, len(order)), make([]float64, len(order)))
		for i, from := range order {
			ordered.P[i], ordered.Q[i] = pair.P[from], pair.Q[from]
		}
		delta = math.Max(delta, ordered.Best(l).Delta(epsilon))
	}
	return delta
}
