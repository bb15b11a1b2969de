package selected_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate/laws"
	"github.com/dplab/dplab/accounting/internal/certificate/laws/lawof"
	"github.com/dplab/dplab/accounting/internal/certificate/selected"
	"github.com/dplab/dplab/accounting/internal/certificate/settle"
	"github.com/dplab/dplab/accounting/internal/certificate/unproved"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/internal/ranks"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// question is a selection of a run with a few outputs.
type question struct {
	law   law.Law
	made  laws.Law
	pair  enumerate.Pair
	known ranks.Bounds
	run   selected.Run
	found ranks.Found
	delta float64
}

func drawn(t *testing.T, rng *rand.Rand) (q question, ok bool) {
	t.Helper()
	q = question{law: enumerate.Laws[rng.IntN(len(enumerate.Laws))], pair: enumerate.DrawnPair(rng, 2+rng.IntN(3), math.Exp(rng.NormFloat64()-0.5)), delta: math.Exp(-25*rng.Float64() - 0.5)}
	made, err := lawof.Interval(q.law)
	if err != nil {
		t.Fatal(err)
	}
	base := baserun.Run{Name: "pair", Profiles: []baserun.Profile{{Name: "exact", DeltaAt: func(e float64) float64 { return math.Min(1, q.pair.Delta(e)*(1+1e-12)) }}}}
	all := ranks.Around(base.Prepared(), q.delta/math.Max(1, q.law.Distribution().Mean()))
	if len(all) == 0 {
		return q, false
	}
	q.made, q.known = made, all[0]
	q.run, q.found = selected.NewRun(q.known.Known()), q.known.EpsilonsAt(q.law.Distribution(), q.delta, true)
	return q, q.found.Pointwise > 1e-6 && !math.IsInf(q.found.Pointwise, 1)
}

// worst is the largest δ at ε over all orders of the outputs, in both directions.
func (q question) worst(epsilon float64) (delta float64) {
	n := len(q.pair.P)
	for _, order := range combin.Permutations(n, n) {
		ordered := enumerate.Of(make([]float64, n), make([]float64, n))
		for i, from := range order {
			ordered.P[i], ordered.Q[i] = q.pair.P[from], q.pair.Q[from]
		}
		delta = math.Max(delta, ordered.Best(q.law).Delta(epsilon))
	}
	return delta
}

func (q question) claim() selected.Claim {
	return selected.Claim{Slopes: q.found.Slopes, Weights: q.found.Weights}
}

// checks returns every check of the question.
func (q question) checks() map[string]selected.Check {
	all := map[string]selected.Check{"pointwise": selected.Pointwise(q.made, q.run, q.run, q.claim(), q.delta)}
	if !math.IsInf(q.found.Interleaved, 1) {
		all["interleaved"] = selected.Interleaved(q.made, q.run, q.found.Masses, q.delta)
	}
	for _, order := range []float64{1.5, 4, 30} {
		all["Rényi"] = selected.Renyi(q.made, q.run, order, q.pair.Divergence(order)*(1+1e-12))
	}
	all["pure"] = selected.Renyi(q.made, q.run, math.Inf(1), q.pure()*(1+1e-12))
	all["mixture"] = unproved.Mixture(q.made, q.pure()*(1+1e-12), 0)
	return all
}

func (q question) pure() float64 {
	largest := 0.0
	for i := range q.pair.P {
		largest = math.Max(largest, math.Abs(numeric.Log(q.pair.P[i]/q.pair.Q[i])))
	}
	return largest
}

// No check returns a δ that an order of the outputs leaks, at any ε.
func TestNeverBelowAnOrder(t *testing.T) {
	n := 400
	if testing.Short() {
		n = 25
	}
	rng := rand.New(rand.NewPCG(33, 1))
	shown, nearest := map[string]int{}, 0.0
	for range n {
		q, ok := drawn(t, rng)
		if !ok {
			continue
		}
		for name, check := range q.checks() {
			for _, epsilon := range []float64{q.found.Pointwise, math.Min(q.found.Pointwise, q.found.Interleaved) * (1 - 0.2*rng.Float64()), q.pure() * 5 * rng.Float64()} {
				delta, work := check(epsilon, 1e-6)
				if delta >= 1 {
					continue
				}
				shown[name]++
				worst := q.worst(epsilon)
				if delta > 0 {
					nearest = math.Max(nearest, worst/delta)
				}
				if worst > delta*(1+1e-9)+1e-15*(1+math.Exp(epsilon)) { // the rounding of the enumeration
					t.Errorf("%s, %v, %v: δ(%g) <= %g after %d steps, but an order leaks %g", name, q.law, q.pair, epsilon, delta, work, worst)
				}
			}
		}
	}
	t.Logf("shown %v, nearest %.6f of the δ shown", shown, nearest)
	if len(shown) < 5 || nearest < 0.9 {
		t.Errorf("shown %v, nearest %g of the δ shown: the cases do not try the checks", shown, nearest)
	}
}

