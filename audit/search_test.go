package audit

import (
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/monotone"
	"github.com/dplab/dplab/audit/internal/tails"
)

var searchLaws = []law.Law{law.TNB{Eta: 0, Gamma: 0.01}, law.TNB{Eta: 1, Gamma: 0.1}, law.Poisson{MeanRepeats: 5}, law.Fixed{Count: 10}, law.TwoPoint{Runs: 10, Single: 0.1}}

// The best of K runs is under the claim exactly where single runs are under the claim pulled
// back: with the law's chances, S(p) = Σ P[K = k] (1 - (1-p)^k), the image of Ĝ is G.
func TestSearchedCeiling(t *testing.T) {
	for _, runs := range searchLaws {
		d := runs.Distribution()
		for _, claim := range []Curve{EpsilonDelta{1, 1e-5}, EpsilonDelta{3, 0.01}, GDP{0.5}} {
			g := searched{claim, d}
			top := bestOf(d, 1)
			for _, v := range []float64{0, 1e-6, 1e-3, 0.01, 0.05, 0.2, 0.6, 0.95} {
				want := math.Min(top, claim.TPR(bestOf(d, v)))
				if got := bestOf(d, g.TPR(v)); math.Abs(got-want) > 1e-9 {
					t.Errorf("%v: the search has TPR %g at single FPR %g, want %g", g, got, v, want)
				}
				if x := g.TPR(v); want < 1-1e-6 { // beyond, S is flat
					if least := g.FPR(x); least > v+1e-9 || g.TPR(least+1e-9) < x-1e-9 {
						t.Errorf("%v: FPR(%g) is %g, want %g", g, x, least, v)
					}
				}
			}
		}
	}
}

// bestOf sums up the law.
func bestOf(d law.Distribution, p float64) (sum float64) {
	for k := range 5000 {
		sum += math.Exp(d.LogPMF(k)) * -math.Expm1(float64(k)*math.Log1p(-p))
	}
	return sum
}

// On single runs that reach the pulled back claim everywhere, a true claim is refuted in at most
// 5 % of audits. The limit is what a binomial exceeds with chance 1e-8; there are 20 cases.
// The test is tight: at least 1 % are.
func TestSearchCoverage(t *testing.T) {
	const n = 60
	audits := 10_000
	if testing.Short() {
		audits = 600
	}
	limit := sort.Search(audits, func(k int) bool { return tails.BinomialUpper(k+1, audits, 0.05) <= 1e-8 })
	for l, runs := range searchLaws {
		for c, claim := range []EpsilonDelta{{1, 1e-5}, {2, 0.01}} {
			for _, k := range []int{1, 8} {
				g := searched{claim, runs.Distribution()}
				p := make([]float64, n+1) // by hits
				for hits := range p {
					p[hits] = oneTailP(g, n, n, k, hits)
				}
				rng, alarms := rand.New(rand.NewPCG(uint64(l), uint64(10*c+k))), 0
				table := pullTable(g)
				for range audits {
					s := must(newSample(fill(rng, n, func() float64 { return -table(rng.Float64()) }, func() float64 { return -rng.Float64() })))
					if p[s.top(k).hits] <= 0.05 {
						alarms++
					}
				}
				if alarms > limit || alarms < audits/100 {
					t.Errorf("%v, k = %d: %d of %d audits refute what is true, want %d to %d", g, k, alarms, audits, audits/100, limit)
				}
			}
		}
	}
}

// pullTable returns Ĝ's inverse rounded up to one of 4,001 values: a member's rank is never better
// than the claim allows, and hardly worse.
func pullTable(g searched) func(u float64) float64 {
	const points = 4000
	at := make([]float64, points+1)
	for i := range at {
		at[i] = g.FPR(float64(i) / points)
	}
	return func(u float64) float64 { return at[int(u*points)+1] }
}

// Scores of two values, 1 in one single run of twenty or of two: the ROC of the search has one
// corner, which tells its ε. Ties broken at random refute that, as single runs have all
// the chord up to their corner, and its image lies above the corner's chord. Counted against the audit they do not.
func TestSearchTies(t *testing.T) {
	const audits, n, k = 60, 3000, 30
	runs := law.TNB{Eta: 0, Gamma: 0.1}
	d := runs.Distribution()
	fpr, tpr := d.SuccessProbability(0.05), d.SuccessProbability(0.5)
	claim := EpsilonDelta{math.Max(numeric.Log(tpr/fpr), numeric.Log((1-fpr)/(1-tpr))), 0}
	strict, random := 0, 0
	for i := range audits {
		rng := rand.New(rand.NewPCG(uint64(i), 3))
		scores := fill(rng, n, func() float64 { return math.Floor(rng.Float64() + 0.5) }, func() float64 { return math.Floor(rng.Float64() + 0.05) })
		if must(RankOfSearchP(scores, runs, claim, k)) <= 0.05 {
			strict++
		}
		if must(RankOfSearchP(must(scores.BreakTies(1)), runs, claim, k)) <= 0.05 {
			random++
		}
	}
	if strict > 14 { // P[Bin(60, 0.05) > 14] < 1e-7
		t.Errorf("%d of %d audits refute what is true", strict, audits)
	}
	if random <= 14 {
		t.Errorf("with ties at random %d of %d audits refute what is true: if so few do, ties may be broken", random, audits)
	}
	if b := must(RankOfSearch(Scores{[]float64{0, 1, 1, 1}, []float64{0, 0, 0, 1}}, runs, 0, Config{})); len(b.Warnings) == 0 {
		t.Errorf("%v: no warning of ties", b)
	}
}

