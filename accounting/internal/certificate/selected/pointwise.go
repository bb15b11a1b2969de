package selected

import (
	"math"
	"sort"

	"github.com/dplab/dplab/accounting/interval"
)

// Claim is a bound on the privacy profile of the best of K runs:
//
//	δ_A(ε) <= Σ_k Weights[k] H(e^ε Slopes[k])   for all ε >= 0
//
// Slopes rise.
type Claim struct{ Slopes, Weights []float64 }

// Pointwise checks a claim. Let φ be the convex function with φ(0) = 0 that has the slope Slopes[k]
// over a length of Weights[k]. To show is f'(1-P(p)) >= φ(f'(1-p)) for all p in [0, 1]. Then
//
//	r f'(1-p) - e^ε f'(1-P(p)) <= Σ_k Weights[k] (r - e^ε Slopes[k])₊
//
// for every r >= 0, which is what the proof in ranks/pointwise.go needs. If φ is above by at most
// η, δ grows by e^ε η.
func Pointwise(law Law, ranks, outputs Run, claim Claim, delta float64) Check {
	type cover struct{ eta, failed float64 } // the least η that was shown, and the largest that was not
	covered := map[float64]cover{}           // of each slack
	return func(epsilon, slack float64) (float64, int) {
		wider, eta := claim.wider(slack/8), slack/2*delta*math.Exp(-epsilon)
		c, known := covered[slack]
		if !known {
			c = cover{math.Inf(1), 0}
		}
		work := len(claim.Slopes)
		if c.failed*later < eta && eta < c.eta {
			p := &parts{law: law, lines: ranks.lines, of: wider.above(), enough: eta, left: MostParts}
			if most := p.most(); most <= eta {
				c.eta = max(0, most)
			} else {
				c.failed = eta
			}
			work += MostParts - p.left
			covered[slack] = c
		}
		if math.IsInf(c.eta, 1) {
			return 1, work
		}
		return wider.deltaAt(outputs.stick, epsilon, c.eta), work
	}
}

// later is how much larger than an η that was not shown the next one is.
const later = 1000

// wider returns the claim with weights that are larger by a share. Lines that touch what they
// should be above then do not any more.
func (c Claim) wider(share float64) Claim {
	w := Claim{Slopes: c.Slopes, Weights: make([]float64, len(c.Weights))}
	for i, weight := range c.Weights {
		w.Weights[i] = weight * (1 + share)
	}
	return w
}

// above returns φ(a) - b, from above. φ is +Inf beyond its end.
func (c Claim) above() measure {
	from, value := []float64{0}, []float64{0} // sums of weights, rounded down; of slopes times weights, rounded up
	for k, w := range c.Weights {
		if !(w >= 0 && c.Slopes[k] >= 0) || k > 0 && c.Slopes[k] < c.Slopes[k-1] {
			return func(pair) float64 { return math.Inf(1) }
		}
		from = append(from, max(0, interval.Down(from[k]+w)))
		value = append(value, interval.Up(value[k]+interval.Up(c.Slopes[k]*w)))
	}
	last := len(c.Slopes) - 1
	return func(at pair) float64 {
		if !(at.a <= from[last+1]) {
			return math.Inf(1)
		}
		k := min(last, sort.Search(last+1, func(i int) bool { return from[i+1] > at.a }))
		return interval.Up(interval.Up(value[k]+interval.Up(c.Slopes[k]*interval.Up(at.a-from[k]))) - at.b)
	}
}

// deltaAt returns the claim's sum at ε, from above.
func (c Claim) deltaAt(h stick, epsilon, eta float64) float64 {
	x, sum := interval.Of(epsilon).Exp(), 0.0
	for k, w := range c.Weights {
		t := 0.0
		if c.Slopes[k] > 0 {
			t = max(0, interval.Down(x.Lo*c.Slopes[k]))
		}
		sum = interval.Up(sum + interval.Up(w*h.at(t)))
	}
	return interval.Up(sum + x.Mul(interval.Of(eta)).Hi)
}

// Profile checks δ_A(e + L) <= E[K] δ(e), with L the largest ln f'(1-p)/f'(1-P(p)).
func Profile(law Law, run Run) Check {
	weights := map[float64]Weight{}
	return func(epsilon, slack float64) (float64, int) {
		w, known := weights[slack]
		if !known {
			w = LargestWeight(law, run, math.Inf(1), slack*1e-3*min(1, epsilon))
			weights[slack] = w
		}
		if math.IsInf(w.Log, 1) {
			return 1, w.Work
		}
		at := interval.Of(epsilon).Sub(interval.Of(max(0, w.Log)))
		return law.Mean.Mul(interval.Of(run.Delta(at))).Hi, w.Work
	}
}
