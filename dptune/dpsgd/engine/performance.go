package engine

import (
	"fmt"
	"math"
	"runtime"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
)

// Performance holds what changes speed and memory, and results by rounding only.
// The zero value is a fair choice. The default of Microbatch follows from the size of the data
// set, and so does the rounding: set it where that size is to stay secret to the last bit.
type Performance struct {
	Backend    string    // "go" (pure Go), another of [backend.Names], or [backend.Auto]. Default: DPLAB_BACKEND, or "go" without.
	Precision  Precision // Float32 by default
	Microbatch int       // examples of one replica in one call. Default: the expected batch and a margin, at most 512.

	// ReplicasPerCall is how many replicas run in one call: a group. The default is as many as fill
	// the goroutines, up to a million parameters; on a device, see [backend.SetDeviceMemory], as many
	// as fit into its memory.
	ReplicasPerCall int

	// Goroutines is how many groups, or microbatches of a group, run at the same time. The default is
	// GOMAXPROCS; on a device 2, since its programs run one after the other.
	Goroutines int

	// StepsPerCall is how many steps, of a single microbatch each, run in one call at most, which
	// saves the time of a call where a step takes little. A call ends early at a step after which
	// Plan.Weights is called or a checkpoint is due; a context that ends is noticed after a call.
	//
	// The default depends on the model and the backend alone, since results do in their last bits:
	// 2^14 over the number of parameters or of values per example, whichever is larger, and at
	// most 32. It is 1 for models of more than 8,192 parameters, and on the go backend, which has
	// no other. On a device it is 2^20 over the same, for there a call costs more.
	StepsPerCall int

	// MemoryLimit is how many bytes a run may be estimated to need, see EstimateMemory: of the
	// device's memory where it has its own. 0 is what the machine has free, where that is known
	// (Linux), or three quarters of the device's; -1 is no limit.
	MemoryLimit int64

	Checkpoint Checkpoint // where and how often a run is saved, to be resumed; nowhere by default
}

// Precision is the type of number that weights and gradients are computed in.
type Precision int

const (
	// Float32 is the default.
	Float32 Precision = iota
	// Float64 is for tests and for studies of rounding.
	Float64
)

// Validate returns every fault, joined. The backend's name is checked when it is opened.
func (p Performance) Validate() error {
	errs := check.In("dpsgd: ")
	errs.That(p.Precision == Float32 || p.Precision == Float64, "Performance.Precision", p.Precision, "must be Float32 or Float64")
	errs.That(p.Microbatch >= 0 && p.Microbatch <= 1<<16, "Performance.Microbatch", p.Microbatch, "must be in [0, 65536] (0 for the default)")
	errs.That(p.ReplicasPerCall >= 0, "Performance.ReplicasPerCall", p.ReplicasPerCall, "must be >= 0 (0 for the default)")
	errs.That(p.Goroutines >= 0, "Performance.Goroutines", p.Goroutines, "must be >= 0 (0 for the default)")
	errs.That(p.StepsPerCall >= 0 && p.StepsPerCall <= 1<<10, "Performance.StepsPerCall", p.StepsPerCall, "must be in [0, 1024] (0 for the default)")
	errs.That(p.StepsPerCall <= 1 || backend.Named(p.Backend) != backend.Go, "Performance.StepsPerCall", p.StepsPerCall, "must be 0 or 1 on the go backend")
	errs.That(p.MemoryLimit >= -1, "Performance.MemoryLimit", p.MemoryLimit, "must be >= -1 (0 for what is free, -1 for no limit)")
	errs.Add(p.Checkpoint.validate())
	return errs.Err()
}

// onePerformance returns the settings that were given last and are optional: the zero value without.
func onePerformance(given []Performance) (Performance, error) {
	switch len(given) {
	case 0:
		return Performance{}, nil
	case 1:
		return given[0], nil
	}
	return Performance{}, fmt.Errorf("dpsgd: %d values of Performance: must be at most one", len(given))
}

