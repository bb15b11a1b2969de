package audits

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/selection/law"
)

var paperLaw = law.TNB{Eta: 0, Gamma: 0.01}

// apartAt returns the distance that weighted runs and games of one law exceed with chance 1e-6.
func apartAt(k law.Distribution, runs, games int) float64 {
	return releasedByChance(k, runs, games, 1e-6)
}

func TestRankWeights(t *testing.T) {
	k := paperLaw.Distribution()
	scores := []float64{3, 1, 2, 2}
	want := []float64{1 - k.PGF(0.75), k.PGF(0.25), (k.PGF(0.75) - k.PGF(0.25)) / 2, (k.PGF(0.75) - k.PGF(0.25)) / 2}
	twice := releasedWeights(k, []float64{3, 1, 2}, []float64{1, 1, 2}) // a run drawn twice is two runs of one score
	for i, w := range releasedWeights(k, scores, nil) {
		if math.Abs(w-want[i]) > 1e-15 {
			t.Errorf("run %d has weight %g, want %g", i, w, want[i])
		}
	}
	if math.Abs(twice[2]-2*want[2]) > 1e-15 || math.Abs(twice[0]-want[0]) > 1e-15 {
		t.Errorf("weights %g of runs drawn 1, 1 and 2 times", twice)
	}
	if got := releasedWeights(k, scores, []float64{0, 1, 0, 0}); got[1] != 1 || got[0] != 0 {
		t.Errorf("weights %g with one run left", got)
	}
}

// The distribution function of the best of K draws from a bank is E[f(B/R)] with B binomial. It is
// above f by at most what the proof states.
func TestRankWeightsAreUnbiasedUpToOneOverR(t *testing.T) {
	k := paperLaw.Distribution()
	for runs, most := range map[int]float64{230: 1.2e-2, 4600: 5.9e-4} {
		worst := 0.0
		for p := 0.002; p < 0.2; p *= 1.1 { // 1-u: the largest excess is near γ
			mean, left := 0.0, distuv.Binomial{N: float64(runs), P: p}
			for missing := range min(runs, int(float64(runs)*p+12*math.Sqrt(float64(runs)*p)+30)) + 1 {
				mean += left.Prob(float64(missing)) * k.PGF(1-float64(missing)/float64(runs))
			}
			excess := mean - k.PGF(1-p)
			if excess < -1e-9 {
				t.Errorf("R = %d, 1-u = %g: excess %g, want >= 0", runs, p, excess)
			}
			worst = math.Max(worst, excess)
		}
		if !(worst <= most && worst > 0.9*most) {
			t.Errorf("R = %d: excess %.3g, stated %g", runs, worst, most)
		}
	}
}

// E[f'(U)²] is 4.62 by its formula, the ranks and the derivative.
func TestEquivalentGames(t *testing.T) {
	k := paperLaw.Distribution()
	const gamma, runs = 0.01, 1_000_000
	formula := (1 - gamma) * (1 - gamma) / (gamma * math.Log(gamma) * math.Log(gamma))
	integral := 0.0
	for i := range runs {
		integral += math.Exp(2*k.LogPGFDerivative((float64(i)+0.5)/runs)) / runs
	}
	if ranks := runs / equivalentGames(k, runs); math.Abs(formula-4.62) > 0.005 || math.Abs(integral/formula-1) > 1e-3 || math.Abs(ranks/formula-1) > 1e-3 {
		t.Errorf("E[f'(U)²] is %.4f, by the derivative %.4f, by ranks %.4f", formula, integral, ranks)
	}
	if n := equivalentGames(law.Fixed{Count: 1}.Distribution(), 300); math.Abs(n-300) > 1e-9 {
		t.Errorf("300 runs without selection have the power of %g games", n)
	}
}

