package advise

import (
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
)

// fashion is the tuning of Koskela and Kulkarni (2023), Section 5, on Fashion-MNIST.
func fashion() Question {
	return Question{Epsilon: 2, Delta: 1e-5, Examples: 60000, SamplingRate: 0.0213, Steps: 1878, Candidates: 10, MeanCost: 15}
}

// asked is the advice for that tuning; with -short for one whose trainings are one step on all data, which is quick to price.
var asked = sync.OnceValues(func() (Advice, error) {
	q := fashion()
	if testing.Short() {
		q.SamplingRate, q.Steps = 1, 1
	}
	return Ask(q, nil)
})

// Each way costs at most the target by package auto, and with a thousandth less noise more than it.
func TestNoiseIsTheLeast(t *testing.T) {
	a, err := asked()
	if err != nil {
		t.Fatal(err)
	}
	if want := 4 + 1 + 1 + 8 + 2; len(a.Ways) != want {
		t.Errorf("%d ways, want %d", len(a.Ways), want)
	}
	for i, w := range a.Ways {
		if testing.Short() && i%5 != 0 {
			continue
		}
		for _, c := range []struct {
			factor float64
			meets  bool
		}{{1, true}, {0.999, false}} {
			g, err := auto.NewAccountant().EpsilonAt(w.Event(c.factor*w.NoiseMultiplier), a.Question.Delta)
			if err != nil || (g.Epsilon.Upper <= a.Question.Epsilon) != c.meets {
				t.Errorf("%s: ε %g at %g σ, error %v", w.Name, g.Epsilon.Upper, c.factor, err)
			}
		}
		if w.Epsilon > a.Question.Epsilon || w.Published < w.Epsilon*(1-1e-9) || w.Theorem == "" {
			t.Errorf("%s: ε %g, published %g, by %q", w.Name, w.Epsilon, w.Published, w.Theorem)
		}
		if w.Share == 1 && w.NoiseMultiplier < a.OneRun.NoiseMultiplier*(1-tolerance) { // on the rest a record is in one of two runs
			t.Errorf("%s has less noise than one run", w.Name)
		}
	}
}

// With one step on all data a training is one Gaussian release, whose profile is a closed form:
//
//	δ(ε) = Φ(1/(2σ) - εσ) - e^ε Φ(-1/(2σ) - εσ)
//
// and two of a fixed number cost no more than one of √2 times the sensitivity, and here as much.
//
// Reference: Balle and Wang (ICML 2018), Theorem 8.
func TestGaussianByHand(t *testing.T) {
	q := Question{Epsilon: 1, Delta: 1e-5, Examples: 1000, SamplingRate: 1, Steps: 1, Candidates: 2, MeanCost: 2, Quantile: 0.6}
	a, err := Ask(q, nil)
	if err != nil {
		t.Fatal(err)
	}
	least := numeric.LeastTrue(1e-10, func(s float64) bool {
		return s > 0 && numeric.NormalCDF(1/(2*s)-q.Epsilon*s)-math.Exp(q.Epsilon)*numeric.NormalCDF(-1/(2*s)-q.Epsilon*s) <= q.Delta
	})
	for name, want := range map[string]float64{"one run, drawn": least, "best of K, fixed": math.Sqrt2 * least} {
		found := false
		for _, w := range a.Ways {
			if w.Name != name {
				continue
			}
			found = true
			if ratio := w.NoiseMultiplier / want; !(ratio >= 1-1e-9 && ratio <= 1+tolerance) || math.Abs(w.Noise*1000-w.NoiseMultiplier) > 1e-9*want {
				t.Errorf("%s: σ %.9g, noise %g, want σ %.9g", name, w.NoiseMultiplier, w.Noise, want)
			}
		}
		if !found {
			t.Errorf("%s is missing", name)
		}
	}
}

// Every law has the quantile that is asked for, by its definition, and as many runs as are said in 99 of 100 draws.
func TestLawsReachTheQuantile(t *testing.T) {
	const quantile = 0.9
	rng := rand.New(rand.NewPCG(1, 2))
	for _, f := range families {
		l, err := f.reaching(quantile, 1e4)
		if err != nil {
			t.Fatal(err)
		}
		k := l.Distribution()
		if got := k.ExpectedQuantile(); math.Abs(got-quantile) > 1e-6 {
			t.Errorf("%s: expected quantile %g", f.name, got)
		}
		// The definition: the largest of K uniform ranks, 0 for K = 0, in n draws. Ranks are in [0, 1]: by Hoeffding a mean is off by
		// more than √(ln(2/p)/(2n)) = 0.0085 with chance at most p = 1e-6 where n = 100,000.
		const n = 100_000
		mean, within := 0.0, 0.0
		most := atMost(k, likelyCost)
		for range n {
			runs, err := k.Rand(rng)
			if err != nil {
				t.Fatal(err)
			}
			if runs > 0 {
				mean += math.Pow(rng.Float64(), 1/float64(runs)) / n // the law of the largest of runs uniform draws
			}
			if float64(runs) <= most {
				within += 1. / n
			}
		}
		if math.Abs(mean-quantile) > 0.0085 {
			t.Errorf("%s: simulated quantile %g", f.name, mean)
		}
		if within < likelyCost-0.0085 {
			t.Errorf("%s: %g runs are enough in %g of draws", f.name, most, within)
		}
	}
}

