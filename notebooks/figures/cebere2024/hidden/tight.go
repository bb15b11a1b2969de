package hidden

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/cebere2024/internal/paperaudit"
)

// Tight has the bounds of the paper's audits on a mechanism that leaks all that the accountant
// allows, with as many games as a curve has. The mechanism is N(0, 1) against N(√n/σ, 1) after n
// insertions. With few games the bounds are low even there.
type Tight struct {
	Games           int
	Mean, Low, High []float64 // at each of Setting.Observe: of the audits drawn, and the 2.5th and the 97.5th percentile
	Most            float64   // the bound of so many games if scores do not overlap
}

// tightAudits is how many audits are drawn.
const tightAudits = 200

// tight draws audits of that mechanism.
func (c Curve) tight() (Tight, error) {
	games, rng := c.Bounds[0].Games, rand.New(rand.NewPCG(1, 2))
	paper := paperaudit.New(games, c.Config.level())
	out := Tight{Games: games}
	for _, steps := range c.Setting.Observe {
		mu, epsilons := math.Sqrt(float64(c.Setting.Insertions(steps)))/c.Config.NoiseMultiplier, make([]float64, tightAudits)
		for i := range epsilons {
			var err error
			if epsilons[i], err = paper.Epsilon(normalScores(mu, games, rng)); err != nil {
				return out, err
			}
		}
		slices.Sort(epsilons)
		out.Mean = append(out.Mean, stat.Mean(epsilons, nil))
		out.Low = append(out.Low, stat.Quantile(0.025, stat.Empirical, epsilons, nil))
		out.High = append(out.High, stat.Quantile(0.975, stat.Empirical, epsilons, nil))
	}
	var err error
	out.Most, err = paper.Epsilon(apart(games))
	return out, err
}

// normalScores draws scores of so many games of each world: N(0, 1), and N(mu, 1) with the canary.
func normalScores(mu float64, games int, rng *rand.Rand) audit.Scores {
	var s audit.Scores
	for range games {
		s.Member, s.NonMember = append(s.Member, mu+rng.NormFloat64()), append(s.NonMember, rng.NormFloat64())
	}
	return s
}

// curve draws them.
func (t Tight) curve(steps []float64) chart.Curve {
	return chart.Curve{Label: "tight, as many games", X: steps, Y: t.Mean, Low: t.Low, High: t.High, Reference: true}
}

// place writes the range of Tight, and whether a line is within it. It is empty if there are many
// games.
func (p Part) place(line Line) string {
	if p.Tight == nil {
		return ""
	}
	last, place := len(p.Tight.Mean)-1, "within"
	mean, _, _ := line.over(paperBounds)
	switch {
	case mean[last] < p.Tight.Low[last]:
		place = "below"
	case mean[last] > p.Tight.High[last]:
		place = "above"
	}
	return fmt.Sprintf("%.2f to %.2f: %s", p.Tight.Low[last], p.Tight.High[last], place)
}

// apart are scores that do not overlap.
func apart(games int) audit.Scores {
	s := audit.Scores{Member: make([]float64, games), NonMember: make([]float64, games)}
	for i := range games {
		s.Member[i] = 1
	}
	return s
}

// halfWidth returns the 95 % half-width of the paper's bound of a single audit at one of
// Setting.Observe, by drawing its games again. Scores that do not overlap give the same bound at
// each draw. Their half-width is the bound itself.
func (c Curve) halfWidth(at int) float64 {
	drawn := c.redrawn(200, at)
	if slices.Min(drawn) == slices.Max(drawn) {
		return drawn[0]
	}
	return 1.96 * stat.StdDev(drawn, nil)
}

// band returns the 95 % interval around the paper's bound of a single audit at each of
// Setting.Observe, within what as many games can show.
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

// redrawn returns the paper's bounds of games that are drawn from those of the first audit at one
// of Setting.Observe, with replacement.
func (c Curve) redrawn(times, at int) []float64 {
	rng, scores := rand.New(rand.NewPCG(1, 2)), c.scores[0][at]
	draw := func(values []float64) []float64 {
		return figures.Map(values, func(float64) float64 { return values[rng.IntN(len(values))] })
	}
	paper := paperaudit.New(len(scores.Member), c.Config.level())
	var out []float64
	for range times {
		epsilon, err := paper.Epsilon(audit.Scores{Member: draw(scores.Member), NonMember: draw(scores.NonMember)})
		if err == nil {
			out = append(out, epsilon)
		}
	}
	return out
}
