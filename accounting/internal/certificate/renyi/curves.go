package renyi

import (
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/lineintegral"
	"github.com/dplab/dplab/accounting/interval"
)

// part is what is known of an event. Whatever the data, it is with chance e^logKeep a mechanism
// whose divergence D at the order has (α-1) D = exponent.
type part struct {
	exponent, logKeep I
}

// curves computes divergences at one order.
type curves struct {
	relation accounting.Neighboring
	alpha    I // a number
	work     int
}

// at returns the curves at another order.
func (c *curves) at(order float64) *curves { return &curves{relation: c.relation, alpha: of(order)} }

// of returns the divergence of an event. In a composition exponents add up. (Mironov 2017,
// arXiv:1702.07476v3, Proposition 1.)
func (c *curves) of(event accounting.Node) (part, error) {
	var exponents, keeps interval.Sum
	for run, times := range event.Runs() {
		p, err := c.run(run)
		if err != nil {
			return part{}, err
		}
		exponents.Add(p.exponent.Mul(of(times)))
		keeps.Add(p.logKeep.Mul(of(times)))
	}
	return part{exponent: exponents.I(), logKeep: keeps.I()}, nil
}

// run returns the divergence of an event that is not a composition.
func (c *curves) run(event accounting.Node) (part, error) {
	c.work++
	a := c.alpha.Sub(one)
	switch event.Shape {
	case accounting.Either:
		return c.worst(event.Children)
	case accounting.PoissonSample:
		return c.sample(event)
	case accounting.FixedSizeSample:
		return part{}, unsupported(event)
	}
	switch e := event.Event.(type) {
	case accounting.Gaussian:
		mu := one.Div(of(e.NoiseMultiplier))
		return part{exponent: c.alpha.Mul(a).Mul(mu).Mul(mu).Mul(half)}, nil
	case accounting.ZCDP:
		return part{exponent: c.alpha.Mul(a).Mul(of(e.Rho))}, nil
	case accounting.RenyiBound:
		return c.listed(e)
	case accounting.Laplace:
		return part{exponent: Laplace(c.alpha, one.Div(of(e.NoiseMultiplier)))}, nil
	case accounting.ExponentialMechanism:
		return part{exponent: boundedRange(c.alpha, of(e.Epsilon))}, nil
	}
	epsilon, delta, ok := certificate.Private(event.Event)
	if !ok {
		return part{}, unsupported(event)
	}
	p := part{exponent: Pure(c.alpha, epsilon)}
	if delta > 0 {
		p.logKeep = of(-delta).Log1p()
	}
	return p, nil
}

// worst returns the part of an event that runs one of events: the largest divergence, the least
// chance.
func (c *curves) worst(events []accounting.Node) (part, error) {
	var all part
	for i, event := range events {
		p, err := c.of(event)
		if err != nil {
			return part{}, err
		}
		if i == 0 {
			all = p
		}
		all.exponent = I{Lo: max(all.exponent.Lo, p.exponent.Lo), Hi: max(all.exponent.Hi, p.exponent.Hi)}
		all.logKeep = least(all.logKeep, p.logKeep)
	}
	return all, nil
}

func least(a, b I) I { return I{Lo: min(a.Lo, b.Lo), Hi: min(a.Hi, b.Hi)} }

// Pure returns the exponent of an (ε, 0)-private mechanism, (Mironov 2017, Proposition 5)
//
//	ln(1 + (e^{(α-1)ε} - 1)(1 - e^{-αε}) / (1 + e^{-ε})),
//
// which is at most (α-1) ε.
func Pure(alpha, epsilon I) I {
	a := alpha.Sub(one)
	most := a.Mul(epsilon)
	share := alpha.Mul(epsilon).Neg().Expm1().Neg().Div(one.Add(epsilon.Neg().Exp())).Positive()
	if most.Hi > large {
		return least(most, most.Add(share.Add(most.Neg().Exp()).Log()))
	}
	return least(most, most.Expm1().Mul(share).Positive().Log1p())
}

// Above e^large, the exponential is taken out of a logarithm.
const large = 30

// boundedRange returns the exponent of a mechanism of ε-bounded range. With c = e^-ε it is
//
//	ln(s^(α-1) (1-c^α)/(α (1-c))),    s = (α-1)(1-c^α)/(α (c-c^α)),
//
// at most that of an (ε, 0)-private mechanism, and at most α (α-1) ε²/8 (package rdp,
// BoundedRange).
func boundedRange(alpha, epsilon I) I {
	a := alpha.Sub(one)
	left := func(times I) I { return times.Mul(epsilon).Neg().Expm1().Neg().Log() } // ln(1-c^times)
	logS := a.Div(alpha).Log().Add(left(alpha)).Add(epsilon).Sub(left(a))
	exact := a.Mul(logS).Add(left(alpha)).Sub(alpha.Log()).Sub(left(one))
	return least(least(exact.Positive(), Pure(alpha, epsilon)), alpha.Mul(a).Mul(epsilon).Mul(epsilon).Div(of(8)))
}

