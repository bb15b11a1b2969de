package auc

import (
	"math"
	"testing"

	"github.com/dplab/dplab/audit/internal/tails"
)

// leastSpread returns √n times the least asymptotic standard deviation of any regular estimate of µ
// from the order of n scores of each class alone, N(µ, 1) and N(0, 1) up to a growing function that
// nobody knows. Shifting the function along ψ moves the scores' log densities by (x-m)ψ(x) - ψ'(x),
// m the class's mean, and µ moves those of members by x-µ. The information on µ is what is left of
// it next to the worst ψ,
//
//	I = min over ψ of  E[((X-µ) - (X-µ)ψ(X) + ψ'(X))²] + E[(Yψ(Y) - ψ'(Y))²],  X ~ N(µ, 1), Y ~ N(0, 1)
//
// a quadratic problem of which a piecewise linear ψ gives a tridiagonal one. A ψ on a grid is one
// of those allowed, so that I is from above, and the spread from below.
//
// Reference: van der Vaart (1998), Asymptotic Statistics, Section 25.3 and Theorem 25.21; Hsieh and
// Turnbull (1996), Annals of Statistics 24(1), for ROC curves.
func leastSpread(mu float64) float64 {
	const cells, far = 4000, 9
	lo, step := -float64(far), (mu+2*far)/cells
	diagonal, beside, right := make([]float64, cells+1), make([]float64, cells), make([]float64, cells+1)
	total := 0.0
	for i := range cells {
		x := lo + (float64(i)+0.5)*step
		for _, class := range []struct{ mean, target float64 }{{mu, x - mu}, {0, 0}} {
			weight := step * tails.NormalDensity(x-class.mean)
			at, next := (x-class.mean)/2+1/step, (x-class.mean)/2-1/step // of ψ at both ends of the cell
			diagonal[i] += weight * at * at
			diagonal[i+1] += weight * next * next
			beside[i] += weight * at * next
			right[i] += weight * class.target * at
			right[i+1] += weight * class.target * next
			total += weight * class.target * class.target
		}
	}
	// (A + tiny) ψ = right by elimination; the part that is explained is right·ψ.
	explained, d, r := 0.0, diagonal[0]*(1+1e-13), right[0]
	for i := range cells {
		explained += r * r / d
		factor := beside[i] / d
		d, r = diagonal[i+1]*(1+1e-13)-factor*beside[i], right[i+1]-factor*r
	}
	return 1 / math.Sqrt(total-explained-r*r/d)
}

// No statistic of ranks says much more of µ than the AUC, whose spread is at most 3 % above the
// least up to µ = 3, and 6 % at 3.95: a rank statistic of that efficiency would lift µ by 1.645
// times the difference over √n, 0.01 at 1,000 games of each class. Beyond, it falls behind, and
// audit.NormalScores is the bound for those who know the scale. Without a leak the least is that of
// the van der Waerden test, √2.
func TestAUCIsNearlyEfficient(t *testing.T) {
	near(t, "least spread at µ = 0.01", leastSpread(0.01), math.Sqrt2, 1e-4, "van der Waerden: as much as normal scores of one known scale")
	for _, c := range []struct{ mu, atMost float64 }{{0.01, 1.0234}, {0.5, 1.02}, {1, 1.013}, {2, 1.001}, {3, 1.013}, {3.95, 1.061}} {
		const n = 10_000_000
		law := newMoments(c.mu, n, n)
		slope := tails.NormalDensity(c.mu/math.Sqrt2) / math.Sqrt2
		auc, least := math.Sqrt(law.variance/n)/n/slope, leastSpread(c.mu)
		t.Logf("µ = %g: √n times the deviation of µ by the AUC %.4f, by ranks at least %.4f, of normal scores %.4f", c.mu, auc, least, math.Sqrt(2+c.mu*c.mu/4))
		if ratio := auc / least; ratio < 1-1e-6 || ratio > c.atMost {
			t.Errorf("µ = %g: the AUC's spread %g is %.4f times the least %g, want 1 to %g", c.mu, auc, ratio, least, c.atMost)
		}
	}
	// At µ = 0 the AUC's share is known, Pitman's efficiency 3/π of the Wilcoxon test next to that
	// of normal scores: (1.4472/1.4142)² = π/3.
	law, least := newMoments(0, 1e7, 1e7), leastSpread(1e-3)
	near(t, "AUC's efficiency without a leak", least*least*1e7*1e14/(law.variance*4*math.Pi), 3/math.Pi, 1e-5, "Hodges and Lehmann (1956)")
}
