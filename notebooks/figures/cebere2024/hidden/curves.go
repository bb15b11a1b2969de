package hidden

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/exact"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/cebere2024/internal/paperaudit"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/papers"
)

// Curve is what one adversary reaches in one setting.
type Curve struct {
	Config     Config
	Setting    Setting
	Adversary  string
	Accountant []float64        // ε upper bound at each of Setting.Observe: as many Gaussian releases as the canary took part in
	Closed     []float64        // there, the ε of a coordinate that only noise and canary move; NaN within a period
	Bounds     []Bounds         // of each repetition
	scores     [][]audit.Scores // [repetition][of Setting.Observe]
}

// Bounds are lower bounds on ε from the scores of one audit.
type Bounds struct {
	Games int
	// at each step, as in the paper: best threshold on the same scores, Gaussian trade-off assumed,
	// uncorrected
	Paper []float64
	GDP   []float64 // at each step, Gaussian trade-off assumed, by the area under the curve: no threshold to choose
}

// Curve returns that of a setting and an adversary. ok is false if no shard of the setting is done.
func (r Result) Curve(setting int, adversary string) (c Curve, ok bool, err error) {
	s := r.Config.Settings[setting]
	c = Curve{Config: r.Config, Setting: s, Adversary: adversary}
	for _, steps := range s.Observe {
		epsilon, err := gdp.EpsilonAt(math.Sqrt(float64(s.Insertions(steps)))/r.Config.NoiseMultiplier, r.Config.Delta)
		if err != nil {
			return c, false, err
		}
		c.Accountant = append(c.Accountant, epsilon.Upper)
		closed := math.NaN()
		if mu, err := (exact.Coordinate{NoiseMultiplier: r.Config.NoiseMultiplier, Steps: steps, Every: s.Every}).Mu(); err == nil {
			if epsilon, err = gdp.EpsilonAt(mu, r.Config.Delta); err != nil {
				return c, false, err
			}
			closed = epsilon.Upper
		}
		c.Closed = append(c.Closed, closed)
	}
	for _, a := range r.Audits {
		if a.Setting != setting || a.Adversary != adversary {
			continue
		}
		b, err := a.bounds(r.Config.level())
		if err != nil {
			return c, false, err
		}
		c.Bounds, c.scores = append(c.Bounds, b), append(c.scores, a.Observed)
	}
	return c, len(c.Bounds) > 0, nil
}

func (c Config) level() audit.Config { return audit.Config{Delta: c.Delta, Confidence: c.Confidence} }

func (a Audit) bounds(cfg audit.Config) (Bounds, error) {
	b, paper := Bounds{Games: a.Games}, paperaudit.New(a.Games, cfg)
	for _, scores := range a.Observed {
		epsilon, err := paper.Epsilon(scores)
		if err != nil {
			return Bounds{}, err
		}
		report, err := audit.GDPAUC(scores, cfg, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			return Bounds{}, err
		}
		b.Paper, b.GDP = append(b.Paper, epsilon), append(b.GDP, report.Epsilon)
	}
	return b, nil
}

// NoAssumption returns a lower bound on ε at the last step that assumes nothing, of each
// repetition: that of the rank 2, as audit.Bounds takes it.
func (c Curve) NoAssumption() ([]float64, error) {
	return parallel.Map(len(c.scores), func(i int) (float64, error) {
		b, err := audit.RankTwoTail(c.scores[i][len(c.scores[i])-1], 2, c.Config.level())
		return b.Epsilon, err
	})
}

// Last returns the paper's bounds at the last step, of each repetition.
func (c Curve) Last() []float64 {
	return figures.Map(c.Bounds, func(b Bounds) float64 { return b.Paper[len(b.Paper)-1] })
}

// over returns the mean, the least and the largest over the repetitions at each step.
func (c Curve) over(of func(Bounds) []float64) (mean, low, high []float64) {
	for i := range c.Setting.Observe {
		var values []float64
		for _, b := range c.Bounds {
			values = append(values, of(b)[i])
		}
		mean, low, high = append(mean, stat.Mean(values, nil)), append(low, slices.Min(values)), append(high, slices.Max(values))
	}
	return mean, low, high
}

func paperBounds(b Bounds) []float64 { return b.Paper }
func gdpBounds(b Bounds) []float64   { return b.GDP }

// reached returns the mean of the paper's bounds at the last step and its 95 % half-width: over the
// repetitions, or by drawing the games of a single audit again.
func (c Curve) reached() (mean, err float64) {
	last := c.Last()
	if len(last) == 1 {
		return last[0], c.halfWidth(len(c.Setting.Observe) - 1)
	}
	e := figures.EstimateOf(last)
	return e.Mean, e.HalfWidth()
}

// paperSize reports whether the text of the paper is about this network, data and size. With the
// canary at every k-th step it is about larger networks than the FCNN.
func (c Curve) paperSize() bool { return c.Bounds[0].Games == c.paperGames() }

// paperGames returns how many games of each world the paper plays in this setting; 0 if it has no
// such setting.
func (c Curve) paperGames() int {
	ofPaper := c.Config.Data == "cifar-10" || c.Config.Data == "features" || c.Config.Data == "housing" && c.Setting.Every == 1
	for _, m := range papers.Cebere2024.Models {
		if ofPaper && m.BatchSize == c.Config.BatchSize && c.Config.NoiseMultiplier == m.NoiseMultiplier {
			return m.Runs / 2
		}
	}
	return 0
}

// differs returns why the text of the paper is not about these audits.
func (c Curve) differs() string {
	if n := c.paperGames(); n > 0 {
		return fmt.Sprintf("%d games of each world, the paper has %d", c.Bounds[0].Games, n)
	}
	return "not the paper's setting"
}

// row sets a number next to the paper's. It has no reference if the audits are not of the paper's
// size.
func row(v papers.Value, ours, err float64, note string, of ...Curve) figures.ComparisonRow {
	r := figures.Against(v, ours).WithErr(err).WithNote("%s", note)
	for _, c := range of {
		if !c.paperSize() {
			return r.OursOnly(c.differs())
		}
	}
	return r
}

// ratio compares the quotient of what a reaches and b.
func ratio(v papers.Value, of string, a Curve, b float64, bErr float64, more ...Curve) figures.ComparisonRow {
	mean, err := a.reached()
	q := mean / b
	note := fmt.Sprintf("%s of %s", figures.PlusMinus(mean, err), figures.PlusMinus(b, bErr))
	return row(v, q, math.Hypot(err, q*bErr)/b, note, append(more, a)...).Of(of)
}

// tight compares what a curve reaches with the accountant.
func tight(v papers.Value, of string, c Curve) figures.ComparisonRow {
	return ratio(v, of, c, c.Accountant[len(c.Accountant)-1], 0)
}

// larger compares the sign of the difference of two curves.
func larger(v papers.Value, of string, a, b Curve) figures.ComparisonRow {
	meanA, errA := a.reached()
	meanB, errB := b.reached()
	sign, err := figures.Sign(meanA-meanB, math.Hypot(errA, errB))
	return row(v, sign, err, fmt.Sprintf("%s and %s", figures.PlusMinus(meanA, errA), figures.PlusMinus(meanB, errB)), a, b).Of(of)
}

// find returns the line of a label.
func find(lines []Line, label string) (Curve, bool) {
	for _, l := range lines {
		if l.Label == label {
			return l.Curve, true
		}
	}
	return Curve{}, false
}
