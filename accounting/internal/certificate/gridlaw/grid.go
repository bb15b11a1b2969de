// Package gridlaw checks upper ends of ε of compositions that package pld prices on a grid of
// losses.
//
// A witness has a law on the grid for each mechanism, in one direction. The check adds what a law
// lacks to dominate its mechanism (law.go), by closed forms of δ in outward-rounded intervals
// (profile.go). It composes the laws by a transform whose error is a theorem (fourier.go), and
// adds up δ at the claimed ε. Any law is a valid witness, so the discretization need not be
// trusted.
package gridlaw

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// Grid is the witness of one direction.
type Grid struct {
	Step   float64
	Tilt   float64 // the laws are multiplied by e^{Tilt·loss} before they are composed
	Beyond float64 // the largest tilt of Chernoff's bound of what lies above the window
	First  int     // first point of the window
	Points int     // of the window, at least
	Laws   []Law   // none if only the largest losses are known

	Singles []Single // what runs, before runs are composed
}

const claim = "composed laws on a grid that dominate each mechanism, in both directions"

// mostPoints caps the window.
const mostPoints = 1 << 19

// Check returns the check of ε by the grids of all directions.
func Check(grids []Grid) func(epsilon, delta float64) (accounting.Certificate, error) {
	var done []composed
	return func(epsilon, delta float64) (accounting.Certificate, error) {
		if done == nil {
			for _, g := range grids {
				c, err := g.compose()
				if err != nil {
					return accounting.Certificate{}, err
				}
				done = append(done, c)
			}
		}
		out := accounting.Certificate{Claim: claim, Epsilon: epsilon}
		for _, c := range done {
			for _, l := range c.laws {
				if l.Given != "" && !slices.Contains(out.Given, l.Given) {
					out.Given = append(out.Given, l.Given)
				}
			}
			d := c.ceiling(epsilon)
			if !(d <= delta) && len(c.Laws) > 0 {
				d = c.chernoff(epsilon)
			}
			if !(d <= delta) && len(c.Laws) > 0 {
				if err := c.convolve(); err != nil {
					return accounting.Certificate{}, err
				}
				d = c.delta(epsilon)
			}
			out.DeltaUpper, out.Work = max(out.DeltaUpper, d), out.Work+c.work
		}
		if !(out.DeltaUpper <= delta) {
			return accounting.Certificate{}, fmt.Errorf("the laws on the grid show δ <= %g at ε = %g", out.DeltaUpper, epsilon)
		}
		return out, nil
	}
}

// composed is what is computed once for all ε. Its law is
//
//	P[S = (First+i) step] <= e^{logM - Tilt S} (values[i] + error).
type composed struct {
	*shared
}

type shared struct {
	Grid
	laws     []Law
	tilted   [][]float64
	scales   []float64
	logM     I       // Σ T scale
	logTotal I       // Σ T log of the total tilted mass
	above    I       // bounds the mass above the window
	infinite float64 // Σ T Infinite, and more
	values   []float64
	error    float64
	work     int
}

func (g Grid) compose() (composed, error) {
	c := composed{&shared{Grid: g}}
	if len(g.Laws) == 0 {
		return c, nil
	}
	if !(g.Step > 0 && g.Step < 1e3 && g.Tilt > 0 && g.Tilt*g.Step < 300 && g.Beyond > g.Tilt && g.Points <= mostPoints) {
		return c, errors.New("the witness has no grid that fits")
	}
	n := 2
	for n < g.Points {
		n *= 2
	}
	c.Points = n
	reach := 0.0
	rise := zero
	for _, l := range g.Laws {
		law, work := l.dominating(g.Step, g.Tilt)
		tilted, scale := law.tilted(g.Step, g.Tilt)
		c.laws, c.tilted, c.scales, c.work = append(c.laws, law), append(c.tilted, tilted), append(c.scales, scale), c.work+work
		count := interval.Of(l.Count)
		c.logM = c.logM.Add(count.Mul(interval.Of(scale)))
		c.logTotal = c.logTotal.Add(count.Mul(sum(tilted).Log()))
		reach += l.Count * float64(law.First+len(law.Mass)-1)
		c.infinite = interval.Up(c.infinite + count.Mul(interval.Of(law.Infinite)).Hi)
		if mass := sum(law.Mass).Add(interval.Of(law.Infinite)); mass.Hi > 1 {
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

// beyond bounds the chance of S >= end by E e^{a(S-end)}, which holds at every tilt a > 0. The
// logarithm is convex in a. So a is halved from Beyond down to Tilt until the bound grows. If the
// largest S is just above end, as that of bounded losses can be, a large a gives no bound.
func (c composed) beyond(end I) I {
	least := I{Hi: math.Inf(1)}
	for a := c.Beyond; a > c.Tilt; a /= 2 {
		log := interval.Of(a).Mul(end).Neg()
		for _, l := range c.laws {
			far, scale := l.tilted(c.Step, a)
			log = log.Add(interval.Of(l.Count).Mul(sum(far).Log().Add(interval.Of(scale))))
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

// chernoff bounds δ by κ(a) E e^{a(S-ε)} + infinite, κ(a) = a^a/(1+a)^{1+a}, at a = Tilt.
func (c composed) chernoff(epsilon float64) float64 {
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
func (c composed) convolve() error {
	if c.values != nil {
		return nil
	}
	n := c.Points
	f := newTransform(n)
	e := f.relativeError()
	phi := make([][]complex128, len(c.laws))
	disc := make([]float64, len(c.laws))
	for i, l := range c.laws {
		x := make([]complex128, n)
		wrapped := make([]float64, n)
		for j, v := range c.tilted[i] {
			k := modulo(l.First+j, n)
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
			log += l.Count * (numeric.Log(math.Hypot(real(at), imag(at))+disc[i]) + 1e-14)
		}
		if log < nothing { // the product is below e^nothing, and is counted as an error
			radii += weight * math.Exp(nothing+1)
			continue
		}
		for i, l := range c.laws {
			at := phi[i][k]
			value = value.Mul(interval.Ball{Re: real(at), Im: imag(at), Rad: disc[i]}.Pow(int64(l.Count)))
			c.work++
		}
		if !(value.Rad < 1e3) {
			ok = false
		}
		if !ok {
			return errors.New("the transform of the laws lost its digits")
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

// delta returns an upper bound of δ(ε): the sum over the window, with the mass above it.
//
// A distance to ε is known to edge. So 1-e^-far is known to edge too, and e^{-Tilt·far} to a
// factor that is within slack. The sums have positive terms.
func (c composed) delta(epsilon float64) float64 {
	reach := float64(c.Points+int(math.Abs(float64(c.First))))*c.Step + epsilon
	edge := 8 * unit * reach
	var total, weights float64
	for i, v := range c.values {
		far := float64(c.First+i)*c.Step - epsilon
		if far < -edge {
			continue
		}
		far = max(0, far)
		w := max(0, v+c.error*(1+1e-9)) * math.Exp(-c.Tilt*far)
		weights += w
		total -= w * math.Expm1(-far)
	}
	slack := 1 + 4*(1+c.Tilt)*edge + float64(len(c.values)+64)*4*unit
	main := interval.Of((total+edge*weights)*slack + 1e-300) // the last term covers underflow
	main = main.Mul(c.logM.Sub(interval.Of(c.Tilt).Mul(interval.Of(epsilon))).Exp())
	return main.Add(c.above).Add(interval.Of(c.infinite)).Hi
}
