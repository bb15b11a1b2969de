package worstorder

import (
	"math"

	"github.com/dplab/dplab/accounting/selection/law"
)

// game is the choice of an order, from the best rank on. In state (i, j) the i outputs of the largest r = With/Without and the j of the smallest
// are ranked; the next is one or the other end of what is left. An output of masses Q and Q' behind p and p' wins with chances
//
//	A = f(1-p) - f(1-p-Q),    A' = f(1-p') - f(1-p'-Q'),
//
// and adds (A - e^ε A')₊ to δ.
type game struct {
	n         int
	order     []int // by falling r
	high, low []win // of the next output at either end, in each state
}

// win is A, from below, and A', from above.
type win struct{ a, b float64 }

// side is one data set: what is known in each state.
type side struct {
	k        law.Distribution
	mass     []float64 // by falling r; their sum is 1
	left     []float64 // 1-p in each state: what is not ranked yet, with all its digits
	success  []float64 // 1 - f(1-p) in each state
	sums     float64   // what sums of masses, and so left, may be off by, relative
	rounding float64   // far more than what 1 - f(1-p) loses, relative
}

func newGame(k law.Distribution, pair Pair) *game {
	g := &game{n: len(pair.With), order: pair.byRatio()}
	with, without := g.newSide(k, pair.With), g.newSide(k, pair.Without)
	g.high, g.low = make([]win, len(with.success)), make([]win, len(with.success))
	for i := 0; i < g.n; i++ {
		for j := 0; i+j < g.n; j++ {
			here := g.at(i, j)
			wins := func(to, output int) win {
				return win{with.winsAtLeast(here, to, with.mass[output]), without.winsAtMost(here, to, without.mass[output])}
			}
			g.high[here], g.low[here] = wins(g.at(i+1, j), i), wins(g.at(i, j+1), g.n-1-j)
		}
	}
	return g
}

// at numbers the states with i+j <= n, row by row.
func (g *game) at(i, j int) int { return i*(2*g.n+3-i)/2 + j }

func (g *game) newSide(k law.Distribution, chances []float64) side {
	states := g.at(g.n, 0) + 1
	s := side{k: k, left: make([]float64, states), success: make([]float64, states), sums: float64(g.n+2) * 0x1p-53}
	s.rounding = 1e-14 + float64(g.n)*0x1p-53
	sum := 0.0
	for _, p := range chances {
		sum += p
	}
	high, low := []float64{0}, []float64{0} // sums of the first i, and of the last j
	for _, at := range g.order {
		s.mass = append(s.mass, chances[at]/sum)
	}
	for i := range g.n {
		high, low = append(high, high[i]+s.mass[i]), append(low, low[i]+s.mass[g.n-1-i])
	}
	for i := 0; i <= g.n; i++ {
		left := 0.0
		for j := g.n - i; j >= 0; j-- {
			s.left[g.at(i, j)] = math.Min(1, left)
			s.success[g.at(i, j)] = k.SuccessProbability(math.Min(1, high[i]+low[j]))
			if j > 0 {
				left += s.mass[g.n-j]
			}
		}
	}
	return s
}

// leastChance is where float64 begins to lose digits: a larger A' is on the safe side.
const leastChance = 1e-300

// winsAtLeast returns a lower bound on the chance that the output of this mass wins, between two states. As f' does not fall and is convex, the
// chance is between mass f' at the middle and mass times the mean of f' at the ends: these keep their digits where the
// difference does not.
func (s side) winsAtLeast(before, after int, mass float64) float64 {
	gain, slack := s.gain(before, after)
	if slack < 1e-6*gain {
		return gain - slack
	}
	return max(0, gain-slack, mass*s.slope((s.left[before]+s.left[after])/2*(1-s.sums))*(1-s.rounding))
}

// winsAtMost returns an upper bound on it.
func (s side) winsAtMost(before, after int, mass float64) float64 {
	gain, slack := s.gain(before, after)
	if slack < 1e-6*gain {
		return gain + slack
	}
	return max(leastChance, min(gain+slack, mass*(s.slope(s.left[before]*(1+s.sums))+s.slope(s.left[after]*(1+s.sums)))/2*(1+s.rounding)))
}

// gain is the difference of success between two states, and what it may be off by: 1 - f(1-p) is concave in p, so that it is off by no more than p, relative.
func (s side) gain(before, after int) (gain, slack float64) {
	return s.success[after] - s.success[before], s.rounding * (s.success[before] + s.success[after])
}

// slope is f' at what is left, at most 1. Where K may be large it is steep, so that who asks moves left to the safe side of its rounding.
func (s side) slope(left float64) float64 { return math.Exp(s.k.LogPGFDerivative(math.Min(1, left))) }

// deltaAt returns the largest δ at e^ε = x of all orders, and Σ A' of what its event collects, by which δ falls with x.
func (g *game) deltaAt(x float64) (delta, slope float64) {
	// In row i, from the last to the first, best[j] is of state (i, j) once it has been reached, and before of (i+1, j).
	type fall struct{ delta, slope float64 }
	best := make([]fall, g.n+1)
	ahead := func(from fall, w win) fall {
		if gain := w.a - x*w.b; gain > 0 {
			return fall{from.delta + gain, from.slope + w.b}
		}
		return from
	}
	for i := g.n - 1; i >= 0; i-- {
		row := g.at(i, 0)
		high, low := g.high[row:row+g.n-i], g.low[row:row+g.n-i]
		for j := len(high) - 1; j >= 0; j-- {
			first, last := ahead(best[j], high[j]), ahead(best[j+1], low[j])
			if best[j] = last; first.delta >= last.delta {
				best[j] = first
			}
		}
	}
	return best[0].delta, best[0].slope
}

// solve returns where, in the order of the largest δ at e^ε = x, the output of the largest r is the next.
func (g *game) solve(x float64) (chosen []bool) {
	value := make([]float64, len(g.high))
	chosen = make([]bool, len(value))
	for i := g.n; i >= 0; i-- {
		for j := g.n - i - 1; j >= 0; j-- {
			here := g.at(i, j)
			high, low := g.high[here], g.low[here]
			first := value[g.at(i+1, j)] + max(0, high.a-x*high.b)
			last := value[g.at(i, j+1)] + max(0, low.a-x*low.b)
			value[here], chosen[here] = max(first, last), first >= last
		}
	}
	return chosen
}
