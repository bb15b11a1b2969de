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
	m := interleaved{law: k.Derivatives(), scale: math.Exp(epsilon), rises: risesOf(b.points), groups: new([]group), look: b.lines.thinned(0, 0, 8, 8).pieces()}
	return m.integral()
}

// integral estimates ∫ m(s) ds at the ε of scale.
func (b *interleaved) integral() (total float64) {
	b.scan(func(g *group, c float64) bool {
		_, value := largest(g.sights, c)
		total += value * g.length
		return value > 0
	})
	return total
}

// group is a group of parts of g, with the s in its middle. It does not depend on ε.
type group struct {
	length, slope float64 // g' at s
	sights        []sight
}

// sight is f'(1-s-w) and f'(1-g(s)-P(w)) at some w.
type sight struct{ w, a, b float64 }

// sights returns about where M(s, γ; c) is looked for.
func (b *interleaved) sights(s, gamma float64) []sight {
	all := make([]sight, 0, len(b.look))
	for _, l := range b.look {
		up := gamma + l.offset + l.slope*l.from
		if up >= 1 || s+l.from >= 1 {
			continue
		}
		all = append(all, sight{l.from, math.Exp(b.law.First(s + l.from)), math.Exp(b.law.First(up))})
	}
	return all
}

// largest approximates the maximum M at c, and returns its place w.
func largest(sights []sight, c float64) (w, value float64) {
	for _, x := range sights {
		if v := x.a - c*x.b; v > value {
			w, value = x.w, v
		}
	}
	return w, value
}

// scan goes through [0, 1] by some fifty groups of parts of g, until next returns false. It passes
// a group and c = e^ε g' there. The groups are kept: they serve every scale.
func (b *interleaved) scan(next func(g *group, c float64) bool) {
	stride := 1 + len(b.rises)/50
	for i := 0; i < len(b.rises); i += stride {
		if i/stride == len(*b.groups) {
			from, to := b.rises[i].from, b.rises[min(len(b.rises)-1, i+stride-1)].to
			s := from + (to-from)/2
			*b.groups = append(*b.groups, group{to - from, b.riseAt(s).slope, b.sights(s, b.g(s))})
		}
		if g := &(*b.groups)[i/stride]; !next(g, b.scale*g.slope) {
			return
		}
	}
}