// Laplace returns the exponent of Laplace noise of scale 1/epsilon (Mironov 2017, Proposition 6)
//
//	ln(α/(2α-1) e^{(α-1)ε} + (α-1)/(2α-1) e^{-αε}),
//
// which is at most (α-1) ε. The terms of first order cancel, so e^v - 1 - v replaces e^v.
func Laplace(alpha, epsilon I) I {
	a := alpha.Sub(one)
	most, both := a.Mul(epsilon), alpha.Add(a)
	up, down := alpha.Div(both), a.Div(both)
	if most.Hi > large {
		return least(most, most.Add(up.Add(down.Mul(both.Mul(epsilon).Neg().Exp())).Log()))
	}
	return least(most, up.Mul(excess(most)).Add(down.Mul(excess(alpha.Mul(epsilon).Neg()))).Log1p())
}

// listed returns the exponent of a mechanism with listed divergences. (α-1) D_α is convex, so it is
// at most its chord between two listed orders. D_α does not fall, so the first value bounds all
// smaller orders. (van Erven and Harremoës 2014, arXiv:1206.2459v2, Corollary 2 and Theorem 3.)
func (c *curves) listed(e accounting.RenyiBound) (part, error) {
	i, found := slices.BinarySearch(e.Orders, c.alpha.Lo)
	exponent := func(order I, divergence float64) I { return I{Hi: order.Sub(one).Mul(of(divergence)).Hi} }
	switch {
	case i == len(e.Orders):
		return part{}, unsupported(accounting.Node{Event: e})
	case i == 0 || found:
		return part{exponent: exponent(c.alpha, e.Divergences[i])}, nil
	}
	low, high := of(e.Orders[i-1]), of(e.Orders[i])
	left, right := high.Sub(c.alpha).Positive(), c.alpha.Sub(low).Positive()
	sum := left.Mul(exponent(low, e.Divergences[i-1])).Add(right.Mul(exponent(high, e.Divergences[i])))
	return part{exponent: I{Hi: sum.Div(high.Sub(low)).Hi}}, nil
}

// excess returns e^v - 1 - v, by its power series near 0.
func excess(v I) I {
	const terms, near = 14, 0.3
	size := max(math.Abs(v.Lo), math.Abs(v.Hi))
	if !(size <= near) {
		return v.Expm1().Sub(v).Positive()
	}
	// Σ v^n/n!. The terms after v^14 are at most 2 |v|^15/15!.
	sum := one
	for n := terms; n > 2; n-- {
		sum = one.Add(sum.Mul(v).Div(of(float64(n))))
	}
	rest := of(size).PowInt(terms + 1).Div(of(6e11)).Hi // 15!/2 > 6e11
	return v.PowInt(2).Mul(half).Mul(sum).Add(I{Lo: -rest, Hi: rest}).Positive()
}

// sample returns the divergence on a Poisson sample.
func (c *curves) sample(event accounting.Node) (part, error) {
	inner, q := event.Children[0], event.Rate
	if sum, ok := inner.Event.(accounting.ClippedSum); ok && c.relation == accounting.ReplaceOne {
		return c.replaced(q, sum.NoiseMultiplier)
	}
	if c.relation == accounting.ReplaceOne {
		inner = inner.Lowered(c.relation)
	}
	whole, err := c.of(inner)
	if err != nil {
		return part{}, err
	}
	// What shows the data does so with chance q times that of the inner event.
	logKeep := whole.logKeep
	if logKeep.Lo < 0 {
		logKeep = of(q).Mul(logKeep.Expm1()).Log1p()
	}
	if c.relation == accounting.ReplaceOne {
		// Without the record both laws are equal: E r^α <= 1-q + q e^exponent.
		return part{exponent: c.mixed(q, whole.exponent), logKeep: logKeep}, nil
	}
	exponent := least(whole.exponent, c.mixed(q, whole.exponent))
	if mu, ok := certificate.Mu(inner); ok {
		exponent = least(exponent, c.moment(q, one.Div(of(mu.Hi)).Lo, false))
	}
	if epsilon, ok := pureOf(inner); ok { // the sample is ln(1-q+q e^ε)-private
		exponent = least(exponent, c.alpha.Sub(one).Mul(c.mixed(q, epsilon)))
	}
	if ends, err := c.binomial(q, inner); err == nil {
		exponent = least(exponent, ends)
	}
	return part{exponent: exponent, logKeep: logKeep}, nil
}

