package dpsgd

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/internal/freememory"
	"github.com/dplab/dplab/dptune/dpsgd/internal/kernel"
)

// Memory is an estimate, in bytes, of what a run holds at its largest beside the data set
// and the program. It is meant to be within a factor of two. Where programs run on a device with
// memory of its own, all but Host is about that memory.
type Memory struct {
	Data        int64 // what the engine adds to the data set: a copy in Float64, squared norms
	State       int64 // weights, what the optimizer keeps, sums, and the result
	Noise       int64 // this step's and the next one's
	Activations int64 // the microbatches that run at once: rows, outputs, and gradients at them
	Gradients   int64 // per-sample gradients, which only Materialized forms
	Garbage     int64 // what Go's collector lets lie: about as much again as lies on its heap
	Host        int64 // what the host of a device holds: the result, and what is on its way to the device
}

// Total returns the sum of all but Host.
func (m Memory) Total() int64 {
	return m.Data + m.State + m.Noise + m.Activations + m.Gradients + m.Garbage
}

// String names the parts in megabytes.
func (m Memory) String() string {
	host := ""
	if m.Host > 0 {
		host = ", and " + megabytes(m.Host) + " on its host"
	}
	return fmt.Sprintf("%s (state %s, noise %s, activations %s, per-sample gradients %s, data %s, garbage %s)%s", megabytes(m.Total()),
		megabytes(m.State), megabytes(m.Noise), megabytes(m.Activations), megabytes(m.Gradients), megabytes(m.Data), megabytes(m.Garbage), host)
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

// EstimateMemory returns what a run of a plan on so many examples would need, and the
// settings it is estimated for, defaults filled in. NewTrainer refuses a run that is
// estimated above [Performance.MemoryLimit].
func EstimateMemory(model Model, examples int, plan Plan, perf Performance) (Memory, Performance, error) {
	if err := errors.Join(wrapped(model.Validate()), perf.Validate(), plan.Validate(model.Size())); err != nil {
		return Memory{}, Performance{}, err
	}
	if examples < 0 {
		return Memory{}, Performance{}, fmt.Errorf("dpsgd: number of examples %d: must be >= 0", examples)
	}
	perf = perf.forRun(model, examples, plan)
	return estimate(model, examples, plan, perf), perf, nil
}

// estimate is EstimateMemory for valid arguments.
func estimate(model Model, examples int, plan Plan, perf Performance) Memory {
	l := newLoad(model, examples, plan, perf)
	m := Memory{Activations: l.activations(), Noise: l.noise() + l.canaryBytes()}
	if plan.Mode == Materialized {
		m.Gradients = saturated(2*l.number, l.rows, l.size) // themselves, and weighted
	}
	if perf.Backend == backend.Go {
		m.Data, m.State = l.hostData(), l.result+l.hostState()
		m.Garbage = m.Total()
		return m
	}
	m.Data, m.State = saturated(l.number, l.data+1, l.width+2), l.deviceState()
	if _, device := backend.DeviceMemory(perf.Backend); device {
		m.Host = 2*l.result + l.sentWords() // the result, and weights that were observed
		return m
	}
	m.State += l.result
	m.Garbage = l.result // the rest is not on Go's heap
	return m
}

// load is what a run holds at a time, in numbers.
type load struct {
	model   Model
	plan    Plan
	perf    Performance
	number  int64 // bytes of one
	size    int64 // parameters of a model
	width   int64 // values of a row
	running int64 // models that run at the same time
	lanes   int64 // microbatches of each that do
	parts   int64 // microbatches of a batch
	rows    int64 // of all microbatches that run
	result  int64 // bytes of all final weights, and of probes, on the host
	data    int64 // examples
}

func newLoad(model Model, examples int, plan Plan, perf Performance) load {
	l := load{model: model, plan: plan, perf: perf, number: 4, size: int64(model.Size()), width: int64(kernel.SizeOf(model.Input)), data: int64(examples + plan.canaryRows())}
	if perf.Precision == Float64 {
		l.number = 8
	}
	replicas, goroutines, chunk := int64(len(plan.Replicas)), int64(perf.Goroutines), int64(perf.Chunk)
	chunks := (replicas + chunk - 1) / chunk
	l.parts = int64(math.Ceil(plan.largestBatch(examples) / float64(perf.Microbatch)))
	lanes := int64(perf.lanes(int(chunks)))
	l.lanes = max(1, min(lanes, l.parts))
	l.running = min(chunks*chunk, saturated(goroutines, chunk), replicas)
	l.rows = saturated(l.running, lanes, int64(perf.Microbatch))
	l.result = saturated(8, replicas, l.size) + saturated(8, replicas, int64(plan.Replicas[0].Steps), int64(len(plan.Probes)))
	return l
}

// hostData is what the go backend adds to the data set.
func (l load) hostData() int64 {
	if l.perf.Precision == Float64 {
		return saturated(8, l.data, l.width+1)
	}
	return 4 * l.data
}

// hostState is what the go backend keeps from step to step.
func (l load) hostState() int64 {
	const sums = 2 // before and after a microbatch, in float64
	slots := int64(l.plan.optimizer().Slots())
	return saturated(l.running, l.size, l.number*(2+slots)+8*(sums+l.lanes-1))
}

// deviceState is what XLA keeps from step to step, once as inputs and once as outputs of a call;
// sums in float64 only where a batch has several microbatches.
func (l load) deviceState() int64 {
	bytes := 2 * l.number * (1 + int64(l.plan.optimizer().Slots()))
	if l.parts > 1 {
		bytes += 2 * 8
	}
	return saturated(l.running, l.size, bytes)
}

// wordBytes are those of the words that a normal is made from.
const wordBytes = 6

// sentWords are those that a device is sent: of this call's steps and of the next one's.
func (l load) sentWords() int64 {
	if l.plan.Replicas[0].NonPrivate || l.generator() == ChaCha20 {
		return 0
	}
	return saturated(2*wordBytes, int64(l.perf.StepsPerCall), l.running, l.size)
}

// drawnWords are those that a device draws for a call, with what its loop keeps beside them.
func (l load) drawnWords() int64 {
	if l.plan.Replicas[0].NonPrivate || l.generator() != ChaCha20 {
		return 0
	}
	return saturated(3*wordBytes, int64(l.perf.StepsPerCall), l.running, l.size)
}

func (l load) generator() Generator { return l.plan.Generator.on(l.perf.Backend) }

func (l load) noise() int64 {
	switch {
	case l.plan.Replicas[0].NonPrivate:
		return 0
	case l.perf.Backend == backend.Go:
		return saturated(2*l.number, l.running, l.size)
	}
	return l.sentWords() + l.drawnWords() + saturated(l.number, l.running, l.size)
}

// activations is what the rows that run take. On the go backend the rows of three microbatches
// exist at a time. XLA gathers them on the device, and computes much of the rest within other
// operations, so that about a third of it exists at a time.
func (l load) activations() int64 {
	values := l.model.ValuesPerExample()
	if l.perf.Backend == backend.Go {
		return saturated(l.number, l.rows, 3*l.width+values)
	}
	gathered := l.rows
	if l.plan.SharedBatches {
		gathered = l.rows / max(1, min(int64(l.perf.Chunk), l.running))
	}
	return saturated(l.number, gathered, l.width) + saturated(l.number, l.rows, (values+2)/3)
}

// saturated multiplies, up to a number of bytes that no machine has and of which sums do not overflow.
func saturated(factors ...int64) int64 {
	product := 1.0
	for _, f := range factors {
		product *= float64(f)
	}
	return int64(min(product, 1<<58))
}

// ErrMemory is wrapped by the error about a run that is estimated to need too much memory.
var ErrMemory = errors.New("estimated memory")

// checkMemory returns an error if a run is estimated above the limit, with settings that
// would fit.
func checkMemory(model Model, examples int, plan Plan, perf Performance) error {
	need := estimate(model, examples, plan, perf)
	if free := freememory.Bytes(); need.Host > free && free > 0 && perf.MemoryLimit >= 0 {
		return fmt.Errorf("dpsgd: %w %v of %d replicas: must be at most the %s that the host has free; take fewer replicas or a smaller model",
			ErrMemory, need, len(plan.Replicas), megabytes(free))
	}
	limit, source := perf.memoryLimit()
	if limit <= 0 || need.Total() <= limit {
		return nil
	}
	return fmt.Errorf("dpsgd: %w %v of %d replicas in microbatches of %d: must be at most the %s %s; %s",
		ErrMemory, need, len(plan.Replicas), perf.Microbatch, megabytes(limit), source, fitting(model, examples, plan, perf, limit))
}

// memoryLimit returns how many bytes a run may take, and where that is from.
func (p Performance) memoryLimit() (limit int64, source string) {
	if p.MemoryLimit != 0 {
		return p.MemoryLimit, "of Performance.MemoryLimit"
	}
	if limit = p.deviceLimit(); limit > 0 {
		return limit, "that are three quarters of the device's memory"
	}
	return freememory.Bytes(), "that this machine has free"
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
