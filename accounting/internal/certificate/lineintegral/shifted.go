package lineintegral

import (
	"math"

	"github.com/dplab/dplab/accounting/interval"
)

// shifted bounds |φ(t)| = |M(c+it)|/M(c) of a whole law in the remove direction. It moves the
// integral to a line Im x = b > 0, where |e^{itl}| = e^{-t Im l}:
//
//	|φ(t)| <= e^{b²/2σ²} E e^{-t Im l(x+ib)},  x drawn from the tilted law,
//
// as |1-q+q e^{v+iθ}| <= e^l. The bound falls in t. Im l = arg(1-q+q e^{v+iθ}) rises in x, so on
// a cell the exponential is at most that of its left end. The mass of a cell is at most step
// times the larger density at its ends times e^{step²/8σ²}, as the second derivative of log p is
// at least -1/σ².
//
// With few steps it falls much sooner than the bound by levels. For a replaced record see
// replaced.go.
type shifted struct {
	masses []float64 // upper bounds of the cells' masses
	rest   float64   // that of the mass beyond the cells
	lines  []shiftedLine
}

type shiftedLine struct {
	lift float64   // e^{b²/2σ²}
	im   []float64 // lower bounds of Im l at the left ends

	// Of a replaced record: bounds of the growth on the cells, and beyond them.
	growth []float64
	beyond float64
}

// mostShifted is the number of steps up to which shifted lines are tried.
const mostShifted = 64

// newShifted returns the bounds of a phase, empty ones where they do not apply.
func newShifted(r realLine) (s shifted) {
	if r.dir == add || r.cut.some() || r.Count > mostShifted {
		return s
	}
	rise := interval.Of(r.step).Mul(interval.Of(r.step)).Div(r.square).Mul(interval.Of(0.125))
	if r.replaced {
		rise = rise.Mul(one.Add(interval.Of(r.a / 4).Div(r.square)))
	}
	front := rise.Add(interval.Of(r.step).Log()).Sub(r.logM())
	density := make([]float64, len(r.nodes))
	for i, n := range r.nodes {
		density[i] = n.tilted.Add(front).Exp().Hi
	}
	for i := 1; i < len(density); i++ {
		s.masses = append(s.masses, max(density[i-1], density[i]))
	}
	// Beyond an end the mass is at most that of cells whose densities are those of the points.
	low, high := float64(r.first), float64(r.first+len(r.nodes)-1)
	ends := r.leftOut(r.dir, r.a, (low+1)*r.step, (high-1)*r.step, r.step, I{}, newAngle(I{}), one, 0, r.scale)
	s.rest = interval.Of(ends).Mul(rise.Exp()).Div(r.m).Hi
	for _, f := range [...]float64{0.25, 0.5, 0.9, 1.5, 2.2, 3} {
		theta := interval.Of(min(f/r.Noise, 0.48*math.Pi))
		turned := newAngle(theta)
		line := shiftedLine{lift: theta.Mul(theta).Mul(r.square).Mul(half).Exp().Hi}
		if r.replaced {
			s.lines = append(s.lines, r.replacedLine(line, turned))
			continue
		}
		for _, n := range r.nodes[:len(r.nodes)-1] {
			_, im := r.lossAt(n.v, turned)
			line.im = append(line.im, max(0, im.Lo))
		}
		s.lines = append(s.lines, line)
	}
	return s
}

// phi returns an upper bound of |φ(t)|.
func (s shifted) phi(t float64) float64 {
	least := 1.0
	for _, line := range s.lines {
		sum := s.rest
		if line.growth != nil {
			sum *= line.beyond
		}
		for j, m := range s.masses {
			if line.growth != nil {
				m *= line.growth[j]
			}
			if e := t * line.im[j]; e < 700 {
				sum += m * math.Exp(-e)
			} else {
				sum += m * 1e-300
			}
		}
		// A product below 700 moves e^-e by less than 1e-12, relative, and the sum has positive
		// terms.
		least = min(least, sum*line.lift*(1+1e-11))
	}
	return least
}