// The variance of a weighted share over banks is what equivalentGames states, for a proxy that does
// not depend on the score and for one that is the score. 4,000 banks: a ratio has the standard error
// √(2/4000) = 0.022, allowed is 5 times that, a chance of 6e-7.
func TestPowerOfABank(t *testing.T) {
	k := paperLaw.Distribution()
	const runs, banks = 1000, 4000
	rng := rand.New(rand.NewPCG(1, 2))
	scores := make([]float64, runs)
	for i := range scores { // ranks are all that counts
		scores[i] = float64(i)
	}
	weights := releasedWeights(k, scores, nil)
	var free, low, high []float64
	for range banks {
		share, below, belowHigh := 0.0, 0, 0
		for _, w := range weights {
			if rng.Float64() < 0.3 {
				share += w
			}
			if u := rng.Float64(); u < 0.5 {
				below++
			} else if u > 0.9 {
				belowHigh--
			}
		}
		free = append(free, share)
		low, high = append(low, k.PGF(float64(below)/runs)), append(high, k.PGF(float64(runs+belowHigh)/runs))
	}
	derivative := func(u float64) float64 { return math.Exp(k.LogPGFDerivative(u)) }
	for _, c := range []struct {
		name     string
		got      []float64
		variance float64
	}{
		{"free", free, 0.3 * 0.7 / equivalentGames(k, runs)},
		{"score at 0.5", low, math.Pow(derivative(0.5), 2) * 0.25 / runs},
		{"score at 0.9", high, math.Pow(derivative(0.9), 2) * 0.09 / runs},
	} {
		if ratio := stat.Variance(c.got, nil) / c.variance; math.Abs(ratio-1) > 0.11 {
			t.Errorf("%s: variance is %.3f of what is stated", c.name, ratio)
		}
	}
	if ratio := math.Pow(derivative(0.5), 2) * 0.25 / (k.PGF(0.5) * (1 - k.PGF(0.5))); math.Abs(ratio-0.36) > 0.005 {
		t.Errorf("ratio %.3f at t = 0.5, stated 0.36", ratio)
	}
}

// Weighted single runs and the released runs of searches, with a proxy that depends on the score in
// part, have one law, also if scores are tied and the first of equals is released. Unweighted runs
// have another.
func TestRankWeightsAreTheLawOfSearches(t *testing.T) {
	k := paperLaw.Distribution()
	const runs, games = 20_000, 5_000
	for name, score := range map[string]func(x float64) float64{
		"continuous": func(x float64) float64 { return x }, "tied": math.Round, "falling": func(x float64) float64 { return -x },
	} {
		rng := rand.New(rand.NewPCG(3, 4))
		one := func() (g, a float64) {
			x, y := rng.NormFloat64(), rng.NormFloat64()
			return score(x), x + y
		}
		var scores, proxies, released []float64
		for range runs {
			g, a := one()
			scores, proxies = append(scores, g), append(proxies, a)
		}
		for range games {
			count, err := k.Rand(rng)
			if err != nil {
				t.Fatal(err)
			}
			best, kept := math.Inf(-1), 0.0
			for range count {
				if g, a := one(); g > best {
					best, kept = g, a
				}
			}
			released = append(released, kept)
		}
		limit := apartAt(k, runs, games)
		if d := releasedDistance(k, scores, proxies, released); d > limit {
			t.Errorf("%s: distance %.4f, at most %.4f", name, d, limit)
		}
		if d := releasedDistance(law.Fixed{Count: 1}.Distribution(), scores, proxies, released); d < 2*limit {
			t.Errorf("%s: unweighted runs are at the distance %.4f, want more than %.4f", name, d, 2*limit)
		}
	}
}

// The stored games of small networks are real searches: each row has a chance of 1e-6 to fail.
func TestBankLaw(t *testing.T) {
	games := loadedTuning(t)
	r, err := BankLaw(games)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 2*len(games.Audits) {
		t.Errorf("%d rows", len(r.Rows))
	}
	for _, row := range r.Rows {
		t.Logf("%+v", row)
		limit := apartAt(games.Config.Law.Distribution(), row.Runs, row.Games)
		if !(row.Weighted <= limit && row.Unweighted > 2*limit && row.ByChance < limit) {
			t.Errorf("%+v: allowed %.4f", row, limit)
		}
	}
	valid(t, r.Table())
	one := games
	one.Config.Trials = 1
	if _, err := BankLaw(one); err == nil || !strings.Contains(err.Error(), "more than one trial") {
		t.Errorf("one trial: error %v", err)
	}
}

