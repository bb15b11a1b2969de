package auto_test

import (
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
)

// A claim is a rule for the prices of two drawn events, whatever these are.
type claim struct {
	name string
	kind kind
	// draw returns the two events under a relation, nil if it claims nothing there.
	draw func(d drawn, r accounting.Neighboring) (a, b accounting.Event)
	to   accounting.Neighboring // relation of the second event, if it is another one
	bare bool                   // it is refused on a sample, or differs there
	slow bool                   // with -short one relation is asked
}

type kind int

const (
	same     kind = iota // one pair of laws: the intervals must meet
	onePrice             // one mechanism, and one way of pricing it: the upper ends agree too
	atLeast              // the first dominates the second
)

func sum(sigma float64) accounting.Event { return accounting.ClippedSum{NoiseMultiplier: sigma} }
func gauss(sigma float64) accounting.Event {
	return accounting.Gaussian{NoiseMultiplier: sigma}
}
func poisson(q float64, e accounting.Event) accounting.Event {
	return accounting.PoissonSampled{SamplingRate: q, Event: e}
}
func times(n int, e accounting.Event) accounting.Event {
	return accounting.SelfComposed{Event: e, Count: n}
}
func all(events ...accounting.Event) accounting.Event { return accounting.Composed{Events: events} }
func without(b, n int, e accounting.Event) accounting.Event {
	return accounting.SampledWithoutReplacement{SampleSize: b, PopulationSize: n, Event: e}
}
func with(b, n int, e accounting.Event) accounting.Event {
	return accounting.SampledWithReplacement{SampleSize: b, PopulationSize: n, Event: e}
}
func allocation(t, steps, k int, e accounting.Event) accounting.Event {
	return accounting.RandomAllocation{Period: t, Steps: steps, Participations: k, Event: e}
}
func mixture(sigma float64, chances, distances []float64) accounting.Event {
	return accounting.MixtureOfGaussians{Chances: chances, Distances: distances, NoiseMultiplier: sigma}
}
func shuffled(batches, epochs int, kept bool, e accounting.Event) accounting.Event {
	return accounting.Shuffled{Batches: batches, Epochs: epochs, Kept: kept, Event: e}
}

func (d drawn) sigma() float64 {
	if d.IntN(8) == 0 {
		return d.log(0.02, 1e3)
	}
	return d.log(0.4, 20)
}
func (d drawn) rate() float64 { return d.log(1e-5, 1) }

// two draws two numbers, the smaller one first, at times nearly equal.
func (d drawn) two(draw func() float64) (low, high float64) {
	low, high = draw(), draw()
	if d.IntN(4) == 0 {
		high = low * (1 + 1e-3*d.Float64())
	}
	return min(low, high), max(low, high)
}

// release draws a release that every relation has a price for.
func (d drawn) release() accounting.Event {
	switch d.IntN(4) {
	case 0:
		return accounting.Laplace{NoiseMultiplier: d.log(0.3, 30)}
	case 1:
		return gauss(d.sigma())
	}
	return sum(d.sigma())
}

// batches draws a ClippedSum on batches of each kind.
func (d drawn) batches(r accounting.Neighboring, sigma float64) accounting.Event {
	n := 2 + d.IntN(200)
	switch d.IntN(4) {
	case 0:
		return poisson(d.log(1e-4, 0.9), sum(sigma))
	case 1:
		return without(1+d.IntN(n-1), n, sum(sigma))
	case 2:
		return with(1+d.IntN(8), n, sum(sigma))
	}
	q := d.log(1e-3, 0.9)
	return accounting.TruncatedPoisson{SamplingRate: q, Cap: int(q*float64(n)) + 1 + d.IntN(n), PopulationSize: n, Event: sum(sigma)}
}

// chances draws a law of three distances.
func (d drawn) chances() (p []float64) {
	a, b := d.log(1e-6, 0.5), d.log(1e-6, 0.5)
	return []float64{1 - a - b, a, b}
}