// For η < 0 the expected quantile is below 1/(1-η): f(x) tends to 1 - (1-x)^-η as γ tends to 0, and the quantile is 1 - ∫f.
func TestNegativeEtaIsLeftOut(t *testing.T) {
	for _, eta := range []float64{-0.3, -0.5, -0.9} {
		if got, limit := (law.TNB{Eta: eta, Gamma: 1e-300}).Distribution().ExpectedQuantile(), 1/(1-eta); math.Abs(got-limit) > 1e-3 {
			t.Errorf("η = %g: expected quantile %g, the limit is %g", eta, got, limit)
		}
	}
}

// P[K <= k] of the geometric law is 1 - (1-γ)^k.
func TestAtMost(t *testing.T) {
	for _, gamma := range []float64{0.5, 0.1, 0.003} {
		want := math.Ceil(numeric.Log(0.01) / math.Log1p(-gamma))
		if got := atMost(law.TNB{Eta: 1, Gamma: gamma}.Distribution(), 0.99); got != want {
			t.Errorf("γ = %g: %g runs in 99 of 100, want %g", gamma, got, want)
		}
	}
	if got := atMost(law.Fixed{Count: 7}.Distribution(), 0.99); got != 7 {
		t.Errorf("7 runs: %g", got)
	}
}

// The stated loss of the exponential mechanism holds in the worst case: one best candidate, all others lower by just more. The chance
// that it loses is exact.
func TestScoreLoss(t *testing.T) {
	for _, candidates := range []int{2, 10, 1000} {
		q := fashion().given()
		q.Candidates = candidates
		w := q.exponential()
		others := float64(candidates-1) * math.Exp(-q.ScoreShare*q.Epsilon*float64(q.Parts)*w.ScoreLoss/2)
		if lost := others / (1 + others); lost > 1-likelyLoss || candidates == 1000 && lost < 0.9*(1-likelyLoss) {
			t.Errorf("%d candidates: a loss above %g has chance %g", candidates, w.ScoreLoss, lost)
		}
	}
}

func TestRecommended(t *testing.T) {
	a, err := asked()
	if err != nil {
		t.Fatal(err)
	}
	best, reason := a.Recommended()
	if !a.Affordable(best) || !a.Reaches(best) || !strings.Contains(reason, "least noise") {
		t.Errorf("%s: %s", best.Name, reason)
	}
	for _, w := range a.Ways {
		if a.Affordable(w) && a.Reaches(w) && (1.01*w.Noise < best.Noise || w.Noise < best.Noise && w.Cost99 < best.Cost99) {
			t.Errorf("%s has less noise than %s, or as little at less cost", w.Name, best.Name)
		}
	}
	// What cannot be reached is said: with at most 1.05 trainings no law has the quantile.
	poor := fashion()
	poor.SamplingRate, poor.Steps = 1, 1 // quick to price
	poor.MeanCost, poor.Quantile = 1.05, 0.99
	if a, err = Ask(poor, nil); err != nil {
		t.Fatal(err)
	}
	if best, reason := a.Recommended(); best.Quantile >= 0.99 || best.Cost > 1.05*(1+1e-6) || !strings.Contains(reason, "No way reaches") {
		t.Errorf("%s, quantile %g, cost %g: %s", best.Name, best.Quantile, best.Cost, reason)
	}
	if len(a.Warnings) != 0 {
		t.Errorf("warnings %v", a.Warnings)
	}
}

func TestBadQuestions(t *testing.T) {
	for field, change := range map[string]func(*Question){
		"Epsilon": func(q *Question) { q.Epsilon = 0 }, "Delta": func(q *Question) { q.Delta = 1 }, "Examples": func(q *Question) { q.Examples = 0 },
		"SamplingRate": func(q *Question) { q.SamplingRate = math.NaN() }, "Steps": func(q *Question) { q.Steps = 0 }, "Candidates": func(q *Question) { q.Candidates = 1 },
		"MeanCost": func(q *Question) { q.MeanCost = 1 }, "Quantile": func(q *Question) { q.Quantile = 0.5 }, "TuningRate": func(q *Question) { q.TuningRate = 1 },
		"Parts": func(q *Question) { q.Parts = 1 }, "ScoreShare": func(q *Question) { q.ScoreShare = math.NaN() }, "Seconds": func(q *Question) { q.Seconds = math.Inf(1) },
	} {
		q := fashion()
		change(&q)
		if _, err := Ask(q, nil); err == nil || !strings.Contains(err.Error(), "Question."+field) || !strings.Contains(err.Error(), "must be") {
			t.Errorf("%s: error %v", field, err)
		}
	}
	q := fashion()
	q.Delta = 0.1
	if list := q.warnings(); len(list) != 1 || !strings.Contains(list[0].Error(), "0.1") {
		t.Errorf("δ = 0.1: warnings %v", list)
	}
}
