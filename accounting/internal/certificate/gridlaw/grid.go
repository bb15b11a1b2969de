// Package gridlaw checks upper ends of ε of compositions that package pld prices on a grid of
// losses.
//
// A witness has a grid, and the mechanisms in one direction. The check makes a law of each that
// dominates it (law.go), by closed forms of δ in outward-rounded intervals (profile.go), or by
// lists of outcomes (outcomes.go). It composes the laws by a transform whose error is a theorem
// (fourier.go), and adds up δ. Any grid is a valid witness, so the search need not be trusted.
package gridlaw

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// Grid is the witness of one direction. Without a Step only the largest losses are known.
type Grid struct {
	Add    bool    `json:"add"`
	Step   float64 `json:"step"`
	Tilt   float64 `json:"tilt"`   // the laws are multiplied by e^{Tilt·loss} before they are composed
	Beyond float64 `json:"beyond"` // the largest tilt of Chernoff's bound of what lies above the window
	First  int     `json:"first"`  // first point of the window
	Points int     `json:"points"` // of the window, at least
	Laws   []Law   `json:"laws"`   // in the order of the event
}

// Rule is the rule of a proof by this package. It has a list of Grid.
const Rule = "laws on a grid"

// GivenPair is what the check of batches takes as given.
const GivenPair = "that the pair of laws of package batchpairs, the search's too, dominates one run"

const claim = "composed laws on a grid that dominate each mechanism, in both directions"

// The window and the laws have at most mostPoints.
const mostPoints = 1 << 19

// mostPlaces bounds the places of all laws together, from losses 0 on.
const mostPlaces = 1 << 24

// Bound bounds δ of a composition by the grids of all directions.
type Bound struct {
	grids []Grid
	done  []*composed
}

// New returns the bound of witnesses.
func New(grids ...Grid) *Bound { return &Bound{grids: grids} }

// Delta returns an upper bound of δ at epsilon >= 0. The laws are composed at the first call. Each
// further ε takes a fixed number of operations. The bound is nearest around the ε that the window
// was made for.
func (b *Bound) Delta(epsilon float64) (float64, error) { return b.delta(epsilon, 0) }

// delta is Delta, without refining what is at most enough.
func (b *Bound) delta(epsilon, enough float64) (worst float64, err error) {
	least := map[bool]float64{}
	for i, g := range b.grids {
		if len(b.done) == i {
			c, err := g.compose()
			if err != nil {
				return math.NaN(), err
			}
			b.done = append(b.done, c)
		}
		d, err := b.done[i].delta(epsilon, enough)
		if err != nil {
			return math.NaN(), err
		}
		if known, ok := least[g.Add]; !ok || d < known {
			least[g.Add] = d
		}
	}
	return max(least[false], least[true]), nil
}

// Check checks that δ at epsilon is at most delta.
func (b *Bound) Check(epsilon, delta float64) (accounting.Certificate, error) {
	upper, err := b.delta(epsilon, delta)
	if err == nil && !(upper <= delta) {
		err = fmt.Errorf("the laws on the grid show δ <= %g at ε = %g", upper, epsilon)
	}
	if err != nil {
		return accounting.Certificate{}, err
	}
	out := accounting.Certificate{Claim: claim, Epsilon: epsilon, DeltaUpper: upper, Proof: certificate.Proof(Rule, b.grids)}
	for _, c := range b.done {
		out.Work += c.work
		for _, l := range c.Laws {
			if l.Kind == Outcomes { // no event has them
				out.Proof.Rule = certificate.RulePairs
			}
			if l.Given != "" && !slices.Contains(out.Given, l.Given) {
				out.Given = append(out.Given, l.Given)
			}
		}
	}
	return out, nil
}

// composed is what is computed once for all ε. Its law is
//
//	P[S = (First+i) step] <= e^{logM - Tilt S} (values[i] + error).
type composed struct {
	Grid
	laws     []tiltedLaw
	logM     I       // Σ T scale
	logTotal I       // Σ T log of the total tilted mass
	above    I       // bounds the mass above the window
	infinite float64 // Σ T infinite, and more
	largest  I       // the sum of all largest losses
	only     I       // bounds the chance of an outcome that only the first law has
	values   []float64
	failed   error // of convolve
	error    float64
	over     []float64 // of δ at a point and of the mass from there on: see suffix
	from     []float64
	work     int
}

// tiltedLaw is a measure with its masses multiplied.
type tiltedLaw struct {
	measure
	count  float64
	masses []float64
}

