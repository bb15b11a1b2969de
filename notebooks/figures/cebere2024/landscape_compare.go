package cebere2024

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/audit/exact"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// ratio is ε after the last step over ε after the first, with its own error.
type ratio struct{ value, err float64 }

// way is one way to look at the final model.
type way struct {
	name string
	note string
	at   func(sigma, batch int) ratio // NaN where there is none
}

// Compare sets the claims of the text next to our numbers in three ways. They are by the paper's
// audits, with their error; by the paper's Gaussian reading of the trade-off curve; and exact. For
// Figure 3 the text claims trends, and for Figure 14 where the audits are tight. Rows of another
// setting have no reference.
func (r LandscapeResult) Compare() figures.Comparison {
	c := figures.Comparison{Name: r.name, Title: r.title + ", claims of the text"}
	exactly := func(of func(LandscapeCurve) []float64) func(int, int) ratio {
		return func(i, b int) ratio { return ratio{value: r.ratios(b, of)[i]} }
	}
	for _, w := range []way{
		{fmt.Sprintf("%d audits", r.Config.Repeats), "the error is that of the mean, 95 %", r.auditRatio},
		{"Gaussian reading", "", exactly(gaussian)},
		{"exact", "", exactly(exactEpsilon)},
	} {
		if r.overview {
			c.Rows = append(c.Rows, r.trends(w)...)
		} else {
			c.Rows = append(c.Rows, r.tight(w)...)
		}
	}
	if r.overview {
		c.Rows = append(append(c.Rows, r.reading()), r.falseAudits()...)
	}
	return c
}

// reading compares the Gaussian reading after the last step with the exact ε at all settings.
func (r LandscapeResult) reading() figures.ComparisonRow {
	var safe figures.Cases
	worst, at := 0.0, ""
	for i, row := range r.Curves {
		for _, c := range row {
			last := len(c.Gaussian) - 1
			safe.AddIf(c.Gaussian[last] <= c.EpsilonUpper[last])
			if q := c.Gaussian[last] / c.EpsilonUpper[last]; q > worst {
				worst, at = q, fmt.Sprintf("the reading is up to %.1f times as large, at σ = %g, B = %d", q, r.Config.NoiseMultipliers[i], c.BatchSize)
			}
		}
	}
	share, _ := safe.Share()
	return row(papers.Cebere2024.ReadingSafe, fmt.Sprintf("%d settings", safe.Of()), share, at, r.Config.paperSetup())
}

// falseAudits compares how many audits are above the exact ε with what their confidence allows. All
// audits of one step are of other games.
func (r LandscapeResult) falseAudits() (rows []figures.ComparisonRow) {
	if len(r.Config.Audited) == 0 {
		return nil
	}
	for _, kind := range []struct {
		name string
		of   func(LandscapeAudit) []float64
		step int
	}{
		{"best threshold on the same scores, step 1, where the curve is Gaussian", paperBounds, 1},
		{"threshold fixed beforehand, step 1", fixedBounds, 1},
		{"best threshold, last step", paperBounds, r.Config.Audited[len(r.Config.Audited)-1]},
		{"threshold fixed beforehand, last step", fixedBounds, r.Config.Audited[len(r.Config.Audited)-1]},
	} {
		above := r.aboveExact(kind.of, func(step int) bool { return step == kind.step })
		if above.Of() == 0 {
			continue
		}
		part, _ := above.Share()
		rows = append(rows, row(papers.Cebere2024.FalseAudits, kind.name, part, holding(above), r.Config.paperSetup()).WithErr(shareErr(above)))
	}
	return rows
}

// shareErr returns two standard errors of the share of cases that hold. With none or all of n cases
// these would be 0: the error is then what a share can differ by with chance 5 %, 1 - 0.05^(1/n).
func shareErr(c figures.Cases) float64 {
	n, part := float64(c.Of()), float64(c.Hold)/float64(c.Of())
	if c.Hold == 0 || c.Fail == 0 {
		return 1 - math.Pow(0.05, 1/n)
	}
	return 2 * math.Sqrt(part*(1-part)/n)
}

// holding writes "3 of 40".
func holding(c figures.Cases) string { return fmt.Sprintf("%d of %d", c.Hold, c.Of()) }

func paperBounds(a LandscapeAudit) []float64 { return a.GDPUncorrected }
func fixedBounds(a LandscapeAudit) []float64 { return a.GDPFixed }

func allSteps(int) bool { return true }

// aboveExact counts the single audits, not their means, that are above the exact ε.
func (r LandscapeResult) aboveExact(of func(LandscapeAudit) []float64, at func(step int) bool) (above figures.Cases) {
	for _, c := range slices.Concat(r.Curves...) {
		for _, a := range c.Audits {
			if !at(a.Step) {
				continue
			}
			for _, bound := range of(a) {
				above.AddIf(bound > r.exact(c, a))
			}
		}
	}
	return above
}

const tightNote = "± 0.03 for \"tight\" is our choice"

