package threshold

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/dplab/dplab/accounting/numeric"
)

// machine is a search by threshold tests that really runs, on its exact law: the step
// doubles after a positive and halves after a test without one, as in Algorithm 1 of
// ding2023. Its parameters may differ from those that are priced.
type machine struct {
	event Event
	start float64
	step  float64 // granularity g
}

// legendreNodes and legendreWeights are the 24-point rule on [0, 1].
var legendreNodes, legendreWeights = func() (x, w []float64) {
	x, w = make([]float64, 24), make([]float64, 24)
	quad.Legendre{}.FixedLocations(x, w, 0, 1)
	return x, w
}()

// comparison is one test of one score.
type comparison struct {
	score, threshold float64
	above            bool
}

// chance returns the chance of comparisons that share one threshold noise, by quadrature
// over it: 24 Gauss-Legendre points between neighboring kinks, cut at one noise scale.
func (m machine) chance(segment []comparison) float64 {
	if len(segment) == 0 {
		return 1
	}
	b := m.event.ThresholdNoise
	kinks := []float64{-45 * b, 0, 45 * b}
	for _, c := range segment {
		kinks = append(kinks, c.score-c.threshold)
	}
	slices.Sort(kinks)
	width := b
	if m.event.ScoreNoise > 0 {
		width = math.Min(width, m.event.ScoreNoise)
	}
	sum := 0.0
	for i := 1; i < len(kinks); i++ {
		pieces := int(math.Min(60, math.Ceil((kinks[i]-kinks[i-1])/(3*width))))
		for p := range pieces {
			lo := kinks[i-1] + (kinks[i]-kinks[i-1])*float64(p)/float64(pieces)
			hi := kinks[i-1] + (kinks[i]-kinks[i-1])*float64(p+1)/float64(pieces)
			for k, x := range legendreNodes {
				sum += legendreWeights[k] * (hi - lo) * m.given(segment, lo+(hi-lo)*x)
			}
		}
	}
	return sum
}

// given returns the density of the noise rho times the chance of the comparisons.
func (m machine) given(segment []comparison, rho float64) float64 {
	if m.event.Noise == Exponential {
		return m.givenExponential(segment, rho)
	}
	p := math.Exp(-math.Abs(rho)/m.event.ThresholdNoise) / (2 * m.event.ThresholdNoise)
	for _, c := range segment {
		lack := c.threshold + rho - c.score
		if !c.above {
			lack = -lack
		}
		p *= laplaceTail(lack, m.event.ScoreNoise)
	}
	return p
}

// givenExponential is given where both noises are exponential, not less their means.
func (m machine) givenExponential(segment []comparison, rho float64) float64 {
	if rho < 0 {
		return 0
	}
	p := math.Exp(-rho/m.event.ThresholdNoise) / m.event.ThresholdNoise
	for _, c := range segment {
		above := math.Exp(-math.Max(0, c.threshold+rho-c.score) / m.event.ScoreNoise)
		if !c.above {
			above = 1 - above
		}
		p *= above
	}
	return p
}

// laplaceTail returns P[Lap(b) >= x]; b = 0 is no noise.
func laplaceTail(x, b float64) float64 {
	switch {
	case b == 0 && x > 0:
		return 0
	case b == 0:
		return 1
	case x > 0:
		return math.Exp(-x/b) / 2
	}
	return 1 - math.Exp(x/b)/2
}

// law returns the chance of everything that can be released, keyed by the answers.
func (m machine) law(scores []float64) map[string]float64 {
	out := map[string]float64{}
	m.walk(scores, "", m.start, 1, 0, 0, 1, nil, out)
	return out
}

// walk goes on after tests tests with positives positives; done is the chance of the
// segments that are closed.
func (m machine) walk(scores []float64, answers string, u, step float64, tests, positives int, done float64, open []comparison, out map[string]float64) {
	if step < 1 || tests == m.event.MaxTests || positives == m.event.MaxPositives {
		out[answers] += done * m.chance(open)
		return
	}
	if m.event.Refresh == EachTest {
		done, open = done*m.chance(open), nil
	}
	threshold := u + step*m.step
	below := slices.Clone(open)
	for i, s := range scores {
		hit := append(slices.Clone(below), comparison{s, threshold, true})
		next, closed := hit, done
		if m.event.Refresh == EachPositive {
			next, closed = nil, done*m.chance(hit)
		}
		m.walk(scores, fmt.Sprint(answers, i, " "), threshold, 2*step, tests+1, positives+1, closed, next, out)
		below = append(below, comparison{s, threshold, false})
	}
	m.walk(scores, answers+"- ", u, math.Floor(step/2), tests+1, positives, done, below, out)
}

