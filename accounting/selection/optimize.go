package selection

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Target is the goal of a tuning. [Target.Optimize] finds the law of K and the noise that reach it.
type Target struct {
	Event   func(noiseMultiplier float64) accounting.Event // one run at σ
	Epsilon float64                                        // of the whole tuning, in nats, > 0
	Delta   float64                                        // in (0, 1)

	// Exactly one of MeanRepeats and Success must be given. Success is the chance that the best of
	// K runs is among the Top share of all possible runs.
	MeanRepeats float64 // E[K] > 1
	Success     float64 // 1 - f(1-Top), in (0, 1)
	Top         float64 // in (0, 1); 0 is 0.01

	// EtaRange bounds η of the truncated negative binomial laws, within (-1, 100]. The zero value
	// is [0, 5] with MeanRepeats, and [-0.75, 5] with Success. At a given mean the least η is
	// always the cheapest. Its runs are mostly few and rarely very many. So with MeanRepeats the
	// lower end of the range chooses the tail.
	EtaRange [2]float64

	// Published restricts the bounds to the published ones, for comparisons.
	Published bool

	// Accountants give tighter profiles of the runs.
	Accountants []accounting.Accountant
}

// Optimum is the law and the least noise that meet a Target.
type Optimum struct {
	Law             law.Law
	NoiseMultiplier float64
	// Price is at most the target. Price.Least() is the deciding bound, or Price.LeastPublished()
	// with Target.Published.
	Price accounting.Price
	Tried []Attempt // other laws at the same noise, by η; the Poisson law last
}

// Attempt is the price, at the noise of the Optimum, of another law with the same MeanRepeats or
// Success.
type Attempt struct {
	Law         law.Law
	Epsilon     float64 // in nats
	MeanRepeats float64
	Success     float64 // 1 - f(1-Top)
}

// Validate returns every fault, joined.
func (t Target) Validate() error {
	var errs []error
	if t.Event == nil {
		errs = append(errs, errors.New("selection: Target.Event is nil: must be a function"))
	}
	if !(t.Epsilon > 0) || math.IsInf(t.Epsilon, 1) {
		errs = append(errs, fmt.Errorf("selection: Target.Epsilon %g: must be > 0 and finite", t.Epsilon))
	}
	if err := accounting.ValidateDelta(t.Delta); err != nil {
		errs = append(errs, fmt.Errorf("selection: Target.Delta: %w", err))
	}
	switch {
	case (t.MeanRepeats != 0) == (t.Success != 0):
		errs = append(errs, fmt.Errorf("selection: Target.MeanRepeats %g, Success %g: exactly one must be given", t.MeanRepeats, t.Success))
	case t.MeanRepeats != 0 && !(t.MeanRepeats > 1 && t.MeanRepeats <= 1e9):
		errs = append(errs, fmt.Errorf("selection: Target.MeanRepeats %g: must be in (1, 1e9]", t.MeanRepeats))
	case t.Success != 0 && !(t.Success > t.top() && t.Success < 1):
		errs = append(errs, fmt.Errorf("selection: Target.Success %g: must be in (Top, 1) = (%g, 1), as one run reaches Top", t.Success, t.top()))
	}
	if !(t.top() > 0 && t.top() < 1) {
		errs = append(errs, fmt.Errorf("selection: Target.Top %g: must be in (0, 1), or 0 for 0.01", t.Top))
	}
	if r := t.etas(); !(r[0] > -1 && r[0] <= r[1] && r[1] <= 100) {
		errs = append(errs, fmt.Errorf("selection: Target.EtaRange %v: must be increasing, within (-1, 100]", t.EtaRange))
	}
	return errors.Join(errs...)
}

func (t Target) top() float64 {
	if t.Top == 0 {
		return 0.01
	}
	return t.Top
}

func (t Target) etas() [2]float64 {
	switch {
	case t.EtaRange != [2]float64{}:
		return t.EtaRange
	case t.MeanRepeats != 0:
		return [2]float64{0, 5}
	}
	return [2]float64{-0.75, 5}
}