// What the search finds is shown, at the same ε or at most 1e-4 above.
func TestShowsTheSearch(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 25
	}
	rng := rand.New(rand.NewPCG(33, 2))
	asked, shown := 0, 0
	for range n {
		q, ok := drawn(t, rng)
		if !ok {
			continue
		}
		asked++
		if c := (settle.Question{Check: q.checks()["pointwise"]}).Certify(q.found.Pointwise, q.delta, nil); c != nil && c.Epsilon <= q.found.Pointwise*(1+1e-4) && c.DeltaUpper <= q.delta && c.Work > 0 {
			shown++
		} else {
			t.Logf("not shown: %v, %v, δ %g, ε %g", q.law, q.pair, q.delta, q.found.Pointwise)
		}
		if math.IsInf(q.found.Interleaved, 1) {
			continue
		}
		asked++
		if c := (settle.Question{Check: q.checks()["interleaved"]}).Certify(q.found.Interleaved, q.delta, nil); c != nil {
			shown++
		} else {
			t.Logf("interleaved not shown: %v, %v, δ %g, ε %g", q.law, q.pair, q.delta, q.found.Interleaved)
		}
	}
	t.Logf("%d of %d shown", shown, asked)
	if float64(shown) < 0.95*float64(asked) {
		t.Errorf("%d of %d are shown", shown, asked)
	}
}

// A claim that is a little too good is refused.
func TestRefuses(t *testing.T) {
	l := law.Law(law.Poisson{MeanRepeats: 100})
	base, err := baserun.New(accounting.Gaussian{NoiseMultiplier: 1})
	if err != nil {
		t.Fatal(err)
	}
	const delta = 1e-5
	known := ranks.Around(base.Prepared(), delta/100)[0]
	at := known.EpsilonsAt(l.Distribution(), delta, true)
	made, err := lawof.Interval(l)
	if err != nil {
		t.Fatal(err)
	}
	run := selected.NewRun(known.Known())
	certify := func(c selected.Check, epsilon float64) *accounting.Certificate {
		return settle.Question{Check: c}.Certify(epsilon, delta, nil)
	}
	claim := func(change func(slopes, weights []float64)) selected.Claim {
		c := selected.Claim{Slopes: append([]float64{}, at.Slopes...), Weights: append([]float64{}, at.Weights...)}
		change(c.Slopes, c.Weights)
		return c
	}
	honest := claim(func(_, _ []float64) {})
	if c := certify(selected.Pointwise(made, run, run, honest, delta), at.Pointwise); c == nil || c.Epsilon != at.Pointwise {
		t.Fatalf("honest claim: %v", c)
	}
	last := len(at.Slopes) - 1
	for name, c := range map[string]selected.Check{
		"less weight":         selected.Pointwise(made, run, run, claim(func(_, w []float64) { scale(w, 0.99) }), delta),
		"one bin steeper":     selected.Pointwise(made, run, run, claim(func(s, _ []float64) { copy(s, s[1:]) }), delta),
		"all 1e-3 steeper":    selected.Pointwise(made, run, run, claim(func(s, _ []float64) { scale(s, 1+1e-3) }), delta),
		"falling slopes":      selected.Pointwise(made, run, run, claim(func(s, _ []float64) { s[last], s[last-1] = s[last-1], s[last] }), delta),
		"negative weight":     selected.Pointwise(made, run, run, claim(func(_, w []float64) { w[last] *= -1 }), delta),
		"not a number":        selected.Pointwise(made, run, run, claim(func(s, _ []float64) { s[last] = math.NaN() }), delta),
		"no claim":            selected.Pointwise(made, run, run, selected.Claim{}, delta),
		"nothing known":       selected.Pointwise(made, selected.NewRun(nil), run, honest, delta),
		"no places":           selected.Interleaved(made, run, nil, delta),
		"nothing known of it": selected.Interleaved(made, selected.NewRun(nil), at.Masses, delta),
		"order 1":             selected.Renyi(made, run, 1, 0.1),
		"negative divergence": selected.Renyi(made, run, 2, -1),
	} {
		if got := certify(c, math.Min(at.Pointwise, at.Interleaved)); got != nil {
			t.Errorf("%s: shown %v", name, got)
		}
	}
	// An ε that is too small by more than the check allows.
	for _, share := range []float64{1e-3, 1e-2, 0.1} {
		if got := certify(selected.Pointwise(made, run, run, honest, delta), at.Pointwise*(1-share)); got != nil {
			t.Errorf("ε %g too small by %g: shown %v", at.Pointwise, share, got)
		}
	}
	if got := certify(selected.Interleaved(made, run, at.Masses, delta), at.Interleaved*0.98); got != nil {
		t.Errorf("interleaved ε too small by 2 %%: shown %v", got)
	}
	for _, epsilon := range []float64{math.NaN(), -1, math.Inf(1)} {
		if got := certify(selected.Pointwise(made, run, run, honest, delta), epsilon); got != nil {
			t.Errorf("ε %g: shown %v", epsilon, got)
		}
	}
}

func scale(x []float64, by float64) {
	for i := range x {
		x[i] *= by
	}
}
