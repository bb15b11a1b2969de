package xiang2024

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/papers"
)

// Findings says which printed values Algorithm 3 refutes, what the exact ε and other scores
// make of them, and which reading comes nearest.
func (r Table4Result) Findings() []string {
	if !r.asPrinted() {
		return []string{fmt.Sprintf("The printed values are for δ = %s and N = %d, this run is for δ = %s and N = %d: the two cannot be compared.",
			chart.Scientific(papers.Xiang2024.Delta), papers.Xiang2024.Steps, chart.Scientific(r.Config.Delta), r.Config.Steps)}
	}
	return append(r.fittedFindings(), r.readingFindings()...)
}

func (r Table4Result) fittedFindings() []string {
	if len(r.Fitted) == 0 {
		return nil
	}
	n, refuted, each, belowExact := 0, 0, 0, 0
	var worst FittedCell
	least, most := math.Inf(1), 0.0
	for _, c := range r.Fitted {
		if c.anchors() {
			continue
		}
		n++
		if c.Refuted() {
			refuted++
		}
		if c.atMost() < c.EachLeast {
			each++
		}
		if c.atMost() < c.Exact.Lower {
			belowExact++
		}
		if n == 1 || c.Line4Least-c.atMost() > worst.Line4Least-worst.atMost() {
			worst = c
		}
		factor := c.AnyScore / c.Paper.O.Number
		least, most = math.Min(least, factor), math.Max(most, factor)
	}
	if n == 0 {
		return []string{"No printed ε_U-O at τ = 1 can be checked: µ is read from each of them."}
	}
	where := fmt.Sprintf("ε_B = %g, L = %d, s = %g", worst.Paper.BaseEpsilon, worst.Paper.Runs, worst.Paper.Single)
	var out []string
	if refuted == 0 {
		out = append(out, fmt.Sprintf("None of %d printed ε_U-O at τ = 1, those that µ is not read from, is below what Algorithm 3 gives at every order.", n))
	} else {
		out = append(out,
			fmt.Sprintf("**%d of %d printed ε_U-O at τ = 1 are below what the paper's own Algorithm 3 gives, whatever the order**; those that µ is read from are not counted. Also below each direction by itself: %d.", refuted, n, each),
			fmt.Sprintf("The farthest is %s: printed %.2f. Algorithm 3 as printed gives %.3f, and no order less than %.3f; each direction by itself gives %.3f. With an integral that starts at x = -6, each direction by itself gives %.3f.",
				where, worst.Paper.O.Number, worst.Line4.Upper, worst.Line4Least, worst.Each.Upper, worst.CutEach))
	}
	if belowExact == 0 {
		out = append(out, fmt.Sprintf("At this least µ none of the %d is below the exact ε for monotone scores; a larger µ is not excluded. At %s the exact ε of the game is %.3f. It needs no Rényi orders.", n, where, worst.Exact.Estimate))
	} else {
		out = append(out, fmt.Sprintf("Below the exact ε with a monotone score, too: %d of the %d.", belowExact, n))
	}
	return append(out, fmt.Sprintf("With other scores the tuning may cost %.2f to %.2f times the printed value, or more: at %s at least %.3f.", least, most, where, worst.AnyScore))
}

func (r Table4Result) readingFindings() []string {
	values := len(r.pairs())
	reaches := r.reaches()
	best := 0
	for i, n := range reaches {
		if n.hundredth > reaches[best].hundredth {
			best = i
		}
	}
	near, line4 := reaches[best], reaches[0]
	out := []string{fmt.Sprintf("Nearest to the %d printed values is “%s”: %d within 0.01.", values, readings[best].name, near.hundredth)}
	if best != 0 {
		out[0] += fmt.Sprintf(" Algorithm 3 as printed has %d.", line4.hundredth)
	}
	if best >= 2 {
		out[0] += fmt.Sprintf(" A cut reading has other orders, too: integers from 2 to %d in place of real ones.", cutHighest)
	}
	if off := near.above + near.below; off > 0 {
		out = append(out, fmt.Sprintf("More than 0.01 from this reading: %d values, by up to %.3g (%v); ours is above in %d and below in %d. This is unexplained.", off, near.largest, near.at, near.above, near.below))
	} else {
		out = append(out, fmt.Sprintf("No value differs from it by more than 0.01; the largest difference is %.3f.", near.largest))
	}
	return out
}
