package ding2023

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/selection/threshold"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// UtilityConfig describes what a budget for the search buys, against the number of parts.
type UtilityConfig struct {
	Epsilons    []float64 `rule:"> 0"`       // budgets of the search, > 0; the second panel has one curve each
	Parts       []int     `rule:">= 1"`      // k
	Delta       float64   `rule:"in (0, 1)"` // δ in (0, 1)
	Granularity float64   `rule:"in (0, 1)"` // g in (0, 1)
	Candidates  int       `rule:">= 1"`      // |S| >= 1, with uniform scores
	MaxTests    int       `rule:">= 1"`      // T_max >= 1
	Repeats     int       `rule:">= 2"`      // >= 2
	Seed        string
}

// Validate returns every fault, joined.
func (c UtilityConfig) Validate() error { return figures.Faults(c).Err() }

// UtilityResult has the mean fidelity (score of the winner over the best) of searches that
// keep their winner at the cap: Fidelity[i][j][l] for refresh i, budget j and parts l. It has
// the same of the exponential mechanism on the same scores, at the same ε.
type UtilityResult struct {
	Config      UtilityConfig
	Fidelity    [][][]figures.Estimate
	Exponential [][]figures.Estimate // for budget j and parts l
}

// Utility calibrates each search to its budget and counts.
func Utility(cfg UtilityConfig) (UtilityResult, error) {
	if err := cfg.Validate(); err != nil {
		return UtilityResult{}, err
	}
	r := UtilityResult{Config: cfg}
	for _, refresh := range refreshes {
		var means [][]figures.Estimate
		for _, epsilon := range cfg.Epsilons {
			unit, err := threshold.Calibrate(accounting.Target{Epsilon: epsilon, Delta: cfg.Delta}, 1, cfg.MaxTests, refresh, threshold.Laplace)
			if err != nil {
				return UtilityResult{}, err
			}
			means = append(means, figures.Map(cfg.Parts, func(parts int) figures.Estimate {
				return searchFidelity(capped(unit, parts, cfg.Granularity), cfg.Candidates, cfg.Repeats, streams.Fixed(cfg.Seed).Child(refresh.String()))
			}))
		}
		r.Fidelity = append(r.Fidelity, means)
	}
	for _, epsilon := range cfg.Epsilons {
		r.Exponential = append(r.Exponential, figures.Map(cfg.Parts, func(parts int) figures.Estimate {
			return exponentialFidelity(epsilon, parts, cfg.Candidates, cfg.Repeats, streams.Fixed(cfg.Seed).Child("exponential"))
		}))
	}
	return r, nil
}

// capped returns the search of an event calibrated for sensitivity 1, at sensitivity 1/parts.
func capped(unit threshold.Event, parts int, granularity float64) Search {
	return Search{Granularity: granularity, ThresholdNoise: unit.ThresholdNoise / float64(parts), ScoreNoise: unit.ScoreNoise / float64(parts),
		Refresh: unit.Refresh, MaxTests: unit.MaxTests}
}

// searchFidelity returns the fidelity. A search without a winner takes the first candidate.
func searchFidelity(search Search, candidates, repeats int, root streams.Root) figures.Estimate {
	return figures.EstimateOf(overRuns(repeats, candidates, root, "", func(scores []float64, rng *rand.Rand) float64 {
		return scores[max(0, search.Run(scores, rng).Winner())] / slices.Max(scores)
	}))
}

// exponentialFidelity returns the fidelity of the exponential mechanism on mean scores over k
// parts: the largest score plus a Gumbel draw of scale 2/(kε). It is (ε, 0)-private whatever the
// number of candidates (McSherry and Talwar 2007; Dwork and Roth 2014, Theorem 3.10).
func exponentialFidelity(epsilon float64, parts, candidates, repeats int, root streams.Root) figures.Estimate {
	scale := 2 / (float64(parts) * epsilon)
	return figures.EstimateOf(overRuns(repeats, candidates, root, "", func(scores []float64, rng *rand.Rand) float64 {
		winner, best := 0, math.Inf(-1)
		for j, score := range scores {
			uniform := (float64(rng.Uint64()>>12) + 0.5) * 0x1p-52
			if noisy := score - scale*math.Log(-math.Log(uniform)); noisy > best {
				winner, best = j, noisy
			}
		}
		return scores[winner] / slices.Max(scores)
	}))
}

