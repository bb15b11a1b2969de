// Package lossgrid composes laws of losses on a grid by a tilted transform, and bounds δ or ε of
// the composition from above or below. It knows no mechanism: package pld makes the laws, and
// chooses the grid, the tilt and the window.
package lossgrid

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/dplab/dplab/accounting/numeric"
)

const unit = 0x1p-53 // relative error of one rounded operation

// Law is one run on the grid of step h: mass P[i] at loss (First+i) h, and Infinite mass beyond
// every loss. The mass of the other law at loss l is p e^{-l}.
type Law struct {
	First    int
	P        []float64
	Infinite float64
}

// Run is the law of a mechanism, Count times.
type Run struct {
	Law
	Count float64
	edge  float64 // 1 + largest |loss|, and more
	logP  []float64
}

// NewRun returns count runs of a law at step h. Their losses were rounded by some units of 1 + the
// largest |loss| + more.
func NewRun(law Law, count, more, h float64) Run {
	last := law.First + len(law.P)
	r := Run{law, count, 1 + h*float64(max(-law.First, last)) + more, make([]float64, len(law.P))}
	for i, p := range law.P {
		r.logP[i] = numeric.Log(p)
	}
	return r
}

// Window is the part of the grid that a composition is computed on, of Points from the First one.
// The laws are multiplied by e^{Tilt·loss}. Chernoff's bounds at tilts Low < Tilt < High bound what
// lies outside.
type Window struct {
	Step, Tilt, Low, High float64
	First, Points         int
}

// Profile returns the profile of a composition, from large to small ε. It is an upper bound of
// those of laws that are above the mechanisms, and else a lower one. near is an ε near those of
// interest.
func (w Window) Profile(runs []Run, near float64, upper bool) *Profile {
	c := compose(runs, w.Tilt, w.Step, w.First, w.Points)
	c.bound(runs, w.Low, w.High)
	return newProfile(c, near, upper)
}

// composed is the law of a composition on a window of the grid, tilted:
//
//	P[S = (first+i) h] = e^{logM - a (first+i) h} (tilted[i] ± round)
//
// for the part inside the window, up to wrapped mass (tails).
type composed struct {
	h, a   float64
	first  int
	tilted []float64
	logM   float64 // log E e^{aS}
	round  float64 // bound of the rounding error of each tilted[i]
	below  float64 // tilted mass below the window, at most
	above  float64 // tilted mass above the window, at most
	logInf float64 // log of the mass at infinity
	steps  float64 // number of runs
	edge   float64 // sum over runs of 1 + largest |loss|, for the rounding of losses
}

// tilt returns p e^{a l} / E e^{a l} and log E e^{a l}.
func (r Run) tilt(a, h float64) (tilted []float64, logM float64) {
	shift := r.largest(a, h)
	tilted = make([]float64, len(r.P))
	sum := 0.0
	for i, lp := range r.logP {
		if e := lp + a*float64(r.First+i)*h - shift; e > -745 {
			tilted[i] = math.Exp(e)
			sum += tilted[i]
		}
	}
	for i := range tilted {
		tilted[i] /= sum
	}
	return tilted, shift + numeric.Log(sum)
}

// largest returns the largest log p + a l.
func (r Run) largest(a, h float64) float64 {
	shift := math.Inf(-1)
	for i, lp := range r.logP {
		if e := lp + a*float64(r.First+i)*h; e > shift {
			shift = e
		}
	}
	return shift
}

// LogM returns log E e^{a l}. Terms below e^{-45} of the largest are all counted at that size.
func (r Run) LogM(a, h float64) float64 {
	shift, sum, small := r.largest(a, h), 0.0, 0
	for i, lp := range r.logP {
		if e := lp + a*float64(r.First+i)*h - shift; e > -45 {
			sum += math.Exp(e)
		} else {
			small++
		}
	}
	return shift + numeric.Log(sum+float64(small)*math.Exp(-45))
}

// fftError bounds the relative error, in the Euclidean norm, of one transform of n points. The
// theorem gives log2(n) η/(1-log2(n) η) with η below 7 units for weights exact to a unit. 12 units
// leave room for the mixed radices used here.
//
// Reference: Higham, Accuracy and Stability of Numerical Algorithms (2002), Theorem 24.2.
func fftError(n int) float64 { return 12 * unit * math.Log2(float64(n)) }

