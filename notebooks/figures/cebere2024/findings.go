package cebere2024

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/chart"
	"gonum.org/v1/gonum/stat"
)

// share counts how many of some audits are above the exact ε.
type share struct{ above, of int }

// String writes "3 of 40".
func (s share) String() string { return fmt.Sprintf("%d of %d", s.above, s.of) }

func paperBounds(a LandscapeAudit) []float64     { return a.GDPUncorrected }
func fixedBounds(a LandscapeAudit) []float64     { return a.GDPFixed }
func correctedBounds(a LandscapeAudit) []float64 { return a.Corrected }

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

// Findings says how much of the first step's ε is left, exactly and by the Gaussian reading, and how many of the audits are
// no lower bounds.
func (r LandscapeResult) Findings() []string {
	out := r.ratioFindings()
	if !r.overview {
		out = []string{r.shapeFinding()}
	}
	if len(r.Config.Audited) > 0 {
		out = append(out, r.auditFindings()...)
	}
	return out
}

// place is a ratio with the settings that it is of.
type place struct {
	value, sigma float64
	batch        int
}

// String leaves the place out where the ratio rounds to 1: many settings are there.
func (p place) String() string {
	if v := fmt.Sprintf("%.3f", p.value); v == "1.000" {
		return v
	}
	return fmt.Sprintf("%.3f (σ = %g, B = %d)", p.value, p.sigma, p.batch)
}

// extremes returns the least and the largest ratio; false if there is none, because ε is 0 from the start.
func (r LandscapeResult) extremes(of func(LandscapeCurve) []float64) (least, largest place, ok bool) {
	least, largest = place{value: math.Inf(1)}, place{value: math.Inf(-1)}
	for b, batch := range r.Config.BatchSizes {
		for i, q := range r.ratios(b, of) {
			p := place{q, r.Config.NoiseMultipliers[i], batch}
			if q < least.value {
				least = p
			}
			if q > largest.value {
				largest = p
			}
		}
	}
	return least, largest, least.batch > 0
}

func (r LandscapeResult) ratioFindings() []string {
	low, high, ok := r.extremes(exactEpsilon)
	gaussLow, gaussHigh, gaussOK := r.extremes(gaussian)
	if !ok || !gaussOK {
		return []string{fmt.Sprintf("At δ = %s even the first step has an ε of 0.", chart.Scientific(r.Config.Delta))}
	}
	steps := r.Config.Steps[len(r.Config.Steps)-1]
	out := []string{fmt.Sprintf("After %d steps the exact ε is at least %v and at most %v of that after the first; by the Gaussian reading at least %v and at most %v.",
		steps, low, high, gaussLow, gaussHigh)}
	if n := len(r.Config.NoiseMultipliers); n > 1 {
		out = append(out, fmt.Sprintf("From σ = %g to σ = %g the exact ratio %s; that of the Gaussian reading %s.",
			r.Config.NoiseMultipliers[0], r.Config.NoiseMultipliers[n-1], r.directions(exactEpsilon), r.directions(gaussian)))
	}
	return append(out, r.readingFinding())
}

// directions tells at which B a ratio falls, at which it rises and at which it stays from the least σ to the largest, and by
// how much.
func (r LandscapeResult) directions(of func(LandscapeCurve) []float64) string {
	words := []string{"falls", "rises", "stays"}
	at, most := make([][]string, len(words)), make([]float64, len(words))
	for b, batch := range r.Config.BatchSizes {
		q := r.ratios(b, of)
		change, way := q[len(q)-1]-q[0], 2
		switch {
		case change < -numerical:
			way = 0
		case change > numerical:
			way = 1
		}
		at[way], most[way] = append(at[way], fmt.Sprint(batch)), max(most[way], math.Abs(change))
	}
	var parts []string
	for i, word := range words {
		by := fmt.Sprintf(" (by %.3f)", most[i])
		switch {
		case len(at[i]) == 0:
			continue
		case i == 2:
			by = ""
		case len(at[i]) > 1:
			by = fmt.Sprintf(" (by at most %.3f)", most[i])
		}
		parts = append(parts, fmt.Sprintf("%s at B = %s%s", word, strings.Join(at[i], ", "), by))
	}
	return strings.Join(parts, " and ")
}

// readingFinding tells where the Gaussian reading says more than there is.
func (r LandscapeResult) readingFinding() string {
	worst, more, all := place{value: 1}, 0, 0
	for i, row := range r.Curves {
		for _, c := range row {
			last := len(c.Gaussian) - 1
			all++
			if c.Gaussian[last] > c.EpsilonUpper[last] {
				more++
			}
			if q := c.Gaussian[last] / c.EpsilonUpper[last]; q > worst.value {
				worst = place{q, r.Config.NoiseMultipliers[i], c.BatchSize}
			}
		}
	}
	steps := r.Config.Steps[len(r.Config.Steps)-1]
	if more == 0 {
		return fmt.Sprintf("After %d steps the Gaussian reading is nowhere above the exact ε.", steps)
	}
	return fmt.Sprintf("After %d steps the Gaussian reading is above the exact ε at %d of %d settings, up to %.1f times as large (σ = %g, B = %d).",
		steps, more, all, worst.value, worst.sigma, worst.batch)
}

