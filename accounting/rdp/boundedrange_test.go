package rdp_test

import (
	"errors"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
)

// BoundedRange against its definition: the largest divergence of two outputs whose log-likelihood
// ratios are t and t-ε, over a fine list of t. It is nowhere below, and within what the list
// misses.
func TestBoundedRange(t *testing.T) {
	for _, epsilon := range []float64{0.01, 0.3, 1, 3, 10} {
		for _, order := range []float64{1.01, 1.5, 2, 7.3, 40, 300} {
			worst := 0.0
			const steps = 20000
			for i := 1; i < steps; i++ {
				s, c := math.Exp(epsilon*float64(i)/steps), math.Exp(-epsilon)
				q := (1 - s*c) / (s * (1 - c)) // chance of the first output without the record; s q with it
				if x := order * numeric.Log(s); x < 600 {
					worst = math.Max(worst, numeric.Log(q*math.Pow(s, order)+(1-q)*math.Pow(s*c, order))/(order-1))
				}
			}
			got := rdp.BoundedRange(epsilon)(order)
			if got < worst-1e-12/(order-1) || got > worst*(1+1e-6)+1e-10/(order-1) && order*epsilon < 500 {
				t.Errorf("ε = %g, order %g: %.12g, want %.12g", epsilon, order, got, worst)
			}
			if most := math.Min(epsilon, order*epsilon*epsilon/8) * (1 + 1e-14); got > most || got > rdp.PureDP(epsilon)(order)*(1+1e-12) {
				t.Errorf("ε = %g, order %g: %g above %g or pure %g", epsilon, order, got, most, rdp.PureDP(epsilon)(order))
			}
		}
	}
	inf := math.Inf(1)
	for _, c := range []struct{ epsilon, order, want float64 }{{0, 2, 0}, {1, inf, 1}, {inf, 2, inf}, {1, 1, inf}, {-1, 2, inf}, {math.NaN(), 2, inf}, {1, math.NaN(), inf}} {
		if got := rdp.BoundedRange(c.epsilon)(c.order); got != c.want {
			t.Errorf("BoundedRange(%g)(%g) = %g, want %g", c.epsilon, c.order, got, c.want)
		}
	}
	if got := rdp.BoundedRange(1e-200)(3); !(got > 0) {
		t.Error("a cost that underflows is free")
	}
}

// choices returns the laws of a choice among two candidates whose scores differ by gap, in units of
// 2Δ/ε, by both mechanisms.
func choices(gap float64) (exponential, flipped [2]float64) {
	worse := 1 / (1 + math.Exp(math.Abs(gap)))
	exponential = [2]float64{1 - worse, worse}
	flipped = [2]float64{1 - math.Exp(-math.Abs(gap))/2, math.Exp(-math.Abs(gap)) / 2}
	if gap < 0 {
		exponential[0], exponential[1], flipped[0], flipped[1] = exponential[1], exponential[0], flipped[1], flipped[0]
	}
	return exponential, flipped
}

// Both mechanisms run among two candidates, against the curves of their events: a record moves the
// gap of the scores by 2Δ. The range of permute-and-flip is not bounded by its ε, so that it must
// not be priced like the exponential mechanism.
func TestChoicesAmongTwo(t *testing.T) {
	const epsilon = 0.5
	curves := map[bool]rdp.Curve{}
	for flips, event := range map[bool]accounting.Event{false: accounting.ExponentialMechanism{Epsilon: epsilon}, true: accounting.PermuteAndFlip{Epsilon: epsilon}} {
		curve, err := rdp.FromEvent(event)
		if err != nil {
			t.Fatal(err)
		}
		curves[flips] = curve
	}
	beyond := false
	for gap := -3.0; gap <= 3; gap += 0.01 {
		e, f := choices(gap)
		eOther, fOther := choices(gap + epsilon)
		for _, order := range []float64{1.5, 4, 30} {
			divergence := func(p, q [2]float64) float64 {
				return numeric.Log(q[0]*math.Pow(p[0]/q[0], order)+q[1]*math.Pow(p[1]/q[1], order)) / (order - 1)
			}
			larger := func(p, q [2]float64) float64 { return math.Max(divergence(p, q), divergence(q, p)) }
			if got := larger(e, eOther); got > curves[false](order)+1e-13 {
				t.Errorf("exponential mechanism, gap %g, order %g: %g, above %g", gap, order, got, curves[false](order))
			}
			got := larger(f, fOther)
			if got > curves[true](order)+1e-13 {
				t.Errorf("permute and flip, gap %g, order %g: %g, above %g", gap, order, got, curves[true](order))
			}
			beyond = beyond || got > curves[false](order)*1.5
		}
	}
	if !beyond {
		t.Error("permute and flip was nowhere dearer than bounded range: the cases do not tell them apart")
	}
}

// What runs on a sample and is not symmetric is priced by PoissonAmplified.
func TestSampledChoice(t *testing.T) {
	event := accounting.PoissonSampled{SamplingRate: 0.1, Event: accounting.ExponentialMechanism{Epsilon: 1}}
	curve, err := rdp.FromEvent(event)
	want := math.Log1p(0.01 * math.Expm1(rdp.BoundedRange(1)(2)))
	if err != nil || math.Abs(curve(2)/want-1) > 1e-12 {
		t.Errorf("order 2: %g, %v, want %g", curve(2), err, want)
	}
	if _, err := rdp.FromEvent(accounting.ExponentialMechanism{Epsilon: -1}); err == nil || errors.Is(err, accounting.ErrUnsupportedEvent) {
		t.Errorf("ε = -1: %v, want a fault of the event", err)
	}
}
