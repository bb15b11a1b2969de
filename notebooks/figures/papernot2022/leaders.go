package papernot2022

import (
	"fmt"
	"math"
	"strings"
)

// stretch is a range of prices in which one family buys the most of those that are drawn.
type stretch struct {
	family   Family
	from, to float64
	ended    bool // the family's curve ends at to, so that nothing is known beyond
}

// leastLead is the least difference that counts as a lead, of quantities in [0, 1].
const leastLead = 0.001

// leaders returns which family buys the most at prices from lo to hi, in order, up to where the curve of a leader ends.
// Curves are straight between their points; where another curve has ended, its last value can still be bought. A leader
// stays until another family buys leastLead more, and a lead over less than a fiftieth of the range is left out.
func leaders(families []Family, prices, bought [][]float64, lo, hi float64) []stretch {
	const steps = 500
	var out []stretch
	for i := range steps + 1 {
		x := lo + (hi-lo)*float64(i)/steps
		best, most := -1, math.Inf(-1)
		for k := range families {
			if y := boughtAt(prices[k], bought[k], x); y > most {
				best, most = k, y
			}
		}
		for k, f := range families {
			if len(out) > 0 && f == out[len(out)-1].family && boughtAt(prices[k], bought[k], x) >= most-leastLead {
				best = k
			}
		}
		if best < 0 {
			continue
		}
		if n := len(out); n > 0 && out[n-1].family == families[best] {
			out[n-1].to = x
		} else {
			out = append(out, stretch{family: families[best], from: x, to: x})
		}
		last := &out[len(out)-1]
		for k, f := range families {
			if f == last.family && x >= prices[k][len(prices[k])-1] {
				last.ended = true
			}
		}
		if last.ended {
			break
		}
	}
	return longStretches(out, (hi-lo)/50)
}

func longStretches(all []stretch, least float64) (out []stretch) {
	for _, s := range all {
		switch {
		case s.to-s.from < least:
		case len(out) > 0 && out[len(out)-1].family == s.family:
			out[len(out)-1].to, out[len(out)-1].ended = s.to, s.ended
		default:
			out = append(out, s)
		}
	}
	return out
}

// boughtAt returns what the price x buys, NaN below the least price.
func boughtAt(prices, bought []float64, x float64) float64 {
	if x < prices[0] {
		return math.NaN()
	}
	return interpolate(prices, bought, x)
}

// sayLeaders writes "Poisson from ε = 2.2 to 4.2, then η = 0.5 to 8".
func sayLeaders(stretches []stretch, axis string) string {
	var parts []string
	for i, s := range stretches {
		from := ""
		if i == 0 {
			from = fmt.Sprintf(" from %s = %s", axis, about(s.from, 2))
		}
		to := about(s.to, 2)
		if s.ended {
			to += ", where its curve ends"
		}
		parts = append(parts, fmt.Sprintf("%s%s to %s", s.family.Label(), from, to))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", then ")
}

// leads returns the stretches of one family.
func leads(stretches []stretch, f Family) (out []stretch) {
	for _, s := range stretches {
		if s.family == f {
			out = append(out, s)
		}
	}
	return out
}
