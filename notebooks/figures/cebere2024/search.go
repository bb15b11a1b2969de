package cebere2024

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/exact"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/cebere2024/internal/paperaudit"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/papers"
)

// SearchConfig describes the threshold search of appendix F (Algorithm 6), T = 2. The places of the
// ridge are ours: the paper takes them from a linspace over α.
type SearchConfig struct {
	NoiseMultipliers []float64 `rule:"> 0"`           // σ, increasing
	Drawn            []float64 `rule:"any"`           // of these, those whose curves over h are drawn
	BatchSizes       []int     `rule:">= 1"`          // B, increasing
	Thresholds       int       `rule:"in [3, 10000]"` // h in [1/2 - 6σ, 1/2 + 6σ], odd and at least 3; h* = 1/2 is one of them
	Delta            float64   `rule:">= 1e-12; in (0, 1)"`
	Confidence       float64   `rule:"any"`             // of the audits
	Games            int       `rule:"in [4, 1000000]"` // of each audit, both worlds together
	Repeats          int       `rule:"in [1, 1000]"`    // audits with other games at each h
	Seed             uint64
}

// Validate returns every fault, joined.
func (c SearchConfig) Validate() error {
	f := figures.Faults(c)
	f.Add(LandscapeConfig{
		NoiseMultipliers: c.NoiseMultipliers, BatchSizes: c.BatchSizes, Steps: []int{1, 2},
		Games: c.Games, Repeats: c.Repeats, Delta: c.Delta, Confidence: c.Confidence,
	}.Validate())
	f.That(c.Thresholds%2 == 1, "Thresholds", c.Thresholds, "must be odd")
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

// SearchCurve is what the landscape with its ridge at h leaves after two steps. ε and the total
// variation are numerical estimates, by a rule on a grid, not bounds.
type SearchCurve struct {
	NoiseMultiplier float64
	BatchSize       int
	Accountant      float64 // ε upper bound: of the first step
	Threshold       []float64
	Epsilon         []float64   // at δ
	Variation       []float64   // total variation, over that of one step
	Audits          [][]float64 // at each h, the ε of Repeats audits as the paper does them
}

// Search computes ε and the total variation after two steps over the place of the ridge, and audits
// each as the paper does. progress reports how many curves are done; nil for none.
func Search(cfg SearchConfig, progress func(done, total int)) (SearchResult, error) {
	r := SearchResult{Config: cfg}
	if err := cfg.Validate(); err != nil {
		return r, err
	}
	paper := paperaudit.New(cfg.Games/2, audit.Config{Delta: cfg.Delta, Confidence: cfg.Confidence})
	count := &parallel.Count{Of: len(cfg.NoiseMultipliers) * len(cfg.BatchSizes), Report: progress}
	var err error
	r.Curves, err = parallel.Map(count.Of, func(i int) (SearchCurve, error) {
		defer count.Add()
		return cfg.curve(cfg.NoiseMultipliers[i/len(cfg.BatchSizes)], cfg.BatchSizes[i%len(cfg.BatchSizes)], paper)
	})
	return r, err
}

func (c SearchConfig) curve(sigma float64, batch int, paper paperaudit.Audit) (SearchCurve, error) {
	top, err := gdp.EpsilonAt(1/sigma, c.Delta)
	k := SearchCurve{NoiseMultiplier: sigma, BatchSize: batch, Accountant: top.Upper}
	if err != nil {
		return k, err
	}
	process := exact.Process{NoiseMultiplier: sigma, BatchSize: batch, Drift: exact.Away}
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
			_, epsilon, err := process.BestRidge([]float64{h}, 2, c.Games/2, paper.Epsilon, rng)
			if err != nil {
				return k, err
			}
			audits = append(audits, epsilon)
		}
		k.Audits = append(k.Audits, audits)
	}
	return k, nil
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

// center is the place of h* = 1/2 among the thresholds.
func (k SearchCurve) center() int { return len(k.Threshold) / 2 }