// violation compares the exact laws on two score vectors, in this order, with what priced
// claims, and describes the first claim that is false.
func (m machine) violation(priced Event, a, b []float64) string {
	p, q := m.law(a), m.law(b)
	for answers := range p {
		if p[answers] > q[answers]*math.Exp(priced.PureEpsilon())*(1+1e-9)+1e-15 {
			return fmt.Sprintf("answers %q: chances %g and %g, log ratio %g above the pure price %g", answers, p[answers], q[answers], numeric.Log(p[answers]/q[answers]), priced.PureEpsilon())
		}
	}
	for i := range 12 {
		epsilon := priced.PureEpsilon() * float64(i) / 12
		delta := 0.0
		for answers := range p {
			delta += math.Max(0, p[answers]-math.Exp(epsilon)*q[answers])
		}
		if bound := priced.DeltaAt(epsilon); delta > bound*(1+1e-9)+1e-13 {
			return fmt.Sprintf("ε %g: exact δ %g above the bound %g", epsilon, delta, bound)
		}
	}
	curve := priced.Curve()
	for _, order := range []float64{1.01, 1.5, 2, 5, 20, 100} {
		moment := 0.0
		for answers := range p {
			moment += q[answers] * math.Pow(p[answers]/q[answers], order)
		}
		if d := numeric.Log(moment) / (order - 1); d > curve(order)*(1+1e-9)+1e-10 {
			return fmt.Sprintf("order %g: exact divergence %g above the bound %g", order, d, curve(order))
		}
	}
	return ""
}

// neighbors returns all score vectors that differ by -Δ, 0 or Δ in each place.
func neighbors(scores []float64, delta float64) [][]float64 {
	out := [][]float64{{}}
	for _, s := range scores {
		var more [][]float64
		for _, head := range out {
			for _, move := range []float64{-delta, 0, delta} {
				more = append(more, append(slices.Clone(head), s+move))
			}
		}
		out = more
	}
	return out
}

func exampleSearch(refresh Refresh) Event {
	return Event{Sensitivity: 0.2, ThresholdNoise: 0.4, ScoreNoise: 0.5, MaxTests: 3, MaxPositives: 2, Refresh: refresh}
}

// The exact law of small searches, on all neighbors and in both directions, obeys every
// claim of the theorem.
func TestBoundsTheExactLaw(t *testing.T) {
	for _, refresh := range []Refresh{EachTest, EachPositive, Once} {
		for _, m := range []machine{
			{exampleSearch(refresh), 0, 0.3},
			{Event{0.5, 0.3, 1.5, 3, 3, refresh, Laplace}, 0, 0.5},
			{with(exampleSearch(refresh), exponential), 0, 0.3},
			{Event{0.5, 0.7, 0.9, 3, 3, refresh, Exponential}, 0, 0.5},
		} {
			scores := []float64{0.1, 0.9}
			total := 0.0
			for _, p := range m.law(scores) {
				total += p
			}
			if math.Abs(total-1) > 1e-11 {
				t.Fatalf("%v: the exact law sums to %.15g: must be 1", m.event, total)
			}
			for _, other := range neighbors(scores, m.event.Sensitivity) {
				for _, pair := range [][2][]float64{{scores, other}, {other, scores}} {
					if v := m.violation(m.event, pair[0], pair[1]); v != "" {
						t.Errorf("%v, scores %v and %v: %s", m.event, pair[0], pair[1], v)
					}
				}
			}
		}
	}
}

