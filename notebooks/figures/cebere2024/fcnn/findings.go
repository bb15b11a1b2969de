package fcnn

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/cebere2024/internal/repeats"
)

func (r Result) confidence() float64 { return cmp.Or(r.Config.Confidence, audit.DefaultConfidence) }

// bound is one bound of one audit.
type bound struct {
	rate       float64
	adversary  string
	repetition int
	step       int // place in Observe
	value      float64
}

// bounds returns all bounds of a kind.
func (r Result) bounds(of func(Audit) []float64) (all []bound) {
	for _, panel := range r.Rates {
		for _, c := range panel.Curves {
			for repetition, a := range c.Audits {
				for i, v := range of(a) {
					all = append(all, bound{panel.LearningRate, c.Adversary, repetition, i, v})
				}
			}
		}
	}
	return all
}

// above returns the bounds that exceed the accountant's ε, which are false, and the number of all. A part of 1 - confidence may
// be: each bound has its own chance.
func (r Result) above(of func(Audit) []float64) (above []bound, all int) {
	for _, b := range r.bounds(of) {
		if all++; b.value > r.Accountant[b.step] {
			above = append(above, b)
		}
	}
	return above, all
}

// aboveNote is small print: how many of the drawn bounds are false, and how many may be.
func (r Result) aboveNote() string {
	above, all := r.above(paper)
	return fmt.Sprintf("%d of %d audits%s are above the accountant; at %.3g %% confidence %.3g %% may be.", len(above), all, percent(len(above), all), 100*r.confidence(), 100*(1-r.confidence()))
}

// percent writes " (7 %)"; nothing for none.
func percent(part, all int) string {
	if part == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.2g %%)", 100*float64(part)/float64(all))
}

// Findings says what the adversaries reach, how many of the bounds are false, and what follows without an assumption.
func (r Result) Findings() []string {
	var out []string
	for _, panel := range r.Rates {
		out = append(out, r.rateFinding(panel))
	}
	out = append(out, r.aboveFinding(), r.noAssumptionFinding())
	if len(r.Rates) > 1 {
		out = append(out, r.pairedFinding())
	}
	if s := r.textFinding(); s != "" {
		out = append(out, s)
	}
	return out
}

func (r Result) rateFinding(panel Rate) string {
	var means []string
	for _, c := range panel.Curves {
		means = append(means, c.Adversary+" "+plusMinus(repeats.Mean(panel.last(c.Adversary))))
	}
	out := fmt.Sprintf("Learning rate %g: after %d steps the accountant has %.2f; audits as in the paper say on average %s",
		panel.LearningRate, r.Config.Observe[len(r.Config.Observe)-1], r.Accountant[len(r.Accountant)-1], strings.Join(means, ", "))
	if r.Config.Repetitions == 1 {
		return out + " (one audit each, whose error is not known)."
	}
	random, simulated := panel.last("A_GC-R"), panel.last("A_GC-S")
	switch {
	case random == nil || simulated == nil:
		return out + "."
	case slices.Max(random) < slices.Min(simulated):
		return out + ". Every audit of A_GC-R is below every one of A_GC-S."
	}
	return out + ". The audits of A_GC-R and A_GC-S overlap."
}

// aboveFinding counts the paper's bounds that are above the accountant, with the furthest of each adversary.
func (r Result) aboveFinding() string {
	above, all := r.above(paper)
	out := fmt.Sprintf("%d of %d audits as in the paper%s are above the accountant", len(above), all, percent(len(above), all))
	if len(above) == 0 {
		return out + "."
	}
	var furthest []string
	for _, name := range r.Config.Adversaries {
		far := bound{value: -1}
		for _, b := range above {
			if b.adversary == name && (far.value < 0 || b.value/r.Accountant[b.step] > far.value/r.Accountant[far.step]) {
				far = b
			}
		}
		if far.value > 0 {
			furthest = append(furthest, fmt.Sprintf("%s says %.2f where it has %.2f (step %d)", name, far.value, r.Accountant[far.step], r.Config.Observe[far.step]))
		}
	}
	return out + fmt.Sprintf(", so false: %s. Bounds at %.3g %% may be false in %.3g %%. These choose the threshold on the same scores, uncorrected.",
		strings.Join(furthest, ", "), 100*r.confidence(), 100*(1-r.confidence()))
}

