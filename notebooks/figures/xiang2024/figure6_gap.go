package xiang2024

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/monotone"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// gap is ε_U - ε_L of a law at the smallest τ and at τ = 1, each the mean over all base ε.
type gap struct {
	law          law.TNB
	name         string // of ε_U
	small, one   Figure6Chart
	atSmall, at1 float64 // means over the trials
	left, err    float64 // their ratio, the mean over the trials and half of its range
}

// gaps returns one gap for each law and each of ε_U-O and ε_U-G, and none unless
// there are τ = 1 and a smaller one.
func (r Figure6Result) gaps() (out []gap) {
	rates := r.Config.SamplingRates
	smallest := slices.Index(rates, slices.Min(rates))
	one := slices.Index(rates, 1)
	if one < 0 || rates[smallest] == 1 {
		return nil
	}
	laws := len(r.Config.Laws)
	for i := range laws {
		small, full := r.Charts[smallest*laws+i], r.Charts[one*laws+i]
		for _, upper := range []struct {
			name string
			of   func(Figure6Chart) []monotone.ApproximateEpsilon
		}{
			{"ε_U-O", func(c Figure6Chart) []monotone.ApproximateEpsilon { return c.O }},
			{"ε_U-G", func(c Figure6Chart) []monotone.ApproximateEpsilon { return c.G }},
		} {
			g := gap{law: full.Law, name: upper.name, small: small, one: full}
			var a, b, ratios []float64
			for trial := range r.Config.Trials {
				a = append(a, meanGap(upper.of(small), small.Audits, trial))
				b = append(b, meanGap(upper.of(full), full.Audits, trial))
				ratios = append(ratios, a[trial]/b[trial])
			}
			g.atSmall, g.at1, g.left = stat.Mean(a, nil), stat.Mean(b, nil), stat.Mean(ratios, nil)
			g.err = (slices.Max(ratios) - slices.Min(ratios)) / 2
			out = append(out, g)
		}
	}
	return out
}

func meanGap(upper []monotone.ApproximateEpsilon, audits [][]float64, trial int) (mean float64) {
	for i, u := range upper {
		mean += (float64(u) - audits[i][trial]) / float64(len(upper))
	}
	return mean
}

// Compare sets what is left of the gap at the smallest τ beside the sentence of Section 5.4.
func (r Figure6Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: "xiang2024-figure6", Title: "Figure 6: what is left of the gap at a small τ"}
	for _, g := range r.gaps() {
		row := figures.Against(papers.Xiang2024.Figure6.GapLeft, g.left)
		row.Quantity = fmt.Sprintf("%s - ε_L at τ = %g over that at τ = 1, mean over ε_B, η = %g, ν = %g", g.name, g.small.SamplingRate, g.law.Eta, g.law.Gamma)
		row.OursErr = g.err
		row.Note = "the same sentence in every row; 0 stands for “almost vanishes”, up to a quarter; our error is half of the range of the trials"
		c.Rows = append(c.Rows, row)
	}
	return c
}

// Findings says what tuning costs by each kind of number, how far the audit stays behind, and
// what becomes of its gap at a small τ.
func (r Figure6Result) Findings() []string {
	out := r.costFindings()
	gaps := r.gaps()
	if len(gaps) == 0 {
		return out
	}
	vanish, sizes := 0, ""
	for i, g := range gaps {
		if g.left <= papers.Xiang2024.Figure6.GapLeft.Source.AbsErr+g.err {
			vanish++
		}
		if i > 0 {
			sizes += "; "
		}
		sizes += fmt.Sprintf("%s at η = %g from %.2f to %.2f (%.0f ± %.0f %% left)", g.name, g.law.Eta, g.at1, g.atSmall, 100*g.left, 100*g.err)
	}
	verdict := "This does not reproduce."
	switch {
	case vanish == len(gaps):
		verdict = "This reproduces."
	case vanish > 0:
		verdict = fmt.Sprintf("This reproduces for %d of %d.", vanish, len(gaps))
	}
	g := gaps[0]
	out = append(out, fmt.Sprintf("The paper: “when τ is smaller, the gap almost vanishes”. %s From τ = 1 to τ = %g the gap to ε_L, a mean over ε_B, goes for %s. Of the gap at τ = 1 the paper says “noticeable disparity”.", verdict, g.small.SamplingRate, sizes))
	least, most := math.Inf(1), 0.0
	slackLeast, slackMost := math.Inf(1), math.Inf(-1)
	for _, g := range gaps {
		for i := range g.small.MuO {
			ratio, slack := g.small.MuO[i]/g.one.MuO[i], float64(g.small.O[i])-g.small.Exact[i]
			least, most = math.Min(least, ratio), math.Max(most, ratio)
			slackLeast, slackMost = math.Min(slackLeast, slack), math.Max(slackMost, slack)
		}
	}
	same := "nearly the same game has nearly the same gap"
	if least < 0.8 {
		same = "not the same game everywhere"
	}
	return append(out, fmt.Sprintf("The simulated game is N(0, 1) against N(µ_O, 1) at every τ, and µ_O at τ = %g is %.3f to %.3f of that at τ = 1: %s. Even endless games leave %.2f to %.2f between ε_U-O and the exact ε there, the slack of the conversion.",
		g.small.SamplingRate, least, most, same, slackLeast, slackMost))
}

