package engine

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/internal/freememory"
	"github.com/dplab/dplab/dptune/dpsgd/internal/memory"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Memory is an estimate, in bytes, of the most that a run holds at one time, without the data sets
// and the program. It should be within a factor of two. On a device with its own memory, all fields
// except Host are about that memory.
//
// On xla:cpu the program is XLA itself, which is not counted either. Its files and threads take
// about 100 MB. Its compiler takes 100 to 240 MB until the first step has run. A program of many
// layers keeps up to 60 MB. For small models these are most of what the process holds.
type Memory struct {
	Data        int64 // additions to the data sets, of Plan.Evaluate too: copies in Float64 or on a device, squared norms
	State       int64 // weights, the optimizer's slots, sums, and the result
	Noise       int64 // this step's and the next one's
	Activations int64 // of the microbatches that run at the same time; those of Plan.Evaluate if they are more
	Gradients   int64 // per-sample gradients: all with Materialized, otherwise those of nn.Model.PerSampleWeights
	Garbage     int64 // memory not freed yet by Go's collector, about the size of the live heap; on xla:cpu, free blocks
	Host        int64 // on the host of a device: the result, and arrays on their way to the device
}

// Total returns the sum of all fields except Host.
func (m Memory) Total() int64 { return memory.Estimate(m).Total() }

