package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/dpsgd/internal/job"
	"github.com/dplab/dplab/dptune/dpsgd/internal/program"
	"github.com/dplab/dplab/dptune/streams"
)

// run trains all replicas.
func run[T arrays.Real](ctx context.Context, t *Replicas, roots []streams.Root) (*Results, error) {
	return runBy[T](t, roots, func(j *job.Job, _ *Results, roots []streams.Root) error { return job.Run[T](ctx, j, roots) })
}

// runBy prepares a run, calls do for its steps, and returns the result.
func runBy[T arrays.Real](t *Replicas, roots []streams.Root, do func(j *job.Job, result *Results, roots []streams.Root) error) (*Results, error) {
	start := time.Now()
	store, roots, err := t.prepareRoots(roots)
	if err != nil {
		return nil, err
	}
	result := newResults(t, roots)
	j := t.job()
	j.Store, j.Meter = store, newMeter(t.plan.Plan, t.examples)
	j.Out = job.Output{
		Weights: result.Parameters.Values, Excluded: result.Excluded, Probes: result.Probes,
		Accuracy: result.Curve.Accuracy, Loss: result.Curve.Loss, Slots: result.keptSlots(t.plan), Steps: result.Steps, State: result.State,
	}
	if t.evaluator != nil {
		j.Evaluator, j.Points, j.Measured = t.evaluator.engine, result.Curve.Steps, t.showCurve(result.Curve)
	}
	err = do(j, result, roots)
	if err != nil && !errors.Is(err, job.ErrStopped) {
		return nil, err
	}
	result.Elapsed = time.Since(start)
	if store != nil {
		result.Warnings = append(result.Warnings, store.Warnings()...)
	}
	result.finish()
	return result, err
}

// ClippedSums returns Σ min(1, C/‖g_i‖) g_i over the examples of given batches, for each replica. A
// step adds noise to this sum. It is for tests and audits: the result is not private. Layers that
// draw coins get those of a fixed stream, the same for each call.
//
// weights and batches have one entry for each replica of the plan. sums is [R][P], and excluded
// counts the gradients that were not finite.
func (t *Replicas) ClippedSums(ctx context.Context, weights dpsgd.Parameters, batches [][]int32) (sums [][]float64, excluded []int, err error) {
	replicas := len(t.plan.Replicas)
	if t.plan.Own != nil {
		return nil, nil, errors.New("engine: Plan.Own is given: must be nil for ClippedSums, since it has no clip norms (see OwnStep.Sums)")
	}
	if len(batches) != replicas || len(weights.Values) != replicas {
		return nil, nil, fmt.Errorf("engine: %d batches and %d sets of weights: must be %d of each, one for each replica",
			len(batches), len(weights.Values), replicas)
	}
	if err := weights.ValidateFor(t.model); err != nil {
		return nil, nil, err
	}
	for r, batch := range batches {
		for _, i := range batch {
			if i < 0 || int(i) >= t.train.Len() {
				return nil, nil, fmt.Errorf("engine: batches[%d] holds example %d: must be in [0, %d)", r, i, t.train.Len())
			}
		}
	}
	j := t.job()
	if t.perf.Precision == Float64 {
		return job.ClippedSums[float64](ctx, j, weights.Values, batches)
	}
	return job.ClippedSums[float32](ctx, j, weights.Values, batches)
}

// step returns the description of a step, for its programs.
func (t *Replicas) step() program.Step {
	const mostApart = 64 // inputs for the noise of earlier steps
	p := t.plan
	s := program.Step{
		Model: t.model, Size: t.size, Examples: t.examples, Materialized: p.ClipMethod == dpsgd.Materialized, Grid: p.onGrid(),
		Targets: t.model.TargetShape(t.train.Classes) != nil, Coins: t.model.Coins(),
		OnDevice: t.perf.Backend != backend.Go, Noise: p.hasNoise(), SharesExample: p.sharesExample(),
		Crafted: p.hasCraftedGradient(), Moving: p.hasCraftedGradient() && p.gradientsMove(), Probes: len(p.Probes),
		Slots: p.slots(), StepsPerCall: t.perf.StepsPerCall, Move: p.move,
	}
	if s.OnDevice && s.Noise {
		s.Past, s.PastFresh = p.pastNoise(), p.Replicas[0].Noise != nil && p.Replicas[0].Noise.Inverse
		s.PastApart = s.StepsPerCall == 1 && s.Past <= mostApart
	}
	s.Phased = s.OnDevice && s.Noise && !s.Grid && p.some(func(c dpsgd.Config) bool { return len(c.Phases) > 0 })
	s.Keys = s.OnDevice && s.Noise && !s.Grid && t.generator == dpsgd.ChaCha20
	if first := p.Replicas[0]; first.ClipNorm > 0 || p.Own != nil {
		s.Rule = ruleOf(first.WithDefaults().Clipping)
	}
	return s
}

// coefficients returns the numbers that move a replica's weights at a step. noise has the standard
// deviations of the noise in a step of the caller's own, one for each replica. It is nil for a run
// by the configs.
func (t *Replicas) coefficients(noise []float64) func(replica, step int) ([]float64, error) {
	p := t.plan
	width := len(p.numbers(0, 0))
	return func(replica, step int) ([]float64, error) {
		u := p.update(replica, step)
		if noise != nil {
			u.NoiseStdDev = noise[replica]
		}
		row := p.numbersOf(u, replica)
		return row, p.validateNumbers(row, width, replica, step)
	}
}

