package quickstart

import (
	"fmt"

	"github.com/dplab/dplab/audit"
)

// Findings says whether the bounds hold of the honest step, how near they come, what is to be seen in the chart, and what
// the tests of the claim say.
func (r Audit) Findings() []string {
	list := []string{r.holding()}
	for _, name := range []string{"rank-two-tail", "gdp-auc"} {
		if b, ok := r.Games[0].Report.Bound(name); ok {
			list = append(list, fmt.Sprintf("%s shows ε >= %s, %.0f %% of the exact ε. It assumes: %s.",
				name, audit.FormatLower(b.Epsilon), 100*b.Epsilon/r.Exact, b.Assumption.Describe()))
		}
	}
	if region, ok := r.region(); ok {
		list = append(list, r.edge(region))
	}
	for _, g := range r.Games {
		word := "does not contradict"
		if g.Verdict.Contradicted {
			word = "contradicts"
		}
		said := fmt.Sprintf("The game of %s %s the declared guarantee (p = %.2g)", g.Name, word, g.Verdict.PValue)
		if b, ok := g.Report.Headline(); ok && g.Verdict.Contradicted && b.Epsilon <= r.Exact {
			said += fmt.Sprintf(", the whole trade-off curve; its bound on ε that was fixed beforehand, %s, reaches %s only, below the %.4f of the claim", b.Name, audit.FormatLower(b.Epsilon), r.Exact)
		}
		list = append(list, said+".")
	}
	return list
}

// holding says which bounds on the honest step are true.
func (r Audit) holding() string {
	of, wrong := 0, ""
	for _, b := range r.Games[0].Report.Bounds {
		if b.Confidence == 0 {
			continue
		}
		of++
		if b.Epsilon > r.Exact {
			wrong += fmt.Sprintf(" %s says ε >= %s.", b.Name, audit.FormatLower(b.Epsilon))
		}
	}
	if wrong == "" {
		return fmt.Sprintf("All %d bounds with a confidence are true of the engine as it is, whose exact ε is %.4f.", of, r.Exact)
	}
	return fmt.Sprintf("Of the engine as it is, whose exact ε is %.4f, some of %d bounds are false, each of which may be with chance %.2g:%s", r.Exact, of, 1-r.Games[0].Report.Confidence, wrong)
}

// edge says where the edge of the region of a bound is above the exact curve, which a reader may take for an error.
func (r Audit) edge(region audit.EpsilonDelta) string {
	first, last, most, above := 0.0, 0.0, 0.0, 0
	for _, v := range rates() {
		d := region.TPR(v) - r.curve().TPR(v)
		if d <= 1e-9 { // both are 1 at 1, up to rounding
			continue
		}
		if above == 0 {
			first = v
		}
		last, most, above = v, max(most, d), above+1
	}
	picture := fmt.Sprintf("In the picture the edge of the region for ε >= %s is nowhere above the exact curve.", audit.FormatLower(region.Epsilon))
	if above > 0 {
		picture = fmt.Sprintf("In the picture the edge of the region for ε >= %s is above the exact curve at false positive rates from %.2g to %.2g, by up to %.2g.",
			audit.FormatLower(region.Epsilon), first, last, most)
	}
	switch {
	case region.Epsilon > r.Exact:
		return picture + " That bound is false: the exact curve leaves its region nowhere."
	case above > 0:
		return picture + " That is no contradiction: a true bound says that the exact curve leaves the region of every smaller ε somewhere, " +
			"and a Gaussian curve does so at small rates and, mirrored, at large ones."
	}
	return picture
}