// Single normal runs, 1,000 of each world, µ = 0.5: package monotone has the exact ε of the search. The bounds
// are below it in all but 5 % of audits (more than 9 of 20 with chance 1e-8), and not far.
func TestSearchOfNormalScores(t *testing.T) {
	const audits = 20
	runs, level := law.TNB{Eta: 0, Gamma: 0.01}, Config{Delta: 1e-5}
	truth := must(monotone.Gaussian{Law: runs, Mu: 0.5}.EpsilonAt(level.Delta))
	if e := thresholdEpsilon(runs.Distribution(), 0.5, level.Delta); e > truth.Upper || e < 0.9*truth.Lower {
		t.Errorf("thresholds show %g of %v", e, truth)
	}
	var ranks, normals float64
	above := 0
	for i := range audits {
		rng := rand.New(rand.NewPCG(uint64(i), 4))
		scores := fill(rng, 1000, func() float64 { return rng.NormFloat64() + 0.5 }, rng.NormFloat64)
		rank, normal := must(RankOfSearch(scores, runs, 900, level)), must(NormalOfSearch(scores, runs, level, nil))
		if rank.Epsilon > truth.Upper || normal.Epsilon > truth.Upper {
			above++
		}
		if rank.Epsilon > rank.Ceiling || normal.Epsilon > normal.Ceiling {
			t.Errorf("above its ceiling: %v, %v", rank, normal)
		}
		ranks, normals = ranks+rank.Epsilon/audits, normals+normal.Epsilon/audits
	}
	if above > 9 || ranks < 0.5 || normals < 1.4 {
		t.Errorf("%d of %d audits above %v; means %.2f by ranks, %.2f if normal", above, audits, truth, ranks, normals)
	}
	t.Logf("exact %v; %d above; means %.3f by ranks, %.3f if normal", truth, above, ranks, normals)
}

func TestSearchFaults(t *testing.T) {
	scores := Scores{Member: []float64{1, 2}, NonMember: []float64{0, 1}}
	for want, err := range map[string]error{
		"runs: law: law is nil":  fault(RankOfSearch(scores, nil, 0, level95)),
		"rank 2":                 fault(RankOfSearch(scores, law.Fixed{Count: 2}, 2, level95)),
		"Scores.Member is empty": fault(RankOfSearch(Scores{NonMember: []float64{1}}, law.Fixed{Count: 2}, 0, level95)),
		"claim is nil":           fault(RankOfSearchP(scores, law.Fixed{Count: 2}, nil, 0)),
		"rng is nil":             fault(NormalOfSearch(scores, law.Fixed{Count: 2}, level95, nil)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Too few games are refused as for any audit; where the best of many runs hides even perfect scores, the bound says how many games would show
// something, and as many do.
func TestSearchOfTooFewGames(t *testing.T) {
	apart := func(n int) (s Scores) {
		for i := range n {
			s.Member, s.NonMember = append(s.Member, float64(n+i)), append(s.NonMember, float64(i))
		}
		return s
	}
	runs := law.TNB{Eta: 0, Gamma: 0.01}
	for _, err := range []error{fault(RankOfSearch(apart(3), runs, 1, level95)), fault(NormalOfSearch(apart(3), runs, level95, rand.New(rand.NewPCG(1, 2))))} {
		if err == nil || !strings.Contains(err.Error(), ": must be at least 4 of each") {
			t.Errorf("3 and 3 games: error %v, want one that asks for 4", err)
		}
	}
	const n, k, times = 5, 3, 2
	few := must(RankOfSearch(apart(n), runs, k, level95))
	if few.Ceiling != 0 || len(few.Warnings) != 1 || !strings.Contains(few.Warnings[0].Error(), "2 times as many would, at 2 times the k") {
		t.Errorf("%v, warnings %v", few, few.Warnings)
	}
	if enough := must(RankOfSearch(apart(times*n), runs, times*k, level95)); enough.Ceiling == 0 || len(enough.Warnings) != 0 {
		t.Errorf("with as many: %v, warnings %v", enough, enough.Warnings)
	}
}

func fault[T any](_ T, err error) error { return err }