// best returns what the search of each repetition finds: the largest audit over all h (Algorithm
// 6).
func (k SearchCurve) best() (found []float64) {
	for repeat := range k.Audits[0] {
		var all []float64
		for _, a := range k.Audits {
			all = append(all, a[repeat])
		}
		found = append(found, slices.Max(all))
	}
	return found
}

// Figure draws the audits, ε and the total variation over h, for each σ of Drawn.
func (r SearchResult) Figure() chart.Figure {
	p := chart.Panels{
		Name: "cebere2024-search", Title: "Appendix F: where to put the ridge, two steps", Columns: 3,
		Notes: []string{
			r.auditNote("means, with least and largest of %d as bars at some h"),
			"h* = 1/2 is the paper's choice. ε and the total variation are numerical estimates.",
		},
	}
	for _, sigma := range r.Config.Drawn {
		p.Charts = append(p.Charts, r.charts(sigma)...)
	}
	return p
}

// charts draws one σ.
func (r SearchResult) charts(sigma float64) []chart.Chart {
	panel := func(name, title, y string) chart.Chart {
		return chart.Chart{Name: fmt.Sprintf("cebere2024-search-sigma%g-%s", sigma, name), Title: fmt.Sprintf("σ = %g, %s", sigma, title), XLabel: "threshold h", YLabel: y}
	}
	audits := panel("audit", "the paper's audit", "ε at δ = "+chart.Scientific(r.Config.Delta))
	epsilon := panel("epsilon", "ε", audits.YLabel)
	variation := panel("variation", "total variation", "relative to one step")
	var top float64
	var line chart.Curve
	for _, k := range r.Curves {
		if k.NoiseMultiplier != sigma {
			continue
		}
		curve := chart.Curve{Label: fmt.Sprintf("B = %d", k.BatchSize), X: k.Threshold, Y: k.Variation, Color: len(epsilon.Curves) + 1}
		variation.Curves = append(variation.Curves, curve)
		curve.Y = k.Epsilon
		epsilon.Curves = append(epsilon.Curves, curve)
		audits.Curves = append(audits.Curves, figures.MeansAndBars(curve, k.Audits, len(epsilon.Curves)-1, len(r.Config.BatchSizes))...)
		for _, drawn := range audits.Curves {
			top = slices.Max(slices.Concat(chart.Series{top, k.Accountant}, drawn.Y, drawn.High))
		}
		line = figures.Level("accountant", k.Threshold, k.Accountant)
	}
	audits.Curves, epsilon.Curves = append(audits.Curves, line), append(epsilon.Curves, line)
	audits.YMax, epsilon.YMax = 1.08*top, 1.08*top
	return []chart.Chart{audits, epsilon, variation}
}

// auditNote describes the audits. Drawn is how several of them are drawn.
func (r SearchResult) auditNote(drawn string) string {
	note := fmt.Sprintf("Audits as in the paper: %d games, best threshold on the same scores, nothing corrected, Gaussian trade-off curve assumed", r.Config.Games)
	if r.Config.Repeats > 1 {
		note += fmt.Sprintf("; "+drawn, r.Config.Repeats)
	}
	return note + "."
}

