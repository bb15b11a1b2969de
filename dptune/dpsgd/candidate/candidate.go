// Package candidate makes DP-SGD training a candidate of dptune.Search. The runs of a search train
// as replicas of one program. If they differ in the number of steps, clipping rule, optimizer, size
// of microbatches, schedule, initial weights or model, there is one program for each. The score of
// a run is its private accuracy on validation examples.
//
// Training and validation examples must be disjoint. Split them by coins (data.SplitCoins) or by a
// rule that looks at one record at a time. Neighboring data sets then differ in only one of the two
// parts, and a run with its score costs the larger of both. The statement of a search lists this
// assumption. Parts made by data.SplitRandom or data.SplitStratified are refused, as are parts that
// share examples.
//
// With checkpoints, each program of a search has its own folder in Performance.Checkpoint.Dir,
// named by a one-way function of its first run's root. Folders are never removed, and they hold
// weights that were not released. Delete them when the result is kept elsewhere.
//
// A score is the number of validation examples that a model gets right, or the sum of another
// [Measure] over them. Noise makes it private. If the validation examples are public and
// DPSGD.PublicValidation is set, a score has no noise and costs nothing.
package candidate

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/internal/checkpoint"
	"github.com/dplab/dplab/dptune/streams"
)

// DPSGD trains Model on Train with the config of each hyper-parameter. With Plan and ModelFor, the
// schedule, the initial weights and the model are hyper-parameters too. They are public, so they do
// not change the price of a run.
type DPSGD[H any] struct {
	Model      dpsgd.Model
	Train      data.Dataset
	Validation data.Dataset           // at least one example, disjoint from Train
	Configure  func(h H) dpsgd.Config // must not depend on the data
	Score      dptune.PrivateAccuracy // the noise on a score; zero with PublicValidation
	Measure    Measure                // quality of a model on one validation example; nil is 1 for the right label, otherwise 0
	Initial    *dpsgd.Parameters      // public starting weights of every run, such as from weights.Read; nil draws them

	// Plan takes the place of Configure. It returns the plan of one replica, with its Schedule and
	// Initial. The initial weights must be public. It must not depend on the data.
	Plan func(h H) dpsgd.Plan
	// ModelFor takes the place of Model. It must not depend on the data.
	ModelFor func(h H) (dpsgd.Model, error)

	Performance engine.Performance   // keep its checkpoints secret: they reveal the number of runs
	Progress    func(dpsgd.Progress) // of one run (their number is secret), restarting with each program; nil for none

	// PublicValidation declares the examples of Validation public. Scores then have no noise and
	// cost nothing, and these examples are not protected. The statement of a search lists this
	// assumption. Train and Validation must not be parts of one data set.
	PublicValidation bool

	// EqualAreOthers declares that equal examples in Validation and Train are different records.
	// Without it, equal examples are an error unless the parts come from data.SplitCoins: one
	// record in both parts would cost more than the price and make scores too good. That error
	// reveals records. Show it only to their holder.
	EqualAreOthers bool
}

// A search finds these interfaces by their methods. A misspelled method would silently cost δ.
var (
	_ dptune.NoiseTruncated[float64]              = DPSGD[float64]{}
	_ dptune.Assuming                             = DPSGD[float64]{}
	_ dptune.AssumingOf[float64]                  = DPSGD[float64]{}
	_ dptune.Identified[float64]                  = DPSGD[float64]{}
	_ dptune.NotingPlaces[float64]                = DPSGD[float64]{}
	_ dptune.Candidate[float64, dpsgd.Parameters] = DPSGD[float64]{}
)

// Event returns the larger of the events of the training and the score.
func (c DPSGD[H]) Event(h H) (accounting.Event, error) {
	r, err := c.runOf(h)
	if err := errors.Join(err, c.validateScore(), c.validateSplit()); err != nil {
		return nil, err
	}
	config := r.config()
	if c.PublicValidation {
		return config.Event(), nil
	}
	return c.Score.EventWith(config.Event()), nil
}

// TruncationDelta returns the part of δ that one run with h reserves because its noise is
// truncated: see dpsgd.Config.TruncationDelta, for AddOrRemoveOne. It is 1 with an error.
func (c DPSGD[H]) TruncationDelta(h H) (float64, error) {
	r, err := c.runOf(h)
	if err != nil {
		return 1, err
	}
	return r.config().TruncationDelta(r.model, accounting.AddOrRemoveOne), nil // selections have no other relation
}

