package cebere2024

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/audit/exact"
	"github.com/dplab/dplab/data/papers"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/cebere2024/internal/repeats"
)

// ratio is ε after the last step over ε after the first, with its own error.
type ratio struct{ value, err float64 }

// way is one way to look at the final model.
type way struct {
	name string
	note string
	at   func(sigma, batch int) ratio // NaN where there is none
}

// Compare sets the sentences about the figure beside what we get: by audits as the paper does them, with their error, by the
// paper's Gaussian reading of the trade-off curve without the noise of an audit, and exactly. The sentences are about the
// paper's setting: with another one there is nothing beside ours.
func (r LandscapeResult) Compare() figures.Comparison {
	c := figures.Comparison{Name: r.name, Title: r.title + ", what the text says"}
	exactly := func(of func(LandscapeCurve) []float64) func(int, int) ratio {
		return func(i, b int) ratio { return ratio{value: r.ratios(b, of)[i]} }
	}
	for _, w := range []way{
		{fmt.Sprintf("%d audits", r.Config.Repeats), "the error is that of the mean, 95 %", r.auditRatio},
		{"Gaussian reading", "", exactly(gaussian)},
		{"exact", "", exactly(exactEpsilon)},
	} {
		c.Rows = append(c.Rows, r.rows(w)...)
	}
	return c
}

const tightNote = "± 0.03 for \"tight\" is our choice"

// rows compares one way with the sentences that the settings allow.
func (r LandscapeResult) rows(w way) (rows []figures.ComparisonRow) {
	said, sigmas, batches := papers.Cebere2024, r.Config.NoiseMultipliers, r.Config.BatchSizes
	add := func(v papers.Value, where string, ours, err float64, note string) {
		row := row(v, w.name+where, ours, note, r.Config.paperSetup())
		row.OursErr = err
		rows = append(rows, row)
	}
	if b := slices.Index(batches, said.TightBatchSize); b >= 0 {
		var all []ratio
		for i, sigma := range sigmas {
			q := w.at(i, b)
			if all = append(all, q); q.err != 0 && !math.IsNaN(q.value) {
				add(said.TightRatio, fmt.Sprintf(", σ = %g", sigma), q.value, q.err, join(w.note, tightNote))
			}
		}
		least := slices.MinFunc(all, func(p, q ratio) int { return cmp.Compare(p.value, q.value) })
		if least.err == 0 && !math.IsNaN(least.value) {
			add(said.TightRatio, ", least over σ", least.value, 0, tightNote)
		}
	}
	trend := func(v papers.Value, where string, from, to ratio, words string) {
		if math.IsNaN(from.value) || math.IsNaN(to.value) {
			return
		}
		sign, err := repeats.Sign(to.value-from.value, math.Hypot(from.err, to.err))
		add(v, where, sign, err, fmt.Sprintf(words, from, to))
	}
	last, wide := len(sigmas)-1, len(batches)-1
	if last > 0 {
		trend(said.RatioOverNoise, fmt.Sprintf(", B = %d", batches[0]), w.at(0, 0), w.at(last, 0), fmt.Sprintf("%%v at σ = %g, %%v at σ = %g", sigmas[0], sigmas[last]))
	}
	if wide > 0 {
		trend(said.RatioOverBatch, fmt.Sprintf(", σ = %g", sigmas[last]), w.at(last, 0), w.at(last, wide), fmt.Sprintf("%%v at B = %d, %%v at B = %d", batches[0], batches[wide]))
	}
	return rows
}

// String writes the ratio with the error that it has.
func (q ratio) String() string {
	if q.err > 0 {
		return fmt.Sprintf("%.2f ± %.2f", q.value, q.err)
	}
	return fmt.Sprintf("%.3f", q.value)
}

// auditRatio is the ratio of the means of the paper's audits; NaN for one audit, which does not say how far it is from the
// next. Errors of both means are taken as independent; they are of
// the same games and rather go together, which makes the ratio's smaller.
func (r LandscapeResult) auditRatio(sigma, batch int) ratio {
	audits, steps := r.Curves[sigma][batch].Audits, r.Config.Steps
	if r.Config.Repeats < 2 || len(audits) < 2 || audits[0].Step != 1 || audits[len(audits)-1].Step != steps[len(steps)-1] {
		return ratio{value: math.NaN()}
	}
	first, firstErr := repeats.Mean(audits[0].GDPUncorrected)
	last, lastErr := repeats.Mean(audits[len(audits)-1].GDPUncorrected)
	if first == 0 {
		return ratio{value: math.NaN()}
	}
	return ratio{last / first, math.Hypot(lastErr, last/first*firstErr) / first}
}

// paperSetup reports whether the sentences of the paper are about these settings: its σ, B, number of steps and games, and
// a drift by the threshold, with either sign.
func (c LandscapeConfig) paperSetup() bool {
	paper := papers.Cebere2024
	for _, sigma := range c.NoiseMultipliers {
		if !slices.Contains(paper.NoiseMultipliers, sigma) {
			return false
		}
	}
	for _, b := range c.BatchSizes {
		if !slices.Contains(paper.BatchSizes, b) {
			return false
		}
	}
	fcnn := paper.Models[0]
	return c.Steps[len(c.Steps)-1] == paper.Steps && c.Delta == fcnn.Delta && c.Drift != exact.Constant && !c.AverageFirst &&
		(len(c.Audited) == 0 || c.Games == fcnn.Runs && (c.Confidence == 0 || c.Confidence == fcnn.Confidence))
}

// row sets ours beside what the paper says, or beside nothing if the settings are not the paper's.
func row(v papers.Value, way string, ours float64, note string, paperSetup bool) figures.ComparisonRow {
	if !paperSetup {
		v.Number, note = math.NaN(), join("not the paper's setting", note)
	}
	r := figures.Against(v, ours)
	r.Quantity, r.Note = v.Quantity+" ("+way+")", note
	if math.IsNaN(v.Number) {
		r.Source, r.Read, r.AbsErr = "", 0, 0
	}
	return r
}

// join sets what is not empty side by side.
func join(notes ...string) (out string) {
	for _, n := range notes {
		if out != "" && n != "" {
			out += "; "
		}
		out += n
	}
	return out
}