func (g Grid) compose() (*composed, error) {
	c := &composed{Grid: g}
	for _, l := range g.Laws {
		loss, only := l.largest()
		c.largest, c.only = c.largest.Add(loss), c.only.Add(only)
	}
	c.work = len(g.Laws)
	if g.Step == 0 {
		return c, nil
	}
	if !(g.Step > 1e-12 && g.Step < 1e3 && g.Tilt > 0 && g.Tilt*g.Step < 700 && g.Beyond > g.Tilt && g.Points <= mostPoints) {
		return c, errors.New("the witness has no grid that fits")
	}
	n := 2
	for n < g.Points {
		n *= 2
	}
	c.Points = n
	reach, places := 0.0, 0
	rise := zero
	for _, l := range g.Laws {
		const most = 1 << 22
		if !(l.Points > 0 && l.Points <= most && -most <= l.First && l.First <= most) {
			return c, errors.New("the witness has a law that does not fit")
		}
		if places += max(-l.First, l.First) + l.Points; places > mostPlaces {
			return c, errors.New("the witness has laws that do not fit")
		}
		law := l.dominating(g.Step, g.Tilt)
		tilted, scale := law.tilted(g.Step, g.Tilt)
		c.laws, c.work = append(c.laws, tiltedLaw{law, l.Count, tilted}), c.work+len(tilted)
		count := interval.Of(l.Count)
		c.logM = c.logM.Add(count.Mul(interval.Of(scale)))
		c.logTotal = c.logTotal.Add(count.Mul(sum(tilted).Log()))
		reach += l.Count * float64(law.first+len(law.mass)-1)
		c.infinite = interval.Up(c.infinite + count.Mul(interval.Of(law.infinite)).Hi)
		if mass := sum(law.mass).Add(interval.Of(law.infinite)); mass.Hi > 1 {
			rise = rise.Add(count.Mul(interval.Of(mass.Hi).Log()))
		}
	}
	// The chance that a run is infinite is at most the sum, times the masses of the other runs.
	c.infinite = interval.Of(c.infinite).Mul(rise.Positive().Exp()).Hi
	if end := float64(g.First + n); reach >= end-1e-9*math.Abs(end) {
		c.above = c.beyond(interval.Of(end).Mul(interval.Of(g.Step)))
	}
	return c, nil
}

// largest bounds the largest finite loss of all Count runs, and the chance of an outcome that only
// the first law has. The loss is at least 0.
func (l Law) largest() (loss, only I) {
	count, m := interval.Of(l.Count), l.Mechanism
	if l.Runs > 1 {
		count = count.Mul(interval.Of(l.Runs))
	}
	atoms, only, listed := m.run()
	switch {
	case listed:
		for _, a := range atoms {
			loss.Hi = max(loss.Hi, a.loss.Hi)
		}
		return count.Mul(loss), count.Mul(only)
	case m.Kind == Laplace:
		loss = one.Div(interval.Of(m.A))
	case m.Kind == Range:
		loss = interval.Of(m.A)
	default:
		loss = boundless
	}
	if m.added() {
		return count.Mul(I{Hi: -m.loss(loss.Neg()).Lo}), only
	}
	return count.Mul(I{Hi: m.loss(loss).Hi}), only
}

// beyond bounds the chance of S >= end by E e^{a(S-end)}, which holds at every tilt a > 0. The
// logarithm is convex in a. So a is halved from Beyond down to Tilt until the bound grows. If the
// largest S is just above end, as that of bounded losses can be, a large a gives no bound.
func (c *composed) beyond(end I) I {
	least := I{Hi: math.Inf(1)}
	for a := c.Beyond; a > c.Tilt; a /= 2 {
		log := interval.Of(a).Mul(end).Neg()
		for _, l := range c.laws {
			far, scale := l.tilted(c.Step, a)
			log = log.Add(interval.Of(l.count).Mul(sum(far).Log().Add(interval.Of(scale))))
		}
		if !(log.Hi <= least.Hi) {
			break
		}
		least = log
	}
	return I{Hi: min(1, least.Exp().Hi)}
}

func sum(values []float64) I {
	var s interval.Sum
	for _, v := range values {
		s.Add(interval.Of(v))
	}
	return s.I()
}

// delta returns an upper bound of δ(ε): by what only the first law has if ε is at least every loss,
// by Chernoff's bound, or by the laws on the grid, which are not composed if another one is at most
// enough.
func (c *composed) delta(epsilon, enough float64) (float64, error) {
	d := 1.0
	if c.largest.Hi <= epsilon && len(c.Laws) > 0 {
		d = min(1, c.only.Hi)
	}
	if d <= enough || c.Step == 0 {
		return d, nil
	}
	if d = min(d, c.chernoff(epsilon)); d <= enough {
		return d, nil
	}
	// A loss below the window is in it at a larger one, with less mass, and counts if it is above ε.
	if below := interval.Of(float64(c.First) - 1).Mul(interval.Of(c.Step)); !(below.Hi <= epsilon) {
		return d, nil
	}
	if err := c.convolve(); err != nil {
		return d, err
	}
	return min(d, c.onGrid(epsilon)), nil
}

// chernoff bounds δ by κ(a) E e^{a(S-ε)} + infinite, κ(a) = a^a/(1+a)^{1+a}, at a = Tilt.
func (c *composed) chernoff(epsilon float64) float64 {
	a := interval.Of(c.Tilt)
	kappa := a.Add(one).Log().Neg().Sub(a.Mul(one.Div(a).Log1p()))
	log := kappa.Add(c.logM).Add(c.logTotal).Sub(a.Mul(interval.Of(epsilon)))
	return log.Exp().Add(interval.Of(c.infinite)).Hi
}

