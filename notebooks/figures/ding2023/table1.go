package ding2023

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/chart"
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
	Epsilon     float64 `rule:"> 0"`       // of one training at Delta, > 0
	Delta       float64 `rule:"in (0, 1)"` // δ in (0, 1)
	Candidates  int     `rule:">= 1"`      // |S| >= 1
	MeanRepeats float64 `rule:"> 1"`       // E[K] of RandTune, > 1

	Parts       int     `rule:">= 1"`      // k of the threshold search
	Overhead    float64 `rule:"> 0"`       // ε of the threshold search without the training, > 0
	MaxTests    int     `rule:">= 1"`      // T_max
	Granularity float64 `rule:"in (0, 1)"` // g

	Repeats int `rule:">= 2"` // >= 2
	Seed    string
}

// Validate returns every fault, joined.
func (c Table1Config) Validate() error { return figures.Faults(c).Err() }

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
	r, training := Table1Result{Config: cfg}, accounting.Gaussian{NoiseMultiplier: sigma}
	err = errors.Join(r.naive(training), r.randTune(training), r.thresholds(training), r.exponential(training))
	return r, err
}

// naive publishes a run of every candidate. Scores are taken to be part of the run.
func (r *Table1Result) naive(training accounting.Event) error {
	c := r.Config
	all, err := gdp.NewAccountant().EpsilonAt(accounting.SelfComposed{Event: training, Count: c.Candidates}, c.Delta)
	r.Methods = append(r.Methods, MeasuredMethod{Name: "all candidates, composed", Paper: papers.Ding2023.Methods[0], Runs: fmt.Sprintf("%d private", c.Candidates),
		Epsilon: all.Epsilon.Upper, Fidelity: figures.Estimate{Mean: 1, N: 1}})
	return err
}

// randTune draws the number of runs.
func (r *Table1Result) randTune(training accounting.Event) error {
	c := r.Config
	for eta, name := range []string{"logarithmic", "geometric"} {
		law, err := law.TNBFromMean(float64(eta), c.MeanRepeats)
		if err != nil {
			return err
		}
		price, errPrice := selection.EventAt(selection.BestOf{Law: law, Base: training}, c.Delta)
		pure, errPure := selection.PureDP(law, c.Epsilon)
		fidelity, errRuns := c.randomRuns(law)
		if err := errors.Join(errPrice, errPure, errRuns); err != nil {
			return err
		}
		r.Methods = append(r.Methods, MeasuredMethod{Name: fmt.Sprintf("RandTune, %s law", name), Paper: papers.Ding2023.Methods[1],
			Runs: fmt.Sprintf("%g private on average", c.MeanRepeats), Epsilon: price.Guarantee.Epsilon.Upper, Pure: pure / c.Epsilon, Fidelity: fidelity})
	}
	return nil
}

func (c Table1Config) randomRuns(l law.Law) (fidelity figures.Estimate, err error) {
	values := overRuns(c.Repeats, c.Candidates, streams.Fixed(c.Seed), fmt.Sprintf("%v, ", l), func(scores []float64, rng *rand.Rand) float64 {
		k, e := l.Distribution().Rand(rng)
		err = errors.Join(err, e)
		best := 0.0
		for range k {
			best = math.Max(best, scores[rng.IntN(len(scores))])
		}
		return best / slices.Max(scores)
	})
	return figures.EstimateOf(values), err
}

func (c Table1Config) thresholdRuns() string {
	return fmt.Sprintf("%d x %d on 1/%d of the data, and 1 private", c.Candidates, c.Parts, c.Parts)
}

// thresholds are searches with a cap, at the same price of the search. Before them is the search as
// printed, with the noise that the first is calibrated to.
func (r *Table1Result) thresholds(training accounting.Event) error {
	c := r.Config
	for _, refresh := range []threshold.Refresh{threshold.EachTest, threshold.Once} {
		unit, err := threshold.Calibrate(accounting.Target{Epsilon: c.Overhead, Delta: c.Delta}, 1, c.MaxTests, refresh, threshold.Laplace)
		if err != nil {
			return err
		}
		price, err := threshold.PriceAt(unit, training, c.Delta)
		if err != nil {
			return err
		}
		add := func(m MeasuredMethod, search Search, root string) {
			m.Runs, m.Fidelity = c.thresholdRuns(), searchFidelity(search, c.Candidates, c.Repeats, streams.Fixed(c.Seed).Child(root))
			r.Methods = append(r.Methods, m)
		}
		search := capped(unit, c.Parts, c.Granularity)
		if printed := search; refresh == threshold.EachTest {
			printed.MaxTests = 0
			add(MeasuredMethod{Name: "Algorithm 1 as printed", Paper: papers.Ding2023.Methods[2], Epsilon: math.Inf(1)}, printed, "algorithm 1")
		}
		add(MeasuredMethod{Name: fmt.Sprintf("at most %d tests, %s", c.MaxTests, noiseLabel(refresh)), Epsilon: price.Guarantee.Epsilon.Upper}, search, refresh.String())
	}
	return nil
}

// exponential chooses once among the same scores, by the exponential mechanism.
func (r *Table1Result) exponential(training accounting.Event) error {
	c := r.Config
	all, err := auto.NewAccountant().EpsilonAt(accounting.Composed{Events: []accounting.Event{accounting.ExponentialMechanism{Epsilon: c.Overhead}, training}}, c.Delta)
	r.Methods = append(r.Methods, MeasuredMethod{Name: "exponential mechanism on the same scores",
		Paper: papers.TuningMethod{Name: "none", GridSearch: "yes", Adaptive: "no", PrivateTraining: "no", Budget: "not in the paper"},
		Runs:  c.thresholdRuns(), Epsilon: all.Epsilon.Upper, Fidelity: exponentialFidelity(c.Overhead, c.Parts, c.Candidates, c.Repeats, streams.Fixed(c.Seed).Child("exponential"))})
	return err
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
