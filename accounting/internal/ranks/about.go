package ranks

import (
	"math"

	"github.com/dplab/dplab/accounting/selection/law"
)

// About returns about δ at ε of the best of K runs in the worst order of outputs that b allows. It
// bounds nothing. With it a search chooses the bounds that are worth computing: no valid bound that
// knows only b is below what an order leaks. It is the integral of m of interleaved.go from values
// of m at some s, each the largest at some w.
func (b Bounds) About(k law.Distribution, epsilon float64) float64 {
	m := interleaved{law: k.Derivatives(), scale: math.Exp(epsilon), rises: risesOf(b.points), look: b.lines.thinned(0, 0, 8, 8).pieces()}
	return m.integral()
}

// integral estimates ∫ m(s) ds at the ε of scale.
func (b *interleaved) integral() (total float64) {
	b.scan(func(s, length, c float64) bool {
		_, value := b.best(s, b.g(s), c)
		total += value * length
		return value > 0
	})
	return total
}

// scan goes through [0, 1] by some fifty groups of parts of g, until next returns false. It passes
// the middle of a group, its length, and c = e^ε g' there.
func (b *interleaved) scan(next func(s, length, c float64) bool) {
	stride := 1 + len(b.rises)/50
	for i := 0; i < len(b.rises); i += stride {
		from, to := b.rises[i].from, b.rises[min(len(b.rises)-1, i+stride-1)].to
		s := from + (to-from)/2
		if !next(s, to-from, b.scale*b.riseAt(s).slope) {
			return
		}
	}
}