// costFindings are about all points.
func (r Figure6Result) costFindings() (out []string) {
	var exact, generic, off, behind, slack, ofGeneric span
	var apart, apartRate, apartBase float64
	points, above, overtaken := 0, 0, 0
	for _, c := range r.Charts {
		for i, base := range r.Config.BaseEpsilons {
			points++
			if c.SamplingRate == 1 {
				exact.add(c.Exact[i] / base)
				generic.add(c.Generic[i] / base)
				slack.add(float64(c.O[i]) - c.Exact[i])
			}
			off.add(100 * (1 - c.Ours[i]/c.Generic[i]))
			ofGeneric.add(float64(c.O[i]) / c.Generic[i])
			ofGeneric.add(float64(c.G[i]) / c.Generic[i])
			if c.Ours[i] > math.Max(float64(c.G[i]), float64(c.O[i])) {
				above++
			}
			if d := math.Abs(float64(c.G[i] - c.O[i])); d > apart {
				apart, apartRate, apartBase = d, c.SamplingRate, base
			}
			behind.add(c.Exact[i] - stat.Mean(c.Audits[i], nil))
			if slices.Max(c.Audits[i]) > c.Exact[i] {
				overtaken++
			}
		}
	}
	if exact.n > 0 {
		sentence := fmt.Sprintf("At τ = 1 tuning with a monotone score costs %.2f to %.2f times the ε_B of one run (exact); by the generic bound ε_U-P it would be %.2f to %.2f times.", exact.low, exact.high, generic.low, generic.high)
		if slack.low >= 0 {
			sentence += fmt.Sprintf(" ε_U-O is above the exact ε by %.2f to %.2f, the slack of the conversion.", slack.low, slack.high)
		}
		out = append(out, sentence)
	}
	out = append(out, fmt.Sprintf("ε_U-O and ε_U-G are %.2f to %.2f times ε_U-P; the paper says “much tighter”, for all τ.", ofGeneric.low, ofGeneric.high))
	where := fmt.Sprintf("at all %d points", points)
	if above < points {
		where = fmt.Sprintf("at %d of %d points", above, points)
	}
	out = append(out,
		fmt.Sprintf("The lowest of this library's proved bounds takes %.0f to %.0f %% off ε_U-P. It is above both approximations %s: the price of assuming nothing of the score.", off.low, off.high, where),
		fmt.Sprintf("ε_U-G and ε_U-O are up to %.2f apart, at τ = %g and ε_B = %g: they stand for different limits and not for a guarantee.", apart, apartRate, apartBase))
	audits := fmt.Sprintf("The audit, a mean of %d trials, stays %.2f to %.2f behind the exact ε of its own game", r.Config.Trials, behind.low, behind.high)
	if overtaken > 0 {
		return append(out, fmt.Sprintf("%s; at %d of %d points a trial is above it, which each may be with chance %.3g.", audits, overtaken, points, 1-r.Config.Confidence))
	}
	return append(out, audits+"; no trial is above it.")
}

// span is the range of some numbers.
type span struct {
	low, high float64
	n         int
}

func (s *span) add(x float64) {
	if s.n == 0 {
		s.low, s.high = x, x
	}
	s.low, s.high = math.Min(s.low, x), math.Max(s.high, x)
	s.n++
}
