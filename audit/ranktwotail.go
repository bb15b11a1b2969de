package audit

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/tails"
)

// RankTwoTail returns the lower bound on ε from both tails at once: the members strictly above the
// (k+1)-th largest non-member score plus the non-members strictly below the (k+1)-th smallest
// member score, k fixed before the scores were seen. It assumes nothing of the mechanism and is the
// answer of a report ([Report.Headline]): among assumption-free bounds it was the largest in all
// settings with continuous scores that were tried. On scores of few values a threshold between them
// shows more, and Clopper-Pearson bounds are larger. Ties count against the audit;
// [Scores.BreakTies] breaks them at random.
func RankTwoTail(scores Scores, k int, cfg Config) (Bound, error) {
	s, err := rankInput(scores, k, cfg)
	if err != nil {
		return Bound{}, err
	}
	return s.rankTwoTail(k, cfg), nil
}

func (s sample) rankTwoTail(k int, cfg Config) Bound {
	n1, n0 := len(s.member), len(s.nonMember)
	bound := func(sum int) float64 {
		return epsilonFamily(cfg.Delta).twoTailBound(n1, n0, k, sum, cfg.Significance())
	}
	b := NewBound("rank-two-tail", AssumeNothing, cfg, rankReference)
	b.Epsilon = bound(s.top(k).hits + s.bottom(k).hits)
	b.Ceiling = bound(n1 + n0)
	b.ChosenBefore = fmt.Sprintf("rank k = %d in both tails, fixed beforehand", k)
	return b
}

// twoTailP returns the p-value of the claim g when the hits of both tails add up to sum, or an
// upper bound on it: where games are many, and where p is so large or so small that nobody asks how
// much it is.
func twoTailP(g Curve, n1, n0, k, sum int) float64 {
	p := twoTailHoeffding(g, n1, n0, k, sum)
	if convolves(n1, n0, k, sum) && p > 1e-9 && p < 0.5 {
		return math.Min(p, twoTailExact(g, n1, n0, k, sum, p))
	}
	return p
}

// twoTailHoeffding returns an upper bound on the p-value.
//
// Let V ~ Beta(k+1, n0-k) be the false positive rate of the upper threshold and
// U ~ Beta(k+1, n1-k) the false negative rate of the lower one; they are independent. If
// G(V) < 1-U the thresholds do not cross, and given both, the m1 = n1-k-1 other members
// above the lower one are above the upper one with chance a = G(V)/(1-U), and the
// m0 = n0-k-1 other non-members below the upper one are below the lower one with chance
// b = G(U)/(1-V), all independent. So
//
//	p <= E[ 1 if G(V) >= 1-U, else P[Bin(m1, a) + Bin(m0, b) >= sum] ]
//
// With X = m1 a + m0 b, Hoeffding's theorem bounds the last chance by
// P[Bin(M, X/M) >= sum], M = m1+m0, where X <= sum-1; elsewhere it is taken as 1. As
// P[Bin(M, x/M) >= sum] = P[M B <= x] for B ~ Beta(sum, M-sum+1),
//
//	p <= E_{U,B}[ P[V >= v(U, min(M B, sum-1))] ],  v(U, x) = least v with X >= x
//
// which is a double integral of smooth terms whose nodes in B do not depend on g.
//
// Reference for the bound on sums: Hoeffding (1956), Annals of Mathematical Statistics
// 27(3), Theorem 4.
func twoTailHoeffding(g Curve, n1, n0, k, sum int) float64 {
	if sum <= 1 {
		return 1
	}
	t := twoTail{g: g, k: k, n0: n0, m1: float64(n1 - k - 1), m0: float64(n0 - k - 1), tpr: quickTPR(g)}
	if p, ok := g.(piecewise); ok {
		t.lines = p.segments()
	}
	law := tails.NewBetaLaw(float64(k+1), float64(n1-k))
	var kinks []float64
	for _, v := range g.Kinks() {
		kinks = append(kinks, v, 1-g.TPR(v))
	}
	m := n1 + n0 - 2*k - 2
	if sum > m { // only crossed thresholds reach it
		crossed := func(u float64) float64 { return t.atLeast(g.FPR(1 - u)) }
		return law.Expectation(crossed, quadratureTolerance, kinks...)
	}
	nodes := tails.SumNodes(sum, m, 5)
	return law.Expectation(func(u float64) float64 { return t.given(u, nodes) }, quadratureTolerance, kinks...)
}

type twoTail struct {
	g      Curve
	tpr    func(v float64) float64 // g.TPR
	lines  []segment               // of g, if it is piecewise linear
	k, n0  int
	m1, m0 float64
}

