package game

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// OneRun audits one training, or a few. Each of m canaries is put into its data or left out by a
// fair coin, and gets a score from the final weights. One training gives m scores, while a game
// gives one. The scores are for package onerun:
//
//	g := game.OneRun{Model: model, Data: train, Config: config, Coordinates: 1000}
//	result, err := g.Run(ctx, root)
//	if err != nil { ... }
//	report, err := onerun.Bounds(result.Scores, audit.Config{Delta: 1e-5, Guesses: 100})
//	// compare with the ε of result.Event
//
// The adversary knows the data, the initial weights and all parameters, and sees the final weights.
// With plain SGD these are the sum of all noisy sums. Along a crafted gradient, seeing every step
// would therefore reveal no more. The score along a gradient u of norm C is
//
//	( <w, u/C> of a training without canaries - <w, u/C> ) / (η/B σC √T)
//
// With sampling rate q, noise and canary by themselves make it N(q√T/σ, 1) with the canary and N(0,
// 1) without. The score of an example is the decrease of its loss.
//
// Canaries disturb each other: each moves the weights at which later gradients are taken. That
// makes a bound smaller and never wrong. With At and Observe, this audits the final model of
// [HiddenState] by many coordinates at once, with a hundredth of its trainings.
// audit.NormalScores reads a µ from the scores: what those of a training share becomes noise by the
// coins, which makes µ smaller. The bounds of package onerun need only fair and
// independent coins. Whatever the others are, one coin decides whether one example is there, and
// the training's guarantee is about that. Several trainings are one mechanism with all their coins,
// and each coin decides about one training.
//
// Reference: Steinke, Nasr, Jagielski (2023), arXiv:2305.08846v1, Algorithm 1 and Section 6.
type OneRun struct {
	Model  dpsgd.Model
	Data   data.Dataset // the examples next to the canaries; may be empty
	Config dpsgd.Config // of every training; it must be private

	// The canaries: one of the three. All trainings have the same canaries, each with its own coins.
	Coordinates int          // so many gradients of norm ClipNorm, each along its own weight, drawn at random
	Directions  int          // so many gradients of norm ClipNorm in directions drawn at random
	Examples    data.Dataset // examples, whose gradients are clipped as those of Data

	// The canaries take part in these steps, as by [dpsgd.Canaries.At]: in all with FixedBatches. Nil
	// takes each as an example at a place after the last row, which FixedBatches has in its turn.
	At func(step int) bool

	Trainings int   // R >= 1, whose scores are pooled; 0 is 1
	Observe   []int // numbers of steps, ascending, in [1, Config.Steps]; empty for only the last

	// Simulations are trainings without canaries by the adversary. Scores are measured from their
	// mean. The effect of the data on the weights is then not noise of the scores. Along gradients the
	// simulations have no noise, and one is enough unless batches are sampled. 0 measures from the
	// initial weights.
	Simulations int

	// SimulateNoise gives simulations the noise of the trainings. Noise moves the mean of the weights
	// in a network that is not linear. Take 50 simulations or more: of S, their mean adds 1/S to the
	// variance of the scores. They also show whether canaries disturb each other, which is a warning.
	SimulateNoise bool

	Performance engine.Performance
	Progress    func(Progress) // called now and then; nil for none
}

// OneRunResult is the outcome of the trainings.
type OneRunResult struct {
	Scores    audit.Scores     // of all canaries of all trainings: those that were in, and those that were not
	Event     accounting.Event // what a training does to a canary: the claim under audit
	Observed  []OneRunObservation
	Config    dpsgd.Config
	Canaries  int // of each training
	Trainings int
	Seeded    bool    // from a fixed root
	Warnings  []error // of the engine, and about canaries that disturb each other
}

// OneRunObservation holds the scores of trainings after a number of steps, as if they had ended
// there.
type OneRunObservation struct {
	Steps     int
	Event     accounting.Event // what these steps do to a canary: the claim under audit
	Scores    audit.Scores     // as in OneRunResult
	Trainings []audit.Scores   // of each training
	Simulated [][]float64      // [simulation][canary]: each simulation measured from the others; nil without SimulateNoise
}

