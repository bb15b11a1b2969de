package worstorder

import (
	"math"

	"github.com/dplab/dplab/accounting/selection/law"
)

// game is the choice of an order, from the best rank on. In state (i, j) the i outputs of the
// largest r = With/Without and the j of the smallest are ranked. The next output is at either end
// of the remaining ones. An output of masses Q and Q', behind outputs of masses p and p', wins with
// chances
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

// side has the values of one data set in each state.
type side struct {
	k        law.Distribution
	mass     []float64 // by falling r; their sum is 1
	left     []float64 // 1-p in each state: the mass not yet ranked, with all its digits
	success  []float64 // 1 - f(1-p) in each state
	sums     float64   // bound on the relative error of sums of masses, and so of left
	rounding float64   // far above the relative error of 1 - f(1-p)
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

// leastChance is where float64 begins to lose digits. A larger A' is on the safe side.
const leastChance = 1e-300

// winsAtLeast returns a lower bound on the chance that the output of this mass wins, between two
// states. f' does not fall and is convex. So the chance is between the mass times f' at the middle
// and the mass times the mean of f' at the ends. These keep their digits where the difference does
// not.
func (s side) winsAtLeast(before, after int, mass float64) float64 {
	gain, slack := s.gain(before, after)
	if slack < 1e-6*gain {
		return gain - slack
	}
	return max(0, gain-slack, mass*s.slope((s.left[before]+s.left[after])/2*(1-s.sums))*(1-s.rounding))
}

// winsAtMost returns an upper bound on the same chance.
func (s side) winsAtMost(before, after int, mass float64) float64 {
	gain, slack := s.gain(before, after)
	if slack < 1e-6*gain {
		return gain + slack
	}
	return max(leastChance, min(gain+slack, mass*(s.slope(s.left[before]*(1+s.sums))+s.slope(s.left[after]*(1+s.sums)))/2*(1+s.rounding)))
}

// gain returns the difference of success between two states, and a bound on its error. 1 - f(1-p)
// is concave in p, so its relative error is at most that of p.
func (s side) gain(before, after int) (gain, slack float64) {
	return s.success[after] - s.success[before], s.rounding * (s.success[before] + s.success[after])
}

// slope is f' at left, which is cut to 1. f' is steep if K may be large, so callers first move left
// to the safe side of its rounding.
func (s side) slope(left float64) float64 { return math.Exp(s.k.LogPGFDerivative(math.Min(1, left))) }

// deltaAt returns the largest δ at e^ε = x of all orders, and its slope: δ falls with x by Σ A'
// over the outputs of its event.
func (g *game) deltaAt(x float64) (delta, slope float64) {
	// Rows are computed from the last to the first. In row i, best[j] is of state (i, j) once j is
	// reached, and before that of state (i+1, j).
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

// solve returns the order of the largest δ at e^ε = x: for each state, whether the output of the
// largest r is next.
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
