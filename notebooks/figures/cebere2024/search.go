package cebere2024

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/notebooks/figures/cebere2024/internal/paperaudit"
)

// SearchConfig describes the threshold search of appendix F (Algorithm 6), T = 2. The places of the ridge are ours: the paper takes them from a linspace over α.
type SearchConfig struct {
	NoiseMultipliers []float64 // σ, increasing
	Drawn            []float64 // of these, those whose curves over h are drawn
	BatchSizes       []int     // B, increasing
	Thresholds       int       // h in [1/2 - 6σ, 1/2 + 6σ], odd so that h* = 1/2 is one of them, at least 3
	Delta            float64
	Confidence       float64 // of the audits
	Games            int     // of each audit, both worlds together
	Repeats          int     // audits with other games at each h
	Seed             uint64
}

// Validate returns every fault, joined.
func (c SearchConfig) Validate() error {
	f := check.In("cebere2024: SearchConfig.")
	f.Add(LandscapeConfig{
		NoiseMultipliers: c.NoiseMultipliers, BatchSizes: c.BatchSizes, Steps: []int{1, 2},
		Games: c.Games, Repeats: c.Repeats, Delta: c.Delta, Confidence: c.Confidence,
	}.Validate())
	f.That(c.Thresholds >= 3 && c.Thresholds%2 == 1 && c.Thresholds <= 10_000, "Thresholds", c.Thresholds, "must be an odd number in [3, 10000]")
	for _, sigma := range c.Drawn {
		f.That(slices.Contains(c.NoiseMultipliers, sigma), "Drawn", sigma, "must be one of NoiseMultipliers")
	}
	return f.Err()
}

// SearchResult has one curve for each σ and B.
type SearchResult struct {
	Config SearchConfig
	Curves []SearchCurve
}

// SearchCurve is what the landscape with its ridge at h leaves after two steps. ε and the total variation are
// numerical estimates, by a rule on a grid, not bounds.
type SearchCurve struct {
	NoiseMultiplier float64
	BatchSize       int
	Accountant      float64 // ε upper bound: the first step alone
	Threshold       []float64
	Epsilon         []float64   // at δ
	Variation       []float64   // total variation, over that of one step
	Audits          [][]float64 // at each h, the ε of Repeats audits as the paper does them
}

// Search computes ε and the total variation after two steps over the place of the ridge, and audits each as the paper does.
// progress, if not nil, is told how many of the curves are done.
func Search(cfg SearchConfig, progress func(done, total int)) (SearchResult, error) {
	r := SearchResult{Config: cfg}
	if err := cfg.Validate(); err != nil {
		return r, err
	}
	paper := paperaudit.New(cfg.Games/2, audit.Config{Delta: cfg.Delta, Confidence: cfg.Confidence})
	r.Curves = make([]SearchCurve, len(cfg.NoiseMultipliers)*len(cfg.BatchSizes))
	err := each(len(r.Curves), progress, func(i int) (err error) {
		sigma, b := cfg.NoiseMultipliers[i/len(cfg.BatchSizes)], cfg.BatchSizes[i%len(cfg.BatchSizes)]
		r.Curves[i], err = cfg.curve(sigma, b, paper)
		return err
	})
	return r, err
}

func (c SearchConfig) curve(sigma float64, batch int, paper paperaudit.Audit) (SearchCurve, error) {
	top, err := gdp.EpsilonAt(1/sigma, c.Delta)
	k := SearchCurve{NoiseMultiplier: sigma, BatchSize: batch, Accountant: top.Upper}
	if err != nil {
		return k, err
	}
	oneStep := math.Erf(1 / (2 * math.Sqrt2 * sigma))
	for i := range c.Thresholds {
		h := 0.5 + 12*sigma*(float64(i)/float64(c.Thresholds-1)-0.5)
		law := twoSteps(sigma, float64(batch), h)
		k.Threshold = append(k.Threshold, h)
		k.Epsilon = append(k.Epsilon, law.epsilon(c.Delta, top.Upper))
		k.Variation = append(k.Variation, law.delta(0)/oneStep)
		var audits []float64
		for repeat := range c.Repeats {
			rng := stream("cebere2024 search", c.Seed, []any{sigma, batch, h}, repeat)
			epsilon, err := paper.Epsilon(playTwoSteps(sigma, float64(batch), h, c.Games/2, rng))
			if err != nil {
				return k, err
			}
			audits = append(audits, epsilon)
		}
		k.Audits = append(k.Audits, audits)
	}
	return k, nil
}

// playTwoSteps returns θ_2 of games in each world, with the ridge at h.
func playTwoSteps(sigma, batch, h float64, games int, rng *rand.Rand) (s audit.Scores) {
	play := func(canary float64) float64 {
		x := canary + sigma*rng.NormFloat64()
		return x + math.Copysign(1, x-h) + sigma/batch*rng.NormFloat64()
	}
	for range games {
		s.Member = append(s.Member, play(1))
		s.NonMember = append(s.NonMember, play(0))
	}
	return s
}

// pair is the masses of the two worlds on a grid.
type pair [2][]float64

// twoSteps returns the laws of θ_2 with the ridge at h, for s = σ/B and τ² = σ² + s²:
//
//	p(y) = φ_τ(y-m-1) P[x > h | y] + φ_τ(y-m+1) P[x <= h | y]
//
// x = θ_1 ~ N(m, σ²), m = 0 or 1, is normal given y with mean m + (y-m∓1)σ²/τ² and standard
// deviation σs/τ.
func twoSteps(sigma, batch, h float64) (p pair) {
	s := sigma / batch
	tau := math.Hypot(sigma, s)
	step := math.Min(tau/100, s/20)
	phi := distuv.UnitNormal.CDF
	for y := -1 - 8*tau; y < 2+8*tau; y += step {
		for world, m := range [2]float64{0, 1} {
			sum := 0.0
			for _, side := range [2]float64{1, -1} {
				z := y - m - side
				mean := m + z*sigma*sigma/(tau*tau)
				sum += math.Exp(-z*z/(2*tau*tau)) * phi(side*(mean-h)*tau/(sigma*s))
			}
			p[world] = append(p[world], step*sum/(tau*math.Sqrt(2*math.Pi)))
		}
	}
	return p
}

// delta is the larger of both directions.
func (p pair) delta(epsilon float64) float64 {
	up, down, factor := 0.0, 0.0, math.Exp(epsilon)
	for i, without := range p[0] {
		with := p[1][i]
		up += math.Max(0, with-factor*without)
		down += math.Max(0, without-factor*with)
	}
	return math.Max(up, down)
}

func (p pair) epsilon(delta, top float64) float64 {
	low, high := 0.0, top*1.01
	for range 25 {
		if middle := (low + high) / 2; p.delta(middle) > delta {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