// disturbed returns a warning if the scores of canaries that were left out vary more than those of
// simulations, by a tenth and by 3.3 standard errors. The mean squares of trainings are
// independent, and so are those of simulations but for the mean that they share.
func (o OneRunObservation) disturbed() error {
	if len(o.Simulated) < 2 || len(o.Trainings) < 2 {
		return nil
	}
	var left [][]float64
	for _, s := range o.Trainings {
		left = append(left, s.NonMember)
	}
	with, errWith := meanSquare(left)
	without, errWithout := meanSquare(o.Simulated)
	if ratio, err := with/without, math.Hypot(errWith, errWithout)/without; ratio > 1.1 && ratio-1 > 3.3*err {
		return fmt.Errorf("canaries disturb each other: without one, a score varies %.2f times as much as in simulations: must be fewer canaries, or a larger model, for a larger bound", ratio)
	}
	return nil
}

// meanSquare returns the mean of the mean squares of rows that are not empty, and its standard
// error.
func meanSquare(rows [][]float64) (mean, err float64) {
	var n, sum, squares float64
	for _, row := range rows {
		if len(row) > 0 {
			x := floats.Dot(row, row) / float64(len(row))
			n, sum, squares = n+1, sum+x, squares+x*x
		}
	}
	return sum / n, math.Sqrt(max(0, squares-sum*sum/n) / ((n - 1) * n))
}

// Validate returns every fault of the audit, joined. Run finds the faults of the model and the
// data, before any work starts.
func (g OneRun) Validate() error {
	f := check.In("game: OneRun.")
	f.Below("Config", g.Config.Validate())
	mustBePrivate(f, g.Config, "audit")
	f.OneOf("", "Coordinates, Directions, Examples", g.Coordinates != 0, g.Directions != 0, g.Examples.Len() != 0)
	f.Count("Coordinates", g.Coordinates, 0)
	f.Count("Directions", g.Directions, 0)
	f.Count("Trainings", g.Trainings, 0)
	f.Count("Simulations", g.Simulations, 0)
	f.That(!g.SimulateNoise || g.Simulations >= 2, "Simulations", g.Simulations, "must be at least 2 with SimulateNoise")
	mustObserve(f, g.Observe, g.Config.Steps, g.At)
	mustNotSave(f, g.Performance)
	if err := g.Model.Validate(); err != nil {
		f.Below("Model", err)
	} else {
		f.That(g.Coordinates <= g.Model.Size(), "Coordinates", g.Coordinates, fmt.Sprintf("must be at most %d, the number of weights", g.Model.Size()))
	}
	return f.Err()
}

// observe returns the numbers of steps after which trainings are observed.
func (g OneRun) observe() []int {
	if len(g.Observe) == 0 {
		return []int{g.Config.Steps}
	}
	return g.Observe
}

// event returns the event of the first steps on a canary.
func (g OneRun) event(steps int) accounting.Event {
	g.Config.Steps = steps
	plan := g.Config.Plan()
	plan.Canaries = &dpsgd.Canaries{Coordinates: []int{0}, At: g.At}
	return plan.CanaryEvent(0)
}

// trainings returns R.
func (g OneRun) trainings() int { return max(1, g.Trainings) }

// Run trains and scores. Training i draws from its own child of root. Its scores do not depend on
// the number of trainings.
func (g OneRun) Run(ctx context.Context, root streams.Root) (OneRunResult, error) {
	if err := g.Validate(); err != nil {
		return OneRunResult{}, err
	}
	if err := root.Validate(); err != nil {
		return OneRunResult{}, fmt.Errorf("game: %w", err)
	}
	set, err := g.prepare(root)
	if err != nil {
		return OneRunResult{}, fmt.Errorf("game: %w", err)
	}
	result := OneRunResult{Config: g.Config, Canaries: set.canaries.Len(), Trainings: g.trainings(), Seeded: root.Seeded()}
	for _, steps := range g.observe() {
		result.Observed = append(result.Observed, OneRunObservation{Steps: steps, Event: g.event(steps)})
	}
	if err := set.run(ctx, &result); err != nil {
		return OneRunResult{}, fmt.Errorf("game: %w", err)
	}
	last := result.Observed[len(result.Observed)-1]
	result.Scores, result.Event = last.Scores, last.Event
	if doubt := last.disturbed(); doubt != nil {
		result.Warnings = append(result.Warnings, doubt)
	}
	if len(result.Scores.Member) == 0 || len(result.Scores.NonMember) == 0 {
		return OneRunResult{}, fmt.Errorf("game: all coins of %d canaries fell on the same side: must be more canaries, to have both members and non-members", result.Canaries*result.Trainings)
	}
	for _, o := range result.Observed {
		if err := o.Scores.Validate(); err != nil {
			return OneRunResult{}, fmt.Errorf("game: the training gave no usable scores after %d steps: %w", o.Steps, err)
		}
	}
	return result, nil
}
