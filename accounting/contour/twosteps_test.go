package contour

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/numeric"
)

// step is a Gaussian of noise multiplier sigma, sampled at rate q; q = 1 is a plain one.
type step struct{ q, sigma float64 }

func (s step) event() accounting.Event {
	gaussian := accounting.Gaussian{NoiseMultiplier: s.sigma}
	if s.q == 1 {
		return gaussian
	}
	return accounting.PoissonSampled{SamplingRate: s.q, Event: gaussian}
}

// loss returns log(1-q+q e^v) at the output x, the first sum written so that neither a small q nor
// one near 1 loses digits.
func (s step) loss(x float64) float64 {
	v := (2*x - 1) / (2 * s.sigma * s.sigma)
	switch {
	case v > 30:
		return v + numeric.Log(s.q) + math.Log1p((1-s.q)/s.q*math.Exp(-v))
	case v > -1 && s.q < 0.5:
		return math.Log1p(s.q * math.Expm1(v))
	}
	return numeric.Log(1 - s.q + s.q*math.Exp(v))
}

// delta returns E(1-e^{e-L})_+ of one step at any real e, by normal tails at the output where the
// loss is e.
func (s step) delta(dir transform.Direction, e float64) float64 {
	tail := func(x, mean float64) float64 { return math.Erfc((x-mean)/(s.sigma*math.Sqrt2)) / 2 } // of outputs above x
	at := func(u float64) float64 {                                                               // the output where e^loss is 1+u
		return 0.5 + s.sigma*s.sigma*math.Log1p(u/s.q)
	}
	if dir == transform.Remove {
		u := math.Expm1(e)
		if u <= -s.q {
			return -u
		}
		x := at(u)
		return s.q*tail(x, 1) - (u+s.q)*tail(x, 0)
	}
	u := math.Expm1(-e)
	if u <= -s.q {
		return 0
	}
	x := at(u)
	return (1-(1-s.q)*math.Exp(e))*tail(-x, 0) - s.q*math.Exp(e)*tail(-x, -1)
}

// twoSteps returns δ(ε) of one step after another: the mean of the second's δ over the outputs of
// the first, by Gauss and Legendre in panels of a fraction of σ. Where the second step's loss has a
// limit its δ is not analytic in ε: panels get shorter towards the output from which that is
// reached.
func twoSteps(first, second step, dir transform.Direction, epsilon float64, nodes int) float64 {
	sign := 1.0
	if dir == transform.Add {
		sign = -1
	}
	f := func(x float64) float64 {
		density := math.Exp(-x*x/(2*first.sigma*first.sigma)) / (first.sigma * transform.Sqrt2Pi)
		l := first.loss(x)
		if dir == transform.Remove {
			density *= math.Exp(l)
		}
		return density * second.delta(dir, epsilon-sign*l)
	}
	from, to := -39*first.sigma, 1+39*first.sigma
	edges := []float64{from, to}
	for x := from; x < to; x += first.sigma / 4 {
		edges = append(edges, x)
	}
	if limit := math.Exp(sign*epsilon) / (1 - second.q); second.q < 1 && limit > 1-first.q { // e^l from which on δ has another form
		x := 0.5 + first.sigma*first.sigma*numeric.Log((limit-1+first.q)/first.q)
		edges = append(edges, x)
		for d := first.sigma; d > 1e-15; d /= 2 {
			edges = append(edges, x-d, x+d)
		}
	}
	slices.Sort(edges)
	var sum float64
	for i := 1; i < len(edges); i++ {
		sum += quad.Fixed(f, edges[i-1], edges[i], nodes, quad.Legendre{}, 0)
	}
	return sum
}

// TestTwoSteps holds certified intervals of δ against a quadrature that shares nothing with the
// package. The transform of a step that is taken once passes near 0, where its logarithm must not
// be formed from |φ|²-1; and where q is next to 1 so does e^loss.
func TestTwoSteps(t *testing.T) {
	pairs := [][2]step{
		{{0.5, 1}, {1, 1}},
		{{0.1, 0.5}, {1, 2}},
		{{0.9, 0.7}, {1, 1}},
		{{0.99, 0.5}, {1, 0.8}},
		{{0.999999, 0.3}, {1, 1}},
		{{0.999999999, 0.4}, {0.3, 1}},
		{{0.9999, 1}, {0.999, 0.7}},
		{{0.5, 0.5}, {0.3, 1}},
		{{0.9, 0.3}, {0.2, 0.8}},
		{{0.01, 0.4}, {0.5, 2}},
		{{0.7, 2}, {0.6, 0.5}},
		{{0.999998, 0.1}, {1, 2.5}},
		{{0.9999, 0.1}, {0.6, 0.35}},
		{{0.999, 0.08}, {1, 1}},
	}
	for i, pair := range pairs {
		for j, epsilon := range []float64{0.1, 0.5, 1, 2, 4, 8} {
			if testing.Short() && (i+j)%5 > 0 {
				continue
			}
			checkTwoSteps(t, pair, epsilon)
		}
	}
	drawn := 20
	switch {
	case *allTruths:
		drawn = 500
	case testing.Short():
		drawn = 0
	}
	rng := rand.New(rand.NewPCG(7, 8))
	log := func(lo, hi float64) float64 { return lo * math.Exp(rng.Float64()*numeric.Log(hi/lo)) }
	draw := func() step {
		q := [...]float64{log(1e-4, 0.9), 1 - log(1e-10, 0.5), 0.1 + 0.8*rng.Float64()}[rng.IntN(3)]
		return step{q, log(0.2, 5)}
	}
	for range drawn {
		pair := [2]step{draw(), draw()}
		if rng.IntN(2) == 0 {
			pair[1].q = 1
		}
		checkTwoSteps(t, pair, log(0.05, 12))
	}
}

// compiled returns the program of an event.
func compiled(event accounting.Event) (program, error) {
	q, err := ask.Of("contour", event, accounting.AddOrRemoveOne)
	if err != nil {
		return program{}, err
	}
	return compile(q)
}

func checkTwoSteps(t *testing.T, pair [2]step, epsilon float64) {
	t.Helper()
	program, err := compiled(accounting.Composed{Events: []accounting.Event{pair[0].event(), pair[1].event()}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range program.problems() {
		want, coarse := twoSteps(pair[0], pair[1], p.Dir, epsilon, 24), twoSteps(pair[0], pair[1], p.Dir, epsilon, 16)
		if want < 1e-13 { // its terms have cancelled
			continue
		}
		if math.Abs(want-coarse) > 1e-11*want {
			t.Errorf("%v, ε %g, %v: the quadrature has not converged: %.15g, %.15g", pair, epsilon, p.Dir, coarse, want)
		}
		got, log, slop := p.logDeltaAt(epsilon, math.Inf(-1)).out, numeric.Log(want), 3e-12+2*math.Abs(want-coarse)/want
		if got.lower > log+slop || got.upper < log-slop || got.contradiction {
			t.Errorf("%v, ε %g, %v: log δ in %.3g + [%.3g, %.3g], contradiction %t", pair, epsilon, p.Dir, log, got.lower-log, got.upper-log, got.contradiction)
		}
	}
}
