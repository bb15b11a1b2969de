package ding2023

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/selection/threshold"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
)

// UtilityConfig describes what a budget for the search buys, against the number of parts.
type UtilityConfig struct {
	Epsilons    []float64 // budgets of the search alone, > 0; the second panel has one curve each
	Parts       []int     // k
	Delta       float64   // δ in (0, 1)
	Granularity float64   // g in (0, 1)
	Candidates  int       // |S| >= 1, with uniform scores
	MaxTests    int       // T_max >= 1
	Repeats     int       // >= 2
	Seed        string
}

// Validate returns every fault, joined.
func (c UtilityConfig) Validate() error {
	f := check.In("ding2023: UtilityConfig.")
	f.Each("Epsilons", c.Epsilons, check.Positive)
	f.Each("Parts", figures.Floats(c.Parts), check.Positive)
	f.Number("Delta", c.Delta, check.OpenUnit)
	f.Number("Granularity", c.Granularity, check.OpenUnit)
	f.Count("Candidates", c.Candidates, 1)
	f.Count("MaxTests", c.MaxTests, 1)
	f.Count("Repeats", c.Repeats, 2)
	return f.Err()
}

// UtilityResult has the mean fidelity (score of the winner over the best) of searches that
// keep their winner at the cap: Fidelity[i][j][l] for refresh i, budget j and parts l. It has
// the same of the exponential mechanism on the same scores, at the same ε.
type UtilityResult struct {
	Config         UtilityConfig
	Fidelity       [][][]float64
	StdErr         [][][]float64
	Exponential    [][]float64 // for budget j and parts l
	ExponentialErr [][]float64
}

// Utility calibrates each search to its budget and counts.
func Utility(cfg UtilityConfig) (UtilityResult, error) {
	if err := cfg.Validate(); err != nil {
		return UtilityResult{}, err
	}
	r := UtilityResult{Config: cfg}
	for _, refresh := range refreshes {
		var means, errs [][]float64
		for _, epsilon := range cfg.Epsilons {
			var meanRow, errRow []float64
			unit, err := threshold.Calibrate(accounting.Target{Epsilon: epsilon, Delta: cfg.Delta}, 1, cfg.MaxTests, refresh, threshold.Laplace)
			if err != nil {
				return UtilityResult{}, err
			}
			for _, parts := range cfg.Parts {
				m, e := searchFidelity(capped(unit, parts, cfg.Granularity), cfg.Candidates, cfg.Repeats, streams.Fixed(cfg.Seed).Child(refresh.String()))
				meanRow, errRow = append(meanRow, m), append(errRow, e)
			}
			means, errs = append(means, meanRow), append(errs, errRow)
		}
		r.Fidelity, r.StdErr = append(r.Fidelity, means), append(r.StdErr, errs)
	}
	for _, epsilon := range cfg.Epsilons {
		var row, errRow []float64
		for _, parts := range cfg.Parts {
			mean, stdErr := exponentialFidelity(epsilon, parts, cfg.Candidates, cfg.Repeats, streams.Fixed(cfg.Seed).Child("exponential"))
			row, errRow = append(row, mean), append(errRow, stdErr)
		}
		r.Exponential, r.ExponentialErr = append(r.Exponential, row), append(r.ExponentialErr, errRow)
	}
	return r, nil
}

// capped returns the search of an event calibrated for sensitivity 1, at sensitivity 1/parts.
func capped(unit threshold.Search, parts int, granularity float64) Search {
	return Search{Granularity: granularity, ThresholdNoise: unit.ThresholdNoise / float64(parts), ScoreNoise: unit.ScoreNoise / float64(parts),
		Refresh: unit.Refresh, MaxTests: unit.MaxTests}
}

// searchFidelity returns the mean fidelity and its standard error. A search without a winner
// takes the first candidate.
func searchFidelity(search Search, candidates, repeats int, root streams.Root) (mean, stdErr float64) {
	values := make([]float64, repeats)
	for i := range values {
		rng := root.Rand(fmt.Sprintf("run %d", i))
		scores := uniformScores(candidates, rng)
		values[i] = scores[max(0, search.Run(scores, rng).Winner())] / slices.Max(scores)
	}
	mean, dev := stat.MeanStdDev(values, nil)
	return mean, dev / math.Sqrt(float64(repeats))
}

