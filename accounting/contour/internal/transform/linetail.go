package transform

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// lineTailMax is the number of steps up to which the tail bound on shifted lines is tried. With
// more steps the level sets decide long before it would help.
const lineTailMax = 64

// lineTail bounds |φ(t)| for large t by moving the integral to Im x = b > 0. There |e^{itl}| =
// e^{-t Im l} is small, unless the posterior is. There are two bounds; the one with the smaller
// value near t = 0 is taken. Both decrease in t. The first is
//
//	|φ(t)| <= e^{b²/2σ²} G E_tilted e^{-t Im l(x+ib)},
//
// with G the bound of growth.go that holds at each x: |e^{αl}| on the line is at most G times that
// at Re x. In the add direction G is huge at large c. The second, with λ = -log cos θ, is
//
//	|φ(t)| <= e^{b²/2σ² - λ²σ²/2} E_tilted[e^{-λx} e^{-t Im l(x+σ²λ+ib)}].
//
// Proof of the second. It uses |1-q+q e^{v+iθ}| >= e^{l(x-σ²λ)} and replaces x by x+σ²λ. Growth's
// second bound does not carry over: it lacks the factor e^{-t Im l}. That factor and the e^{-λx}
// behind the bound both fall with x, so the mean of their product is at least the product of their
// means.
//
// Sums over cells. Im l(x+ib) = arg(1-q+q e^{v+iθ}) increases in x. So on a cell [x_j, x_{j+1}] the
// factor is at most its value at x_j, and so is e^{-λx}. The cell's mass is at most h max(p_j,
// p_{j+1}) e^{h²k/8}, because the second derivative of log p_α is at least -k, with k = 1/σ² +
// c/(4σ⁴) for add and 1/σ² for remove.
//
// Beyond the grid. The left part counts with factor 1, or with 2 e^{-λx_0}. There the tilted
// density falls with slope W/σ² at least, e^{-λx} makes that W/σ²-λ, and λ <= W/2σ².
//
// A replaced record. Its bound is in replaced.go.
//
// Parts. For the large part of a law the masses have the factor Φ(u), which is log-concave with
// second derivative above -1/width². Each cell has the factor of cut.above.
type lineTail struct {
	masses []float64
	rest   float64
	lines  []shiftedLine
}

type shiftedLine struct {
	lift   float64 // the factor before the mean, as a logarithm
	rest   float64 // factor for the part beyond the grid
	im     []float64
	factor []float64 // of each mass, for a part or a shifted line; nil means 1
}

func (w *Law) lineTail(dir Direction, c float64, k cut, p []float64, from int, ends float64) lineTail {
	var out lineTail
	s2 := w.Sigma * w.Sigma
	bend := 1 / s2
	if dir == Add || w.Replaced {
		bend += c / (4 * s2 * s2)
	}
	if k.part != whole {
		bend += 1 / (k.width * k.width)
	}
	rise := w.Step * w.Step * bend / 8
	for j := 1; j < len(p); j++ {
		out.masses = append(out.masses, math.Max(p[j-1], p[j])*math.Exp(rise))
	}
	out.rest = ends * math.Exp(rise)
	grow := w.growth(dir, c)
	for _, f := range [...]float64{0.25, 0.5, 0.9, 1.5, 2.2, 3} {
		theta := math.Min(f/w.Sigma, 0.9*math.Pi)
		b := theta * s2
		if w.Replaced {
			if line, ok := w.replacedLine(grow, theta, from, len(out.masses)); ok {
				out.lines = append(out.lines, line)
			}
			continue
		}
		line := shiftedLine{lift: b*b/(2*s2) + grow.everywhere(b), rest: 1}
		sin, cos := math.Sincos(theta)
		half := math.Sin(theta / 2)
		lambda := 0.0
		if l, other := grow.shift(theta); other < line.lift-b*b/(2*s2) && l <= w.Reach/(2*s2) {
			lambda = l
			line.lift = (b*b-l*l*s2*s2)/(2*s2) - l*grow.mode
			line.rest = 2 * math.Exp(-l*(float64(w.first+from)*w.Step-grow.mode))
		}
		for j := range out.masses {
			x := float64(w.first+from+j) * w.Step
			_, im := lossOnLine(w.Q, (2*(x+s2*lambda)-1)/(2*s2), theta, sin, cos, half)
			line.im = append(line.im, im)
			switch {
			case k.part != whole:
				line.factor = append(line.factor, k.above(x, b))
			case lambda > 0:
				line.factor = append(line.factor, math.Exp(-lambda*(x-grow.mode)))
			}
		}
		out.lines = append(out.lines, line)
	}
	return out
}

// logPhi returns the least bound over the lines.
func (b lineTail) logPhi(t float64) float64 {
	best := 0.0
	for _, line := range b.lines {
		sum := b.rest * line.rest
		for j, m := range b.masses {
			if e := t * line.im[j]; e < 700 {
				if line.factor != nil {
					m *= line.factor[j]
				}
				sum += m * math.Exp(-e)
			}
		}
		best = math.Min(best, line.lift+numeric.Log(sum))
	}
	return best
}