// against compares the exponential mechanism at budget own with the threshold searches at budget
// other: whether it finds better candidates.
func (r UtilityResult) against(own, other int) (better figures.Cases) {
	for i := range refreshes {
		for l := range r.Config.Parts {
			better.Add(r.Exponential[own][l].Above(r.Fidelity[i][other][l]))
		}
	}
	return better
}

// Compare sets the claim of Lyu, Su and Li about both next to the cases of one ε.
func (r UtilityResult) Compare() figures.Comparison {
	var better figures.Cases
	for j := range r.Config.Epsilons {
		better = better.Plus(r.against(j, j))
	}
	row := better.Against(papers.ExponentialIsBetter).Of(fmt.Sprintf(", of %d (ε, k, kind of noise)", better.Of()))
	return figures.Comparison{Name: "ding2023-utility", Title: "The exponential mechanism and threshold tests at one ε", Rows: []figures.ComparisonRow{row}}
}

// Table counts where the exponential mechanism with the least ε finds better candidates than
// threshold tests with each.
func (r UtilityResult) Table() figures.Table {
	least := slices.Index(r.Config.Epsilons, slices.Min(r.Config.Epsilons))
	t := figures.Table{Name: "ding2023-utility-least", Title: fmt.Sprintf("The exponential mechanism with ε = %g against threshold tests with more", r.Config.Epsilons[least]),
		Columns: []string{"ε of the threshold tests", "it finds better candidates", "worse", "not resolved", "cases"},
		Notes:   []string{"Cases are (k, kind of noise). Resolved: by more than two standard errors."}}
	for j, epsilon := range r.Config.Epsilons {
		c := r.against(least, j)
		t.Rows = append(t.Rows, []string{fmt.Sprint(epsilon), fmt.Sprint(c.Hold), fmt.Sprint(c.Fail), fmt.Sprint(c.Open), fmt.Sprint(c.Of())})
	}
	return t
}

// Figure draws the middle budget for each refresh, and each budget for a threshold noise
// that is drawn once.
func (r UtilityResult) Figure() chart.Figure {
	parts := chart.Series(figures.Floats(r.Config.Parts))
	at := len(r.Config.Epsilons) / 2
	means := func(c chart.Curve, list []figures.Estimate) chart.Curve {
		return figures.Means(c, list, 2, figures.Estimate.StdErr)
	}
	panel := func(name, title string) chart.Chart {
		return chart.Chart{Name: "ding2023-utility-" + name, Title: title, XLabel: "parts k of the training data", YLabel: "mean fidelity", XLog: true, YMin: 0.5, YMax: 1.01}
	}
	a, b := panel("refresh", fmt.Sprintf("ε = %g for the search", r.Config.Epsilons[at])), panel("budget", "threshold noise drawn once")
	for i, refresh := range refreshes {
		a.Curves = append(a.Curves, means(chart.Curve{Label: noiseLabel(refresh), X: parts, Color: 4 + i}, r.Fidelity[i][at]))
	}
	a.Curves = append(a.Curves, means(chart.Curve{Label: "exponential mechanism, same ε", X: parts, Color: 8}, r.Exponential[at]))
	for j, epsilon := range r.Config.Epsilons {
		once := len(refreshes) - 1
		b.Curves = append(b.Curves, means(chart.Curve{Label: fmt.Sprintf("drawn once, ε = %g", epsilon), X: parts, Color: []int{1, 2, 3, 7}[j%4]}, r.Fidelity[once][j]))
	}
	// The axes hold every band.
	for _, c := range []*chart.Chart{&a, &b} {
		for _, curve := range c.Curves {
			c.YMin = math.Min(c.YMin, math.Floor(20*slices.Min(curve.Low))/20)
		}
	}
	return chart.Panels{Name: "ding2023-utility", Title: "What a budget for the search buys", Columns: 2, Charts: []chart.Chart{a, b},
		Notes: []string{fmt.Sprintf("T_max = %d, the winner at the cap is kept; δ = %s, g = %g, %d candidates with uniform scores, %d searches a point, band: two standard errors.",
			r.Config.MaxTests, chart.Scientific(r.Config.Delta), r.Config.Granularity, r.Config.Candidates, r.Config.Repeats)}}
}
