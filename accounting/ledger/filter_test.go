package ledger

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/numeric"
)

func head(t *testing.T, target accounting.Target, filter Filter) Head {
	t.Helper()
	h, err := NewHead("data", accounting.AddOrRemoveOne, target, filter, 0)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// The constants, solved from the papers' formulas.
func TestConstants(t *testing.T) {
	for _, target := range []accounting.Target{{Epsilon: 0.3, Delta: 1e-7}, {Epsilon: 3, Delta: 1e-5}, {Epsilon: 20, Delta: 1e-3}} {
		h := head(t, target, Renyi)
		// ε = B + log(1-1/α) - log(αδ)/(α-1): Canonne, Kamath, Steinke 2020, Proposition 12
		back := h.Constant + math.Log1p(-1/h.Order) - numeric.Log(h.Order*target.Delta)/(h.Order-1)
		if back > target.Epsilon || back < target.Epsilon-2e-5*target.Epsilon {
			t.Errorf("renyi for %v: order %g and B %g give ε %.9g", target, h.Order, h.Constant, back)
		}
		// Whitehouse et al. 2023, Theorem 2: ε = √(2 V ln(1/δ')) + V/2 for V = Σε², at δ' = δ/2.
		h = head(t, target, ZCDP)
		log := numeric.Log(2 / target.Delta)
		root := math.Sqrt(2*log+2*target.Epsilon) - math.Sqrt(2*log) // √V
		if v := 2 * h.Constant; v < root*root || v > 1.6*root*root || h.Failure != target.Delta/2 {
			t.Errorf("zcdp for %v: V %g, want some more than %g of Theorem 2", target, v, root*root)
		}
		// The whole costs the budget, and so do equal Gaussian releases that use up the constant.
		h = head(t, target, Gaussian)
		equal := accounting.SelfComposed{Event: accounting.Gaussian{NoiseMultiplier: math.Sqrt(7) * h.Constant}, Count: 7}
		g, err := auto.NewAccountant().EpsilonAt(equal, target.Delta)
		share, _ := h.take(equal, 0)
		if err != nil || math.Abs(g.Epsilon.Upper/target.Epsilon-1) > 1e-6 || math.Abs(h.share(share)-1) > 1e-12 {
			t.Errorf("gaussian for %v: seven equal releases cost %v and take %g (%v)", target, g, h.share(share), err)
		}
	}
}

// An analyst picks each randomized response by the answers so far, in many ways. δ of all answers,
// summed over all paths, is at most that of the budget. If more than the constant is taken it is
// not, so the sum can fail.
func TestAnalystsThatPickByAnswers(t *testing.T) {
	target, seeds := accounting.Target{Epsilon: 0.4, Delta: 0.05}, uint64(60)
	if testing.Short() {
		seeds = 15
	}
	for _, filter := range []Filter{Renyi, ZCDP} {
		h := head(t, target, filter)
		for _, c := range []struct {
			room float64 // what the analyst may take, as a multiple of the constant
			over bool
		}{{1, false}, {6, true}} {
			worst := 0.0
			for seed := range seeds {
				worst = math.Max(worst, analyst(t, h, c.room, rand.New(rand.NewPCG(seed, 1))))
			}
			if over := worst > target.Delta; over != c.over || worst < target.Delta/50 {
				t.Errorf("%s, %g of the constant: δ %g of the worst analyst, budget %g", filter, c.room, worst, target.Delta)
			}
		}
	}
}

// analyst returns δ of a random strategy: for each answer so far, as the sign of the privacy loss
// and the number of answers, it has a list of wishes, and takes the first that fits.
func analyst(t *testing.T, h Head, room float64, rng *rand.Rand) float64 {
	choices := []float64{0.05, 0.1, 0.2, 0.3, 0.5, 0.8}
	taken := make([]float64, len(choices))
	for i, epsilon := range choices {
		parts, err := h.take(accounting.PureDP{Epsilon: epsilon}, 0)
		if err != nil {
			t.Fatal(err)
		}
		taken[i] = h.share(parts)
	}
	wishes := map[[2]int][]int{}
	var delta func(p, q, share float64, round int) float64
	delta = func(p, q, share float64, round int) float64 {
		key := [2]int{round, 0}
		if p > q {
			key[1] = 1
		}
		if wishes[key] == nil {
			wishes[key] = rng.Perm(len(choices))
		}
		for _, i := range wishes[key] {
			if round < 14 && share+taken[i] <= room {
				truth := 1 / (1 + math.Exp(-choices[i]))
				return delta(p*truth, q*(1-truth), share+taken[i], round+1) + delta(p*(1-truth), q*truth, share+taken[i], round+1)
			}
		}
		return math.Max(0, p-math.Exp(h.Budget.Epsilon)*q)
	}
	return delta(1, 1, 0, 0)
}

// What a release takes, by hand.
func TestTake(t *testing.T) {
	target := accounting.Target{Epsilon: 2, Delta: 1e-5}
	renyi := head(t, target, Renyi)
	order := renyi.Order
	sample := accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.ClippedSum{NoiseMultiplier: 2}}
	for _, c := range []struct {
		filter  Filter
		event   accounting.Event
		first   float64
		failure float64
		within  float64
	}{
		{Renyi, accounting.SelfComposed{Event: accounting.Gaussian{NoiseMultiplier: 3}, Count: 5}, 5 * order / 18, 0, 1e-12},
		{Gaussian, accounting.Composed{Events: []accounting.Event{accounting.Gaussian{NoiseMultiplier: 3}, accounting.ClippedSum{NoiseMultiplier: 2}}}, 1./9 + 1./4, 0, 1e-12},
		{ZCDP, accounting.Composed{Events: []accounting.Event{accounting.Gaussian{NoiseMultiplier: 3}, accounting.Laplace{NoiseMultiplier: 5}, accounting.ZCDP{Rho: 0.1}}}, 1./18 + 1./50 + 0.1, 0, 1e-12},
		{ZCDP, accounting.SelfComposed{Event: accounting.ApproxDP{Epsilon: 0.3, Delta: 1e-7}, Count: 3}, 3 * 0.045, 3e-7, 1e-6},
		{ZCDP, accounting.SelfComposed{Event: sample, Count: 400}, math.NaN(), 1e-7, 1e-6},
	} {
		parts, err := head(t, target, c.filter).take(c.event, 1e-7)
		first := c.first
		if math.IsNaN(first) { // an ε that auto certifies
			g, _ := auto.NewAccountant().EpsilonAt(c.event, 1e-7)
			first = g.Epsilon.Upper * g.Epsilon.Upper / 2
		}
		if err != nil || math.Abs(parts[0].Hi/first-1) > c.within || math.Abs(parts[1].Hi-c.failure) > c.within*c.failure+1e-300 {
			t.Errorf("%s, %v: takes %v (%v), want %g and %g", c.filter, c.event, parts, err, first, c.failure)
		}
	}
	// A sample's divergence at one order is below that of the whole, and a filter refuses what it
	// does not know.
	parts, err := renyi.take(sample, 0)
	if whole := order / 8; err != nil || !(parts[0].Hi > 0 && parts[0].Hi < whole/100) {
		t.Errorf("a sample takes %v, %v", parts, err)
	}
	for filter, event := range map[Filter]accounting.Event{Gaussian: sample, Renyi: accounting.ApproxDP{Epsilon: 1, Delta: 1e-9}, ZCDP: accounting.SelfComposed{Event: nil, Count: 1}} {
		if _, err := head(t, target, filter).take(event, 1e-7); err == nil || filter != ZCDP && !errors.Is(err, accounting.ErrUnsupportedEvent) {
			t.Errorf("%s took %v: %v", filter, event, err)
		}
	}
	if parts, err := head(t, target, ZCDP).take(accounting.NonPrivate{}, 1e-7); err != nil || !math.IsInf(parts[0].Hi, 1) {
		t.Errorf("no noise takes %v, %v", parts, err)
	}
}