// replaced returns the divergence of a sum of clipped vectors on a Poisson sample. It is at most
// that of a sample that is shown, and at most that of a removed record plus -ln(1-q) (package rdp,
// replaced.go).
func (c *curves) replaced(q, sigma float64) (part, error) {
	a := c.alpha.Sub(one)
	mu := two.Div(of(sigma))
	bound := c.mixed(q, c.alpha.Mul(a).Mul(mu).Mul(mu).Mul(half))
	bound = least(bound, c.moment(q, sigma, false).Sub(a.Mul(of(-q).Log1p())))
	return part{exponent: least(bound, c.moment(q, sigma, true))}, nil
}

// moment returns the exponent of a Gaussian on a Poisson sample, or of a sum of clipped vectors
// there if a record is replaced, by an integral. It errs by about 1e-14, and bounds nothing if
// there would be too many nodes.
func (c *curves) moment(q, sigma float64, replaced bool) I {
	log, nodes, ok := lineintegral.LogMoment(lineintegral.Phase{Rate: q, Noise: sigma, Count: 1}, replaced, c.alpha.Sub(one).Hi)
	if c.work += nodes; !ok {
		return I{Lo: 0, Hi: math.Inf(1)}
	}
	return I{Lo: 0, Hi: log.Hi}
}

// mixed returns ln(1-q+q e^x), from x >= 0. It bounds the exponent of a sample, as x^α and x^(1-α)
// are convex.
func (c *curves) mixed(q float64, x I) I {
	if x.Hi > 600 {
		return x
	}
	return of(q).Mul(x.Expm1().Positive()).Log1p()
}

// mostSumOrder is the largest integer order whose binomial sum is computed.
const mostSumOrder = 256

// binomial returns the exponent of a hidden Poisson sample from those of the inner event at integer
// orders. At an integer n it is
//
//	ln(1 + Σ_{k=2..n} C(n,k) (1-q)^{n-k} q^k (e^exponent(k) - 1)),
//
// for both directions (package rdp, PoissonAmplified, has the proof). It is convex in the order and
// 0 at 1, so chords bound it between integers.
func (c *curves) binomial(q float64, inner accounting.Node) (I, error) {
	order := c.alpha.Lo
	below := math.Floor(order)
	if below >= mostSumOrder {
		return I{}, unsupported(inner)
	}
	var excesses []I // ln(e^exponent(k) - 1) of k = 2, 3, ...
	for k := 2; k <= int(below)+1; k++ {
		p, err := c.at(float64(k)).of(inner)
		if err != nil {
			return I{}, err
		}
		c.work++
		x := p.exponent
		if x.Hi <= 30 {
			x = x.Expm1().Positive().Log()
		}
		excesses = append(excesses, x)
	}
	lo, hi := binomialSum(q, int(below), excesses), binomialSum(q, int(below)+1, excesses)
	t := c.alpha.Sub(of(below))
	return one.Sub(t).Mul(lo).Add(t.Mul(hi)), nil
}

// binomialSum returns the sum at an integer order n >= 1. It is 0 at 1.
func binomialSum(q float64, n int, excesses []I) I {
	if n < 2 {
		return of(0)
	}
	logIn, logOut, logChoose := of(q).Log(), of(-q).Log1p(), of(float64(n)).Log()
	var logs []I
	for k := 2; k <= n; k++ {
		logChoose = logChoose.Add(of(float64(n - k + 1)).Div(of(float64(k))).Log())
		logs = append(logs, logChoose.Add(logIn.Mul(of(float64(k)))).Add(logOut.Mul(of(float64(n-k)))).Add(excesses[k-2]))
	}
	most := slices.MaxFunc(logs, func(a, b I) int {
		if a.Hi < b.Hi {
			return -1
		}
		return 1
	}).Hi
	if !(most > -math.MaxFloat64) {
		return of(0)
	}
	var sum interval.Sum
	for _, l := range logs {
		sum.Add(l.Sub(of(most)).Exp())
	}
	return log1pExp(of(most).Add(sum.I().Log()))
}

// log1pExp returns ln(1+e^x).
func log1pExp(x I) I {
	if x.Hi > large {
		most := of(x.Hi)
		return I{Lo: x.Lo, Hi: most.Add(most.Neg().Exp()).Hi}
	}
	return x.Exp().Log1p()
}

// pureOf returns the sum of the ε of a composition of (ε, δ)-private mechanisms. With the chance of
// logKeep the composition has that ε.
func pureOf(event accounting.Node) (epsilon I, ok bool) {
	var sum interval.Sum
	for run, times := range event.Runs() {
		e, _, ok := certificate.Private(run.Event)
		if !ok {
			return I{}, false
		}
		sum.Add(e.Mul(of(times)))
	}
	return sum.I(), true
}
