package contour

import "math"

// lineTailMax is the number of steps up to which the tail bound on shifted lines is tried:
// with many steps the level sets decide long before it would help.
const lineTailMax = 64

// lineTail bounds |φ(t)| for large t by moving the integral to Im x = b > 0, where
// |e^{itl}| = e^{-t Im l} is small wherever the posterior is not:
//
//	|φ(t)| <= e^{b²/2σ²} G E_tilted e^{-t Im l(x+ib)},  G as in growth.go.
//
// Im l(x+ib) = arg(1-q+q e^{v+iθ}) increases in x, so on a cell [x_j, x_{j+1}] the factor is
// at most its value at x_j; the cell's mass is at most h max(p_j, p_{j+1}) e^{h²k/8} because
// (log p_α)” >= -k with k = 1/σ² + c/(4σ⁴) for add, and 1/σ² for remove.
// The left part beyond the grid is counted with factor 1. For the large part of a law the
// masses have the factor Φ(u), which is log-concave with second derivative above -1/width²,
// and each cell the factor of cut.above. The bound decreases in t.
type lineTail struct {
	masses []float64
	rest   float64
	lines  []shiftedLine
}

type shiftedLine struct {
	lift   float64 // b²/2σ² + log G
	im     []float64
	factor []float64 // of each mass, for a part; nil for the whole
}

func (w *law) lineTail(dir direction, c float64, k cut, p []float64, from int, ends float64) lineTail {
	var out lineTail
	s2 := w.sigma * w.sigma
	bend := 1 / s2
	if dir == add {
		bend += c / (4 * s2 * s2)
	}
	if k.part != whole {
		bend += 1 / (k.width * k.width)
	}
	rise := w.step * w.step * bend / 8
	for j := 1; j < len(p); j++ {
		out.masses = append(out.masses, math.Max(p[j-1], p[j])*math.Exp(rise))
	}
	out.rest = ends * math.Exp(rise)
	grow := w.growth(dir, c)
	for _, f := range [...]float64{0.25, 0.5, 0.9, 1.5, 2.2, 3} {
		theta := math.Min(f/w.sigma, 0.9*math.Pi)
		b := theta * s2
		line := shiftedLine{lift: b*b/(2*s2) + grow.at(b)}
		sin, cos := math.Sincos(theta)
		half := math.Sin(theta / 2)
		for j := range out.masses {
			x := float64(w.first+from+j) * w.step
			_, im := lossOnLine(w.q, (2*x-1)/(2*s2), theta, sin, cos, half)
			line.im = append(line.im, im)
			if k.part != whole {
				line.factor = append(line.factor, k.above(x, b))
			}
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
				if line.factor != nil {
					m *= line.factor[j]
				}
				sum += m * math.Exp(-e)
			}
		}
		best = math.Min(best, line.lift+math.Log(sum))
	}
	return best
}