// tnb returns the law with this η that has the target's MeanRepeats or Success. The second result
// is false if there is none.
func (t Target) tnb(eta float64) (law.Law, bool) {
	if t.MeanRepeats != 0 {
		l, err := law.TNBFromMean(eta, t.MeanRepeats)
		return l, err == nil
	}
	const deepest = 700 // of ln(1/γ); success grows with it
	at := func(depth float64) law.TNB { return law.TNB{Eta: eta, Gamma: math.Exp(-depth)} }
	if at(deepest).Distribution().SuccessProbability(t.top()) < t.Success {
		return nil, false // for η < 0 it stays below Top^-η at every γ
	}
	lo, hi := 0.0, float64(deepest)
	for range 100 {
		if mid := lo + (hi-lo)/2; at(mid).Distribution().SuccessProbability(t.top()) < t.Success {
			lo = mid
		} else {
			hi = mid
		}
	}
	l := at(hi)
	return l, l.Validate() == nil
}

// poisson returns the Poisson law that has the target's MeanRepeats or Success.
func (t Target) poisson() law.Poisson {
	if t.MeanRepeats != 0 {
		return law.Poisson{MeanRepeats: t.MeanRepeats}
	}
	return law.Poisson{MeanRepeats: -math.Log1p(-t.Success) / t.top()}
}

// noOptimum is the result with an error: infinite noise and no price.
func noOptimum() Optimum {
	return Optimum{NoiseMultiplier: math.Inf(1), Price: accounting.NoPrice()}
}

// Optimize returns the law and the least noise multiplier that keep the tuning's price at or below
// Epsilon at Delta. The law is a truncated negative binomial law with η in EtaRange, or the Poisson
// law. Optimize is deterministic, and takes about a second.
//
// The price falls with σ for every law. Take a σ that one law needs. Either no other law is cheaper
// there and σ is the least, or the cheapest law needs less noise. So the search alternates between
// σ and the law, and σ never grows. η is searched on a grid and by golden section, to 0.001. That
// changes the noise only by the order of its square. Noise is rounded up, to 1e-6.
func (t Target) Optimize() (Optimum, error) {
	if err := t.Validate(); err != nil {
		return noOptimum(), err
	}
	chosen := law.Law(t.poisson())
	sigma, err := t.noise(chosen, 1)
	if err != nil {
		return noOptimum(), err
	}
	var tried []Attempt
	for range 4 {
		cheapest, attempts, err := t.cheapest(sigma)
		if err != nil {
			return noOptimum(), err
		}
		tried = attempts
		if cheapest == chosen {
			break
		}
		less, err := t.noise(cheapest, sigma)
		if err != nil {
			return noOptimum(), err
		}
		if !(less < sigma) {
			break
		}
		chosen, sigma = cheapest, less
		if less > sigma*(1-1e-4) {
			break
		}
	}
	return t.optimum(chosen, sigma, tried)
}

// optimum prices the result again, since the returned law and noise must meet the target.
func (t Target) optimum(k law.Law, sigma float64, tried []Attempt) (Optimum, error) {
	for range 20 {
		price, err := EventAt(BestOf{Law: k, Base: t.Event(sigma)}, t.Delta, t.Accountants...)
		if err != nil {
			return noOptimum(), err
		}
		least := price.Least()
		if t.Published {
			if published, ok := price.LeastPublished(); ok {
				least = published
			} else {
				return noOptimum(), fmt.Errorf("selection: Target.Published is set: no published bound applies to the %v", k)
			}
		}
		if least.Epsilon <= t.Epsilon {
			return Optimum{Law: k, NoiseMultiplier: sigma, Price: price, Tried: tried}, nil
		}
		sigma *= 1 + 1e-6
	}
	return noOptimum(), fmt.Errorf("selection: optimum at noise multiplier %g: %w", sigma, accounting.ErrNotConverged)
}

