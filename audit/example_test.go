package audit_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/audit"
)

// games draws the scores of n games with and n without the canary, N(µ,1) against N(0,1).
func games(n int, mu float64) audit.Scores {
	rng := rand.New(rand.NewPCG(1, 2))
	var s audit.Scores
	for range n {
		s.Member = append(s.Member, rng.NormFloat64()+mu)
		s.NonMember = append(s.NonMember, rng.NormFloat64())
	}
	return s
}

func ExampleBounds() {
	report, err := audit.Bounds(games(1000, 2), audit.Config{Delta: 1e-5, ExpectedMu: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Answer())
	for _, name := range []string{"rank-two-tail", "clopper-pearson-bonferroni", "gdp-auc"} {
		b, _ := report.Bound(name)
		fmt.Printf("%s: ε >= %s, ceiling %s, confidence %g, assumes %s\n",
			b.Name, audit.FormatLower(b.Epsilon), audit.FormatLower(b.Ceiling), b.Confidence, b.Assumption)
	}
	fmt.Println(report.Together())
	// Output:
	// ε >= 3.0081 at δ = 1e-5, confidence 0.95, nothing assumed but independent games
	// rank-two-tail: ε >= 3.0081, ceiling 6.5019, confidence 0.95, assumes none
	// clopper-pearson-bonferroni: ε >= 2.7993, ceiling 5.0045, confidence 0.95, assumes none
	// gdp-auc: ε >= 9.5695, ceiling 40.3130, confidence 0.95, assumes gdp
	// Each bound holds by itself. To report the largest of the 7 that have a confidence, ask for confidence 0.99286, which is 1 - 0.05/7.
}

// What a mechanism that leaks nothing shows: one bound that was chosen beforehand, which holds with
// its confidence.
func ExampleReport_Headline() {
	report, err := audit.Bounds(games(500, 0), audit.Config{Delta: 1e-5})
	if err != nil {
		fmt.Println(err)
		return
	}
	b, ok := report.Headline()
	fmt.Println(ok, b.Name, b.Epsilon, b.Confidence)
	fmt.Println(report.Answer())
	// Output:
	// true rank-two-tail 0 0.95
	// no leak shown: ε >= 0 at δ = 1e-5, confidence 0.95, nothing assumed but independent games
}

func ExampleClopperPearson() {
	// The threshold was fixed before the games: 930 of 1000 members missed, 5 of 1000 non-members
	// accused.
	counts := audit.Counts{Members: 1000, NonMembers: 1000, FalseNegatives: 930, FalsePositives: 5}
	b, err := audit.ClopperPearson(counts, audit.Config{Delta: 1e-5, Confidence: 0.95})
	fmt.Println(b, err)
	// Output:
	// clopper-pearson: ε >= 1.5530 at δ = 1e-5 (confidence 0.95, assumes nothing about the mechanism; independent games, ceiling 5.6005) <nil>
}

func ExampleTestClaim() {
	verdict, err := audit.TestClaim(games(200, 2), audit.GDP{Mu: 1}, audit.Config{})
	fmt.Println(verdict.Claim, "contradicted:", verdict.Contradicted, err)
	// Output:
	// 1-GDP contradicted: true <nil>
}

func ExampleGamesFor() {
	plan, err := audit.GamesFor("rank-two-tail", 2, 4, audit.Config{Delta: 1e-5})
	fmt.Println(plan.Games, "games of each,", plan.Choice, plan.Reached, err)
	// Output:
	// 940 games of each, rank k = 0 true <nil>
}

// The audited privacy profile: each point holds at the confidence by itself.
func ExampleDeltaLower() {
	scores := games(1000, 2)
	for _, epsilon := range []float64{0, 1, 2, 4} {
		delta, err := audit.DeltaLower(scores, epsilon, 2, audit.Config{})
		fmt.Printf("ε = %g: δ >= %s %v\n", epsilon, audit.FormatLower(delta), err)
	}
	// Output:
	// ε = 0: δ >= 0.1593 <nil>
	// ε = 1: δ >= 0.1531 <nil>
	// ε = 2: δ >= 0.1316 <nil>
	// ε = 4: δ >= 0.0000 <nil>
}

func ExampleTPRAtFPR() {
	rate, err := audit.TPRAtFPR(games(1000, 2), 0.01, audit.Config{})
	fmt.Printf("TPR in [%.3f, %.3f] at an FPR of %g %v\n", rate.TPR.Lower, rate.TPR.Upper, rate.FPR, err)
	// Output:
	// TPR in [0.152, 0.482] at an FPR of 0.01 <nil>
}

// A claim of two guarantees at once, as a paper may state them.
func ExampleNewProfile() {
	claim, err := audit.NewProfile("two guarantees", []audit.EpsilonDelta{{Epsilon: 0.5, Delta: 0.1}, {Epsilon: 2, Delta: 1e-5}})
	if err != nil {
		fmt.Println(err)
		return
	}
	verdict, err := audit.TestClaim(games(1000, 2), claim, audit.Config{})
	fmt.Println(verdict.Claim, "contradicted:", verdict.Contradicted, err)
	// Output:
	// two guarantees contradicted: true <nil>
}

// A search that releases the best of K runs, audited by single runs whose score is the one that
// selects.
func ExampleRankOfSearch() {
	runs, k := law.TNB{Eta: 0, Gamma: 0.01}, 900
	single := games(1000, 1)
	b, err := audit.RankOfSearch(single, runs, k, audit.Config{Delta: 1e-5})
	fmt.Println("the search: ε >=", audit.FormatLower(b.Epsilon), err)
	p, err := audit.RankOfSearchP(single, runs, audit.EpsilonDelta{Epsilon: 1, Delta: 1e-5}, k)
	fmt.Printf("ε = 1 for the search: p = %.2g %v\n", p, err)
	// Output:
	// the search: ε >= 1.7856 <nil>
	// ε = 1 for the search: p = 1.2e-06 <nil>
}

// Scores that are known to be normal, such as a noisy sum's product with a crafted gradient;
// µ is 2.
func ExampleNormalScores() {
	scores, cfg := games(1000, 2), audit.Config{Delta: 1e-5}
	normal, err := audit.NormalScores(scores, cfg)
	fmt.Printf("%s: µ >= %s %v\n", normal.Name, audit.FormatLower(normal.Mu), err)
	auc, err := audit.GDPAUC(scores, cfg, nil)
	fmt.Printf("%s: µ >= %s %v\n", auc.Name, audit.FormatLower(auc.Mu), err)
	// Output:
	// normal-scores: µ >= 1.9342 <nil>
	// gdp-auc: µ >= 1.9301 <nil>
}
