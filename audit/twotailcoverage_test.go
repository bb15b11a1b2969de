package audit

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"
)

// In 10,000 audits of each null, ties among them, the exact two-tail test refutes the truth in no more than the significance and three standard errors. On
// the least favorable pair, where it is attained, the share is the p-value of the sum that convicts, to 5.6 standard errors (false-failure chance 2e-8).
func TestTwoTailCoverageOfManyAudits(t *testing.T) {
	audits := 10_000
	if testing.Short() {
		audits = 400
	}
	const n, k, alpha = 50, 1, 0.05
	for _, z := range nulls {
		truth := EpsilonDelta{z.epsilon, z.level.Delta}
		convicts := sort.Search(2*n+1, func(sum int) bool { return twoTailP(truth, n, n, k, sum) <= alpha })
		alarms := 0
		for i := range audits {
			s := must(newRanked(z.draw(rand.New(rand.NewPCG(uint64(i), n)), n), uint64(i)+1))
			if s.top(k).hits+s.bottom(k).hits >= convicts {
				alarms++
			}
		}
		share := float64(alarms) / float64(audits)
		if share > alpha+3*math.Sqrt(alpha*(1-alpha)/float64(audits)) {
			t.Errorf("%s: the truth is refuted in %.4f of %d audits, want at most %g and three standard errors", z.name, share, audits, alpha)
		}
		if z.name != "least favorable" {
			continue
		}
		p := twoTailP(truth, n, n, k, convicts)
		t.Logf("the truth is refuted in %.4f of audits, p of the sum that convicts %.4f", share, p)
		if math.Abs(share-p) > 5.6*math.Sqrt(p*(1-p)/float64(audits)) {
			t.Errorf("the truth is refuted in %g of audits, want %g, the p-value of %d hits", share, p, convicts)
		}
	}
}