// build is what numbers depend on in addition to the settings and the backend's kernels, as in the
// identity of a run. If another build trains other models, it is another search. Otherwise the two
// would share the number of runs and the noise of scores.
var build = fmt.Sprintf("code version %s, scores one by one", checkpoint.CodeVersion)

// together returns how many of many runs train at the same time, and on how many goroutines at
// most, with defaults. On backends other than go both change rounding. Their defaults depend on the
// cores, or on the memory of the device and Performance.MemoryLimit.
func (c DPSGD[H]) together(r run) (chunk, goroutines int, err error) {
	const many = 1 << 10 // a public number, unlike that of the runs
	plan := r.plan
	plan.Replicas = slices.Repeat(plan.Replicas, many)
	_, perf, err := engine.EstimateMemory(r.model, c.Train.Len(), plan, c.Performance)
	if err != nil || perf.Backend == "go" {
		return 0, 0, err
	}
	return perf.ReplicasPerCall, perf.Goroutines, nil
}

// Identity returns a hash of data, model, settings, and the configs of hs. With Plan or ModelFor,
// it covers the plans and models of hs. It is nil if a model or a config has code without a hash
// (see dpsgd.Model.Identity and dpsgd.Config.Identity).
func (c DPSGD[H]) Identity(hs []H) ([]byte, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	model, ok := c.Model.Identity()
	if !ok && c.ModelFor == nil || !isOwn(c.Measure) {
		return nil, nil
	}
	runs, err := c.runsOf(hs)
	if err != nil {
		return nil, err
	}
	configs := make([][]byte, len(hs))
	for i, r := range runs {
		if configs[i], ok = r.config().Identity(); ok && (c.Plan != nil || c.ModelFor != nil) {
			configs[i], ok, err = c.planned(r)
		}
		if err != nil || !ok {
			return nil, err
		}
	}
	p := c.Performance
	name, err := backend.Resolve(p.Backend)
	if err != nil {
		return nil, fmt.Errorf("candidate: %w", err)
	}
	var sizes [2]int
	if len(hs) > 0 {
		if sizes[0], sizes[1], err = c.together(runs[0]); err != nil {
			return nil, err
		}
	}
	settings := []any{
		model, c.Train.Fingerprint(), c.Validation.Fingerprint(), configs, c.Score,
		name, p.Precision, p.Microbatch, p.ReplicasPerCall, p.StepsPerCall,
		fmt.Sprintf("%T", c.Measure), c.Measure, c.Initial, c.PublicValidation, build, backend.Kernels(name), sizes,
	}
	text, err := json.Marshal(settings)
	if err != nil {
		return nil, fmt.Errorf("candidate: %w", err)
	}
	sum := sha256.Sum256(text)
	return sum[:], nil
}

// RunAll trains one model for each of hs and scores it. The output is its weights. A model that
// diverged has zeros as weights and is scored like any other.
func (c DPSGD[H]) RunAll(ctx context.Context, hs []H, roots []streams.Root) ([]dptune.Outcome[dpsgd.Parameters], error) {
	runs, err := c.runAll(ctx, hs, roots, nil)
	if err != nil {
		return nil, err
	}
	outcomes := make([]dptune.Outcome[dpsgd.Parameters], len(runs))
	for i, run := range runs {
		outcomes[i] = dptune.Outcome[dpsgd.Parameters]{Output: run.Output.Parameters, Score: run.Score}
	}
	return outcomes, nil
}

// runAll is RunAll with the learning curve of each model, if evaluate is not nil.
func (c DPSGD[H]) runAll(ctx context.Context, hs []H, roots []streams.Root, evaluate *dpsgd.Evaluation) ([]dptune.Outcome[Trained], error) {
	if len(hs) != len(roots) {
		return nil, fmt.Errorf("candidate: %d roots: must be %d, one for each run", len(roots), len(hs))
	}
	if err := c.validate(); err != nil {
		return nil, err
	}
	runs, err := c.runsOf(hs)
	if err != nil {
		return nil, err
	}
	for _, r := range runs {
		if _, _, err := engine.EstimateMemory(r.model, c.Train.Len(), r.plan, c.Performance); err != nil {
			return nil, err
		}
	}
	if len(hs) > 0 { // faults of a single run may be shown
		plan := runs[0].plan
		plan.Evaluate = evaluate
		if _, err := engine.NewReplicas(runs[0].model, c.Train, plan, c.Performance); err != nil {
			return nil, err
		}
		if err := c.tryScore(ctx, runs[0].model); err != nil {
			return nil, err
		}
	}
	outcomes := make([]dptune.Outcome[Trained], len(hs))
	dir := c.Performance.Checkpoint.Dir
	for _, group := range c.groups(runs) {
		if dir != "" { // one folder for each program, and for each call of a search with several calls
			name := roots[group[0]].Key("folder of checkpoints")
			c.Performance.Checkpoint.Dir = filepath.Join(dir, fmt.Sprintf("program-%x", name[:8]))
		}
		if err := c.runGroup(ctx, group, runs, roots, evaluate, outcomes); err != nil {
			return nil, c.hidden(err, runs[0])
		}
	}
	return outcomes, nil
}

