package lineintegral

import (
	"math"

	"github.com/dplab/dplab/accounting/interval"
)

// level is a uniform law of the given width, with the given mass, below the density of the tilted
// loss.
type level struct{ mass, width float64 }

// levels cuts the density f of the tilted loss into layers.
//
// Proof. f = p/l' with p = e^{αl}ρ/M and l' = r/σ², r = q e^{v-l}. The second derivative of log f
// in x is (α+1) r(1-r)/σ⁴ - 1/σ², at most k = (|α+1|/4σ² - 1)_+/σ². So log f - k x²/2 is concave.
// Between neighboring points f is then at least the smaller of its two values times e^{-k
// step²/8}, and that factor is in the values here. If they are at least s at consecutive points,
// s lies below f on the interval of losses between these. The part above the next threshold is a
// uniform layer. ∎ For a replaced record see replaced.go.
func (r realLine) levels() []level {
	shift := r.square.Log().Sub(r.logRate).Sub(r.logM())
	bend := r.alpha.Add(one)
	if r.replaced {
		bend = r.alpha.Add(interval.Of(4 * slopeBend))
	}
	if bend.Lo < 0 {
		bend = bend.Neg()
	}
	bend = bend.Positive().Div(r.square).Mul(interval.Of(0.25)).Sub(one).Positive().Div(r.square)
	shift = shift.Sub(bend.Mul(interval.Of(r.step)).Mul(interval.Of(r.step)).Mul(interval.Of(0.125)))
	density, top := make([]float64, len(r.nodes)), 0.0
	for i, n := range r.nodes {
		density[i] = n.tilted.Add(n.slope).Add(shift).Exp().Lo
		top = max(top, density[i])
	}
	var out []level
	for s, k := top, 0; k < layers && s > 0; k++ {
		fall := 0.8
		if k > layers/2 {
			fall = 0.5
		}
		next := s * fall
		for i := 0; i < len(density); i++ {
			if density[i] < s {
				continue
			}
			start := i
			for i+1 < len(density) && density[i+1] >= s {
				i++
			}
			width := interval.Down(r.nodes[i].loss.Lo - r.nodes[start].loss.Hi)
			if height := interval.Down(s - next); width > 0 {
				if mass := interval.Down(height * width); mass > 0 {
					out = append(out, level{mass, width})
				}
			}
		}
		s = next
	}
	return out
}

const layers = 32

// deficit returns a lower bound of 1 - |φ(t)|, φ the characteristic function of the tilted loss,
// at t and beyond. The density is a mixture of its layers and of the rest. A uniform law of width
// w has |φ| = |sin u|/u, u = tw/2. That is at most 1 - u²/6 (1 - u²/20), which falls up to π/2.
// It is also at most 1/u, which is less from there on.
func deficit(levels []level, t float64) float64 {
	var sum float64
	for _, l := range levels {
		if u := t * l.width / 2; u < math.Pi/2 {
			sum += l.mass * (u * u / 6) * (1 - u*u/20)
		} else {
			sum += l.mass * (1 - 1/u)
		}
	}
	// Each term is positive and has less than ten operations; 1 - 1/u loses at most 2 units more.
	return max(0, sum*(1-float64(len(levels)+20)*2*unit))
}
