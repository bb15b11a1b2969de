package simulated

import (
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/scorefile"
)

func gaussianScores(n int, mu float64) audit.Scores {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	var s audit.Scores
	for range n {
		s.Member = append(s.Member, rng.NormFloat64()+mu)
		s.NonMember = append(s.NonMember, rng.NormFloat64())
	}
	return s
}

// The statistics on an order agree with what is counted otherwise.
func TestStatistics(t *testing.T) {
	file, err := os.Open("../testdata/scores_n1000_mu1.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	scores, err := scorefile.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	ranked, err := scores.BreakTies(0)
	if err != nil {
		t.Fatal(err)
	}
	order := orderOf(ranked)
	for _, k := range []int{0, 2, 30} {
		top, bottom := ranked.NonMember[len(ranked.NonMember)-1-k], ranked.Member[k]
		hits := 0.0
		for _, x := range ranked.Member {
			if x > top {
				hits++
			}
		}
		for _, x := range ranked.NonMember {
			if x < bottom {
				hits++
			}
		}
		if got := TwoTail(k)(order); got != hits {
			t.Errorf("two-tail statistic, k = %d: %g, want %g by the scores", k, got, hits)
		}
	}
	if got := AUC(order); math.Abs(got-0.787377) > 1e-12 {
		t.Errorf("AUC %.12f, want 0.787377 (reference/audit.json)", got)
	}
	tied, err := audit.Scores{Member: []float64{1, 1, 1}, NonMember: []float64{1, 1, 1}}.BreakTies(0)
	if got := AUC(orderOf(tied)); got != 0 || err != nil {
		t.Errorf("AUC of equal scores = %g, %v, want 0: they count against the audit", got, err)
	}
	if got := AUC(nil); got != 0 {
		t.Errorf("AUC(nil) = %g, want 0", got)
	}
}

// The bound by simulation of the two-tail statistic is the closed bound, within the simulation's error. So is the p-value.
func TestAgainstTheClosedTest(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	scores, level := gaussianScores(200, 1), audit.Config{Delta: 1e-5, Confidence: 0.95}
	closed, err := audit.RankTwoTail(scores, 2, level)
	if err != nil {
		t.Fatal(err)
	}
	simulated, err := Bound(scores, "mine", TwoTail(2), 999, level, rng)
	if err != nil {
		t.Fatal(err)
	}
	// The 5 % point of 999 draws has a standard error of .007 in p, which is 14 % of it, or .04 in ε.
	if d := simulated.Epsilon - closed.Epsilon; math.Abs(d) > 0.2 {
		t.Errorf("simulated %v\nclosed %v", simulated, closed)
	}
	claim := audit.EpsilonDelta{Epsilon: closed.Epsilon, Delta: 1e-5}
	p, err := P(scores, claim, TwoTail(2), 9999, rng)
	if err != nil {
		t.Fatal(err)
	}
	// The closed p is 0.05 there. 5.6 standard errors (false-failure chance 2e-8) are 0.012.
	if math.Abs(p-0.05) > 0.013 {
		t.Errorf("p = %g of the claim at the closed bound, want about 0.05", p)
	}
}

func TestFaults(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	scores := gaussianScores(50, 1)
	for want, call := range map[string]func() (float64, error){
		"simulated: statistic is nil": func() (float64, error) { return P(scores, audit.GDP{Mu: 1}, nil, 10, rng) },
		"simulated: rng is nil":       func() (float64, error) { return P(scores, audit.GDP{Mu: 1}, AUC, 10, nil) },
		"simulated: repeats 0: must":  func() (float64, error) { return P(scores, audit.GDP{Mu: 1}, AUC, 0, rng) },
		"claim is nil":                func() (float64, error) { return P(scores, nil, AUC, 10, rng) },
		"GDP.Mu -1":                   func() (float64, error) { return P(scores, audit.GDP{Mu: -1}, AUC, 10, rng) },
		"Scores are empty":            func() (float64, error) { return P(audit.Scores{}, audit.GDP{Mu: 1}, AUC, 10, rng) },
		"statistic of the scores is NaN": func() (float64, error) {
			return P(scores, audit.GDP{Mu: 1}, func(Order) float64 { return math.NaN() }, 10, rng)
		},
		"Delta 2": func() (float64, error) {
			b, err := Bound(scores, "mine", AUC, 10, audit.Config{Delta: 2}, rng)
			return b.Epsilon, err
		},
	} {
		p, err := call()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
		if wanted := map[bool]float64{true: 0, false: 1}[want == "Delta 2"]; p != wanted {
			t.Errorf("%s: %g beside the error, want %g: a p-value of 1, a bound of 0", want, p, wanted)
		}
	}
}

// A p-value from 2,000 simulated audits of 1,000 + 1,000 games: at most 1 s.
func BenchmarkP(b *testing.B) {
	scores := gaussianScores(1000, 1)
	rng := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		if _, err := P(scores, audit.GDP{Mu: 1}, AUC, 2000, rng); err != nil {
			b.Fatal(err)
		}
	}
}