// epsilon returns the price of a law over a base.
func (t Target) epsilon(k law.Law, base baserun.Run) float64 {
	if t.Published {
		return leastPublished(k.Distribution(), base, t.Delta)
	}
	return leastEpsilon(k.Distribution(), base, t.Delta)
}

func (t Target) base(sigma float64) (baserun.Run, error) {
	base, err := baserun.New(t.Event(sigma), t.Accountants...)
	if err != nil {
		return baserun.Run{}, fmt.Errorf("selection: Target.Event at noise multiplier %g: %w", sigma, err)
	}
	return base.Prepared(), nil
}

// noise returns the least σ at which a law meets the target. It starts near start and takes secant
// steps in ln ε over ln σ inside a bracket.
func (t Target) noise(k law.Law, start float64) (float64, error) {
	const tolerance, steps = 1e-6, 60
	gap := func(x float64) (float64, error) { // of ln ε over the target, at σ = e^x
		base, err := t.base(math.Exp(x))
		if err != nil {
			return math.Inf(1), err
		}
		return numeric.Log(t.epsilon(k, base) / t.Epsilon), nil
	}
	lo, hi := math.Inf(-1), math.Inf(1) // missing, meeting
	x, lastX, lastGap := numeric.Log(start), math.NaN(), math.NaN()
	for range steps {
		g, err := gap(x)
		if err != nil {
			return math.Inf(1), err
		}
		if g <= 0 {
			hi = x
		} else {
			lo = x
		}
		if hi-lo <= tolerance || g <= 0 && g > -tolerance/4 {
			return math.Exp(hi), nil
		}
		slope := (g - lastGap) / (x - lastX)
		lastX, lastGap = x, g
		if !(slope < -0.05 && slope > -20) {
			slope = -1
		}
		// A little beyond the root, where the target is met.
		next := x + math.Max(-2, math.Min(2, -g/slope)) + tolerance/4
		switch {
		case next <= lo || next >= hi:
			next = lo + (hi-lo)/2
		}
		if !(next > -14 && next < 28) {
			break
		}
		x = next
	}
	return math.Inf(1), fmt.Errorf("selection: ε %g, δ %g with the %v: %w, noise multipliers from 1e-6 to 1e12", t.Epsilon, t.Delta, k, accounting.ErrNoBracket)
}

// cheapest returns the law with the least price at σ, and the prices of the others.
func (t Target) cheapest(sigma float64) (law.Law, []Attempt, error) {
	base, err := t.base(sigma)
	if err != nil {
		return nil, nil, err
	}
	best, least := law.Law(nil), math.Inf(1)
	consider := func(l law.Law) Attempt {
		k := l.Distribution()
		a := Attempt{Law: l, Epsilon: t.epsilon(l, base), MeanRepeats: k.Mean(), Success: k.SuccessProbability(t.top())}
		if a.Epsilon < least {
			best, least = l, a.Epsilon
		}
		return a
	}
	at := func(x float64) float64 { // x = ln(1+η)
		if law, ok := t.tnb(math.Round(1000*math.Expm1(x)) / 1000); ok {
			return consider(law).Epsilon
		}
		return math.Inf(1)
	}
	var attempts []Attempt
	const points = 7
	from, to := math.Log1p(t.etas()[0]), math.Log1p(t.etas()[1])
	width := (to - from) / (points - 1)
	bestAt, bestValue := from, math.Inf(1)
	for i := range points {
		x := from + float64(i)*width
		law, ok := t.tnb(math.Round(1000*math.Expm1(x)) / 1000)
		if !ok {
			continue
		}
		a := consider(law)
		attempts = append(attempts, a)
		if a.Epsilon < bestValue {
			bestAt, bestValue = x, a.Epsilon
		}
	}
	if width > 0 && !math.IsInf(bestValue, 1) {
		numeric.GoldenMinimum(at, math.Max(from, bestAt-width), math.Min(to, bestAt+width), 8)
	}
	attempts = append(attempts, consider(t.poisson()))
	if best == nil {
		return nil, nil, fmt.Errorf("selection: no law meets the target at noise multiplier %g", sigma)
	}
	return best, attempts, nil
}
