package exact

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/audit"
)

// The law of θ_2 with the ridge at h, by the trapezoid rule over θ_1, against 20,000 games. By the inequality of Dvoretzky, Kiefer, Wolfowitz and
// Massart a distribution function is off by more than 0.0197 with chance 4e-7.
func TestGamesHaveTheRidge(t *testing.T) {
	const n = 20_000
	rng := rand.New(rand.NewPCG(6, 54))
	for _, p := range []Process{{NoiseMultiplier: 1, BatchSize: 2}, {NoiseMultiplier: 2, BatchSize: 1, Drift: Toward}} {
		for _, h := range []float64{-0.7, 0.5, 2} {
			scores := must[audit.Scores](t)(p.Games(h, 2, n, rng))
			for canary, world := range map[float64][]float64{0: scores.NonMember, 1: scores.Member} {
				cdf := func(y float64) (sum float64) {
					const step = 0.01
					for z := -8.0; z < 8; z += step {
						x := canary + p.NoiseMultiplier*z
						drift := p.push()
						if x < h {
							drift = -drift
						}
						sum += step * distuv.UnitNormal.Prob(z) * distuv.UnitNormal.CDF((y-x-drift)/p.later())
					}
					return sum
				}
				slices.Sort(world)
				for i := 500; i < n; i += 1000 {
					if got, want := float64(i)/n, cdf(world[i]); math.Abs(got-want) > 0.0197 {
						t.Errorf("%+v, ridge %g, canary %g: share %.4f below %.3f, want %.4f", p, h, canary, got, world[i], want)
					}
				}
			}
		}
	}
	// At Threshold the games are those of Simulate.
	p := Process{NoiseMultiplier: 3, BatchSize: 4, AverageFirst: true}
	scores := must[audit.Scores](t)(p.Games(p.Threshold(), 5, 1, rand.New(rand.NewPCG(1, 1))))
	path := must[[]float64](t)(p.Simulate(5, true, rand.New(rand.NewPCG(1, 1))))
	if scores.Member[0] != path[4] {
		t.Errorf("a game ends at %g, Simulate at %g", scores.Member[0], path[4])
	}
}

// The places have the type I errors 1/4, 1/2 and 3/4. The search takes the one of the largest bound.
func TestBestRidge(t *testing.T) {
	p := Process{NoiseMultiplier: 2, BatchSize: 4}
	places := p.Ridges(3)
	for i, h := range places {
		if alpha := distuv.UnitNormal.CDF(-h / 2); math.Abs(alpha-float64(i+1)/4) > 1e-12 {
			t.Errorf("place %d, %g: type I error %g", i, h, alpha)
		}
	}
	bounds := []float64{0.3, 0.8, 0.5}
	asked := 0
	bound := func(s audit.Scores) (float64, error) {
		asked++
		return bounds[asked-1], s.Validate()
	}
	if best, epsilon, err := p.BestRidge(places, 2, 10, bound, rand.New(rand.NewPCG(1, 2))); best != 1 || epsilon != 0.8 || err != nil {
		t.Errorf("best place %d with bound %g, %v: want place 1 with 0.8", best, epsilon, err)
	}
	// At the confidence of all places together the bound is below what the first step leaks: it fails with chance at most 1e-6.
	confident := audit.Config{Delta: 1e-5, Confidence: 1 - 1e-6/3}
	split := func(s audit.Scores) (float64, error) {
		b, err := audit.ClopperPearsonSplit(s, 1, confident, rand.New(rand.NewPCG(5, 6)))
		return b.Epsilon, err
	}
	_, epsilon, err := p.BestRidge(places, 2, 4000, split, rand.New(rand.NewPCG(3, 4)))
	if top := must[accounting.Interval](t)(gdp.EpsilonAt(0.5, 1e-5)); err != nil || epsilon > top.Upper || epsilon < 0.1 {
		t.Errorf("bound %g, %v: want one above 0.1 and at most %v of the first step", epsilon, err, top)
	}
	fails := func(audit.Scores) (float64, error) { return 1, errors.New("no bound") }
	rng := rand.New(rand.NewPCG(1, 2))
	for text, run := range map[string]func() (int, float64, error){
		"places is empty": func() (int, float64, error) { return p.BestRidge(nil, 2, 10, fails, rng) },
		"places[1] +Inf":  func() (int, float64, error) { return p.BestRidge([]float64{0, math.Inf(1)}, 2, 10, fails, rng) },
		"bound is nil":    func() (int, float64, error) { return p.BestRidge(places, 2, 10, nil, rng) },
		"games 0":         func() (int, float64, error) { return p.BestRidge(places, 2, 0, fails, rng) },
		"rng is nil":      func() (int, float64, error) { return p.BestRidge(places, 2, 10, fails, nil) },
		"steps 0":         func() (int, float64, error) { return p.BestRidge(places, 0, 10, fails, rng) },
		"no bound":        func() (int, float64, error) { return p.BestRidge(places, 2, 10, fails, rng) },
		"exact: bound NaN": func() (int, float64, error) {
			return p.BestRidge(places, 2, 10, func(audit.Scores) (float64, error) { return math.NaN(), nil }, rng)
		},
		"Process.BatchSize 0": func() (int, float64, error) { return Process{NoiseMultiplier: 1}.BestRidge(places, 2, 10, fails, rng) },
	} {
		if best, epsilon, err := run(); err == nil || !strings.Contains(err.Error(), text) || best != -1 || epsilon != 0 {
			t.Errorf("%d, %g, %v: want an error with %q", best, epsilon, err, text)
		}
	}
}