// compose tilts, transforms, multiplies powers and transforms back. The sums of indices are taken
// modulo n, which moves mass outside the window into it, and never out.
//
// Rounding, to first order, with Φ = Π φ_i^{T_i} and E the relative error of a transform. An error
// Δφ_i changes Φ by at most T_i |Δφ_i| |Φ/φ_i|. By Cauchy's inequality it changes each value after
// the inverse by at most T_i ‖Δφ_i‖ ‖Φ/φ_i‖ / n, with ‖Δφ_i‖ <= E √n ‖tilted_i‖. The factors |φ|
// are raised by that error first, so the mean value theorem covers all orders. The power itself
// errs by 8 T_i units, the inverse by E ‖Φ‖/√n.
func compose(runs []Run, a, h float64, first, n int) composed {
	out := composed{h: h, a: a, first: first, logInf: math.Inf(-1)}
	fft := fourier.NewFFT(n)
	size, e := n/2+1, fftError(n)
	phi := make([]complex128, size)
	logAbs, phase := make([]float64, size), make([]float64, size)
	raised := make([]float64, size)        // Σ T log(|φ|+d)
	floors := make([][]float64, len(runs)) // log(|φ_i|+d_i)
	dPhi := make([]float64, len(runs))
	buffer := make([]float64, n)
	none := 0.0 // log of the chance that no run is infinite
	for i, r := range runs {
		tilted, logM := r.tilt(a, h)
		out.logM += r.Count * logM
		out.steps += r.Count
		out.edge += r.Count * r.edge
		none += r.Count * math.Log1p(-math.Min(1, r.Infinite))
		clear(buffer)
		norm := 0.0
		for k, v := range tilted {
			buffer[mod(r.First+k, n)] += v
			norm += v * v
		}
		fft.Coefficients(phi, buffer)
		dPhi[i] = e * math.Sqrt(float64(n)*norm)
		floors[i] = make([]float64, size)
		for k, c := range phi {
			re, im := real(c), imag(c)
			abs := math.Sqrt(re*re + im*im)
			f := numeric.Log(abs + dPhi[i])
			floors[i][k] = f
			raised[k] += r.Count * f
			if raised[k] > nothing {
				logAbs[k] += r.Count * numeric.Log(abs)
				turns := r.Count * math.Atan2(im, re) / (2 * math.Pi)
				phase[k] += 2 * math.Pi * (turns - math.Round(turns))
			}
		}
	}
	out.logInf = numeric.Log(-math.Expm1(none))
	out.round = roundingOf(runs, raised, floors, dPhi, n)
	for k := range phi {
		if !(raised[k] > nothing) {
			phi[k] = 0
			continue
		}
		m := math.Exp(logAbs[k])
		sin, cos := math.Sincos(phase[k])
		phi[k] = complex(m*cos, m*sin)
	}
	fft.Sequence(buffer, phi)
	out.tilted = make([]float64, n)
	for i := range out.tilted {
		out.tilted[i] = buffer[mod(first+i, n)] / float64(n)
	}
	return out
}

// If the logarithm of |Φ| is below nothing, Φ is set to 0.
const nothing = -60

func roundingOf(runs []Run, raised []float64, floors [][]float64, dPhi []float64, n int) float64 {
	size, steps := float64(n), 0.0
	for _, r := range runs {
		steps += r.Count
	}
	sum, squares := 0.0, 0.0 // of |Φ| over all n frequencies, those of k > n/2 by symmetry
	for _, v := range raised {
		if v > nothing {
			m := math.Exp(v)
			sum += 2 * m
			squares += 2 * m * m
		}
	}
	total := 8*unit*steps*sum/size + fftError(n)*math.Sqrt(squares/size) + math.Exp(nothing)
	for i, r := range runs {
		g := size * math.Exp(-50) // the part left out: |φ_i| + d_i is above e^{-33}
		for k, v := range raised {
			if v > nothing {
				g += 2 * math.Exp(2*(v-floors[i][k]))
			}
		}
		total += r.Count * dPhi[i] * math.Sqrt(g) / size
	}
	return total
}

func mod(i, n int) int {
	i %= n
	if i < 0 {
		i += n
	}
	return i
}

// bound sets below and above, the masses outside the window, by Chernoff's bound at the tilts aLow
// < a < aHigh:
//
//	tilted mass above the end <= e^{logM(aHigh) - logM(a) - (aHigh-a) end},  and likewise below.
func (c *composed) bound(runs []Run, aLow, aHigh float64) {
	lo, hi := 0.0, 0.0 // log M at the tilts
	reachLow, reachHigh := 0.0, 0.0
	for _, r := range runs {
		lo += r.Count * r.LogM(aLow, c.h)
		hi += r.Count * r.LogM(aHigh, c.h)
		reachLow += r.Count * float64(r.First)
		reachHigh += r.Count * float64(r.First+len(r.P)-1)
	}
	end := float64(c.first + len(c.tilted))
	slack := 8 * unit * (math.Abs(lo) + math.Abs(hi) + math.Abs(c.logM) + c.steps)
	if reachHigh >= end {
		c.above = math.Min(1, math.Exp(hi-c.logM-(aHigh-c.a)*end*c.h+slack))
	}
	if reachLow < float64(c.first) {
		c.below = math.Min(1, math.Exp(lo-c.logM+(c.a-aLow)*float64(c.first)*c.h+slack))
	}
}