// exponentialFidelity returns the mean fidelity of the exponential mechanism on mean scores
// over k parts, and its standard error: the largest score plus a Gumbel draw of scale
// 2/(kε). It is (ε, 0)-private whatever the number of candidates (McSherry and Talwar 2007;
// Dwork and Roth 2014, Theorem 3.10).
func exponentialFidelity(epsilon float64, parts, candidates, repeats int, root streams.Root) (mean, stdErr float64) {
	scale := 2 / (float64(parts) * epsilon)
	values := make([]float64, repeats)
	for i := range values {
		rng := root.Rand(fmt.Sprintf("run %d", i))
		scores := uniformScores(candidates, rng)
		winner, best := 0, math.Inf(-1)
		for j, score := range scores {
			uniform := (float64(rng.Uint64()>>12) + 0.5) * 0x1p-52
			if noisy := score - scale*math.Log(-math.Log(uniform)); noisy > best {
				winner, best = j, noisy
			}
		}
		values[i] = scores[winner] / slices.Max(scores)
	}
	mean, dev := stat.MeanStdDev(values, nil)
	return mean, dev / math.Sqrt(float64(repeats))
}

// Findings compares the exponential mechanism with the threshold searches, at the same ε and
// at the least ε against larger ones.
func (r UtilityResult) Findings() []string {
	above, below, points := 0, 0, 0
	for j := range r.Config.Epsilons {
		a, b := r.against(j, j)
		above, below, points = above+a, below+b, points+len(r.Config.Parts)*len(refreshes)
	}
	out := []string{fmt.Sprintf("At the same ε the exponential mechanism finds better candidates than a threshold search in %d of %d cases (ε, k, kind of noise), worse ones in %d, by more than two standard errors.", above, points, below)}
	least := 0
	for j, epsilon := range r.Config.Epsilons {
		if epsilon < r.Config.Epsilons[least] {
			least = j
		}
	}
	for j, epsilon := range r.Config.Epsilons {
		if epsilon > r.Config.Epsilons[least] {
			a, b := r.against(least, j)
			out = append(out, fmt.Sprintf("With ε = %g it is above threshold searches with ε = %g in %d of %d cases, below in %d.", r.Config.Epsilons[least], epsilon, a, len(r.Config.Parts)*len(refreshes), b))
		}
	}
	return out
}

// against counts where the exponential mechanism at budget own is above and below the
// threshold searches at budget other, by more than two standard errors.
func (r UtilityResult) against(own, other int) (above, below int) {
	for i := range refreshes {
		for l := range r.Config.Parts {
			difference := r.Exponential[own][l] - r.Fidelity[i][other][l]
			switch allowed := 2 * math.Hypot(r.ExponentialErr[own][l], r.StdErr[i][other][l]); {
			case difference > allowed:
				above++
			case -difference > allowed:
				below++
			}
		}
	}
	return above, below
}

// Panels draws the middle budget for each refresh, and each budget for a threshold noise
// that is drawn once.
func (r UtilityResult) Panels() chart.Panels {
	parts := make(chart.Series, len(r.Config.Parts))
	for i, k := range r.Config.Parts {
		parts[i] = float64(k)
	}
	at := len(r.Config.Epsilons) / 2
	panel := func(name, title string) chart.Chart {
		return chart.Chart{Name: "ding2023-utility-" + name, Title: title, XLabel: "parts k of the training data", YLabel: "mean fidelity", XLog: true, YMin: 0.5, YMax: 1.01}
	}
	a, b := panel("refresh", fmt.Sprintf("ε = %g for the search", r.Config.Epsilons[at])), panel("budget", "threshold noise drawn once")
	for i, refresh := range refreshes {
		a.Curves = append(a.Curves, banded(chart.Curve{Label: noiseLabel(refresh), X: parts, Y: r.Fidelity[i][at], Color: 4 + i}, r.StdErr[i][at]))
	}
	a.Curves = append(a.Curves, banded(chart.Curve{Label: "exponential mechanism, same ε", X: parts, Y: r.Exponential[at], Color: 8}, r.ExponentialErr[at]))
	for j, epsilon := range r.Config.Epsilons {
		once := len(refreshes) - 1
		b.Curves = append(b.Curves, banded(chart.Curve{Label: fmt.Sprintf("drawn once, ε = %g", epsilon), X: parts, Y: r.Fidelity[once][j], Color: []int{1, 2, 3, 7}[j%4]}, r.StdErr[once][j]))
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