// claims are rules that do not look at any price. Each has its proof in one line, or where the
// event is defined.
var claims = []claim{
	// One mechanism in other words: accounting/flatten_equal.go.
	{name: "one draw is a subset of one", kind: onePrice, bare: true, draw: func(d drawn, _ accounting.Neighboring) (a, b accounting.Event) {
		n, s := 2+d.IntN(1000), sum(d.sigma())
		return with(1, n, s), without(1, n, s)
	}},
	{name: "a cap of n cuts nothing", kind: onePrice, bare: true, draw: func(d drawn, _ accounting.Neighboring) (a, b accounting.Event) {
		n, q, s := 1+d.IntN(1000), d.rate(), sum(d.sigma())
		return accounting.TruncatedPoisson{SamplingRate: q, Cap: n + d.IntN(2), PopulationSize: n, Event: s}, poisson(q, s)
	}},
	{name: "one step of an allocation is a Poisson sample", kind: onePrice, draw: func(d drawn, _ accounting.Neighboring) (a, b accounting.Event) {
		n, e := 2+d.IntN(100), d.release()
		k := 1 + d.IntN(n)
		return allocation(n, 1, k, e), poisson(float64(k)/float64(n), e)
	}},
	{name: "an allocation of t in t steps is a composition", kind: onePrice, draw: func(d drawn, _ accounting.Neighboring) (a, b accounting.Event) {
		n, steps, e := 2+d.IntN(100), 1+d.IntN(300), d.release()
		return allocation(n, steps, n, e), times(steps, e)
	}},
	{name: "a mixture of 0 and s is a sampled Gaussian", kind: onePrice, draw: func(d drawn, r accounting.Neighboring) (a, b accounting.Event) {
		if r == accounting.ReplaceOne {
			return nil, nil
		}
		q, s, sigma := d.rate(), d.log(0.1, 50), d.sigma()
		return mixture(sigma, []float64{q / 4, 1 - q, 0, 3 * q / 4}, []float64{s, 0, 9, s}), poisson(q, gauss(sigma/s))
	}},
	{name: "a mixture of one distance is a Gaussian", kind: onePrice, draw: func(d drawn, r accounting.Neighboring) (a, b accounting.Event) {
		if r == accounting.ReplaceOne {
			return nil, nil
		}
		s, sigma := d.log(0.1, 50), d.sigma()
		return mixture(sigma, []float64{0.25, 0, 0.75}, []float64{s, 0, s}), gauss(sigma / s)
	}},
	{name: "a mixture is a set of distances", draw: func(d drawn, r accounting.Neighboring) (a, b accounting.Event) {
		if r == accounting.ReplaceOne {
			return nil, nil
		}
		p, s, sigma := d.chances(), d.log(0.3, 3), d.sigma()
		return mixture(sigma, p, []float64{0, s, 2 * s}), mixture(sigma, []float64{p[2] / 2, p[1], 0, p[0], p[2] / 2}, []float64{2 * s, s, 9 * s, 0, 2 * s})
	}},
	{name: "all n of n", kind: onePrice, bare: true, draw: func(d drawn, r accounting.Neighboring) (a, b accounting.Event) {
		if r == accounting.AddOrRemoveOne { // too few without the record
			return nil, nil
		}
		n, s := 1+d.IntN(100), sum(d.sigma())
		return without(n, n, s), s
	}},
	{name: "b draws from 1", kind: onePrice, bare: true, draw: func(d drawn, r accounting.Neighboring) (a, b accounting.Event) {
		if r == accounting.AddOrRemoveOne {
			return nil, nil
		}
		n, s := 1+d.IntN(100), d.sigma()
		return with(n, 1, sum(s)), sum(s / float64(n))
	}},
	{name: "a subset is a Poisson sample with half of the noise", kind: onePrice, bare: true, draw: func(d drawn, r accounting.Neighboring) (a, b accounting.Event) {
		if r != accounting.AddOrRemoveOne {
			return nil, nil
		}
		n, s := 2+d.IntN(1000), d.sigma()
		m := 1 + d.IntN(n-1)
		return without(m, n, sum(s)), poisson(float64(m)/float64(n), gauss(s/2))
	}},
	{name: "the first step of a period is a Poisson sample", slow: true, kind: onePrice, draw: func(d drawn, _ accounting.Neighboring) (a, b accounting.Event) {
		n, whole, s := 2+d.IntN(6), 1+d.IntN(2), sum(d.sigma())
		k := 1 + d.IntN(n)
		return allocation(n, whole*n+1, k, s), all(allocation(n, whole*n, k, s), poisson(float64(k)/float64(n), s))
	}},
	{name: "one batch of all", kind: onePrice, bare: true, draw: func(d drawn, _ accounting.Neighboring) (a, b accounting.Event) {
		e, s := 1+d.IntN(50), sum(d.sigma())
		return shuffled(1, e, d.IntN(2) == 0, s), times(e, s)
	}},
	{name: "a kept order is one epoch at σ/√E", slow: true, kind: onePrice, bare: true, draw: func(d drawn, _ accounting.Neighboring) (a, b accounting.Event) {
		batches, e, s := 1+d.IntN(10), 1+d.IntN(20), d.sigma()
		return shuffled(batches, e, true, sum(s)), shuffled(batches, 1, d.IntN(2) == 0, sum(s/math.Sqrt(float64(e))))
	}},
	// On a sample the grid prices the first and a closed form the second.
	{name: "n Gaussians are one at σ/√n", kind: onePrice, bare: true, draw: func(d drawn, _ accounting.Neighboring) (a, b accounting.Event) {
		n, s := 1+d.IntN(1000), d.sigma()
		return times(n, gauss(s)), gauss(s / math.Sqrt(float64(n)))
	}},
	{name: "a replaced vector moves a sum by 2", kind: onePrice, bare: true, draw: func(d drawn, r accounting.Neighboring) (a, b accounting.Event) {
		if r != accounting.ReplaceOne {
			return nil, nil
		}
		s := d.sigma()
		return sum(s), gauss(s / 2)
	}},
	{name: "randomized response is its ε", kind: onePrice, draw: func(d drawn, _ accounting.Neighboring) (a, b accounting.Event) {
		p := 0.5 + 0.4999*d.Float64()
		return accounting.RandomizedResponse{Truth: p}, accounting.PureDP{Epsilon: numeric.Log(p / (1 - p))}
	}},
	{name: "a sample of a sample", kind: onePrice, draw: func(d drawn, _ accounting.Neighboring) (a, b accounting.Event) {
		p, q, e := d.rate(), d.rate(), d.release()
		return poisson(p, poisson(q, e)), poisson(p*q, e)
	}},
	{name: "any order of composition", slow: true, kind: onePrice, draw: func(d drawn, r accounting.Neighboring) (a, b accounting.Event) {
		x, y, n := d.batches(r, d.sigma()), d.release(), 1+d.IntN(5)
		return all(times(2*n, x), y, times(n, y)), all(y, times(n, all(x, y, x)))
	}},
	{name: "a zeroed example is a removed one", kind: onePrice, to: accounting.ReplaceSpecial, draw: func(d drawn, r accounting.Neighboring) (a, b accounting.Event) {
		if r != accounting.AddOrRemoveOne {
			return nil, nil
		}
		e := poisson(d.rate(), d.release())
		if d.IntN(3) == 0 {
			e = allocation(2+d.IntN(5), 1+d.IntN(10), 1, sum(d.sigma()))
		}
		return e, e
	}},

	// Orders: the second event is a post-processing of the first, or part of it.
	{name: "less noise", kind: atLeast, draw: func(d drawn, r accounting.Neighboring) (a, b accounting.Event) {
		low, high := d.two(d.sigma)
		seed := d.Uint64()
		at := func(sigma float64) accounting.Event { return drawn{rand.New(rand.NewPCG(seed, 1))}.batches(r, sigma) }
		return at(low), at(high)
	}},
	{name: "less Laplace noise", kind: atLeast, draw: func(d drawn, _ accounting.Neighboring) (a, b accounting.Event) {
		low, high := d.two(func() float64 { return d.log(0.05, 50) })
		return accounting.Laplace{NoiseMultiplier: low}, accounting.Laplace{NoiseMultiplier: high}
	}},
	{name: "a larger rate", slow: true, kind: atLeast, draw: func(d drawn, _ accounting.Neighboring) (a, b accounting.Event) {
		low, high := d.two(d.rate)
		e := d.release()
		return poisson(high, e), poisson(low, e)
	}},
	{name: "more of n without replacement", bare: true, kind: atLeast, draw: func(d drawn, _ accounting.Neighboring) (a, b accounting.Event) {
		n, s := 3+d.IntN(300), sum(d.sigma())
		m := 1 + d.IntN(n-2)
		return without(m+1, n, s), without(m, n, s)
	}},
	{name: "fewer records to draw from", bare: true, kind: atLeast, draw: func(d drawn, _ accounting.Neighboring) (a, b accounting.Event) {
		n, s, m := 3+d.IntN(300), sum(d.sigma()), 1+d.IntN(2)
		return without(m, n, s), without(m, n+1, s)
	}},
	{name: "more draws", bare: true, kind: atLeast, draw: func(d drawn, _ accounting.Neighboring) (a, b accounting.Event) {
		n, m, s := 2+d.IntN(100), 1+d.IntN(8), sum(d.sigma())
		return with(m+1, n, s), with(m, n, s)
	}},
	{name: "a sample below all", kind: atLeast, draw: func(d drawn, _ accounting.Neighboring) (a, b accounting.Event) {
		e := d.release()
		return e, poisson(d.rate(), e)
	}},
	{name: "more runs", slow: true, kind: atLeast, draw: func(d drawn, r accounting.Neighboring) (a, b accounting.Event) {
		n, e := 1+d.IntN(50), d.batches(r, d.sigma())
		return times(n+1+d.IntN(3), e), times(n, e)
	}},
	{name: "more steps of an allocation", slow: true, kind: atLeast, draw: func(d drawn, _ accounting.Neighboring) (a, b accounting.Event) {
		n, steps, s := 2+d.IntN(6), 1+d.IntN(12), sum(d.sigma())
		k := 1 + d.IntN(n)
		return allocation(n, steps+1, k, s), allocation(n, steps, k, s)
	}},
	{name: "public steps", slow: true, kind: atLeast, draw: func(d drawn, _ accounting.Neighboring) (a, b accounting.Event) {
		n, periods, s := 2+d.IntN(6), 1+d.IntN(3), sum(d.sigma())
		k := 1 + d.IntN(n)
		return times(k*periods, s), allocation(n, n*periods, k, s)
	}},
	{name: "a known order", slow: true, kind: atLeast, draw: func(d drawn, r accounting.Neighboring) (a, b accounting.Event) {
		if r == accounting.AddOrRemoveOne { // another example moves too
			return nil, nil
		}
		e, s := 1+d.IntN(20), sum(d.sigma())
		return times(e, s), shuffled(1+d.IntN(10), e, d.IntN(2) == 0, s)
	}},
	{name: "a part of a composition", kind: atLeast, draw: func(d drawn, r accounting.Neighboring) (a, b accounting.Event) {
		x, y := d.batches(r, d.sigma()), d.release()
		if d.IntN(2) == 0 {
			return all(x, y), y
		}
		return all(x, y), x
	}},
	{name: "the worst of two", kind: atLeast, draw: func(d drawn, r accounting.Neighboring) (a, b accounting.Event) {
		x, y := d.batches(r, d.sigma()), d.release()
		return accounting.WorstCase{Events: []accounting.Event{x, y}}, []accounting.Event{x, y}[d.IntN(2)]
	}},
	{name: "Laplace noise is pure", kind: atLeast, draw: func(d drawn, _ accounting.Neighboring) (a, b accounting.Event) {
		scale := d.log(0.05, 50)
		return accounting.PureDP{Epsilon: 1 / scale}, accounting.Laplace{NoiseMultiplier: scale}
	}},
	{name: "an exponential mechanism is pure", kind: atLeast, draw: func(d drawn, _ accounting.Neighboring) (a, b accounting.Event) {
		e := d.log(0.01, 20)
		return accounting.PureDP{Epsilon: e}, accounting.ExponentialMechanism{Epsilon: e}
	}},
	{name: "a larger distance", slow: true, kind: atLeast, draw: func(d drawn, r accounting.Neighboring) (a, b accounting.Event) {
		if r == accounting.ReplaceOne {
			return nil, nil
		}
		p, s, sigma := d.chances(), d.log(0.3, 3), d.sigma()
		return mixture(sigma, p, []float64{0, s, 2.5 * s}), mixture(sigma, p, []float64{0, s, 2 * s})
	}},
	{name: "replaced above removed, if another fills the place", kind: atLeast, to: accounting.AddOrRemoveOne, draw: func(d drawn, r accounting.Neighboring) (a, b accounting.Event) {
		if r != accounting.ReplaceOne { // the removed one's pair is that of vectors e and -e
			return nil, nil
		}
		n, s := 3+d.IntN(100), sum(d.sigma())
		e := times(1+d.IntN(5), []accounting.Event{without(1+d.IntN(n-1), n, s), with(1+d.IntN(6), n, s)}[d.IntN(2)])
		return e, e
	}},
	{name: "replaced above zeroed", kind: atLeast, to: accounting.ReplaceSpecial, draw: func(d drawn, r accounting.Neighboring) (a, b accounting.Event) {
		if r != accounting.ReplaceOne { // an example without a gradient is an example
			return nil, nil
		}
		e := d.batches(r, d.sigma())
		if d.IntN(4) == 0 {
			e = allocation(2+d.IntN(5), 1+d.IntN(10), 1, sum(d.sigma()))
		}
		return e, e
	}},
}
