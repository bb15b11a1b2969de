package hidden

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/cebere2024/internal/repeats"
	"github.com/dplab/dplab/notebooks/papers"
)

// reached returns the mean of the paper's bounds at the last step and its 95 % half-width: over the repetitions, or by drawing
// the games of a single audit again.
func (c Curve) reached() (mean, err float64) {
	last := c.Last()
	if len(last) == 1 {
		return last[0], c.halfWidth(len(c.Setting.Observe) - 1)
	}
	return repeats.Mean(last)
}

// paperSize reports whether the text of the paper is about this network, data and size. With the canary at every k-th step it is
// about larger networks than the FCNN.
func (c Curve) paperSize() bool { return c.Bounds[0].Games == c.paperGames() }

// paperGames returns how many games of each world the paper plays in this setting; 0 if it has no such setting.
func (c Curve) paperGames() int {
	ofPaper := c.Config.Data == "cifar-10" || c.Config.Data == "features" || c.Config.Data == "housing" && c.Setting.Every == 1
	for _, m := range papers.Cebere2024.Models {
		if ofPaper && m.BatchSize == c.Config.BatchSize && c.Config.NoiseMultiplier == m.NoiseMultiplier {
			return m.Runs / 2
		}
	}
	return 0
}

// differs says why the text of the paper is not about these audits.
func (c Curve) differs() string {
	if n := c.paperGames(); n > 0 {
		return fmt.Sprintf("%d games of each world, the paper has %d", c.Bounds[0].Games, n)
	}
	return "not the paper's setting"
}

// row sets a number beside what the paper says. It has no reference if the audits are not of the paper's size.
func row(v papers.Value, ours, err float64, note string, of ...Curve) figures.ComparisonRow {
	r := figures.Against(v, ours)
	r.OursErr, r.Note = err, note
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
	r := row(v, q, math.Hypot(err, q*bErr)/b, fmt.Sprintf("%s of %s", figures.PlusMinus(mean, err), figures.PlusMinus(b, bErr)), append(more, a)...)
	r.Quantity += of
	return r
}

// tight compares what a curve reaches with the accountant.
func tight(v papers.Value, of string, c Curve) figures.ComparisonRow {
	return ratio(v, of, c, c.Accountant[len(c.Accountant)-1], 0)
}

// larger compares the sign of the difference of two curves.
func larger(v papers.Value, of string, a, b Curve) figures.ComparisonRow {
	meanA, errA := a.reached()
	meanB, errB := b.reached()
	sign, err := repeats.Sign(meanA-meanB, math.Hypot(errA, errB))
	r := row(v, sign, err, fmt.Sprintf("%s and %s", figures.PlusMinus(meanA, errA), figures.PlusMinus(meanB, errB)), a, b)
	r.Quantity += of
	return r
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
