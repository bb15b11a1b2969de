package contour

import "math"

// lineTailMax is the number of steps up to which the tail bound on shifted lines is tried:
// with many steps the level sets decide long before it would help.
const lineTailMax = 64

// lineTail bounds |φ(t)| for large t by moving the integral to Im x = b > 0, where
// |e^{itl}| = e^{-t Im l} is small wherever the posterior is not:
//
//	|φ(t)| <= e^{b²/2σ²} G E_tilted e^{-t Im l(x+ib)},  G = cos(b/2σ²)^-growth.
//
// Im l(x+ib) = arg(1-q+q e^{v+iθ}) increases in x, so on a cell [x_j, x_{j+1}] the factor is
// at most its value at x_j; the cell's mass is at most h max(p_j, p_{j+1}) e^{h²k/8} because
// (log p_α)” >= -k with k = 1/σ² + c/(4σ⁴) for add, and 1/σ² for remove.
// The left part beyond the grid is counted with factor 1. The bound decreases in t.
type lineTail struct {
	masses []float64
	rest   float64
	lines  []shiftedLine
}

type shiftedLine struct {
	lift float64 // b²/2σ² + log G
	im   []float64
}

func (w *law) lineTail(dir direction, c, logM float64, from, to int) lineTail {
	var out lineTail
	if w.count > lineTailMax {
		return out
	}
	alpha, s2 := dir.order(c), w.sigma*w.sigma
	bend := 1 / s2
	if dir == add {
		bend += c / (4 * s2 * s2)
	}
	rise := w.step * w.step * bend / 8
	prev := math.Exp(alpha*w.loss[from] + w.logQ[from] - logM)
	for j := from + 1; j < to; j++ {
		next := math.Exp(alpha*w.loss[j] + w.logQ[j] - logM)
		out.masses = append(out.masses, math.Max(prev, next)*math.Exp(rise))
		prev = next
	}
	out.rest = w.endTails(alpha, from, to, logM-rise)
	for _, f := range [...]float64{0.25, 0.5, 0.9, 1.5, 2.2, 3} {
		theta := math.Min(f/w.sigma, 0.9*math.Pi)
		b := theta * s2
		line := shiftedLine{lift: b*b/(2*s2) + logGrowth(dir, c, b, w.sigma)}
		sin, cos := math.Sincos(theta)
		half := math.Sin(theta / 2)
		for j := from; j < to-1; j++ {
			v := (2*float64(w.first+j)*w.step - 1) / (2 * s2)
			_, im := lossOnLine(w.q, v, theta, sin, cos, half)
			line.im = append(line.im, im)
		}
		out.lines = append(out.lines, line)
	}
	return out
}

// logPhi returns the least of the bounds of the lines.
func (b lineTail) logPhi(t float64) float64 {
	best := 0.0
	for _, line := range b.lines {
		sum := b.rest
		for j, m := range b.masses {
			if e := t * line.im[j]; e < 700 {
				sum += m * math.Exp(-e)
			}
		}
		best = math.Min(best, line.lift+math.Log(sum))
	}
	return best
}