// The largest variance of a weighted share is a quarter of E[f'(U)²], also where the proxy is the
// score.
func TestLargestVarianceOfWeightedShares(t *testing.T) {
	k := paperLaw.Distribution()
	most, at := 0.0, 0.0
	for p := 1e-4; p < 1; p *= 1.0005 {
		if v := math.Exp(2*k.LogPGFDerivative(1-p)) * p * (1 - p); v > most {
			most, at = v, 1-p
		}
	}
	if want := 1e5 / equivalentGames(k, 100_000) / 4; math.Abs(most/want-1) > 1e-3 || math.Abs(at-1/1.01) > 1e-4 {
		t.Errorf("largest variance %.4f at %.5f: want %.4f at 1/(1+γ)", most, at, want)
	}
}

// Where the proxy is the score, few runs decide a rate near 0 if it is of the runs above a threshold,
// and a rate near 1 if it is of those below. With one run a game every rate counts all.
func TestGamesOfRates(t *testing.T) {
	k, one := paperLaw.Distribution(), law.Fixed{Count: 1}.Distribution()
	for p, want := range map[float64]int{0: 213, 1e-9: 213, 0.1: 383, 0.5: 995, 0.999: 215, 1: 213} {
		if got := gamesOfRate(k, 4600, equivalentGames(k, 4600), p); math.Abs(float64(got-want)) > 1 {
			t.Errorf("rate %g of 4,600 runs counts %d games, want %d", p, got, want)
		}
		if got := gamesOfRate(one, 4600, equivalentGames(one, 4600), p); got != 4600 {
			t.Errorf("rate %g without selection counts %d games", p, got)
		}
	}
}

// The upper bounds on both error rates miss with no more than their nominal chance, where the proxy
// is the score: false positives are above a threshold, false negatives below it.
func TestBoundsOnRatesCover(t *testing.T) {
	const runs, banks, nominal = 4600, 20000, 0.025
	k, rng := paperLaw.Distribution(), rand.New(rand.NewPCG(11, 12))
	p := newPaperAudit(k, runs, 1e-5)
	for _, rate := range []float64{0.02, 0.1, 0.5, 0.8, 0.9, 0.95, 0.98} {
		quantile := func(of float64) float64 { // of single runs, at which the share of released runs is that
			low, high := 0.0, 1.0
			for range 60 {
				if m := (low + high) / 2; k.PGF(m) < of {
					low = m
				} else {
					high = m
				}
			}
			return low
		}
		below := distuv.Binomial{N: runs, P: quantile(rate), Src: rng}
		above := distuv.Binomial{N: runs, P: quantile(1 - rate), Src: rng}
		var missed [2]float64
		for range banks {
			for i, seen := range []float64{k.PGF(below.Rand() / runs), 1 - k.PGF(above.Rand()/runs)} {
				if distuv.UnitNormal.CDF(p.quantile[p.place(seen)]) < rate {
					missed[i] += 1. / banks
				}
			}
		}
		if most := nominal + 3*math.Sqrt(nominal/banks); missed[0] > most || missed[1] > most {
			t.Errorf("rate %g: the bound is below it in a share %.4f if false negative, %.4f if false positive: want at most %.4f", rate, missed[0], missed[1], most)
		}
	}
}

func TestSmallBanksAreRefused(t *testing.T) {
	k := paperLaw.Distribution()
	if err := bigEnough(k, 215); err != nil {
		t.Error(err)
	}
	if err := bigEnough(k, 214); err == nil || !strings.Contains(err.Error(), "at least 215") {
		t.Errorf("error %v: want the runs that would do", err)
	}
	weights := releasedWeights(k, make([]float64, 0), nil)
	if err := bigEnough(k, 0); err == nil || len(weights) != 0 {
		t.Errorf("an empty bank has weights %v, error %v", weights, err)
	}
	scores := make([]float64, 215)
	for i := range scores {
		scores[i] = float64(i)
	}
	if top := slices.Max(releasedWeights(k, scores, nil)); top > mostWeight {
		t.Errorf("a run has weight %g, at most %g", top, mostWeight)
	}
}
