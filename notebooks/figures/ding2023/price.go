package ding2023

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/selection/threshold"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
)

// PriceConfig describes the price of the paper's noise against a public cap on the tests.
type PriceConfig struct {
	KEpsilon    float64 `rule:"> 0"`       // kε > 0
	Parts       int     `rule:">= 1"`      // k >= 1; one test costs ε = kε/k by the paper's proof
	Granularity float64 `rule:"in (0, 1)"` // g in (0, 1)
	Candidates  int     `rule:">= 1"`      // |S| >= 1, with uniform scores
	Delta       float64 `rule:"in (0, 1)"` // δ in (0, 1)
	Caps        []int   `rule:">= 1"`      // T_max, each >= 1
	Repeats     int     `rule:">= 2"`      // searches behind each share of caps reached, >= 2
	Seed        string
}

// Validate returns every fault, joined.
func (c PriceConfig) Validate() error { return figures.Faults(c).Err() }

var refreshes = []threshold.Refresh{threshold.EachTest, threshold.EachPositive, threshold.Once}

// PriceResult has one value for each cap, and one list for each refresh of the threshold's
// noise.
type PriceResult struct {
	Config  PriceConfig
	Claimed []float64   // ε c ln(1/g) of Theorem 3 for c = 1, 3, 5, which nobody has proved
	PerTest []float64   // T ε: the paper's proof for one test, times the cap
	RDP     []float64   // the same tests by Rényi divergences
	Grid    []float64   // and by privacy loss distributions
	Least   [][]float64 // the least bound, for each refresh
	Reached [][]float64 // share of searches that reach the cap, for each refresh
}

// multipliers are those of Figure 4.
var multipliers = []float64{1, 3, 5}

// HonestPrice prices the paper's tests with a cap, and Theorem 3 with a constant put in.
func HonestPrice(cfg PriceConfig) (PriceResult, error) {
	if err := cfg.Validate(); err != nil {
		return PriceResult{}, err
	}
	epsilon := cfg.KEpsilon / float64(cfg.Parts)
	r := PriceResult{Config: cfg, Least: make([][]float64, len(refreshes)), Reached: make([][]float64, len(refreshes))}
	for _, c := range multipliers {
		r.Claimed = append(r.Claimed, c*epsilon*math.Log(1/cfg.Granularity))
	}
	for _, tests := range cfg.Caps {
		for i, refresh := range refreshes {
			price, err := threshold.PriceAt(cfg.event(tests, refresh), nil, cfg.Delta)
			if err != nil {
				return PriceResult{}, err
			}
			r.Least[i] = append(r.Least[i], price.Guarantee.Epsilon.Upper)
			r.Reached[i] = append(r.Reached[i], cfg.reached(tests, refresh))
			if refresh == threshold.EachTest {
				r.PerTest = append(r.PerTest, named(price, "basic per test"))
				r.RDP = append(r.RDP, named(price, "RDP per test"))
				r.Grid = append(r.Grid, named(price, "PLD per test"))
			}
		}
	}
	return r, nil
}

// named returns the bound of a name, or NaN.
func named(price accounting.Price, name string) float64 {
	if b, ok := price.Find(name); ok {
		return b.Epsilon
	}
	return math.NaN()
}

func (c PriceConfig) event(tests int, refresh threshold.Refresh) threshold.Event {
	return threshold.Event{
		Sensitivity: 1 / float64(c.Parts), ThresholdNoise: 2 / c.KEpsilon, ScoreNoise: 4 / c.KEpsilon,
		MaxTests: tests, MaxPositives: threshold.DoublingPositives(tests), Refresh: refresh,
	}
}

func (c PriceConfig) reached(tests int, refresh threshold.Refresh) float64 {
	search := Algorithm1(c.KEpsilon, 0, c.Granularity)
	search.Refresh, search.MaxTests = refresh, tests
	// The runs are the same for every cap.
	return stat.Mean(overRuns(c.Repeats, c.Candidates, streams.Fixed(c.Seed).Child(refresh.String()), "", func(scores []float64, rng *rand.Rand) float64 {
		if search.Run(scores, rng).AtCap {
			return 1
		}
		return 0
	}), nil)
}