// tight compares one way with the sentence about the largest B, if it is among the settings.
func (r LandscapeResult) tight(w way) (rows []figures.ComparisonRow) {
	said := papers.Cebere2024
	b := slices.Index(r.Config.BatchSizes, said.TightBatchSize)
	if b < 0 {
		return nil
	}
	add := func(where string, q ratio, note string) {
		rows = append(rows, row(said.TightRatio, w.name+where, q.value, note, r.Config.paperSetup()).WithErr(q.err).ByOurChoice())
	}
	var all []ratio
	for i, sigma := range r.Config.NoiseMultipliers {
		q := w.at(i, b)
		if all = append(all, q); q.err != 0 && !math.IsNaN(q.value) {
			add(fmt.Sprintf(", σ = %g", sigma), q, join(w.note, tightNote))
		}
	}
	least := slices.MinFunc(all, func(p, q ratio) int { return cmp.Compare(p.value, q.value) })
	if least.err == 0 && !math.IsNaN(least.value) {
		add(", least over σ", least, tightNote)
	}
	return rows
}

// trends compares one way with the two trends of the text: over σ at every B, and over neighboring
// B at every σ.
func (r LandscapeResult) trends(w way) (rows []figures.ComparisonRow) {
	add := func(v papers.Value, t figures.Cases, note string) {
		if t.Of() == 0 {
			return
		}
		if t.Open > 0 && w.note == "" {
			note = join(note, "open: closer than 1e-6")
		}
		share, err := t.Share()
		rows = append(rows, row(v, w.name, share, join(trendText(t), note, w.note), r.Config.paperSetup()).WithErr(err))
	}
	last := len(r.Config.NoiseMultipliers) - 1
	var noise, batch figures.Cases
	var ends []string
	for b, size := range r.Config.BatchSizes {
		if last > 0 {
			from, to := w.at(0, b), w.at(last, b)
			if addChange(&noise, to, from) { // the ratio is to fall
				ends = append(ends, fmt.Sprintf("B = %d: %v to %v", size, from, to))
			}
		}
		for i := range r.Config.NoiseMultipliers {
			if b > 0 {
				addChange(&batch, w.at(i, b-1), w.at(i, b))
			}
		}
	}
	add(papers.Cebere2024.RatioOverNoise, noise, strings.Join(ends, ", "))
	add(papers.Cebere2024.RatioOverBatch, batch, "")
	return rows
}

// addChange counts one change, which is to go up; false if one of the ratios is not there.
func addChange(t *figures.Cases, from, to ratio) bool {
	if math.IsNaN(from.value) || math.IsNaN(to.value) {
		return false
	}
	t.Add(to.value-from.value, max(math.Hypot(from.err, to.err), numerical))
	return true
}

// numerical is what a ratio must change by to count: well above the error of the exact ones, 1e-9
// at the paper's settings.
const numerical = 1e-6

// trendText writes "at 3 of 5, against it at 1, open at 1".
func trendText(t figures.Cases) string {
	out := "at " + holding(t)
	if t.Fail > 0 {
		out += fmt.Sprintf(", against it at %d", t.Fail)
	}
	if t.Open > 0 {
		out += fmt.Sprintf(", open at %d", t.Open)
	}
	return out
}

// String writes the ratio with the error that it has.
func (q ratio) String() string {
	if q.err > 0 {
		return fmt.Sprintf("%.2f ± %.2f", q.value, q.err)
	}
	return fmt.Sprintf("%.3f", q.value)
}

// auditRatio is the ratio of the means of the paper's audits. It is NaN for one audit, whose error
// is not known. Errors of both means are taken as independent. They are of the same games and tend
// to go together, which makes the error of the ratio smaller.
func (r LandscapeResult) auditRatio(sigma, batch int) ratio {
	audits, steps := r.Curves[sigma][batch].Audits, r.Config.Steps
	if r.Config.Repeats < 2 || len(audits) < 2 || audits[0].Step != 1 || audits[len(audits)-1].Step != steps[len(steps)-1] {
		return ratio{value: math.NaN()}
	}
	first, last := figures.EstimateOf(audits[0].GDPUncorrected), figures.EstimateOf(audits[len(audits)-1].GDPUncorrected)
	if first.Mean == 0 {
		return ratio{value: math.NaN()}
	}
	q := last.Mean / first.Mean
	return ratio{q, math.Hypot(last.HalfWidth(), q*first.HalfWidth()) / first.Mean}
}

// paperSetup reports whether the sentences of the paper are about these settings: its σ, B, number
// of steps and games, and a drift by the threshold, with either sign.
func (c LandscapeConfig) paperSetup() bool {
	paper := papers.Cebere2024
	fcnn := paper.Models[0]
	return within(c.NoiseMultipliers, paper.NoiseMultipliers) && within(c.BatchSizes, paper.BatchSizes) && c.Steps[len(c.Steps)-1] == paper.Steps && c.Delta == fcnn.Delta && c.Drift != exact.Constant && !c.AverageFirst &&
		(len(c.Audited) == 0 || c.Games == fcnn.Runs && (c.Confidence == 0 || c.Confidence == fcnn.Confidence))
}

// within reports whether all values are among others.
func within[T comparable](values, others []T) bool {
	return !slices.ContainsFunc(values, func(v T) bool { return !slices.Contains(others, v) })
}

// row sets ours next to the paper's, or has no reference if the settings are not the paper's.
func row(v papers.Value, way string, ours float64, note string, paperSetup bool) figures.ComparisonRow {
	if !paperSetup {
		v.Number, note = math.NaN(), join("not the paper's setting", note)
	}
	r := figures.Against(v, ours).Of(" ("+way+")").WithNote("%s", note)
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