// convolve composes the tilted laws. Indices are taken modulo the size of the window, which moves
// mass outside of it in, and never out.
//
// The error. A transform of a law errs by at most d = E Σ law at each frequency, E the relative
// error of the transform. So Φ = Π φ^T is a product of discs. The inverse turns radii r_k into at
// most Σ r_k/n, and errs by at most E Σ|Φ|/n itself.
func (c *composed) convolve() error {
	if c.values != nil || c.failed != nil {
		return c.failed
	}
	n := c.Points
	f := newTransform(n)
	e := f.relativeError()
	phi := make([][]complex128, len(c.laws))
	disc := make([]float64, len(c.laws))
	for i, l := range c.laws {
		x := make([]complex128, n)
		wrapped := make([]float64, n)
		for j, v := range l.masses {
			k := modulo(l.first+j, n)
			wrapped[k] = interval.Up(wrapped[k] + v)
		}
		for k, v := range wrapped {
			x[k] = complex(v, 0)
		}
		f.forward(x)
		phi[i], disc[i] = x, e*sum(wrapped).Hi*(1+1e-9)
	}
	product := make([]complex128, n)
	var radii, sizes float64
	for k := range n/2 + 1 {
		weight := 2.0
		if k == 0 || k == n/2 {
			weight = 1
		}
		value, ok := interval.Ball{Re: 1}, true
		var log float64
		for i, l := range c.laws {
			at := phi[i][k]
			log += l.count * (numeric.Log(math.Hypot(real(at), imag(at))+disc[i]) + 1e-14)
		}
		if log < nothing { // the product is below e^nothing, and is counted as an error
			radii += weight * math.Exp(nothing+1)
			continue
		}
		for i, l := range c.laws {
			at := phi[i][k]
			value = value.Mul(interval.Ball{Re: real(at), Im: imag(at), Rad: disc[i]}.Pow(int64(l.count)))
			c.work++
		}
		if !(value.Rad < 1e3) {
			ok = false
		}
		if !ok {
			c.failed = errors.New("the transform of the laws lost its digits")
			return c.failed
		}
		radii += weight * value.Rad
		sizes += weight * value.Abs()
		// conjugates, as forward serves as the inverse
		product[k] = complex(value.Re, -value.Im)
		if k > 0 && k < n/2 {
			product[n-k] = complex(value.Re, value.Im)
		}
	}
	f.forward(product)
	c.error = (radii + e*sizes) / float64(n) * (1 + 1e-9)
	c.values = make([]float64, n)
	for i := range c.values {
		c.values[i] = real(product[modulo(c.First+i, n)]) / float64(n)
	}
	c.suffix()
	return nil
}

// nothing is the logarithm of a product that is not computed.
const nothing = -60

func modulo(k, n int) int {
	if k %= n; k < 0 {
		k += n
	}
	return k
}

// suffix adds up the window from above. With the masses w_i = values[i] + error at the losses S_i,
//
//	over_k = Σ_{i>k} w_i e^{-Tilt(S_i-S_k)} (1 - e^{S_k-S_i}),
//	from_k = Σ_{i>=k} w_i e^{-(Tilt+1)(S_i-S_k)}.
func (c *composed) suffix() {
	n, h, a := len(c.values), interval.Of(c.Step), interval.Of(c.Tilt)
	fall, fade := h.Neg().Expm1().Neg().Hi, h.Mul(a).Neg().Exp().Hi
	both := h.Mul(a.Add(one)).Neg().Exp().Hi
	c.over, c.from = make([]float64, n), make([]float64, n)
	over, rest := 0.0, 0.0
	for k := n - 1; k >= 0; k-- {
		from := interval.Up(rest + interval.Up(max(0, c.values[k]+c.error*(1+1e-9))))
		c.over[k], c.from[k] = over, from
		over = interval.Up(fade * interval.Up(over+interval.Up(fall*from)))
		rest = interval.Up(both * from)
	}
}

// onGrid bounds δ(ε) by the window and the mass above it. From the first point S_k >= ε on,
//
//	Σ_{i>=k} w_i e^{-Tilt S_i} (1 - e^{ε-S_i}) = e^{-Tilt S_k} (over_k + (1 - e^{ε-S_k}) from_k).
//
// A point that may be at or above ε counts. If it is below, its share is not negative.
func (c *composed) onGrid(epsilon float64) float64 {
	at := func(k int) I { return interval.Of(float64(c.First + k)).Mul(interval.Of(c.Step)) }
	k := sort.Search(len(c.values), func(k int) bool { return at(k).Hi >= epsilon })
	d := c.above.Add(interval.Of(c.infinite))
	if k < len(c.values) {
		share := interval.Of(epsilon).Sub(at(k)).Expm1().Neg().Positive()
		main := interval.Of(c.over[k]).Add(share.Mul(interval.Of(c.from[k])))
		d = d.Add(main.Mul(c.logM.Sub(interval.Of(c.Tilt).Mul(at(k))).Exp()))
	}
	return d.Hi
}