// atLeast returns P[V >= v].
func (t twoTail) atLeast(v float64) float64 { return tails.BinomialLower(t.k, t.n0, v) }

// given returns the inner expectation at U = u plus the estimate of its error: the
// difference between the Kronrod and the Gauss rule inside it.
func (t twoTail) given(u float64, nodes []tails.Node) float64 {
	v := t.g.FPR(1 - u) // at this v the thresholds cross
	gu := t.tpr(u)
	var kronrod, gauss float64
	for i := len(nodes) - 1; i >= 0; i-- { // v falls with x: each root bounds the next
		v = t.solve(u, gu, nodes[i].X, v)
		chance := t.atLeast(v)
		if chance > 1-1e-12 { // smaller x have at least this chance
			for _, n := range nodes[:i+1] {
				kronrod += n.Kronrod
				gauss += n.Gauss
			}
			break
		}
		kronrod += nodes[i].Kronrod * chance
		gauss += nodes[i].Gauss * chance
	}
	return math.Min(1, kronrod+math.Abs(kronrod-gauss))
}

// solve returns the least v in [0, hi] with m1 G(v)/(1-u) + m0 gu/(1-v) >= x, rounded down,
// or hi if there is none below it.
func (t twoTail) solve(u, gu, x, hi float64) float64 {
	excess := func(v float64) float64 { return t.m1*t.tpr(v)/(1-u) + t.m0*gu/(1-v) - x }
	if hi <= 0 || excess(0) >= 0 {
		return 0
	}
	hi = math.Min(hi, 1-1e-16)
	if excess(hi) < 0 {
		return hi
	}
	if t.lines != nil {
		return t.solveLines(u, gu, x, hi)
	}
	lo := numeric.Log(hi) - 1
	for excess(math.Exp(lo)) >= 0 {
		lo -= 2
		if lo < -700 {
			return 0
		}
	}
	w, _ := tails.LastBelow(func(w float64) float64 { return excess(math.Exp(w)) }, 0, lo, numeric.Log(hi), 1e-9)
	return math.Exp(w)
}

// solveLines solves the same equation in closed form. On G(v) = c + d v, times (1-v), with
// A = m1/(1-u), it is A d v² - (A(d-c)+x) v + (x - A c - m0 gu) = 0; the smaller root is
// taken in the form without cancellation, 2C/(B + √(B²-4AdC)).
func (t twoTail) solveLines(u, gu, x, hi float64) float64 {
	a := t.m1 / (1 - u)
	line := t.lines[tails.FirstTrue(len(t.lines)-1, func(i int) bool {
		l := t.lines[i]
		return l.end >= hi || a*(l.at+l.slope*l.end)+t.m0*gu/(1-l.end) >= x
	})]
	b := a*(line.slope-line.at) + x
	c := x - a*line.at - t.m0*gu
	if c <= 0 {
		return 0
	}
	v := 2 * c / (b + math.Sqrt(math.Max(0, b*b-4*a*line.slope*c)))
	return math.Min(hi, v*(1-1e-12))
}

// RankTwoTailP returns the p-value of a claim by the test of [RankTwoTail], or of more than 1,000
// games an upper bound on it. With an error it is 1.
func RankTwoTailP(scores Scores, claim Curve, k int) (float64, error) {
	if err := ValidateClaim(claim); err != nil {
		return 1, err
	}
	s, err := rankInput(scores, k, Config{})
	if err != nil {
		return 1, err
	}
	return twoTailP(claim, len(s.member), len(s.nonMember), k, s.top(k).hits+s.bottom(k).hits), nil
}

// DeltaLower returns the lower bound on δ at a given ε, from the two-tail rank test with rank
// k fixed before the scores were seen: with the confidence of cfg the mechanism is
// (ε, δ)-DP for no smaller δ. Over several ε it is the audited privacy profile; each point
// holds by itself, all together with Bonferroni's correction.
func DeltaLower(scores Scores, epsilon float64, k int, cfg Config) (float64, error) {
	s, err := rankInput(scores, k, cfg)
	if err != nil {
		return 0, err
	}
	if err := (EpsilonDelta{Epsilon: epsilon}).Validate(); err != nil {
		return 0, err
	}
	n1, n0 := len(s.member), len(s.nonMember)
	sum := s.top(k).hits + s.bottom(k).hits
	deltas := family{func(delta float64) Curve { return EpsilonDelta{epsilon, delta} }, 1 - 1e-9}
	return deltas.twoTailBound(n1, n0, k, sum, cfg.Significance()), nil
}