// withDefaults fills in what is not given. batch is how many examples the largest batch of
// a replica is likely to have.
func (p Performance) withDefaults(model dpsgd.Model, replicas int, batch float64) Performance {
	p.Backend = backend.Named(p.Backend)
	_, device := backend.DeviceMemory(p.Backend)
	if p.Goroutines == 0 {
		p.Goroutines = runtime.GOMAXPROCS(0)
		if device {
			p.Goroutines = 2
		}
	}
	if p.ReplicasPerCall == 0 && device {
		p.ReplicasPerCall = replicas
	} else if p.ReplicasPerCall == 0 {
		const parameters = 1 << 20 // of all models of a group
		most := 256
		if p.Backend == backend.Go {
			most = 128 // whose values stay in the caches
		}
		share := (replicas + p.Goroutines - 1) / p.Goroutines
		p.ReplicasPerCall = evenGroup(replicas, max(1, min(share, parameters/max(model.Size(), 1), most)))
	}
	p.ReplicasPerCall = min(p.ReplicasPerCall, replicas)
	if p.StepsPerCall == 0 {
		p.StepsPerCall = p.defaultStepsPerCall(model)
	}
	if p.Microbatch == 0 {
		p.Microbatch = p.defaultMicrobatch(model, batch)
	}
	return p
}

// deviceLimit returns how many bytes of its device's memory a run may take: -1 for no limit, 0 if
// it has no such device.
func (p Performance) deviceLimit() int64 {
	bytes, device := backend.DeviceMemory(p.Backend)
	if device && p.MemoryLimit != 0 {
		return p.MemoryLimit
	}
	return bytes / 4 * 3 // the rest is for programs, and for holes between blocks
}

// evenGroup returns the size of groups of at most so many replicas: the largest that divides the
// replicas evenly, if it is at least three quarters of most; else the one with the largest last
// group. A group of another size needs programs of its own.
func evenGroup(replicas, most int) int {
	for size := most; 4*size >= 3*most; size-- {
		if replicas%size == 0 {
			return size
		}
	}
	groups := (replicas + most - 1) / most
	return (replicas + groups - 1) / groups
}

// defaultMicrobatch returns a size such that a batch fits into as few microbatches as 512
// examples each allow. Where an example takes much work and the backend does most of it on
// one core, their number is even, so that they can run on two, and each holds some four
// million numbers at most: smaller ones need less memory, and hardly more time as long as
// they have several examples. It must not depend on the number of replicas or of cores, for
// results do in their last bits.
func (p Performance) defaultMicrobatch(model dpsgd.Model, batch float64) int {
	const largest, multiple, work, most = 512, 8, 1 << 20, 1 << 22
	pieces := max(1, math.Ceil(batch/largest))
	if values := batch * float64(model.ValuesPerExample()); p.Backend == backend.Go && values > work {
		pieces = max(pieces, math.Ceil(min(values/most, batch/multiple)))
		pieces = 2 * math.Ceil(pieces/2)
	}
	each := int(math.Ceil(batch / pieces))
	return max(1, (each+multiple-1)/multiple) * multiple
}

// defaultStepsPerCall returns what the comment of StepsPerCall says.
func (p Performance) defaultStepsPerCall(model dpsgd.Model) int {
	const most = 32
	work := 1 << 14
	if p.Backend == backend.Go {
		return 1
	}
	if _, device := backend.DeviceMemory(p.Backend); device {
		work = 1 << 20
	}
	return max(1, min(most, work/max(model.Size(), int(model.ValuesPerExample()), 1)))
}

// parallelMicrobatches returns how many microbatches of each replica group are summed at the same
// time: several where there are fewer groups than goroutines, and the backend runs most of a program
// on one core.
func (p Performance) parallelMicrobatches(groups int) int {
	const most = 1 << 10 // each is a place in a queue, also of those that have no microbatch
	if p.Backend != backend.Go {
		return 1
	}
	return max(1, min(p.Goroutines/groups, most))
}

// wrapped names this package in an error of another one, unless it is nil.
func wrapped(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("dpsgd: %w", err)
}
