package dpsgd

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/dplab/dplab/dptune/dpsgd/internal/freememory"
)

// Memory is an estimate, in bytes, of what a run holds at its largest beside the data set
// and the program. It is meant to be within a factor of two.
type Memory struct {
	Data        int64 // what the engine adds to the data set: a copy in Float64, squared norms
	State       int64 // weights, what the optimizer keeps, sums, and the result
	Noise       int64 // this step's and the next one's
	Activations int64 // the microbatches that run at once: rows, outputs, and gradients at them
	Gradients   int64 // per-sample gradients, which only Materialized forms
	Garbage     int64 // what Go's collector lets lie: about as much again
}

// Total returns the sum.
func (m Memory) Total() int64 {
	return m.Data + m.State + m.Noise + m.Activations + m.Gradients + m.Garbage
}

// String names the parts in megabytes.
func (m Memory) String() string {
	return fmt.Sprintf("%s (state %s, noise %s, activations %s, per-sample gradients %s, data %s, garbage %s)", megabytes(m.Total()),
		megabytes(m.State), megabytes(m.Noise), megabytes(m.Activations), megabytes(m.Gradients), megabytes(m.Data), megabytes(m.Garbage))
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

// EstimateMemory returns what a run of a plan on so many examples would need, and the
// settings it is estimated for, defaults filled in. NewTrainer refuses a run that is
// estimated above [Performance.MemoryLimit].
func EstimateMemory(model Model, examples int, plan Plan, perf Performance) (Memory, Performance, error) {
	if err := errors.Join(model.Validate(), perf.Validate(), plan.Validate(model.Size())); err != nil {
		return Memory{}, Performance{}, err
	}
	if examples < 0 {
		return Memory{}, Performance{}, fmt.Errorf("dpsgd: number of examples %d: must be >= 0", examples)
	}
	perf = perf.withDefaults(model, len(plan.Replicas), plan.largestBatch(examples))
	return estimate(model, examples, plan, perf), perf, nil
}

// scratcher is a layer that holds more values for each example than its inputs and
// outputs, such as the patches of a convolution.
type scratcher interface{ scratch(input []int) int }

// estimate is EstimateMemory for valid arguments.
func estimate(model Model, examples int, plan Plan, perf Performance) Memory {
	size, width := int64(model.Size()), int64(sizeOf(model.Input))
	number := int64(4)
	m := Memory{Data: 4 * int64(examples)}
	if perf.Precision == Float64 {
		number = 8
		m.Data = 8 * int64(examples) * (width + 1)
	}
	replicas, goroutines, chunk := int64(len(plan.Replicas)), int64(perf.Goroutines), int64(perf.Chunk)
	chunks := (replicas + chunk - 1) / chunk
	microbatches := int64(math.Ceil(plan.largestBatch(examples) / float64(perf.Microbatch)))
	lanes := max(1, min(int64(perf.lanes(int(chunks))), microbatches))
	running := min(chunks*chunk, saturated(goroutines, chunk), replicas)
	rows := saturated(running, int64(perf.lanes(int(chunks))), int64(perf.Microbatch))

	const sums = 2 // before and after a microbatch, in float64
	slots := int64(plan.updater().slots())
	m.State = saturated(8, replicas, size) + saturated(running, size, number*(2+slots)+8*(sums+lanes-1))
	for range plan.Probes {
		m.State += 8 * replicas * int64(plan.Replicas[0].Steps)
	}
	if !plan.Replicas[0].NonPrivate {
		m.Noise = saturated(2*number, running, size)
	}
	waiting := int64(3) // microbatches whose rows exist at a time
	if perf.Backend != goBackend {
		waiting = 1 // they are gathered on the device, from a copy of the data
		m.Data = number * int64(examples+1) * (width + 2)
		const words = 2 * 6 // bytes for each normal, of this step and the next one
		m.Noise = m.Noise / (2 * number) * (words*int64(perf.StepsPerCall) + number)
	}
	m.Activations = saturated(number, rows, waiting*width+model.valuesPerExample())
	if plan.Mode == Materialized {
		m.Gradients = saturated(2*number, rows, size) // themselves, and weighted
	}
	m.Garbage = m.Total()
	return m
}

// saturated multiplies, up to a number of bytes that no machine has and of which sums do not overflow.
func saturated(factors ...int64) int64 {
	product := 1.0
	for _, f := range factors {
		product *= float64(f)
	}
	return int64(min(product, 1<<58))
}

// valuesPerExample returns how many numbers forward and backward hold for one example: of
// each layer its outputs, its slopes and the gradient at its outputs, and its scratch.
func (m Model) valuesPerExample() int64 {
	shapes, _ := m.shapes()
	total := int64(0)
	for i, layer := range m.Layers {
		total += 3 * int64(sizeOf(shapes[i+1]))
		if s, ok := layer.(scratcher); ok {
			total += int64(s.scratch(shapes[i]))
		}
	}
	return total
}

// ErrMemory is wrapped by the error about a run that is estimated to need too much memory.
var ErrMemory = errors.New("estimated memory")

// checkMemory returns an error if a run is estimated above the limit, with settings that
// would fit.
func checkMemory(model Model, examples int, plan Plan, perf Performance) error {
	limit, source := perf.MemoryLimit, "of Performance.MemoryLimit"
	if limit == 0 && !strings.Contains(perf.Backend, "cuda") {
		limit, source = freememory.Bytes(), "that this machine has free"
	}
	need := estimate(model, examples, plan, perf)
	if limit <= 0 || need.Total() <= limit {
		return nil
	}
	return fmt.Errorf("dpsgd: %w %v of %d replicas in microbatches of %d: must be at most the %s %s; %s",
		ErrMemory, need, len(plan.Replicas), perf.Microbatch, megabytes(limit), source, fitting(model, examples, plan, perf, limit))
}

// fitting says which settings fit into a limit.
func fitting(model Model, examples int, plan Plan, perf Performance, limit int64) string {
	fits := func() bool { return estimate(model, examples, plan, perf).Total() <= limit }
	halve := func(what *int) {
		for !fits() && *what > 1 {
			*what -= *what / 2
		}
	}
	halve(&perf.Microbatch)
	halve(&perf.Goroutines)
	halve(&perf.Chunk)
	if !fits() {
		return "no settings fit: take fewer replicas, a smaller model, or Float32"
	}
	return fmt.Sprintf("Performance{Microbatch: %d, Chunk: %d, Goroutines: %d} would fit, at %s",
		perf.Microbatch, perf.Chunk, perf.Goroutines, megabytes(estimate(model, examples, plan, perf).Total()))
}
