package ding2023

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/threshold"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Table1Config describes one setting in which the methods of Table 1 are measured: a
// training that is a Gaussian release, and candidates with uniform scores.
type Table1Config struct {
	Epsilon     float64 // of one training at Delta, > 0
	Delta       float64 // δ in (0, 1)
	Candidates  int     // |S| >= 1
	MeanRepeats float64 // E[K] of RandTune, > 1

	Parts       int     // k of the threshold search
	Overhead    float64 // ε of the threshold search without the training, > 0
	MaxTests    int     // T_max
	Granularity float64 // g

	Repeats int // >= 2
	Seed    string
}

// Validate returns every fault, joined.
func (c Table1Config) Validate() error {
	f := check.In("ding2023: Table1Config.")
	f.Number("Epsilon", c.Epsilon, check.Positive)
	f.Number("Delta", c.Delta, check.OpenUnit)
	f.Count("Candidates", c.Candidates, 1)
	f.Number("MeanRepeats", c.MeanRepeats, check.Above(1))
	f.Count("Parts", c.Parts, 1)
	f.Number("Overhead", c.Overhead, check.Positive)
	f.Count("MaxTests", c.MaxTests, 1)
	f.Number("Granularity", c.Granularity, check.OpenUnit)
	f.Count("Repeats", c.Repeats, 2)
	return f.Err()
}

// Table1Result has one row for each method.
type Table1Result struct {
	Config  Table1Config
	Methods []MeasuredMethod
}

// MeasuredMethod is one method with what it costs and finds here.
type MeasuredMethod struct {
	Name     string
	Paper    papers.TuningMethod // its row of Table 1, or empty
	Runs     string              // trainings
	Epsilon  float64             // of everything, at Delta; +Inf without a bound
	Pure     float64             // ε over that of one training if runs are pure; RandTune only, else 0
	Fidelity figures.Estimate    // score of the choice over the best
}

// Table1 prices and runs every method.
func Table1(cfg Table1Config) (Table1Result, error) {
	if err := cfg.Validate(); err != nil {
		return Table1Result{}, err
	}
	sigma, err := auto.CalibrateNoiseMultiplier(func(s float64) accounting.Event {
		return accounting.Gaussian{NoiseMultiplier: s}
	}, accounting.Target{Epsilon: cfg.Epsilon, Delta: cfg.Delta}, gdp.NewAccountant())
	if err != nil {
		return Table1Result{}, err
	}
	m := measurer{cfg, accounting.Gaussian{NoiseMultiplier: sigma}, papers.Ding2023.Methods}
	r := Table1Result{Config: cfg}
	for _, measure := range []func() ([]MeasuredMethod, error){m.naive, m.randTune, m.algorithm1, m.thresholds, m.exponential} {
		rows, err := measure()
		if err != nil {
			return Table1Result{}, err
		}
		r.Methods = append(r.Methods, rows...)
	}
	return r, nil
}

type measurer struct {
	Table1Config
	training accounting.Event
	paper    []papers.TuningMethod
}

// naive publishes a run of every candidate. Scores are taken to be part of the run.
func (m measurer) naive() ([]MeasuredMethod, error) {
	all, err := gdp.NewAccountant().EpsilonAt(accounting.SelfComposed{Event: m.training, Count: m.Candidates}, m.Delta)
	return []MeasuredMethod{{Name: "all candidates, composed", Paper: m.paper[0], Runs: fmt.Sprintf("%d private", m.Candidates), Epsilon: all.Epsilon.Upper, Fidelity: figures.Estimate{Mean: 1, N: 1}}}, err
}

