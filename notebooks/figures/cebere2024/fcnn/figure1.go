package fcnn

import (
	"context"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/results"
)

// Options are what changes speed and place, and results by rounding only.
type Options struct {
	Performance dpsgd.Performance
	Data        string // folder as in data.Dir; "" is DPLAB_DATA
	Parts       string // folder that keeps each audit, so that a run that was stopped goes on; "" for none

	// Progress, if not nil, is told how many models of all audits are trained, and which audit is under way: before and after
	// each audit, and now and then while it trains.
	Progress func(done, total int, detail string)
}

// Result has the bounds of each learning rate, adversary and repetition over the steps.
type Result struct {
	Config     Config
	Backend    string
	Accountant []float64 // ε upper bound at each of Observe: as many Gaussian releases
	Rates      []Rate    // one for each learning rate
}

// Rate holds the audits at one learning rate.
type Rate struct {
	LearningRate float64
	Curves       []Curve // one for each adversary
}

// Curve holds the audits of one adversary.
type Curve struct {
	Adversary string
	Audits    []Audit // one for each repetition
}

// Audit holds lower bounds on ε at each of Observe.
type Audit struct {
	Paper        []float64 // as in the paper: best threshold on the same scores, Gaussian trade-off assumed, uncorrected
	GDP          []float64 // Gaussian trade-off assumed, by the area under the curve: no threshold to choose
	NoAssumption []float64 // two-tail rank sum
}

// Figure1 trains and audits all models of the panel.
func Figure1(ctx context.Context, cfg Config, o Options) (Result, error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, err
	}
	r := Result{Config: cfg, Backend: o.Performance.Backend}
	if r.Backend == "" {
		r.Backend = "go"
	}
	for _, t := range cfg.Observe {
		epsilon, err := gdp.EpsilonAt(math.Sqrt(float64(t))/cfg.NoiseMultiplier, cfg.Delta)
		if err != nil {
			return Result{}, fmt.Errorf("fcnn: %w", err)
		}
		r.Accountant = append(r.Accountant, epsilon.Upper)
	}
	report := o.Progress
	if report == nil {
		report = func(int, int, string) {}
	}
	done, total := 0, len(cfg.LearningRates)*len(cfg.Adversaries)*cfg.Repetitions*cfg.Models
	for _, rate := range cfg.LearningRates {
		panel := Rate{LearningRate: rate}
		for _, adversary := range cfg.Adversaries {
			curve := Curve{Adversary: adversary}
			for repetition := range cfg.Repetitions {
				detail := fmt.Sprintf("%s, learning rate %g, repetition %d", adversary, rate, repetition+1)
				report(done, total, detail)
				o.Progress = func(games, _ int, _ string) { report(done+games, total, detail) }
				a, err := cfg.stored(ctx, o, part{cfg, rate, adversary, repetition})
				if err != nil {
					return Result{}, fmt.Errorf("fcnn: learning rate %g, %s, repetition %d: %w", rate, adversary, repetition, err)
				}
				curve.Audits = append(curve.Audits, a)
				done += cfg.Models
			}
			panel.Curves = append(panel.Curves, curve)
		}
		r.Rates = append(r.Rates, panel)
	}
	report(done, total, "")
	return r, nil
}

// part names one audit.
type part struct {
	Config     Config
	Rate       float64
	Adversary  string
	Repetition int
}

func (c Config) stored(ctx context.Context, o Options, p part) (Audit, error) {
	if o.Parts == "" {
		return c.audit(ctx, o, p)
	}
	name := fmt.Sprintf("%s/fcnn-%s-%g-%s-%d.json", o.Parts, c.Data, p.Rate, p.Adversary, p.Repetition)
	return results.Load(name, p, func() (Audit, error) { return c.audit(ctx, o, p) })
}

// audit plays the games of one part and tells o.Progress. Repetitions share nothing; adversaries and learning
// rates share the order of the rows, the initial weights and the noise of game by game.
func (c Config) audit(ctx context.Context, o Options, p part) (Audit, error) {
	root := streams.Fixed(fmt.Sprintf("%s, repetition %d", c.Seed, p.Repetition))
	rows, err := c.rows(o.Data, root)
	if err != nil {
		return Audit{}, err
	}
	play, err := c.game(rows, p)
	if err != nil {
		return Audit{}, err
	}
	play.Performance = o.Performance
	play.Progress = func(p game.Progress) {
		if p.Games < p.Total {
			o.Progress(p.Games, p.Total, "")
		}
	}
	result, err := play.Play(ctx, root)
	if err != nil {
		return Audit{}, err
	}
	var a Audit
	for _, observed := range result.Observed {
		if err := a.add(observed.Scores, audit.Config{Delta: c.Delta, Confidence: c.Confidence}); err != nil {
			return Audit{}, err
		}
	}
	return a, nil
}

func (c Config) game(rows data.Dataset, p part) (game.HiddenState, error) {
	named, err := models.ByName("fcnn")
	if err != nil {
		return game.HiddenState{}, err
	}
	model, err := named.Build()
	return game.HiddenState{
		Model: model, Data: rows, Config: c.training(p.Rate), Adversary: adversaries[p.Adversary], Games: c.Models / 2, Observe: c.Observe,
	}, err
}

// add appends the bounds that scores give.
func (a *Audit) add(scores audit.Scores, cfg audit.Config) error {
	report, err := audit.Bounds(scores, cfg)
	if err != nil {
		return err
	}
	for name, to := range map[string]*[]float64{"gdp-clopper-pearson": &a.Paper, "gdp-auc": &a.GDP, "rank-two-tail": &a.NoAssumption} {
		b, ok := report.Bound(name)
		if !ok {
			return fmt.Errorf("the audit has no bound %q", name)
		}
		*to = append(*to, b.Epsilon)
	}
	return nil
}

// Train returns a function that makes the result of a config on the go backend: most of an hour for Full, with the data that
// DPLAB_DATA names. The command in the folder train is faster. progress is as in Options.
func Train(cfg Config, progress func(done, total int, detail string)) func() (Result, error) {
	return func() (Result, error) { return Figure1(context.Background(), cfg, Options{Progress: progress}) }
}
