package audit

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/tails"
)

// The bounds over a grid of J thresholds spend the significance/(2J) on each rate, by their own
// Clopper-Pearson limits, which are quantiles of beta laws.
func TestBonferroniSpendsOnEveryThreshold(t *testing.T) {
	const n = 200
	var scores Scores
	for i := range n {
		x := float64(i) / n
		scores.Member, scores.NonMember = append(scores.Member, x+0.35), append(scores.NonMember, x+1e-7)
	}
	s, err := newSample(scores)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Delta: 1e-5, Confidence: 0.9}
	tests := s.gridTests()
	each := 0.1 / float64(2*len(tests))
	upper := func(count int) float64 {
		if count == n {
			return 1
		}
		return tails.BetaUpperQuantile(each, float64(count+1), float64(n-count))
	}
	epsilon, mu := 0.0, math.Inf(-1)
	for _, test := range tests {
		c := test.counts(n, n)
		fnr, fpr := upper(c.FalseNegatives), upper(c.FalsePositives)
		mu = math.Max(mu, tails.NormalQuantile(1-fpr)-tails.NormalQuantile(fnr))
		for _, pair := range [2][2]float64{{fnr, fpr}, {fpr, fnr}} {
			if ratio := (1 - cfg.Delta - pair[0]) / pair[1]; ratio > 1 {
				epsilon = math.Max(epsilon, numeric.Log(ratio))
			}
		}
	}
	if got := epsilonTest(cfg.Delta).bonferroni(s, cfg).Epsilon; !(epsilon > 0) || math.Abs(got-epsilon) > 1e-9 {
		t.Errorf("ε >= %.12g over %d thresholds, want %.12g at a significance of %g each", got, len(tests), epsilon, each)
	}
	if got, want := muTest.bonferroni(s, cfg).Epsilon, epsilonOfMu(mu, cfg.Delta); !(want > 0) || math.Abs(got-want) > 1e-6 {
		t.Errorf("ε >= %.12g of a Gaussian trade-off over %d thresholds, want %.12g at a significance of %g each", got, len(tests), want, each)
	}
}

// A band over J thresholds has four one-sided limits at each, and all hold together: each spends
// the significance/(4J). The false positive rate of the (k+1)-th largest non-member is Beta(k+1,
// n0-k), and the members above it are binomial.
func TestBandSpendsOnEveryThreshold(t *testing.T) {
	const n, significance = 200, 0.1
	var scores Scores
	for i := range n {
		x := float64(i) / n
		scores.Member, scores.NonMember = append(scores.Member, x+0.35), append(scores.NonMember, x+1e-7)
	}
	s, err := newSample(scores)
	if err != nil {
		t.Fatal(err)
	}
	lower, upper := s.corners(significance)
	each := significance / float64(4*len(lower))
	for i, k := range rankGrid(n) {
		above := 0
		for _, x := range scores.Member {
			if x > lower[i].threshold {
				above++
			}
		}
		a, b := float64(above), float64(n-above)
		least, most := 0.0, 1.0
		if above > 0 {
			least = 1 - tails.BetaUpperQuantile(each, b+1, a)
		}
		if above < n {
			most = tails.BetaUpperQuantile(each, a+1, b)
		}
		for name, v := range map[string][2]float64{
			"most FPR": {lower[i].fpr, tails.BetaUpperQuantile(each, float64(k+1), float64(n-k))}, "least TPR": {lower[i].tpr, least},
			"least FPR": {upper[i].fpr, tails.BetaLowerQuantile(each, float64(k+1), float64(n-k))}, "most TPR": {upper[i].tpr, most},
		} {
			if math.Abs(v[0]-v[1]) > 1e-9 {
				t.Errorf("rank %d: %s %.12g, want %.12g at a significance of %g", k, name, v[0], v[1], each)
			}
		}
	}
}