// shapeFinding tells how alike the exact curves of all σ are.
func (r LandscapeResult) shapeFinding() string {
	if len(r.Curves) < 2 {
		return fmt.Sprintf("One σ is drawn: %g.", r.Config.NoiseMultipliers[0])
	}
	most, step, batch := -1.0, 0, 0
	for b := range r.Config.BatchSizes {
		for t := range r.Config.Steps {
			var parts []float64
			for i := range r.Curves {
				parts = append(parts, r.Curves[i][b].EpsilonUpper[t]/r.Accountant[i])
			}
			if d := slices.Max(parts) - slices.Min(parts); d > most {
				most, step, batch = d, r.Config.Steps[t], r.Config.BatchSizes[b]
			}
		}
	}
	return fmt.Sprintf("As parts of the accountant's ε the exact curves of all σ differ by %.3f at most (B = %d, step %d).", most, batch, step)
}

func (r LandscapeResult) auditFindings() []string {
	cfg := r.Config
	all, first := r.count(paperBounds, allSteps), func(step int) bool { return step == 1 }
	if all.of == 0 {
		return nil
	}
	last := cfg.Audited[len(cfg.Audited)-1]
	looks := ""
	if n := len(cfg.Audited); n > 1 {
		looks = fmt.Sprintf(" These are %d sets of games, each looked at %d times.", all.of/n, n)
	}
	out := []string{fmt.Sprintf("%v of the paper's uncorrected audits are above the exact ε (seeds: %d; games: %d; σ = %s; steps: %d).%s With the threshold fixed at h beforehand: %v.",
		all, cfg.Repeats, cfg.Games, list(r.shown), len(cfg.Audited), looks, r.count(fixedBounds, allSteps))}
	if s, fixed := r.count(paperBounds, first), r.count(fixedBounds, first); s.of > 0 {
		say := fmt.Sprintf("After step 1, where the trade-off curve is Gaussian, %v are above it, and %v with the threshold fixed", s, fixed)
		if s.above > fixed.above {
			say += ": that much is the doing of the best threshold on the same scores"
		}
		out = append(out, say+".", r.scatterFinding())
	}
	out = append(out, r.gapFinding(last))
	if s := r.count(correctedBounds, allSteps); s.of > 0 {
		out = append(out, fmt.Sprintf("The bound that assumes nothing and pays for its threshold is above the exact ε in %v audits of step %d.", s, last))
	}
	return out
}

// scatterFinding tells what one audit says of step 1, where the law is the same for all B.
func (r LandscapeResult) scatterFinding() string {
	var parts []string
	for i, sigma := range r.Config.NoiseMultipliers {
		var all []float64
		for _, c := range r.Curves[i] {
			if len(c.Audits) > 0 {
				all = append(all, c.Audits[0].GDPUncorrected...)
			}
		}
		if len(all) > 0 {
			parts = append(parts, fmt.Sprintf("%.2f to %.2f at σ = %g (exact: %.2f)", slices.Min(all), slices.Max(all), sigma, r.Accountant[i]))
		}
	}
	return "After step 1 the law is the same for all B. Single audits of it say " + strings.Join(parts, ", ") + "."
}

// gapFinding tells where the mean of the paper's audits of a step is furthest above the exact ε, and whose doing it is.
func (r LandscapeResult) gapFinding(step int) string {
	gap, say := 1.0, ""
	for i, sigma := range r.Config.NoiseMultipliers {
		for _, c := range r.Curves[i] {
			if len(c.Audits) == 0 {
				continue
			}
			a := c.Audits[len(c.Audits)-1]
			exact := r.exact(c, a)
			if q := stat.Mean(a.GDPUncorrected, nil) / exact; q > gap {
				gap = q
				say = fmt.Sprintf("At step %d the audits are furthest above at σ = %g, B = %d: %s where the exact ε is %.2f.", step, sigma, c.BatchSize, spread(a.GDPUncorrected), exact)
				fixed := stat.Mean(a.GDPFixed, nil)
				say += fmt.Sprintf(" A threshold fixed beforehand gives %.2f", fixed)
				if fixed > exact && step > 1 {
					say += ": not the choice of the threshold makes these bounds false, but the Gaussian trade-off curve"
				}
				say += "."
			}
		}
	}
	if say == "" {
		return fmt.Sprintf("At step %d no mean of the audits is above the exact ε.", step)
	}
	return say
}

// list writes numbers as "1, 2 and 8".
func list(x []float64) string {
	var parts []string
	for _, v := range x {
		parts = append(parts, fmt.Sprintf("%g", v))
	}
	if n := len(parts) - 1; n > 0 {
		return strings.Join(parts[:n], ", ") + " and " + parts[n]
	}
	return parts[0]
}
