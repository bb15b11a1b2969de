package cebere2024

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/notebooks/figures"
)

// SearchConfig describes the threshold search of appendix F (Algorithms 5 and 6), T = 2.
type SearchConfig struct {
	NoiseMultipliers []float64
	BatchSizes       []int
	Thresholds       int // h in [1/2 - 6σ, 1/2 + 6σ], at least 3
	Delta            float64
}

// Validate returns every fault, joined.
func (c SearchConfig) Validate() error {
	errs := []error{LandscapeConfig{
		NoiseMultipliers: c.NoiseMultipliers, BatchSizes: c.BatchSizes, Steps: []int{1, 2}, Games: 4, Repeats: 1, Delta: c.Delta,
	}.Validate()}
	if c.Thresholds < 3 || c.Thresholds > 10_000 {
		errs = append(errs, fmt.Errorf("cebere2024: SearchConfig.Thresholds %d: must be in [3, 10000]", c.Thresholds))
	}
	return errors.Join(errs...)
}

// SearchResult has one curve for each σ and B.
type SearchResult struct {
	Config SearchConfig
	Curves []SearchCurve
}

// SearchCurve is what the landscape with its ridge at h leaves after two steps. Both are
// numerical estimates, by a rule on a grid, not bounds.
type SearchCurve struct {
	NoiseMultiplier float64
	BatchSize       int
	Threshold       []float64
	Epsilon         []float64 // at δ, over the accountant's
	Variation       []float64 // total variation, over that of one step
}

// Search computes ε and the total variation after two steps over the place of the ridge.
func Search(cfg SearchConfig) (SearchResult, error) {
	r := SearchResult{Config: cfg}
	if err := cfg.Validate(); err != nil {
		return r, err
	}
	for _, sigma := range cfg.NoiseMultipliers {
		top, err := gdp.EpsilonAt(1/sigma, cfg.Delta)
		if err != nil {
			return r, err
		}
		oneStep := math.Erf(1 / (2 * math.Sqrt2 * sigma))
		for _, b := range cfg.BatchSizes {
			c := SearchCurve{NoiseMultiplier: sigma, BatchSize: b}
			for i := range cfg.Thresholds {
				h := 0.5 + 12*sigma*(float64(i)/float64(cfg.Thresholds-1)-0.5)
				pair := twoSteps(sigma, float64(b), h)
				c.Threshold = append(c.Threshold, h)
				c.Epsilon = append(c.Epsilon, pair.epsilon(cfg.Delta, top.Upper)/top.Upper)
				c.Variation = append(c.Variation, pair.delta(0)/oneStep)
			}
			r.Curves = append(r.Curves, c)
		}
	}
	return r, nil
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

// Panels draws ε and the total variation over h, for each σ.
func (r SearchResult) Panels() figures.Panels {
	p := figures.Panels{
		Name: "cebere2024-search", Title: "Appendix F: where to put the ridge, two steps", Columns: 2,
		Notes: []string{"Relative to one step. h* = 1/2 is the paper's choice. Numerical estimates."},
	}
	for _, sigma := range r.Config.NoiseMultipliers {
		variation := figures.Chart{
			Name: fmt.Sprintf("cebere2024-search-sigma%g-variation", sigma), Title: fmt.Sprintf("σ = %g, total variation", sigma),
			XLabel: "threshold h", YLabel: "relative to one step",
		}
		epsilon := variation
		epsilon.Name, epsilon.Title = fmt.Sprintf("cebere2024-search-sigma%g-epsilon", sigma), fmt.Sprintf("σ = %g, ε at δ = %g", sigma, r.Config.Delta)
		for _, c := range r.Curves {
			if c.NoiseMultiplier == sigma {
				curve := figures.Curve{Label: fmt.Sprintf("B = %d", c.BatchSize), X: c.Threshold, Y: c.Variation}
				variation.Curves = append(variation.Curves, curve)
				curve.Y = c.Epsilon
				epsilon.Curves = append(epsilon.Curves, curve)
			}
		}
		p.Charts = append(p.Charts, variation, epsilon)
	}
	return p
}
