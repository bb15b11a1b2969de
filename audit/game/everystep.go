package game

import (
	"context"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// EveryStep is the game of a whole run in the white box: the adversary sees every noisy sum. It
// knows the background data and chooses the canary's clipped gradient (the worst one: a vector of
// length C in one direction, the same at all steps). It does not see the batches. The weights stay
// where they are, since a canary's gradient does not depend on them.
//
// The default score is the logarithm of the likelihood ratio of the two worlds, if the background
// has no part in the direction. With x_i the part of noisy sum i along the direction, over C:
//
//	l_i                                  = (x_i - 1/2) / σ²
//	FullBatch                              Σ_i l_i
//	Poisson                                Σ_i ln(1 - q + q exp(l_i))
//	RandomAllocation, r steps of a period  Σ_periods ln(1 - r/t + 1/t Σ_i exp(l_i))
//
// No other score shows more of an honest run. Your own Score looks for another mistake. For
// instance, if an engine keeps the places of all periods, ln Σ_i exp(Σ_periods l_i) shows it.
type EveryStep struct {
	Model      dpsgd.Model
	Background data.Dataset // the examples next to the canary; the scores show most if it is empty
	Config     dpsgd.Config // its Sampling must be Poisson, RandomAllocation or FullBatch, and it must be private
	Games      int          // n >= 1, games of each world: n with the canary and n without

	// Direction is the direction of the canary's gradient, of length Model.Size(), not zero.
	// Nil is the coordinate on which the background's clipped gradients sum to the least.
	Direction []float64

	// Score returns the score of a run, from the parts of its noisy sums along the direction, one for
	// each step, over σC. Nil is the likelihood ratio.
	Score func(sums []float64) float64

	Performance engine.Performance
	Progress    func(Progress) // called now and then; nil for none
}

// Validate returns every fault of the game, joined. Run finds the faults of the model and the data,
// before any work starts.
func (g EveryStep) Validate() error {
	f := check.In("game: EveryStep.")
	f.Below("Config", g.Config.Validate())
	switch g.Config.Sampling.(type) {
	case nil, dpsgd.Poisson, dpsgd.RandomAllocation, dpsgd.FullBatch:
	default:
		f.That(false, "Config.Sampling", g.Config.Sampling, "must be Poisson, RandomAllocation or FullBatch")
	}
	mustBePrivate(f, g.Config, "audit")
	f.Count("Games", g.Games, 1)
	mustNotSave(f, g.Performance)
	mustPoint(f, g.Model, g.Direction)
	return f.Err()
}

// Event returns the event of one game on the data.
func (g EveryStep) Event() accounting.Event { return g.Config.Event() }

// Run plays the games. Game i draws from its own children of root. Its scores do not depend on the
// number of games, and on Performance only by rounding.
func (g EveryStep) Run(ctx context.Context, root streams.Root) (Result, error) {
	if err := g.Validate(); err != nil {
		return Result{}, err
	}
	one := OneStep{Model: g.Model, Background: g.Background, Config: g.Config, Games: g.Games, Direction: g.Direction, Performance: g.Performance, Progress: g.Progress}
	score := g.logRatio
	if g.Score != nil {
		score = g.Score
	}
	return one.play(ctx, root, func(t *table) { t.score, t.rests = score, true })
}

// logRatio returns the score of a run. sums are the noisy sums along the direction, in units of σC.
func (g EveryStep) logRatio(sums []float64) float64 {
	sigma, score := g.Config.NoiseMultiplier, 0.0
	ratio := func(x float64) float64 { return x/sigma - 1/(2*sigma*sigma) } // l_i of x_i/σ
	switch s := g.Config.Sampling.(type) {
	case dpsgd.Poisson:
		for _, x := range sums {
			score += numeric.Add(numeric.Log(1-s.Rate), numeric.Log(s.Rate)+ratio(x))
		}
	case dpsgd.RandomAllocation:
		for first := 0; first < len(sums); first += s.Period {
			period := sums[first:min(first+s.Period, len(sums))]
			total := numeric.NewSum()
			total.Add(numeric.Log(float64(s.Period - len(period)))) // steps that are not run: l = 0
			for _, x := range period {
				total.Add(ratio(x))
			}
			score += total.Log() - numeric.Log(float64(s.Period))
		}
	default:
		for _, x := range sums {
			score += ratio(x)
		}
	}
	return score
}
