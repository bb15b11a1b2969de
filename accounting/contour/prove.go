package contour

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/closed"
	"github.com/dplab/dplab/accounting/internal/certificate/lineintegral"
	"github.com/dplab/dplab/accounting/numeric"
)

// mostAnchors bounds the lines of a proof of a profile.
const mostAnchors = 32

// ProveProfile returns what shows a privacy profile whose values at epsilons, which rise, are about
// deltas. It is nil without such a proof.
func (a Accountant) ProveProfile(q ask.Question, epsilons, deltas []float64) *accounting.Proof {
	p, err := a.compile(q)
	switch {
	case err != nil || p.nonPrivate:
		return nil
	case !p.byLines():
		return certificate.Proof(closed.Rule, nil)
	}
	least := 1.0
	for i, delta := range deltas {
		if delta > math.SmallestNonzeroFloat64/1e-10 && epsilons[i] < 600 {
			least = min(least, delta)
		}
	}
	apart := math.Max(1.5, -numeric.Log(least)/mostAnchors)
	both := p.problems()
	var anchors []lineintegral.Anchor
	last := math.Inf(1)
	for i, delta := range deltas {
		if delta < least || i > 0 && numeric.Log(delta) > last-apart {
			continue
		}
		last = numeric.Log(delta)
		anchor := lineintegral.Anchor{Epsilon: epsilons[i], Delta: delta}
		for d, problem := range both {
			if transform.Direction(d) == transform.Add && p.replaced() {
				break
			}
			q := question{p: problem}
			q.out.upper = math.Inf(1) // both directions count
			anchor.Lines[d] = q.witness(epsilons[i], last).Line
		}
		anchors = append(anchors, anchor)
	}
	return certificate.Proof(lineintegral.RuleProfile, anchors)
}
