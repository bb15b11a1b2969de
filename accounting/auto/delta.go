package auto

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
)

// DeltaAt returns δ, in [0, 1], of event at epsilon >= 0. With a selection it solves EpsilonAt for
// δ, to a relative 1e-4 and rounded up. That costs some fifteen prices.
func (a Accountant) DeltaAt(event accounting.Event, epsilon float64) (accounting.Interval, error) {
	q, err := a.asked(event, accounting.ValidateEpsilon(epsilon))
	if err != nil {
		return accounting.NoDelta(), err
	}
	if !selects(q.Node()) {
		delta, err := a.one().DeltaTo(q, epsilon)
		if err != nil {
			return accounting.NoDelta(), err
		}
		return a.deltaOfShuffled(q, epsilon, a.lessByChoice(q, epsilon, delta)), nil
	}
	price := func(delta float64) (float64, error) {
		p, err := a.price(q, delta)
		return p.Guarantee.Epsilon.Upper, err
	}
	if e, ok := q.Event().(selection.BestOf); ok { // one run is analyzed once for all questions
		base, err := baserun.New(e.Base, a)
		if err != nil {
			return accounting.NoDelta(), err
		}
		price = func(delta float64) (float64, error) {
			p, err := selection.PriceAt(e.Law, base, delta)
			return p.Guarantee.Epsilon.Upper, err
		}
	}
	delta, err := leastDelta(price, epsilon)
	if err != nil {
		return accounting.NoDelta(), err
	}
	return accounting.UpperBound(delta), nil
}

// leastDelta returns a δ whose price is at most epsilon, to a relative 1e-4. It assumes only that
// the price falls with δ.
func leastDelta(price func(delta float64) (float64, error), epsilon float64) (float64, error) {
	const least, tolerance = -690.0, 1e-4 // of ln δ
	lo, hi := 0.0, 0.0                    // price(e^hi) <= epsilon: at δ = 1 everything is private
	miss := func(logDelta float64) (float64, error) {
		got, err := price(math.Exp(logDelta))
		return got - epsilon, err
	}
	var missLo float64
	missHi := math.NaN()           // not known
	for step := 1.0; ; step *= 2 { // from above, where prices are quick and the answer mostly is
		lo = max(least, hi-step)
		m, err := miss(lo)
		if err != nil {
			return 1, err
		}
		if !(m <= 0) { // NaN too
			missLo = m
			break
		}
		if hi, missHi = lo, m; lo == least {
			return math.Exp(hi), nil
		}
	}
	for i := 0; hi-lo > tolerance; i++ {
		middle := lo + (hi-lo)/2
		// The price is nearly linear in ln δ: a secant, a little above the root, and halves.
		if secant := hi - missHi*(hi-lo)/(missHi-missLo); i%3 < 2 && secant > lo && secant < hi && !math.IsInf(secant, 0) {
			middle = min(secant+tolerance/2, (secant+hi)/2)
		}
		m, err := miss(middle)
		if err != nil {
			return 1, err
		}
		if !(m <= 0) {
			lo, missLo = middle, m
		} else {
			hi, missHi = middle, m
		}
	}
	return math.Exp(hi), nil
}
