package xiang2024

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/notebooks/experiments"
)

var paperLaw = law.TNB{Eta: 0, Gamma: 0.01}

// apartAt returns the distance of Kolmogorov and Smirnov that games and weighted runs of one law
// exceed with chance 1e-6 at most, by the asymptotic law of two samples. For this law of K the
// distribution function of weighted runs varies most at the variance of the equivalent games, also
// where the proxy is the score: max f'(t)² t(1-t) = E[f'(U)²]/4.
func apartAt(k law.Distribution, runs, games int) float64 {
	return math.Sqrt(-math.Log(1e-6/2)/2) * math.Sqrt(1/float64(games)+1/equivalentGames(k, runs))
}

// distance returns that of a proxy between games and single runs weighted by the score.
func distance(k law.Distribution, scores, proxies, games []float64) float64 {
	r := newReleased(experiments.FloatsOf(proxies), experiments.FloatsOf(scores), 0)
	weights := releasedWeights(k, r.scores, nil)
	var values, ordered []float64
	for _, i := range r.order[0] {
		values, ordered = append(values, r.proxies[0][i]), append(ordered, weights[i])
	}
	games = slices.Sorted(slices.Values(games))
	return stat.KolmogorovSmirnov(values, ordered, games, nil)
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
		if d := distance(k, scores, proxies, released); d > limit {
			t.Errorf("%s: distance %.4f, at most %.4f", name, d, limit)
		}
		if d := distance(law.Fixed{Count: 1}.Distribution(), scores, proxies, released); d < 2*limit {
			t.Errorf("%s: unweighted runs are at the distance %.4f, want more than %.4f", name, d, 2*limit)
		}
	}
}

// The stored games of small networks are real searches. Along the Dirac gradient the proxy is the
// score, so the first runs of one trial, weighted, have the law of the runs that the other two
// trials release.
func TestRankWeightsAreTheLawOfStoredSearches(t *testing.T) {
	games := loadedTuning(t)
	size := games.Config.Games / games.Config.Trials
	if games.Config.Trials < 2 {
		t.Skip("one trial is stored")
	}
	k := games.Config.Law.Distribution()
	for _, a := range games.Audits {
		for name, world := range map[string]TuningScores{"without z": a.Normal.Without, "with z": a.Normal.Dirac} {
			single, searched := sum(world.BaseDirac[:size], nil, 0), sum(world.ByCoordinate.Dirac[size:], nil, 0)
			limit := apartAt(k, size, len(searched))
			if d := distance(k, single, single, searched); d > limit {
				t.Errorf("ε_B %g, %s: distance %.4f, at most %.4f", a.BaseEpsilon, name, d, limit)
			}
			if d := distance(law.Fixed{Count: 1}.Distribution(), single, single, searched); d < 2*limit {
				t.Errorf("ε_B %g, %s: unweighted runs are at the distance %.4f, want more than %.4f", a.BaseEpsilon, name, d, 2*limit)
			}
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
