package laws

import (
	"errors"
	"math"

	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// terms is a law on first, first+1, ... by the logarithm of its first chance and the ratio P[K =
// k+1]/P[K = k]. A list of chances begins at its largest one, where nothing underflows.
type terms struct {
	first    int
	logFirst I
	ratio    func(k int) I
}

// shares returns the chances up to most, divided by the largest of them.
func (t terms) shares(most int) []I {
	w, _ := t.relative(most)
	return w
}

// relative returns shares, and the place of the largest chance.
func (t terms) relative(most int) (w []I, peak int) {
	w, peak = make([]I, most+1), t.first
	if most < t.first {
		return w, peak
	}
	for log, best, k := 0.0, 0.0, t.first; k < most; k++ {
		if log += numeric.Log(t.ratio(k).Hi); log > best {
			best, peak = log, k+1
		}
	}
	w[peak] = one
	for k := peak; k < most; k++ {
		w[k+1] = w[k].Mul(t.ratio(k))
	}
	for k := peak; k > t.first; k-- {
		w[k-1] = w[k].Div(t.ratio(k - 1)).Positive()
	}
	return w, peak
}

// chances returns P[K = k] for k = 0..most.
func (t terms) chances(most int) []I {
	w, peak := t.relative(most)
	log := t.logFirst
	for k := t.first; k < peak; k++ {
		log = log.Add(t.ratio(k).Log())
	}
	scale := log.Exp()
	for k := range w {
		w[k] = unit(w[k].Mul(scale))
	}
	return w
}

// A limit makes a list of the chances of a law up to most.
type limit func(inner Law, most int) []I

func limited(inner *Named, most int, how limit) (Law, error) {
	if inner == nil || most < 1 || most > 1<<20 {
		return Law{}, errRange
	}
	l, err := of(*inner)
	if err != nil {
		return Law{}, err
	}
	return list(how(l, most))
}

// truncated divides by the sum.
func truncated(inner Law, most int) []I {
	return normalized(inner.shares(most))
}

func normalized(w []I) []I {
	sum := total(w)
	for k := range w {
		w[k] = unit(w[k].Div(sum))
	}
	return w
}

// withheld adds the rest to K = 0.
func withheld(inner Law, most int) []I {
	w := inner.chances(most)
	w[0] = unit(one.Sub(total(w[1:])))
	return w
}

// capped adds the rest to the last chance. P[K >= most] is at most E[K; K >= most]/most.
func capped(inner Law, most int) []I {
	w := inner.chances(most)
	before := w[:most]
	rest := one.Sub(total(before))
	runs := I{}
	for k, p := range before {
		runs = runs.Add(p.Mul(interval.Of(float64(k))))
	}
	markov := inner.Mean.Sub(runs).Div(interval.Of(float64(most)))
	w[most] = unit(I{Lo: max(rest.Lo, w[most].Lo), Hi: min(rest.Hi, markov.Hi)})
	return w
}

func total(w []I) I {
	sum := I{}
	for _, p := range w {
		sum = sum.Add(p)
	}
	return sum.Positive()
}

// fromWeights divides weights by their sum.
func fromWeights(weights []float64) (Law, error) {
	w := make([]I, len(weights))
	for k, p := range weights {
		if !(p >= 0) || math.IsInf(p, 1) {
			return Law{}, errRange
		}
		w[k] = interval.Of(p)
	}
	return list(normalized(w))
}

// list is the law of a list of chances.
func list(w []I) (Law, error) {
	if len(w) < 2 {
		return Law{}, errors.New("chances are lost to rounding")
	}
	first, second := make([]I, len(w)-1), make([]I, max(1, len(w)-2))
	for k := 1; k < len(w); k++ {
		first[k-1] = w[k].Mul(interval.Of(float64(k)))
		if k > 1 {
			second[k-2] = first[k-1].Mul(interval.Of(float64(k - 1)))
		}
	}
	f, f1, f2 := newSeries(w), newSeries(first), newSeries(second)
	mean, none := f1.at(one), w[0]
	return Law{
		Mean: mean, None: none, Most: float64(len(w) - 1),
		First:  func(p I) I { return f1.at(one.Sub(unit(p))) },
		Second: func(p I) I { return f2.at(one.Sub(unit(p))) },
		Value:  func(p I) I { return f.at(one.Sub(unit(p))) },
		Some: func(p I) I { // 1 - f(1-p) lies between p f'(1-p) and p E[K]
			p = unit(p)
			direct := one.Sub(f.at(one.Sub(p)))
			return unit(I{
				Lo: max(direct.Lo, p.Mul(f1.at(one.Sub(p))).Lo),
				Hi: min(direct.Hi, p.Mul(mean).Hi),
			})
		},
	}.withChances(func(most int) []I {
		known := make([]I, most+1)
		copy(known, w)
		return known
	}), nil
}

// series is Σ c_k x^k with c_k >= 0, summed in floats with a bound on their error.
//
// Each term c x^k takes k products, and its place in the sum at most n+1 sums. The terms are at
// least 0. So the sum is off by a factor within 1 ± (2n+40)2^-52, apart from underflow. A power
// that underflows is off by at most (n+64) 2^-1074.
type series struct {
	c     []float64 // upper ends of the coefficients
	rest  []float64 // rest[k] is at least Σ_{j>=k} c_j
	loose float64   // the largest relative width of a narrow coefficient
	lost  float64   // Σ of the widths of the other coefficients
	first int       // of the first c > 0
}

// narrow is the largest relative width of a narrow coefficient.
const narrow = 1e-7

func newSeries(c []I) series {
	s := series{rest: make([]float64, len(c)+1), first: len(c)}
	for k := len(c) - 1; k >= 0; k-- {
		s.rest[k] = interval.Up(s.rest[k+1] + c[k].Hi)
		if c[k].Hi > 0 {
			s.first = k
		}
	}
	for _, c := range c {
		s.c = append(s.c, c.Hi)
		if gap := interval.Up(c.Hi - c.Lo); gap > narrow*c.Hi || c.Hi < 1e-290 {
			s.lost = interval.Up(s.lost + gap)
		} else {
			s.loose = max(s.loose, interval.Up(gap/c.Hi))
		}
	}
	return s
}

func (s series) at(x I) I {
	x = unit(x)
	if s.first == len(s.c) || x.Hi == 0 && s.first > 0 {
		return I{}
	}
	sum, power := 0.0, 1.0
	n := s.first
	if s.first > 0 {
		power = pow(x.Hi, s.first)
	}
	for n < len(s.c) {
		sum += s.c[n] * power
		power *= x.Hi
		n++
		if power*s.rest[n] <= 1e-19*sum {
			break
		}
	}
	degree := float64(len(s.c))
	off := float64(2*n+40)*0x1p-52 + 1e-18
	under := (1 + s.rest[0]) * (degree + 64) * 0x1p-1070
	hi := interval.Up(interval.Up(sum+interval.Up(sum*off)) + under)
	// From x.Hi to x.Lo the value falls by a factor of at least (x.Lo/x.Hi)^degree.
	falls := 1 - degree*interval.Up(interval.Up(x.Hi-x.Lo)/max(x.Hi, 1e-300))
	lo := sum*(1-off)*(1-s.loose)*falls*(1-8*0x1p-52) - under - s.lost
	return I{Lo: max(0, lo), Hi: hi}
}

// pow returns x^n by squares, with at most 2n roundings.
func pow(x float64, n int) float64 {
	result := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result *= x
		}
		x *= x
	}
	return result
}