// noAssumptionFinding tells of the bounds after the last step that hold for any trade-off curve, each with the confidence asked
// for.
func (r Result) noAssumptionFinding() string {
	most, accountant := 0.0, r.Accountant[len(r.Accountant)-1]
	above, all := 0, 0
	for _, panel := range r.Rates {
		for _, c := range panel.Curves {
			for _, a := range c.Audits {
				most = max(most, a.NoAssumption)
				if all++; a.NoAssumption > accountant {
					above++
				}
			}
		}
	}
	return fmt.Sprintf("Without an assumption these audits show an ε of %.2f at most; perfect scores of %d models would show %.2f. Each of these bounds is false with chance %.3g %% at most; %d of %d are above the accountant.",
		most, r.Config.Models, r.ceiling(), 100*(1-r.confidence()), above, all)
}

// ceiling is what the bound without an assumption says of perfect scores; NaN if there is none.
func (r Result) ceiling() float64 {
	var scores audit.Scores
	for i := range r.Config.Models / 2 {
		scores.Member, scores.NonMember = append(scores.Member, 1+float64(i)), append(scores.NonMember, -1-float64(i))
	}
	report, err := audit.Bounds(scores, audit.Config{Delta: r.Config.Delta, Confidence: r.Config.Confidence})
	if b, ok := report.Bound("rank-two-tail"); ok && err == nil {
		return b.Ceiling
	}
	return math.NaN()
}

// pairedFinding tells how far audits of the same games are apart after the first observed step.
func (r Result) pairedFinding() string {
	var apart []string
	for i, c := range r.Rates[0].Curves {
		most := 0.0
		for repetition := range c.Audits {
			low, high := math.Inf(1), math.Inf(-1)
			for _, panel := range r.Rates {
				v := panel.Curves[i].Audits[repetition].Paper[0]
				low, high = min(low, v), max(high, v)
			}
			most = max(most, high-low)
		}
		apart = append(apart, fmt.Sprintf("%s %.3f", c.Adversary, most))
	}
	draws := len(r.Config.Adversaries) * r.Config.Repetitions
	return fmt.Sprintf("The panels are paired, their games share data order, initial weights and noise: %d audits after step %d are %d draws, seen at %d learning rates. The largest differences there: %s.",
		draws*len(r.Rates), r.Config.Observe[0], draws, len(r.Rates), strings.Join(apart, ", "))
}

// textFinding tells at which learning rate what the text says holds.
func (r Result) textFinding() string {
	if !r.Config.paperSetup() || len(r.Rates) < 2 {
		return ""
	}
	var hold, rest []string
	for _, panel := range r.Rates {
		holds, differs, open := 0, 0, 0
		for _, row := range r.rows(panel) {
			switch {
			case row.Verdict() == figures.Differs:
				differs++
			case row.Holds():
				holds++
			default:
				open++
			}
		}
		if differs+open == 0 {
			hold = append(hold, fmt.Sprintf("%g", panel.LearningRate))
			continue
		}
		rest = append(rest, fmt.Sprintf("at %g, of %d sentences hold %d, do not hold %d, are open %d", panel.LearningRate, holds+differs+open, holds, differs, open))
	}
	switch len(hold) {
	case 0:
		return "At none of the learning rates does all that the text says hold: " + strings.Join(rest, "; ") + "."
	case len(r.Rates):
		return "All that the text says holds at every learning rate."
	}
	return "All that the text says holds at the learning rate " + strings.Join(hold, " and ") + "; " + strings.Join(rest, "; ") + ". That the paper's figure is from there is our inference: the paper does not say."
}
