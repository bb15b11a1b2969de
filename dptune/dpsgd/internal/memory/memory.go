// Package memory estimates the most memory that a run of the engine holds, from sizes only.
package memory

import "math"

// Run has the sizes of a run.
type Run struct {
	Number       int64 // bytes of a number, 4 or 8
	Size         int64 // parameters of a model
	Width        int64 // values of a row
	Values       int64 // values that a model computes for an example
	Examples     int64 // rows of the data, with those of canaries
	LargestBatch float64

	Replicas, Steps, Probes, Slots                  int64
	Kept                                            int64 // slots that are part of the result
	Microbatch, GroupSize, Goroutines, StepsPerCall int64
	ParallelMicrobatches                            func(groups int) int // microbatches of a replica group that run at the same time

	OnGo          bool // programs run in Go's memory
	Device        bool // or in a device's memory
	Noise         bool
	ChaCha20      bool // a device makes the words of the noise
	SharedBatches bool
	Formed        int64 // parameters with per-sample gradients
	EvaluatedRows int64 // rows of the data that are evaluated during the run
	Evaluated     int64 // examples that models evaluate at the same time
	OfEvaluated   int64 // values that a model computes for one of these
	Crafted       bool  // there are sums of crafted gradients
	Moving        bool  // these change from step to step
	CraftedOwn    int64 // gradients of canaries that are kept in full
}

// Estimate is the memory of a run, in bytes. See engine.Memory.
type Estimate struct {
	Data, State, Noise, Activations, Gradients, Garbage, Host int64
}

// Total returns the sum of all fields except Host.
func (e Estimate) Total() int64 {
	return e.Data + e.State + e.Noise + e.Activations + e.Gradients + e.Garbage
}

// Estimate returns the memory of the run.
func (r Run) Estimate() Estimate {
	l := newLoad(r)
	e := Estimate{Activations: max(l.activations(), l.evaluation()), Noise: l.noise() + l.canaryBytes()}
	e.Gradients = Saturated(2*l.Number, l.rows, l.Formed) // plain and weighted
	if r.OnGo {
		e.Data, e.State = l.hostData(l.Examples)+l.evaluatedData(), l.result+l.hostState()
		e.Garbage = e.Total()
		return e
	}
	e.Data, e.State = Saturated(l.Number, l.Examples+1, l.Width+2)+l.evaluatedData(), l.deviceState()
	if r.Device {
		e.Host = 2*l.result + l.sentWords() // the result, and observed weights
		return e
	}
	e.State += l.result
	e.Garbage = l.result + keptBlocks*e.Activations
	return e
}

// keptBlocks is how many further blocks of temporary arrays XLA's heap holds on a CPU. A call takes
// all temporary arrays as one block. The next call takes its block before this one's is free, which
// makes two. Smaller arrays take parts of free blocks, so the next block needs new memory, which
// makes three or more. The heap returns none of them to the system (package xla, malloc.c). From 2
// to 5 blocks were measured for one program, depending on when calls end. Gradients are not counted
// again: a materialized run of 800 examples held 635 MB, for 611 MB of plain and weighted ones.
const keptBlocks = 2

// load is a run with the sizes of what runs at the same time.
type load struct {
	Run
	running      int64 // models that run at the same time
	parallel     int64 // microbatches of each that run at the same time
	microbatches int64 // of a batch
	rows         int64 // of all microbatches that run
	result       int64 // bytes of all final weights, and of probes, on the host
}

func newLoad(r Run) load {
	l := load{Run: r}
	groups := (r.Replicas + r.GroupSize - 1) / r.GroupSize
	l.microbatches = int64(math.Ceil(r.LargestBatch / float64(r.Microbatch)))
	l.parallel = max(1, min(int64(r.ParallelMicrobatches(int(groups))), l.microbatches)) // others wait
	l.running = min(groups*r.GroupSize, Saturated(r.Goroutines, r.GroupSize), r.Replicas)
	l.rows = Saturated(l.running, l.parallel, r.Microbatch)
	l.result = Saturated(8, r.Replicas, r.Size, 1+r.Kept) + Saturated(8, r.Replicas, r.Steps, r.Probes)
	return l
}