// Best draws what the paper's figure sets side by side: the accountant, the audit at h*, and the
// best of the search.
func (r SearchResult) Best() chart.Panels {
	p := chart.Panels{
		Name: "cebere2024-search-best", Title: "Appendix F: the ridge at h* and the best of the search, two steps", Columns: 3,
		Notes: []string{r.auditNote("mean and, as a bar, least and largest of %d"), fmt.Sprintf("The best of the search is the largest of %d noisy audits. Points of one σ are drawn side by side.", r.Config.Thresholds)},
	}
	for _, b := range r.Config.BatchSizes {
		line := chart.Curve{Label: "accountant", Kind: chart.Points, Color: 2} // a line would be elsewhere where the points are moved to
		star := chart.Curve{Label: "audit at h*", Kind: chart.Points, Color: 1, Dodge: -1}
		best := chart.Curve{Label: "best of the search", Kind: chart.Points, Color: 3, Dodge: 1}
		var atStar, found [][]float64
		for _, k := range r.Curves {
			if k.BatchSize == b {
				line.X, line.Y = append(line.X, k.NoiseMultiplier), append(line.Y, k.Accountant)
				atStar, found = append(atStar, k.Audits[k.center()]), append(found, k.best())
			}
		}
		star.X, best.X = line.X, line.X
		p.Charts = append(p.Charts, chart.Chart{
			Name: fmt.Sprintf("cebere2024-search-best-b%d", b), Title: fmt.Sprintf("B = %d", b),
			XLabel: "noise multiplier σ", YLabel: "ε at δ = " + chart.Scientific(r.Config.Delta), Curves: []chart.Curve{line, figures.Ranges(star, atStar), figures.Ranges(best, found)},
			XMin: 0, XMax: 1.1 * slices.Max(r.Config.NoiseMultipliers),
		})
	}
	return p
}

// near is how far from the largest ε a place may be to count as the best.
const near = 0.01

// Compare sets "the optimal threshold classifier" next to where the total variation and ε are
// largest.
func (r SearchResult) Compare() figures.Comparison {
	var variation, epsilon figures.Cases
	for _, k := range r.Curves {
		star := k.center()
		variation.AddIf(k.Variation[star] == floats.Max(k.Variation))
		epsilon.AddIf(k.Epsilon[star] >= (1-near)*floats.Max(k.Epsilon))
	}
	said := papers.Cebere2024.OptimalThreshold
	first, second := variation.Against(said).Of(": total variation"), epsilon.Against(said).Of(fmt.Sprintf(": ε at δ = %s, within 1 %%", chart.Scientific(r.Config.Delta)))
	return figures.Comparison{Name: "cebere2024-search", Title: "Appendix F: is h* = 1/2 the best place?", Rows: []figures.ComparisonRow{first, second}}
}

// Table lists the ridge at h*, and the search over all places.
func (r SearchResult) Table() figures.Table {
	t := figures.Table{Name: "cebere2024-search-places", Title: "Appendix F: the ridge at h*, and the places that a search finds, two steps",
		Columns: []string{"σ", "B", "ε at h*", "least over h", "largest", "accountant", "audit at h*", "best of the search", "its places audited again", "single audits above the ε of their place"},
		Notes:   []string{fmt.Sprintf("The best of the search is the largest of %d noisy audits. Audited again: with the games of the other seeds. Means over the seeds.", r.Config.Thresholds)}}
	for _, k := range r.Curves {
		var above figures.Cases
		for j, h := range k.Audits {
			for _, a := range h {
				above.AddIf(a > k.Epsilon[j])
			}
		}
		again := ""
		if r.Config.Repeats > 1 {
			again = fmt.Sprintf("%.3f", k.again())
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(k.NoiseMultiplier), fmt.Sprint(k.BatchSize), fmt.Sprintf("%.3f", k.Epsilon[k.center()]), fmt.Sprintf("%.3f", floats.Min(k.Epsilon)), fmt.Sprintf("%.3f", floats.Max(k.Epsilon)),
			fmt.Sprintf("%.3f", k.Accountant), fmt.Sprintf("%.3f", stat.Mean(k.Audits[k.center()], nil)), fmt.Sprintf("%.3f", stat.Mean(k.best(), nil)), again, fmt.Sprintf("%d of %d", above.Hold, above.Of())})
	}
	return t
}

// again returns the mean bound at the place that each repetition finds, measured with the games of
// the other repetitions.
func (k SearchCurve) again() float64 {
	sum, n := 0.0, len(k.Audits[0])
	for repeat := range n {
		best := 0
		for i := range k.Audits {
			if k.Audits[i][repeat] > k.Audits[best][repeat] {
				best = i
			}
		}
		sum += (floats.Sum(k.Audits[best]) - k.Audits[best][repeat]) / float64(n-1)
	}
	return sum / float64(n)
}
