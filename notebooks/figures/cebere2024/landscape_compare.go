package cebere2024

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/audit/exact"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/cebere2024/internal/repeats"
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

// Compare sets the sentences about the figure beside what we get: by audits as the paper does them, with their error, by the
// paper's Gaussian reading of the trade-off curve without the noise of an audit, and exactly. The text tells trends of Figure 3,
// and of Figure 14 where the audits are tight. The sentences are about the paper's setting: with another one there is nothing
// beside ours.
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
		s := r.count(kind.of, func(step int) bool { return step == kind.step })
		if s.of == 0 {
			continue
		}
		part := float64(s.above) / float64(s.of)
		row := row(papers.Cebere2024.FalseAudits, kind.name, part, s.String(), r.Config.paperSetup())
		row.OursErr = s.err()
		rows = append(rows, row)
	}
	return rows
}

// share counts how many of some audits are above the exact ε.
type share struct{ above, of int }

// err returns two standard errors of the share. With none or all of n audits these would be 0: the
// error is then what a share can differ by with chance 5 %, 1 - 0.05^(1/n).
func (s share) err() float64 {
	n, part := float64(s.of), float64(s.above)/float64(s.of)
	if s.above == 0 || s.above == s.of {
		return 1 - math.Pow(0.05, 1/n)
	}
	return 2 * math.Sqrt(part*(1-part)/n)
}

// String writes "3 of 40".
func (s share) String() string { return fmt.Sprintf("%d of %d", s.above, s.of) }

func paperBounds(a LandscapeAudit) []float64 { return a.GDPUncorrected }
func fixedBounds(a LandscapeAudit) []float64 { return a.GDPFixed }

func allSteps(int) bool { return true }

// count counts single audits, not their means.
func (r LandscapeResult) count(of func(LandscapeAudit) []float64, at func(step int) bool) (s share) {
	for _, row := range r.Curves {
		for _, c := range row {
			for _, a := range c.Audits {
				if !at(a.Step) {
					continue
				}
				for _, bound := range of(a) {
					if s.of++; bound > r.exact(c, a) {
						s.above++
					}
				}
			}
		}
	}
	return s
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
		row := row(said.TightRatio, w.name+where, q.value, note, r.Config.paperSetup())
		row.OursErr = q.err
		rows = append(rows, row)
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

// trends compares one way with the two trends of the text: over σ at every B, and over neighboring B at every σ.
func (r LandscapeResult) trends(w way) (rows []figures.ComparisonRow) {
	add := func(v papers.Value, t trend, note string) {
		if t.all() == 0 {
			return
		}
		if t.open > 0 && w.note == "" {
			note = join(note, "open: closer than 1e-6")
		}
		row := row(v, w.name, 0, join(t.String(), note, w.note), r.Config.paperSetup())
		row.Ours, row.OursErr = t.share()
		rows = append(rows, row)
	}
	last := len(r.Config.NoiseMultipliers) - 1
	var noise, batch trend
	var ends []string
	for b, size := range r.Config.BatchSizes {
		if last > 0 {
			from, to := w.at(0, b), w.at(last, b)
			if noise.add(to, from) { // the ratio is to fall
				ends = append(ends, fmt.Sprintf("B = %d: %v to %v", size, from, to))
			}
		}
		for i := range r.Config.NoiseMultipliers {
			if b > 0 {
				batch.add(w.at(i, b-1), w.at(i, b))
			}
		}
	}
	add(papers.Cebere2024.RatioOverNoise, noise, strings.Join(ends, ", "))
	add(papers.Cebere2024.RatioOverBatch, batch, "")
	return rows
}

// trend counts changes that go up, that go down, and those whose error leaves it open.
type trend struct{ up, down, open int }

// add counts one change; false if one of the ratios is not there.
func (t *trend) add(from, to ratio) bool {
	if math.IsNaN(from.value) || math.IsNaN(to.value) {
		return false
	}
	switch sign, _ := repeats.Sign(to.value-from.value, max(math.Hypot(from.err, to.err), numerical)); sign {
	case 1:
		t.up++
	case -1:
		t.down++
	default:
		t.open++
	}
	return true
}

// numerical is what a ratio must change by to count: well above the error of the exact ones, 1e-9 at the paper's settings.
const numerical = 1e-6

func (t trend) all() int { return t.up + t.down + t.open }

// share returns the part of the changes that go up, in the middle of what the open ones allow, and half the width of that.
func (t trend) share() (share, err float64) {
	all := float64(t.all())
	return (float64(t.up) + float64(t.open)/2) / all, float64(t.open) / 2 / all
}

// String writes "at 3 of 5, against it at 1, open at 1".
func (t trend) String() string {
	out := fmt.Sprintf("at %d of %d", t.up, t.all())
	if t.down > 0 {
		out += fmt.Sprintf(", against it at %d", t.down)
	}
	if t.open > 0 {
		out += fmt.Sprintf(", open at %d", t.open)
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
