package game

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// Tuning is the game of private selection. A game trains K models, K drawn from Law. It releases
// the whole trajectory of the one with the highest score, and nothing of the others. The adversary
// knows data, parameters and law, and looks along the gradient of the canary:
//
//	λ = 1/(N C²) Σ_i <gradient of the canary at w_{i-1}, clipped; noisy sum of step i>
//
// The canary joins the steps that Config.Sampling gives it, by its own coins. On full batches of no
// other data, with a clipped gradient of one norm, λ orders runs as the likelihood ratio does.
// Otherwise it may show less: it does not subtract the sums of the data. It is computed from what a
// run releases, so a bound by it is a bound on any batches.
//
// Several scores can choose among the same runs. Each is then its own game, and games of different
// scores are not independent.
//
// Reference: Xiang, Wang, Wang (2024), arXiv:2402.13087, Section 4 and equation (10).
type Tuning struct {
	Model  dpsgd.Model
	Data   data.Dataset // the examples next to the canary; may be empty
	Config dpsgd.Config // of every run: plain SGD, whose weights reveal the noisy sums; for Sampling see Validate
	Law    law.Law      // of K; must have P[K = 0] = 0

	// Canary is added to the data of members; the game fills in In. Members and NonMembers are the
	// numbers of games of each world. First is the number of the first game of both.
	Canary                     dpsgd.Canary
	Members, NonMembers, First int

	Proxies []Proxy // at least one
	Scores  []Score // at least one

	Performance engine.Performance
	Progress    func(done, total int) // called now and then with steps of models; nil for none
}

// Proxy computes the clipped gradient of a canary at some weights. It fills the slice, whose length
// is that of the weights. It is called from one goroutine.
type Proxy func(weights, gradient []float64)

// Score returns how good each of some runs is. The run with the highest score of a game is
// released, the first of equals. initial and final hold the weights of one run each.
type Score func(ctx context.Context, initial, final [][]float64) ([]float64, error)

// TuningResult is the outcome of the games, in order of their numbers.
type TuningResult struct {
	Member, NonMember []TunedGame
	Event             accounting.Event // of one run: the base of the selection
	Seeded            bool             // from a fixed root
	Warnings          []error
}

// TunedGame is one game.
type TunedGame struct {
	Runs     int        // K, known to nobody
	First    []float64  // each proxy of the first run: a game of only the base
	Released []Released // by each score
}

// Released is the part of the chosen run that a game shows.
type Released struct {
	Score   float64
	Proxies []float64
}

// Validate returns every fault of the game, joined. Run finds the faults of the data.
//
// Config.Sampling may be any scheme. The canary is one more example after the last row of Data, so
// the world without it lacks that place. The rows of Data keep their places and their groups. So
// the worlds are neighbors in the relation of every scheme: an example is added or removed, or its
// place is empty.
//
// With TruncatedPoisson the canary takes the place of another example in a full batch. So it must
// be an Example without At, which joins as a row of Data would. A crafted gradient has no place in
// a batch. Config.Sampling.Examples must count the canary.
func (g Tuning) Validate() error {
	f := check.In("game: Tuning.")
	f.Below("Config", g.Config.Validate())
	c := g.Config
	mustBePrivate(f, c, "audit")
	if cut, is := c.Sampling.(dpsgd.TruncatedPoisson); is {
		f.That(g.Canary.Example != nil, "Canary.Example", "is nil", "must be given with TruncatedPoisson, where the canary takes the place of another example and a crafted gradient has none")
		f.That(g.Canary.Gradient == nil && g.Canary.GradientAt == nil, "Canary", "has a crafted gradient", "must be only an Example with TruncatedPoisson")
		f.That(g.Canary.At == nil, "Canary.At", "is given", "must be nil with TruncatedPoisson, where the canary joins as a row of Data would")
		f.Below("Config.Sampling", cut.Validate(g.Data.Len()+1))
		if x := g.Canary.Example; x != nil {
			f.That(len(x.Features) == g.Data.Width(), "length of Canary.Example.Features", len(x.Features), fmt.Sprintf("must be %d, as in the data", g.Data.Width()))
			f.That(len(x.Targets) == g.Data.TargetWidth(), "length of Canary.Example.Targets", len(x.Targets), fmt.Sprintf("must be %d, as in the data", g.Data.TargetWidth()))
		}
	}
	f.That(c.Optimizer == nil || c.Optimizer == (dpsgd.SGD{}), "Config.Optimizer", c.Optimizer, "must be SGD without momentum")
	f.That(c.WeightDecay == 0, "Config.WeightDecay", c.WeightDecay, "must be 0")
	if g.Law == nil {
		f.That(false, "Law", "is nil", "must be a law of the number of runs")
	} else if k, err := law.Of(g.Law); err != nil {
		f.Below("Law", err)
	} else {
		f.That(math.IsInf(k.LogPMF(0), -1), "Law", g.Law, "must have P[K = 0] = 0, a game without a run releases nothing")
	}
	f.Count("Members", g.Members, 0)
	f.Count("NonMembers", g.NonMembers, 0)
	f.That(g.Members != 0 || g.NonMembers != 0, "Members", "0, NonMembers 0", "must be one of them above 0")
	f.Count("First", g.First, 0)
	if g.Canary.Gradient != nil {
		f.Number("Canary.Gradient has norm", norm(g.Canary.Gradient), check.Positive)
	}
	f.That(g.Canary.In == nil, "Canary.In", g.Canary.In, "must be nil, the game fills it in")
	f.That(len(g.Proxies) > 0, "Proxies", "are empty", "must be at least one")
	f.That(len(g.Scores) > 0, "Scores", "are empty", "must be at least one")
	f.Below("Model", g.Model.Validate())
	mustNotSave(f, g.Performance)
	return f.Err()
}

// Run plays the games. Game i of a world draws from its own children of root. It does not depend on
// which other games are played, and on Performance only by rounding. The weights of all runs are in
// memory, about (Members+NonMembers)·E[K] models.
func (g Tuning) Run(ctx context.Context, root streams.Root) (TuningResult, error) {
	if err := errors.Join(g.Validate(), root.Validate()); err != nil {
		return TuningResult{}, err
	}
	runs, err := g.draw(root)
	if err == nil {
		err = runs.train(ctx)
	}
	if err != nil {
		return TuningResult{}, fmt.Errorf("game: Tuning: %w", err)
	}
	result := TuningResult{Event: g.Config.Event(), Seeded: root.Seeded(), Warnings: runs.warnings}
	games, err := runs.release(ctx)
	if err != nil {
		return TuningResult{}, fmt.Errorf("game: Tuning: %w", err)
	}
	result.Member, result.NonMember = games[:g.Members], games[g.Members:]
	return result, nil
}