// hidden returns an error about some runs that does not reveal their number. Sizes of arrays, names
// of files and estimates of memory would reveal it.
func (c DPSGD[H]) hidden(err error, one run) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return dptune.Hidden("candidate: the search was stopped", err)
	case errors.Is(err, engine.ErrMemory):
		need, _, _ := engine.EstimateMemory(one.model, c.Train.Len(), one.config().Plan(), c.Performance) // checked before
		return dptune.Hidden(fmt.Sprintf("candidate: the runs that train at the same time need too much memory; "+
			"one needs about %v: lower Performance.ReplicasPerCall, Microbatch or Goroutines", need), err)
	}
	return dptune.Hidden("candidate: training failed (the cause may reveal the number of runs, a secret: see dptune.UnsafeCause)", err)
}

// runGroup trains and scores the runs at some indices, which share a program.
func (c DPSGD[H]) runGroup(ctx context.Context, group []int, runs []run, roots []streams.Root,
	evaluate *dpsgd.Evaluation, outcomes []dptune.Outcome[Trained]) error {
	first := group[0]
	model, config, plan, training := runs[first].model, runs[first].config(), runs[first].plan, make([]streams.Root, len(group))
	plan.Evaluate, plan.Replicas = evaluate, nil
	for k, i := range group {
		plan.Replicas = append(plan.Replicas, runs[i].config())
		training[k] = roots[i].Child("training")
	}
	_, perf, err := engine.EstimateMemory(model, c.Train.Len(), plan, c.Performance)
	if err != nil {
		return err
	}
	for k := range padding(len(group), model, config, perf.Backend) {
		plan.Replicas = append(plan.Replicas, config)
		training = append(training, roots[first].Child("padding "+strconv.Itoa(k)))
	}
	trainer, err := c.trainer(model, plan)
	if errors.Is(err, engine.ErrMemory) && len(plan.Replicas) > len(group) { // they may fit without padding
		plan.Replicas, training = plan.Replicas[:len(group)], training[:len(group)]
		trainer, err = c.trainer(model, plan)
	}
	if err != nil {
		return err
	}
	result, err := trainer.RunEach(ctx, training)
	if err != nil {
		return err
	}
	sums, err := c.sums(ctx, model, result, trainer.Performance())
	if err != nil {
		return err
	}
	for k, i := range group {
		outcomes[i].Output, outcomes[i].Score = Trained{result.Parameters.Replica(k), result.Curve.Replica(k)}, sums[k]
		if !c.PublicValidation {
			outcomes[i].Score = c.Score.Noisy(sums[k], roots[i].Rand("score"))
		}
	}
	return nil
}

func (c DPSGD[H]) trainer(model dpsgd.Model, plan dpsgd.Plan) (*engine.Replicas, error) {
	plan.Progress = c.progressOfOne(len(plan.Replicas))
	return engine.NewReplicas(model, c.Train, plan, c.Performance)
}

// progressOfOne returns a function that reports the progress of several runs as that of one.
func (c DPSGD[H]) progressOfOne(runs int) func(dpsgd.Progress) {
	if c.Progress == nil {
		return nil
	}
	return func(p dpsgd.Progress) {
		p.Replicas = 1
		p.ExamplesPerSecond /= float64(runs)
		if p.Warning != nil { // its file names reveal the number of runs
			p.Warning = dptune.Hidden("candidate: a checkpoint was not written (the cause may reveal the number of runs, a secret: see dptune.UnsafeCause)", p.Warning)
		}
		c.Progress(p)
	}
}