// job returns a run of the plan, without its store, meter and output.
func (t *Replicas) job() *job.Job {
	p, steps := t.plan, t.plan.Replicas[0].Steps
	j := &job.Job{
		Program: t.program, Programs: t.programs, Train: t.train, Steps: steps, Backend: t.backend,
		Compiled: func() { backend.Compiled(t.perf.Backend) }, Microbatch: t.perf.Microbatch, GroupSize: t.perf.ReplicasPerCall, Goroutines: t.perf.Goroutines,
		ChaCha20: t.generator == dpsgd.ChaCha20, StdDev: p.stdDev, SharedBatches: p.SharedBatches, Clip: t.clipNumbers(), Probes: p.Probes,
		Initial:      t.initial,
		Coefficients: t.coefficients(nil),
		Batch: func(coins streams.Root, replica, step int) ([]int32, error) {
			return p.Replicas[replica].At(step).Sampling.Batch(coins, step, t.examples)
		},
		CraftedRows: t.craftedRows, Joins: t.craftedJoins, Gradient: t.craftedGradient,
		CraftedSums: func(first, replicas int) [][]float64 { return p.craftedSums(first, replicas, t.size) },
		Due:         func(done int) bool { return t.perf.Checkpoint.due(done, steps) },
		Stops: func(done int) bool {
			return p.observes(done-1) || p.measures(done) || t.perf.Checkpoint.Dir != "" && t.perf.Checkpoint.due(done, steps)
		},
		Observes: p.observes, Weights: p.Weights,
	}
	_, j.OwnMemory = backend.DeviceMemory(t.perf.Backend)
	j.ParallelMicrobatches = t.perf.parallelMicrobatches(len(j.Groups()))
	for _, c := range p.Replicas {
		if c.Noise != nil {
			_, past := c.Noise.Recursion()
			j.Past, j.PastFresh = append(j.Past, past), c.Noise.Inverse
		}
	}
	return j
}

// clipNumbers returns [R][K], the numbers that clipping needs. In float32 the norms are smaller by
// the factor 1+SensitivityRounding, so one example moves a sum by at most C, rounding included.
func (t *Replicas) clipNumbers() [][]float64 {
	scale := t.perf.clipScale()
	rows := make([][]float64, len(t.plan.Replicas))
	for r, config := range t.plan.Replicas {
		rows[r] = clipNumbers(t.plan.clipped(r), len(t.model.LayerSizes()), scale)
		if t.plan.onGrid() {
			units := float64(config.UnitsPerClip)
			rows[r] = append(slices.Clone(rows[r]), units/config.ClipNorm, units)
		}
	}
	return rows
}

// clipScale returns what clip norms are multiplied by.
func (p Performance) clipScale() float64 {
	if p.Precision == Float32 {
		return 1 / (1 + dpsgd.SensitivityRounding)
	}
	return 1
}

// initial returns the first weights of a replica.
func (t *Replicas) initial(replica int, root streams.Root) []float64 {
	switch given := t.plan.Initial; {
	case given == nil:
		return t.model.Init(root.Rand("initial weights"))
	case len(given.Values) == 1:
		return given.Values[0]
	default:
		return given.Values[replica]
	}
}

// Run trains all replicas, replica i from the child "replica i" of root. It returns when they are
// done, at the first error, or soon after the context ends.
//
// If the context ends, Run returns both an error that wraps the context's and the results of the
// steps that ran: see [Results.Steps]. Statements are then about these steps. With any other error
// the results are nil. With Performance.Checkpoint, a later Run goes on from there.
//
// From a secret root, two runs draw independent numbers if they differ in data, model, plan, a
// setting that changes rounding, or the kernels that round (see [backend.Kernels]). The same run
// draws the same numbers again. Each release costs as much as the first. Two equal releases reveal
// that nothing changed, not even the data. If that must stay secret, use a new root for each. Your
// own layers, loss, clipping or optimizer cannot be compared: every run with them draws new
// numbers, see [Checkpoint].
//
// From a fixed root every run draws the same noise, for reproducible figures.
func (t *Replicas) Run(ctx context.Context, root streams.Root) (*Results, error) {
	roots, err := t.childRoots(root)
	if err != nil {
		return nil, err
	}
	return t.RunEach(ctx, roots)
}

// childRoots returns the root of each replica.
func (t *Replicas) childRoots(root streams.Root) ([]streams.Root, error) {
	if err := root.Validate(); err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	roots := make([]streams.Root, len(t.plan.Replicas))
	for r := range roots {
		roots[r] = root.Child("replica " + strconv.Itoa(r))
	}
	return roots, nil
}

// RunEach is Run with a different root for each replica. With fixed roots a replica's result
// depends on its config and root only, not on the other replicas. On the go backend this holds to
// the last bit if Performance.Microbatch is the same. Its default depends on the largest batch of
// all replicas.
func (t *Replicas) RunEach(ctx context.Context, roots []streams.Root) (*Results, error) {
	if t.plan.Own != nil {
		return nil, errors.New("engine: Plan.Own is given: must be nil for Run and RunEach (use RunOwn)")
	}
	if err := validateRoots(roots, len(t.plan.Replicas)); err != nil {
		return nil, err
	}
	if t.perf.Precision == Float64 {
		return run[float64](ctx, t, roots)
	}
	return run[float32](ctx, t, roots)
}

func validateRoots(roots []streams.Root, want int) error {
	if len(roots) != want {
		return fmt.Errorf("engine: %d roots: must be %d, one for each replica", len(roots), want)
	}
	seen := map[streams.Root]int{}
	for r, root := range roots {
		if err := root.Validate(); err != nil {
			return fmt.Errorf("engine: roots[%d]: %w", r, err)
		}
		if first, twice := seen[root]; twice {
			return fmt.Errorf("engine: roots[%d] is roots[%d] again: must be its own, or their noise is the same", r, first)
		}
		seen[root] = r
	}
	return nil
}