// hostData is the memory that the host adds to the rows of a data set.
func (l load) hostData(rows int64) int64 {
	if l.Number == 8 {
		return Saturated(8, rows, l.Width+1)
	}
	return 4 * rows
}

// evaluatedData is the memory of the rows that are evaluated. They stay on a device.
func (l load) evaluatedData() int64 {
	if l.Device {
		return Saturated(l.Number, l.EvaluatedRows, l.Width+1)
	}
	return l.hostData(l.EvaluatedRows)
}

// hostState is the memory that the go backend keeps from step to step.
func (l load) hostState() int64 {
	const sums = 2 // before and after a microbatch, in float64
	return Saturated(l.running, l.Size, l.Number*(2+l.Slots)+8*(sums+l.parallel-1))
}

// deviceState is the memory that XLA keeps from step to step, once as inputs and once as outputs of
// a call. Sums are in float64 only if a batch has several microbatches.
func (l load) deviceState() int64 {
	bytes := 2 * l.Number * (1 + l.Slots)
	if l.microbatches > 1 {
		bytes += 2 * 8
	}
	return Saturated(l.running, l.Size, bytes)
}

// wordBytes is the number of bytes in the words of one normal.
const wordBytes = 6

// sentWords are the bytes of words sent to a device: for this call's steps and for the next one's.
func (l load) sentWords() int64 {
	if !l.Noise || l.ChaCha20 {
		return 0
	}
	return Saturated(2*wordBytes, l.StepsPerCall, l.running, l.Size)
}

// drawnWords are the bytes of words that a device draws for a call, with the other values of its
// loop.
func (l load) drawnWords() int64 {
	if !l.Noise || !l.ChaCha20 {
		return 0
	}
	return Saturated(3*wordBytes, l.StepsPerCall, l.running, l.Size)
}

func (l load) noise() int64 {
	switch {
	case !l.Noise:
		return 0
	case l.OnGo:
		return Saturated(2*l.Number, l.running, l.Size)
	}
	return l.sentWords() + l.drawnWords() + Saturated(l.Number, l.running, l.Size)
}

// activations is the memory of the rows that run. On the go backend the rows of three microbatches
// exist at a time. XLA gathers rows on the device and fuses much of the other work, so about a
// third of the values exist at a time.
func (l load) activations() int64 {
	if l.OnGo {
		return Saturated(l.Number, l.rows, 3*l.Width+l.Values)
	}
	gathered := l.rows
	if l.SharedBatches {
		gathered = l.rows / max(1, min(l.GroupSize, l.running))
	}
	return Saturated(l.Number, gathered, l.Width) + Saturated(l.Number, l.rows, (l.Values+2)/3)
}

// evaluation is the memory of evaluating models, as of rows in training. A group does not train
// meanwhile.
func (l load) evaluation() int64 {
	if l.OnGo {
		return Saturated(l.Number, l.Evaluated, 3*l.Width+l.OfEvaluated)
	}
	return Saturated(l.Number, l.Evaluated, l.Width+(l.OfEvaluated+2)/3)
}

// canaryBytes is the memory of crafted canaries and their sums.
func (l load) canaryBytes() int64 {
	if !l.Crafted {
		return 0
	}
	sums := l.Number
	if l.Moving {
		sums *= 3 * l.StepsPerCall // for this call, the next one, and one on the host
	}
	return Saturated(8, l.CraftedOwn, l.Size) + Saturated(sums, l.running, l.Size)
}

// Saturated returns the product, at most a number of bytes that no machine has. Sums of such
// numbers do not overflow.
func Saturated(factors ...int64) int64 {
	product := 1.0
	for _, f := range factors {
		product *= float64(f)
	}
	return int64(min(product, 1<<58))
}