// String returns the parts in megabytes.
func (m Memory) String() string {
	host := ""
	if m.Host > 0 {
		host = ", and " + megabytes(m.Host) + " on its host"
	}
	return fmt.Sprintf("%s (state %s, noise %s, activations %s, per-sample gradients %s, data %s, garbage %s)%s", megabytes(m.Total()),
		megabytes(m.State), megabytes(m.Noise), megabytes(m.Activations), megabytes(m.Gradients), megabytes(m.Data), megabytes(m.Garbage), host)
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

// EstimateMemory returns the memory that a run of a plan would need for a number of examples, and
// the settings that the estimate is for, with defaults. NewTrainer returns an error if the estimate
// is above [Performance.MemoryLimit].
func EstimateMemory(model dpsgd.Model, examples int, given dpsgd.Plan, performance ...Performance) (Memory, Performance, error) {
	perf, err := onePerformance(performance)
	if err != nil {
		return Memory{}, Performance{}, err
	}
	if err := errors.Join(wrapped(model.Validate()), perf.Validate(), given.ValidateFor(model, examples)); err != nil {
		return Memory{}, Performance{}, err
	}
	if examples < 0 {
		return Memory{}, Performance{}, fmt.Errorf("engine: number of examples %d: must be >= 0", examples)
	}
	plan := prepared{Plan: given}
	perf = perf.forRun(model, examples, plan)
	return estimate(model, examples, plan, perf), perf, nil
}

// estimate is EstimateMemory for valid arguments.
func estimate(model dpsgd.Model, examples int, plan prepared, perf Performance) Memory {
	first := plan.Replicas[0]
	_, device := backend.DeviceMemory(perf.Backend)
	run := memory.Run{
		Number: 4, Size: int64(model.Size()), Width: int64(kernel.SizeOf(model.Input) + model.Targets()), Values: model.ValuesPerExample(),
		Examples: int64(examples + plan.canaryRows()), LargestBatch: plan.largestBatch(examples),
		Replicas: int64(len(plan.Replicas)), Steps: int64(first.Steps), Probes: int64(len(plan.Probes)), Slots: int64(plan.slots() + plan.pastNoise()), Kept: int64(plan.keptArrays()),
		Microbatch: int64(perf.Microbatch), GroupSize: int64(perf.ReplicasPerCall), Goroutines: int64(perf.Goroutines), StepsPerCall: int64(perf.StepsPerCall),
		ParallelMicrobatches: perf.parallelMicrobatches, OnGo: perf.Backend == backend.Go, Device: device,
		Noise: plan.hasNoise(), ChaCha20: plan.Generator.On(perf.Backend) == dpsgd.ChaCha20, SharedBatches: plan.SharedBatches,
		Formed: model.PerSampleWeights(), Crafted: plan.hasCraftedGradient(),
	}
	if perf.Precision == Float64 {
		run.Number = 8
	}
	if e := plan.Evaluate; e != nil && e.Data.Len() > 0 {
		own, calls := perf.forEvaluation(len(plan.Replicas))
		of := Evaluator{model: model, perf: own.withDefaults(model, math.MaxInt32, float64(e.Data.Len())), calls: calls, joined: true}
		of.perf.ReplicasPerCall = 0 // as in NewEvaluator
		models := min(len(plan.Replicas), calls*of.perf.Goroutines*of.groupSize(min(len(plan.Replicas), perf.ReplicasPerCall)))
		run.EvaluatedRows = int64(e.Data.Len())
		run.Evaluated, run.OfEvaluated = memory.Saturated(int64(models), int64(of.perf.Microbatch)), model.ValuesPerExample()/int64(max(1, model.Views))
	}
	if plan.ClipMethod == dpsgd.Materialized {
		run.Formed = run.Size
	}
	if plan.onGrid() {
		run.Formed = gridCopies * run.Size
	}
	if run.Crafted {
		run.Moving = plan.gradientsMove()
	}
	if plan.Canaries.Len() > 0 && run.Crafted {
		run.CraftedOwn = int64(len(plan.Canaries.Gradients))
	}
	return Memory(run.Estimate())
}

// gridCopies is how many times an integer release forms each per-sample gradient: itself, weighted,
// truncated, and its squares in float64.
const gridCopies = 4

// ErrMemory is wrapped by the error of a run that would need too much memory.
var ErrMemory = errors.New("estimated memory")

// checkMemory returns an error if the estimate of a run is above the limit. The error names
// settings that would fit.
func checkMemory(model dpsgd.Model, examples int, plan prepared, perf Performance) error {
	need := estimate(model, examples, plan, perf)
	if free := freememory.Bytes(); need.Host > free && free > 0 && perf.MemoryLimit >= 0 {
		return fmt.Errorf("engine: %w %v of %d replicas: must be at most the host's free %s; use fewer replicas or a smaller model",
			ErrMemory, need, len(plan.Replicas), megabytes(free))
	}
	limit, source := perf.memoryLimit()
	if limit <= 0 || need.Total() <= limit {
		return nil
	}
	whose := ""
	if plan.ClipMethod == dpsgd.BookKeeping && need.Gradients > 0 {
		whose = "; nn.Auto and your own layers need per-sample gradients (not if they implement nn.Scratcher)"
	}
	return fmt.Errorf("engine: %w %v of %d replicas in microbatches of %d: must be at most the %s %s; %s%s",
		ErrMemory, need, len(plan.Replicas), perf.Microbatch, megabytes(limit), source, fitting(model, examples, plan, perf, limit), whose)
}

// memoryLimit returns how many bytes a run may take, and the source of that limit.
func (p Performance) memoryLimit() (limit int64, source string) {
	if p.MemoryLimit != 0 {
		return p.MemoryLimit, "of Performance.MemoryLimit"
	}
	if limit = p.deviceLimit(); limit > 0 {
		return limit, "of three quarters of the device's memory"
	}
	return freememory.Bytes(), "that this machine has free"
}

// fitting returns the settings that fit into a limit, in words.
func fitting(model dpsgd.Model, examples int, plan prepared, perf Performance, limit int64) string {
	fits := func() bool { return estimate(model, examples, plan, perf).Total() <= limit }
	halve := func(what *int) {
		for !fits() && *what > 1 {
			*what -= *what / 2
		}
	}
	halve(&perf.Microbatch)
	halve(&perf.Goroutines)
	halve(&perf.ReplicasPerCall)
	if !fits() {
		return "no settings fit: use fewer replicas, a smaller model, or Float32"
	}
	return fmt.Sprintf("Performance{Microbatch: %d, ReplicasPerCall: %d, Goroutines: %d} would fit, at %s",
		perf.Microbatch, perf.ReplicasPerCall, perf.Goroutines, megabytes(estimate(model, examples, plan, perf).Total()))
}

// forRun is withDefaults for a run. On a device a group holds as many replicas as fit.
func (p Performance) forRun(model dpsgd.Model, examples int, plan prepared) Performance {
	given, replicas, automatic := p.ReplicasPerCall, len(plan.Replicas), p.Microbatch == 0
	p = p.withDefaults(model, replicas, plan.largestBatch(examples))
	if automatic {
		p.Microbatch = min(p.Microbatch, plan.mostOnGrid(p.Precision))
	}
	if plan.Own != nil { // its steps see all replicas at once
		p.ReplicasPerCall = replicas
		return p
	}
	limit := p.deviceLimit()
	if given > 0 || limit <= 0 {
		return p
	}
	for groups := 2; p.ReplicasPerCall > 1 && estimate(model, examples, plan, p).Total() > limit; groups += 1 + groups/8 {
		p.ReplicasPerCall = (replicas + groups - 1) / groups
	}
	p.ReplicasPerCall = evenGroup(replicas, p.ReplicasPerCall)
	return p
}
