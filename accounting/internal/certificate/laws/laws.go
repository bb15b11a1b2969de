// Package laws computes the laws of the number of runs K in intervals that are rounded outward. It
// takes only the parameters of a law, and shares no code with package law that prices it.
//
// Certificates of selections use it. A wrong mean or a wrong derivative in a search is then not
// repeated in its check.
package laws

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/interval"
)

// I is an interval.
type I = interval.I

var one = interval.Of(1)

// Law is a law of K with the generating function f(x) = E[x^K]. Its functions take p and are about
// x = 1-p. A p outside of [0, 1] counts as the nearer end.
type Law struct {
	Mean          I           // E[K]
	None          I           // P[K = 0]
	First, Second func(p I) I // f' and f'' at 1-p: both fall with p
	Some          func(p I) I // 1 - f(1-p)
	Value         func(p I) I // f(1-p)
	Most          float64     // the largest K, or +Inf
	Log           *Logs       // set if (ln f')' does not fall

	chances func(most int) []I // P[K = k] for k = 0..most
	shares  func(most int) []I // the same, divided by some number > 0
}

// Logs has ln f' and f”/f' at 1-p. They do not underflow.
type Logs struct{ First, Rate func(p I) I }

// Named is a law by its type and its parameters, as JSON has them.
type Named struct {
	Type    string
	Numbers map[string]float64
	Weights []float64
	Inner   *Named // that a limit cuts
}

// fields lists the parameters of each type: a number, a whole number ("#"), a list ("[]") or a law
// ("&").
var fields = map[string]string{
	"tnb": "eta gamma", "poisson": "mean", "binomial": "trials# p", "fixed": "count#", "two_point": "runs# single",
	"pmf": "weights[]", "truncated": "law& max#", "capped": "law& max#", "withheld": "law& max#",
}

// Read reads a law. The object keeps the faults.
func Read(o *eventjson.Object) Named {
	n := Named{Type: o.Text("type"), Numbers: map[string]float64{}}
	known, ok := fields[n.Type]
	if !ok {
		o.Fault("type", "%q: no rule knows this law", n.Type)
		return n
	}
	for _, field := range strings.Fields(known) {
		switch name := strings.TrimRight(field, "#[]&"); field[len(name):] {
		case "#":
			n.Numbers[name] = float64(o.Int(name))
		case "[]":
			n.Weights = o.Floats(name)
		case "&":
			inner := Read(o.Object(name))
			n.Inner = &inner
		default:
			n.Numbers[name] = o.Float(name)
		}
	}
	o.Done()
	return n
}

// Of returns a law. It returns an error if the type is not known, if a parameter is outside of its
// range, or if the results contradict each other.
func Of(n Named) (Law, error) {
	made, err := of(n)
	if err != nil {
		return Law{}, fmt.Errorf("laws: %s: %w", n.Type, err)
	}
	return made, made.consistent()
}

func of(n Named) (Law, error) {
	whole := func(name string) int { return int(n.Numbers[name]) }
	switch n.Type {
	case "tnb":
		return negativeBinomial(n.Numbers["eta"], n.Numbers["gamma"])
	case "poisson":
		return poisson(n.Numbers["mean"])
	case "binomial":
		return binomial(whole("trials"), n.Numbers["p"])
	case "fixed":
		return twoPoint(whole("count"), 0)
	case "two_point":
		return twoPoint(whole("runs"), n.Numbers["single"])
	case "pmf":
		return fromWeights(n.Weights)
	case "truncated":
		return limited(n.Inner, whole("max"), truncated)
	case "capped":
		return limited(n.Inner, whole("max"), capped)
	case "withheld":
		return limited(n.Inner, whole("max"), withheld)
	}
	return Law{}, errors.New("its type is not known")
}

// consistent returns an error unless E[K] >= P[K >= 1], f(1) = 1, f(0) = P[K = 0] and f'(1) = E[K]
// can all be true.
func (l Law) consistent() error {
	some := l.Some(one)
	for _, c := range []struct {
		name string
		ok   bool
	}{
		{"a finite E[K] > 0", l.Mean.Lo > 0 && l.Mean.Hi < math.Inf(1)},
		{"E[K] >= P[K >= 1]", l.Mean.Hi >= some.Lo},
		{"f(1) = 1", meet(l.Some(I{}), I{})},
		{"f(0) = P[K = 0]", meet(one.Sub(some), l.None)},
		{"f'(1) = E[K]", meet(l.First(I{}), l.Mean)},
	} {
		if !c.ok {
			return fmt.Errorf("laws: %s does not hold for E[K] in [%g, %g]: the parameters are lost to rounding", c.name, l.Mean.Lo, l.Mean.Hi)
		}
	}
	return nil
}

func meet(a, b I) bool { return a.Lo <= b.Hi && b.Lo <= a.Hi }

// unit returns the nearest interval in [0, 1].
func unit(p I) I {
	return I{Lo: min(1, max(0, p.Lo)), Hi: min(1, max(0, p.Hi))}
}

