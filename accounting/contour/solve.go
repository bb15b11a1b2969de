package contour

import "math"

// answer is what one direction knows of a number (ε, or log δ).
type answer struct {
	lower, estimate, upper float64
	fallback               bool // no contour: upper is Chernoff's bound
}

// problems returns both directions; they share the grids of the phases.
func (g program) problems() [2]*problem {
	laws := make([]*law, len(g.phases))
	for i, f := range g.phases {
		laws[i] = newLaw(f, tailFor(f.count))
	}
	return [2]*problem{{remove, laws, g.mu2}, {add, laws, g.mu2}}
}

// goodWidth is the relative width of ε, and of δ, below which no second line is tried.
const goodWidth = 1e-10

// epsilonAt bounds one direction's ε at log δ.
func (p *problem) epsilonAt(logDelta float64) answer {
	best, tried := p.chernoffEpsilon(logDelta, p.firstA(logDelta))
	ceiling := best.epsilon(logDelta)
	if ceiling <= 0 {
		return answer{}
	}
	out := answer{upper: ceiling, estimate: ceiling, fallback: true}
	sd := p.spread(best.a)
	guess := math.Max(0, ceiling-chernoffGap(best.a, sd)/best.a)
	table := p.table(best, sd, tried)
	for pass, logTol := 0, -31.0; pass < 3; pass, logTol = pass+1, logTol-4 {
		c, omega := chooseLine(table, guess, logDelta+logTol)
		in, ok := p.newIntegral(table, c, omega, guess, logDelta+logTol)
		if !ok {
			break
		}
		lower, estimate, upper, ok := in.root(logDelta, guess, ceiling)
		if !ok {
			break
		}
		lower = math.Max(lower, out.lower)
		upper = math.Min(upper, out.upper)
		if upper-lower <= out.upper-out.lower && lower <= upper {
			out = answer{lower, math.Min(math.Max(estimate, lower), upper), upper, false}
		}
		guess = estimate
		if out.upper-out.lower <= goodWidth*out.upper {
			break
		}
	}
	return out
}

// logDeltaAt bounds one direction's log δ at ε.
func (p *problem) logDeltaAt(epsilon float64) answer {
	best, tried := p.chernoffDelta(epsilon, 1)
	ceiling := best.logDelta(epsilon)
	out := answer{math.Inf(-1), ceiling, ceiling, true}
	sd := p.spread(best.a)
	guess := ceiling - chernoffGap(best.a, sd)
	table := p.table(best, sd, tried)
	for pass, logTol := 0, -31.0; pass < 3; pass, logTol = pass+1, logTol-4 {
		c, omega := chooseLine(table, epsilon, guess+logTol)
		in, ok := p.newIntegral(table, c, omega, epsilon, guess+logTol)
		if !ok {
			break
		}
		lower, estimate, upper, _ := in.logDelta(epsilon)
		lower = math.Max(lower, out.lower)
		upper = math.Min(upper, out.upper)
		if lower <= upper {
			out = answer{lower, math.Min(math.Max(estimate, lower), upper), upper, math.IsInf(lower, -1)}
		}
		if math.IsInf(estimate, 0) || out.upper-out.lower <= goodWidth {
			break
		}
		guess = estimate
	}
	return out
}

// firstA is a first guess of the best a at log δ: the lesser of √(2 log(1/δ))/s, right for
// a Gaussian loss of variance s², and of where the hump of large losses at x = a+1, of
// weight T q^α e^{α(α-1)/2σ²}, takes over. The search mends a bad one.
func (p *problem) firstA(logDelta float64) float64 {
	s2, wall := p.mu2+1e-12, math.Inf(1)
	for _, w := range p.laws {
		v := 1 / (w.sigma * w.sigma)
		s2 += w.count * w.q * w.q * math.Expm1(math.Min(v, 30))
		linear := v/2 - math.Log(w.q)
		root := linear*linear - 2*v*math.Log(w.count/(1-logDelta))
		wall = math.Min(wall, math.Max(0.01, (linear+math.Sqrt(math.Max(0, root)))/v-1))
	}
	return math.Min(math.Sqrt(-2*logDelta/s2), wall)
}

// spread estimates the standard deviation of the tilted total loss by differences of K.
func (p *problem) spread(a float64) float64 {
	h := 0.05 * a
	k0, _ := p.logM(a)
	kp, _ := p.logM(a + h)
	km, _ := p.logM(a - h)
	v := (kp - 2*k0 + km) / (h * h)
	if !(v > 0) || math.IsInf(v, 1) {
		return 1 / a
	}
	return math.Sqrt(v)
}

// chernoffGap estimates log of Chernoff's bound over δ at its best a, from the saddle-point
// value e^A/(a(a+1) s √(2π)). Only the choice of the line rests on it.
func chernoffGap(a, sd float64) float64 {
	return math.Max(0.3, math.Log(1.3+a*(a+1)*sd*sqrt2Pi)+logKappa(a))
}