// Figure draws prices and the share of caps reached.
func (r PriceResult) Figure() chart.Figure {
	caps := chart.Series(figures.Floats(r.Config.Caps))
	price := chart.Chart{Name: "ding2023-price-epsilon", Title: "price of the search", XLabel: "public cap on tests, T_max", YLabel: fmt.Sprintf("ε of the search at δ = %s", chart.Scientific(r.Config.Delta)), YMin: 0}
	for i, c := range r.Claimed {
		price.Curves = append(price.Curves, figures.Level(fmt.Sprintf("Theorem 3 if c = %g: no guarantee", multipliers[i]), caps, c))
	}
	price.Curves = append(price.Curves,
		chart.Curve{Label: "as in the paper, basic: T_max ε", X: caps, Y: r.PerTest, Color: 1},
		chart.Curve{Label: "as in the paper, RDP", X: caps, Y: r.RDP, Color: 2},
		chart.Curve{Label: "as in the paper, PLD", X: caps, Y: r.Grid, Color: 3})
	price.YMax = 1.05 * slices.Max(r.PerTest)
	reached := chart.Chart{Name: "ding2023-price-cap", Title: "searches stopped by the cap", XLabel: "public cap on tests, T_max", YLabel: "share", YMin: 0, YMax: 1.02}
	for i, refresh := range refreshes {
		price.Curves = append(price.Curves, chart.Curve{Label: noiseLabel(refresh), X: caps, Y: r.Least[i], Color: 4 + i})
		reached.Curves = append(reached.Curves, chart.Curve{Label: noiseLabel(refresh), X: caps, Y: r.Reached[i], Color: 4 + i})
	}
	return chart.Panels{Name: "ding2023-price", Title: "What the tests cost with a public cap", Columns: 2, Charts: []chart.Chart{price, reached},
		Notes: []string{fmt.Sprintf("kε = %g, k = %d parts, g = %g, u_0 = 0, %d candidates with uniform scores. The threshold's noise is new for each test (as in the paper), for each positive, or drawn once: on the left the lowest proved bound of each.",
			r.Config.KEpsilon, r.Config.Parts, r.Config.Granularity, r.Config.Candidates)}}
}

// noiseLabel is the legend entry of a refresh.
func noiseLabel(refresh threshold.Refresh) string {
	if refresh == threshold.Once {
		return "threshold noise drawn once"
	}
	return fmt.Sprintf("threshold noise new for %v", refresh)
}

// Table has the numbers.
func (r PriceResult) Table() figures.Table {
	t := figures.Table{Name: "ding2023-price-table", Title: fmt.Sprintf("ε of the search at δ = %s", chart.Scientific(r.Config.Delta)),
		Columns: []string{"T_max", "basic", "RDP", "PLD", "least, each test", "least, each positive", "least, once", "cap reached: each test", "once"},
		Notes: []string{fmt.Sprintf("Theorem 3 with c = 1, 3, 5 put in for its O, and u* = 1: %s, %s, %s. It is not a guarantee: O and δ' hide constants, and u* is private.",
			accounting.FormatUpper(r.Claimed[0]), accounting.FormatUpper(r.Claimed[1]), accounting.FormatUpper(r.Claimed[2]))}}
	for i, c := range r.Config.Caps {
		row := []string{fmt.Sprint(c)}
		for _, v := range []float64{r.PerTest[i], r.RDP[i], r.Grid[i], r.Least[0][i], r.Least[1][i], r.Least[2][i]} {
			row = append(row, accounting.FormatUpper(v))
		}
		t.Rows = append(t.Rows, append(row, fmt.Sprintf("%.0f %%", 100*r.Reached[0][i]), fmt.Sprintf("%.0f %%", 100*r.Reached[2][i])))
	}
	return t
}