// usual returns an error if a parameter is NaN, infinite or subnormal.
func usual(field string, x float64) error {
	if math.IsNaN(x) || math.IsInf(x, 0) || x != 0 && math.Abs(x) < 0x1p-1022 {
		return fmt.Errorf("%s %g: must be finite and not subnormal", field, x)
	}
	return nil
}

// power returns (1 - x)^n for x in [0, 1] and n >= 0.
func power(x I, n float64) I {
	switch {
	case n == 0:
		return one
	case x.Hi < 0.5:
		return interval.Of(n).Mul(x.Neg().Log1p()).Exp()
	}
	rest := unit(one.Sub(x))
	if rest.Lo == 0 {
		return I{Lo: 0, Hi: interval.Of(n).Mul(I{Lo: math.Inf(-1), Hi: rest.Log().Hi}).Exp().Hi}
	}
	return interval.Of(n).Mul(rest.Log()).Exp()
}

// failing returns 1 - (1-x)^n, with the digits of a small x.
func failing(x I, n float64) I {
	if x.Hi < 0.5 {
		return interval.Of(n).Mul(x.Neg().Log1p()).Expm1().Neg()
	}
	return unit(one.Sub(power(x, n)))
}

// poisson is the law with f(1-p) = e^(-mp).
func poisson(mean float64) (Law, error) {
	if err := usual("mean", mean); err != nil || !(mean > 0) {
		return Law{}, errors.Join(err, errRange)
	}
	m := interval.Of(mean)
	down := func(p I) I { return m.Mul(unit(p)).Neg() }
	return Law{
		Mean: m, None: m.Neg().Exp(), Most: math.Inf(1),
		Log: &Logs{
			First: func(p I) I { return m.Log().Add(down(p)) },
			Rate:  func(I) I { return m },
		},
		First:  func(p I) I { return m.Mul(down(p).Exp()) },
		Second: func(p I) I { return m.Mul(m).Mul(down(p).Exp()) },
		Some:   func(p I) I { return down(p).Expm1().Neg() },
		Value:  func(p I) I { return down(p).Exp() },
	}.withTerms(terms{0, m.Neg(), func(k int) I { return m.Div(interval.Of(float64(k) + 1)) }}), nil
}

var errRange = errors.New("a parameter is outside of its range")

// binomial is the law with f(1-p) = (1-cp)^n.
func binomial(trials int, chance float64) (Law, error) {
	if err := usual("chance", chance); err != nil || trials < 1 || trials > 1<<53 || !(chance > 0 && chance < 1) {
		return Law{}, errors.Join(err, errRange)
	}
	n, c := float64(trials), interval.Of(chance)
	mean := interval.Of(n).Mul(c)
	second := mean.Mul(interval.Of(n - 1)).Mul(c)
	at := func(p I) I { return unit(c.Mul(unit(p))) }
	odds := c.Div(one.Sub(c))
	return Law{
		Mean: mean, None: power(c, n), Most: n,
		First:  func(p I) I { return mean.Mul(power(at(p), n-1)) },
		Second: func(p I) I { return second.Mul(power(at(p), max(0, n-2))) },
		Some:   func(p I) I { return failing(at(p), n) },
		Value:  func(p I) I { return power(at(p), n) },
	}.withTerms(terms{0, interval.Of(n).Mul(c.Neg().Log1p()), func(k int) I {
		return odds.Mul(interval.Of(max(0, n-float64(k)))).Div(interval.Of(float64(k) + 1))
	}}), nil
}

// twoPoint is the law with f(x) = s x + (1-s) x^n. Fixed has s = 0.
func twoPoint(runs int, single float64) (Law, error) {
	if err := usual("chance of a single run", single); err != nil || runs < 1 || runs > 1<<53 || !(single >= 0 && single < 1) {
		return Law{}, errors.Join(err, errRange)
	}
	n, s := float64(runs), interval.Of(single)
	rest := one.Sub(s)
	if single == 0 {
		rest = one
	}
	first := rest.Mul(interval.Of(n))
	second := first.Mul(interval.Of(n - 1))
	return Law{
		Mean: s.Add(first), None: I{}, Most: n,
		First:  func(p I) I { return s.Add(first.Mul(power(unit(p), n-1))) },
		Second: func(p I) I { return second.Mul(power(unit(p), max(0, n-2))) },
		Some:   func(p I) I { return unit(s.Mul(unit(p)).Add(rest.Mul(failing(unit(p), n)))) },
		Value:  func(p I) I { return unit(s.Mul(one.Sub(unit(p))).Add(rest.Mul(power(unit(p), n)))) },
	}.withChances(func(most int) []I {
		w := make([]I, most+1)
		if most >= 1 {
			w[1] = s
		}
		if most >= runs {
			w[runs] = w[runs].Add(rest)
		}
		return w
	}), nil
}

// Chances returns P[K = k] for k = 0..most.
func (l Law) Chances(most int) []I { return l.chances(most) }

func (l Law) withTerms(t terms) Law {
	l.chances, l.shares = t.chances, t.shares
	return l
}

func (l Law) withChances(chances func(most int) []I) Law {
	l.chances, l.shares = chances, chances
	return l
}