// The same check refuses variants that are known to be broken (Lyu, Su and Li 2017,
// Figure 1 there), and prices that forget something.
func TestBrokenSearchIsCaught(t *testing.T) {
	honest := Event{Sensitivity: 1, ThresholdNoise: 2, ScoreNoise: 2, MaxTests: 4, MaxPositives: 2, Refresh: Once}
	pairs := [][2][]float64{{{5, 1}, {6, 0}}, {{5, 5.5}, {5.5, 5}}}
	for name, c := range map[string]struct{ runs, priced Event }{
		"no noise on scores (Algorithm 5)": {with(honest, func(e *Event) { e.ScoreNoise = 0 }), honest},
		"positives not capped (Algorithm 6)": {with(honest, func(e *Event) { e.MaxPositives = 4 }),
			with(honest, func(e *Event) { e.MaxPositives = 1 })},
		"noise without c and 2 (Algorithm 4)": {honest, with(honest, func(e *Event) { e.ScoreNoise *= 2; e.MaxPositives = 1 })},
		"shift Δ instead of 2Δ":               {honest, with(honest, func(e *Event) { e.ScoreNoise *= 2 })},
		"half the noise":                      {with(honest, func(e *Event) { e.ScoreNoise /= 2; e.ThresholdNoise /= 2 }), honest},
		"half of exponential noise": {with(honest, func(e *Event) { e.ScoreNoise /= 2; e.ThresholdNoise /= 2; exponential(e) }),
			with(honest, exponential)},
		"shift Δ instead of 2Δ, exponential": {with(honest, exponential),
			with(honest, func(e *Event) { e.ScoreNoise *= 2; exponential(e) })},
	} {
		caught := ""
		for _, pair := range append(pairs, [2][]float64{pairs[0][1], pairs[0][0]}) {
			caught += machine{c.runs, 6, 0.01}.violation(c.priced, pair[0], pair[1])
			if v := (machine{c.priced, 6, 0.01}).violation(c.priced, pair[0], pair[1]); v != "" {
				t.Errorf("%s: the search that is priced is refused on the same scores: %s", name, v)
			}
		}
		if caught == "" {
			t.Errorf("%s: not caught", name)
		}
	}
}

// New threshold noise must be paid for: three tests that 12 candidates far above the threshold
// all fail, each with noise of its own, cost more than a search whose noise is drawn once
// pays in all, and nearly three times ε1.
func TestNewThresholdNoiseMustBePaid(t *testing.T) {
	each := Event{Sensitivity: 1, ThresholdNoise: 0.7, ScoreNoise: 8, MaxTests: 3, MaxPositives: 2, Refresh: EachTest}
	once := with(each, func(e *Event) { e.Refresh = Once })
	test := func(score float64) (segment []comparison) {
		for range 12 {
			segment = append(segment, comparison{score, 0, false})
		}
		return segment
	}
	m := machine{event: each}
	ratio := 3 * numeric.Log(m.chance(test(12))/m.chance(test(13)))
	if ratio <= once.PureEpsilon() || ratio > 3*each.ThresholdEpsilon() || ratio < 0.9*3*each.ThresholdEpsilon() {
		t.Errorf("log ratio %g: want above %g, and from 90 to 100 percent of 3 ε1 = %g", ratio, once.PureEpsilon(), 3*each.ThresholdEpsilon())
	}
}

func exponential(e *Event) { e.Noise = Exponential }

func with(e Event, change func(*Event)) Event {
	change(&e)
	return e
}

// One positive after many comparisons without one comes near the pure bound: the scores
// that are below fall by Δ on D, the one that is above rises.
func TestPureBoundIsNearlyAttained(t *testing.T) {
	e := Event{Sensitivity: 1, ThresholdNoise: 2, ScoreNoise: 4, MaxTests: 1, MaxPositives: 1, Refresh: Once}
	const below = 400
	a, b := make([]float64, below+1), make([]float64, below+1)
	for i := range below {
		a[i], b[i] = 0, 1
	}
	a[below], b[below] = 1, 0
	m := machine{event: e}
	var segA, segB []comparison
	for i := range below + 1 {
		segA = append(segA, comparison{a[i], 0, i == below})
		segB = append(segB, comparison{b[i], 0, i == below})
	}
	ratio := numeric.Log(m.chance(segA) / m.chance(segB))
	if !(ratio <= e.PureEpsilon()) || ratio < 0.8*e.PureEpsilon() {
		t.Errorf("log ratio %g: want from 80 to 100 percent of the pure bound %g", ratio, e.PureEpsilon())
	}
}