// randTune draws the number of runs.
func (m measurer) randTune() ([]MeasuredMethod, error) {
	var out []MeasuredMethod
	for _, eta := range []float64{0, 1} {
		law, err := law.TNBFromMean(eta, m.MeanRepeats)
		if err != nil {
			return nil, err
		}
		price, err := selection.EventAt(selection.BestOf{Law: law, Base: m.training}, m.Delta)
		if err != nil {
			return nil, err
		}
		row := MeasuredMethod{Name: fmt.Sprintf("RandTune, %s law", map[float64]string{0: "logarithmic", 1: "geometric"}[eta]), Paper: m.paper[1],
			Runs: fmt.Sprintf("%g private on average", m.MeanRepeats), Epsilon: price.Guarantee.Epsilon.Upper}
		pure, err := selection.PureDP(law, m.Epsilon)
		if err != nil {
			return nil, err
		}
		row.Pure = pure / m.Epsilon
		if row.Fidelity, err = m.randomRuns(law); err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}

func (m measurer) randomRuns(l law.Law) (figures.Estimate, error) {
	values := make([]float64, m.Repeats)
	for i := range values {
		rng := streams.Fixed(m.Seed).Rand(fmt.Sprintf("%v, run %d", l, i))
		scores := uniformScores(m.Candidates, rng)
		k, err := l.Distribution().Rand(rng)
		if err != nil {
			return figures.Estimate{}, err
		}
		best := 0.0
		for range k {
			best = math.Max(best, scores[rng.IntN(len(scores))])
		}
		values[i] = best / slices.Max(scores)
	}
	return figures.EstimateOf(values), nil
}

// algorithm1 is the search as printed, with the noise that the capped one is calibrated to.
func (m measurer) algorithm1() ([]MeasuredMethod, error) {
	unit, err := threshold.Calibrate(accounting.Target{Epsilon: m.Overhead, Delta: m.Delta}, 1, m.MaxTests, threshold.EachTest, threshold.Laplace)
	if err != nil {
		return nil, err
	}
	search := capped(unit, m.Parts, m.Granularity)
	search.MaxTests = 0
	row := MeasuredMethod{Name: "Algorithm 1 as printed", Paper: m.paper[2], Runs: m.thresholdRuns(), Epsilon: math.Inf(1)}
	row.Fidelity = searchFidelity(search, m.Candidates, m.Repeats, streams.Fixed(m.Seed).Child("algorithm 1"))
	return []MeasuredMethod{row}, nil
}

func (m measurer) thresholdRuns() string {
	return fmt.Sprintf("%d x %d on 1/%d of the data, and 1 private", m.Candidates, m.Parts, m.Parts)
}

// thresholds are searches with a cap, at the same price of the search.
func (m measurer) thresholds() ([]MeasuredMethod, error) {
	var out []MeasuredMethod
	for _, refresh := range []threshold.Refresh{threshold.EachTest, threshold.Once} {
		unit, err := threshold.Calibrate(accounting.Target{Epsilon: m.Overhead, Delta: m.Delta}, 1, m.MaxTests, refresh, threshold.Laplace)
		if err != nil {
			return nil, err
		}
		price, err := threshold.PriceAt(unit, m.training, m.Delta)
		if err != nil {
			return nil, err
		}
		row := MeasuredMethod{Name: fmt.Sprintf("at most %d tests, %s", m.MaxTests, noiseLabel(refresh)), Runs: m.thresholdRuns(), Epsilon: price.Guarantee.Epsilon.Upper}
		row.Fidelity = searchFidelity(capped(unit, m.Parts, m.Granularity), m.Candidates, m.Repeats, streams.Fixed(m.Seed).Child(refresh.String()))
		out = append(out, row)
	}
	return out, nil
}

// exponential chooses once among the same scores, by the exponential mechanism.
func (m measurer) exponential() ([]MeasuredMethod, error) {
	all, err := auto.NewAccountant().EpsilonAt(accounting.Composed{Events: []accounting.Event{accounting.ExponentialMechanism{Epsilon: m.Overhead}, m.training}}, m.Delta)
	if err != nil {
		return nil, err
	}
	row := MeasuredMethod{Name: "exponential mechanism on the same scores", Paper: papers.TuningMethod{Name: "none", GridSearch: "yes", Adaptive: "no", PrivateTraining: "no", Budget: "not in the paper"},
		Runs: m.thresholdRuns(), Epsilon: all.Epsilon.Upper}
	row.Fidelity = exponentialFidelity(m.Overhead, m.Parts, m.Candidates, m.Repeats, streams.Fixed(m.Seed).Child("exponential"))
	return []MeasuredMethod{row}, nil
}

// Table has the paper's columns and the measured ones.
func (r Table1Result) Table() figures.Table {
	t := figures.Table{Name: "ding2023-table1", Title: "Table 1: methods, with what they cost and find",
		Columns: []string{"method", "grid search", "adaptive", "private training each", "budget in the paper", "trainings here", fmt.Sprintf("ε here, δ = %s", chart.Scientific(r.Config.Delta)), "fidelity here"},
		Notes: []string{fmt.Sprintf("Here: one training is a Gaussian release with ε = %g; %d candidates with uniform scores; k = %d parts, g = %g; the search may cost ε = %g, and the winner at the cap is kept. Fidelity: score of the choice over the best, %d repeats.",
			r.Config.Epsilon, r.Config.Candidates, r.Config.Parts, r.Config.Granularity, r.Config.Overhead, r.Config.Repeats),
			"“Algorithm 1 as printed” has no cap; its noise is that of the capped search with noise that is new for each test.",
			"A score of “all candidates, composed” or of RandTune is part of its private run. A threshold search trains on 1/k of the data. Its best candidate need not be the best on all data."}}
	for _, m := range r.Methods {
		epsilon := accounting.FormatUpper(m.Epsilon)
		if math.IsInf(m.Epsilon, 1) {
			epsilon = "no bound"
		}
		p := m.Paper
		if p.Name == "" {
			p = papers.TuningMethod{GridSearch: "yes", Adaptive: "yes", PrivateTraining: "no", Budget: "not in the paper"}
		}
		t.Rows = append(t.Rows, []string{m.Name, p.GridSearch, p.Adaptive, p.PrivateTraining, p.Budget, m.Runs, epsilon, m.Fidelity.Text(3)})
	}
	return t
}

// Compare sets RandTune's price for pure runs, in units of one run's, next to 2 and 3.
func (r Table1Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: "ding2023-table1", Title: "Table 1: RandTune's budget over that of one run"}
	for i, m := range r.Methods[1:3] {
		c.Rows = append(c.Rows, figures.Against(papers.Ding2023.RandTuneFactors[i], m.Pure).Of(": pure runs, "+m.Name).
			WithNote("for every mean of K; the Gaussian run of the table, at δ > 0, costs %.4g times its ε", m.Epsilon/r.Config.Epsilon))
	}
	return c
}
