package transform

import "math"

// Root solves log δ̂(ε) = LogDelta and returns ε with bounds. At upper the true δ is at most the
// target; at lower it is at least the target. start is a first guess and ceiling a certified upper
// bound; ok is false if no bracket was found.
//
// A negative root is set to 0, where δ is already below the target.
func (in *Integral) Root(logDelta, start, ceiling float64) (lower, estimate, upper float64, ok bool) {
	estimate, slope, ok := in.newton(logDelta, start, ceiling)
	if !ok {
		return 0, 0, ceiling, false
	}
	upper, lower = ceiling, 0
	for k, step := 0, 0.0; k < 24; k++ {
		e := estimate + step
		if e >= ceiling {
			break
		}
		_, _, up, _ := in.LogDelta(e)
		if up <= logDelta {
			upper = e
			break
		}
		step = nextStep(step, (up-logDelta)/-slope, e)
	}
	if upper == ceiling {
		upper = in.leastUpper(logDelta, estimate, ceiling)
	}
	for k, step := 0, 0.0; k < 24 && estimate-step > 0; k++ {
		e := estimate - step
		low, _, _, _ := in.LogDelta(e)
		if low >= logDelta {
			lower = e
			break
		}
		step = nextStep(step, (logDelta-low)/-slope, e)
	}
	return lower, estimate, upper, true
}

// nextStep widens a step by what Newton's rule asks for, at least doubling it from the second time
// on. If the request is infinite or useless it doubles the step.
func nextStep(step, ask, at float64) float64 {
	least := math.Max(2*step, 2*Unit*math.Abs(at)+1e-300)
	if ask > 0 && ask < 1e300 && step+1.01*ask > least {
		return math.Min(step+1.01*ask, math.Max(64*step, 0.25*math.Abs(at)+1e-9))
	}
	return least
}

// newton finds the root between 0 and ceiling by Newton's rule on log δ̂, with bisection if that
// leaves the bracket. All absolute errors fall with ε. So if the integral has no bounds (lower
// bound 0, upper bound above the target) the search goes up.
func (in *Integral) newton(logDelta, start, ceiling float64) (epsilon, slope float64, ok bool) {
	lo, hi := 0.0, ceiling
	e := start
	for range 100 {
		if !(e > lo && e < hi) {
			e = lo + (hi-lo)/2
		}
		low, v, up, s := in.LogDelta(e)
		certified := !math.IsInf(low, -1)
		if v <= logDelta && certified || up <= logDelta {
			hi = e
		} else {
			lo = e
		}
		if !certified {
			e = lo + (hi-lo)/2
			continue
		}
		next := e - (v-logDelta)/s
		if math.Abs(next-e) <= 4*Unit*e || hi-lo <= 2*Unit*hi {
			return e, orOne(s), true
		}
		if next <= 0 && lo == 0 {
			if low, v, _, s := in.LogDelta(0); v <= logDelta && !math.IsInf(low, -1) {
				return 0, orOne(s), true
			}
		}
		e = next
	}
	low, _, _, s := in.LogDelta(e)
	return e, orOne(s), !math.IsInf(low, -1)
}

// orOne returns a usable negative slope of log δ.
func orOne(s float64) float64 {
	if s < 0 && !math.IsInf(s, 0) {
		return s
	}
	return -1
}

// leastUpper bisects for the least ε up to ceiling whose upper bound is below the target.
func (in *Integral) leastUpper(logDelta, from, ceiling float64) float64 {
	lo, hi := from, ceiling
	for range 24 {
		e := lo + (hi-lo)/2
		if _, _, up, _ := in.LogDelta(e); up <= logDelta {
			hi = e
		} else {
			lo = e
		}
	}
	return hi
}
