package hidden

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/notebooks/figures/cebere2024/internal/paperaudit"
)

// halfWidth returns the 95 % half-width of the paper's bound of a single audit at one of Setting.Observe, by drawing its games
// again. Scores that do not overlap give the same bound at each draw and say nothing of its error: it is then the bound itself.
func (c Curve) halfWidth(at int) float64 {
	drawn := c.redrawn(200, at)
	if slices.Min(drawn) == slices.Max(drawn) {
		return drawn[0]
	}
	return 1.96 * stat.StdDev(drawn, nil)
}

// band returns the 95 % interval around the paper's bound of a single audit at each of Setting.Observe, within what as many
// games can say.
func (c Curve) band() (low, high []float64) {
	games := c.Bounds[0].Games
	most, err := paperaudit.New(games, c.Config.level()).Epsilon(apart(games))
	if err != nil {
		most = math.Inf(1)
	}
	for at, epsilon := range c.Bounds[0].Paper {
		half := c.halfWidth(at)
		low, high = append(low, max(0, epsilon-half)), append(high, min(epsilon+half, most))
	}
	return low, high
}

// redrawn returns the paper's bounds of games that are drawn from those of the first audit at one of Setting.Observe, with
// replacement.
func (c Curve) redrawn(times, at int) []float64 {
	rng, scores := rand.New(rand.NewPCG(1, 2)), c.scores[0][at]
	member, nonMember := newUrn(scores.Member), newUrn(scores.NonMember)
	paper := paperaudit.New(len(scores.Member), c.Config.level())
	var out []float64
	for range times {
		epsilon, err := paper.Epsilon(audit.Scores{Member: member.draw(rng), NonMember: nonMember.draw(rng)})
		if err == nil {
			out = append(out, epsilon)
		}
	}
	return out
}

// urn holds values to draw from with replacement. What is drawn comes in order, so that an audit has nothing to sort.
type urn struct {
	sorted []float64
	place  []int // of the value that was given as number i
}

func newUrn(values []float64) urn {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	u := urn{sorted: make([]float64, len(values)), place: make([]int, len(values))}
	for place, i := range order {
		u.sorted[place], u.place[i] = values[i], place
	}
	return u
}

// draw returns as many values as there are, in increasing order.
func (u urn) draw(rng *rand.Rand) []float64 {
	times, out := make([]int, len(u.sorted)), make([]float64, 0, len(u.sorted))
	for range times {
		times[u.place[rng.IntN(len(times))]]++
	}
	for place, n := range times {
		for range n {
			out = append(out, u.sorted[place])
		}
	}
	return out
}
