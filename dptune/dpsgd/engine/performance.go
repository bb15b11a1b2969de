package engine

import (
	"fmt"
	"math"
	"runtime"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
)

// Performance has the settings of speed and memory, which change results by rounding only. The zero
// value is a good choice. The default of Microbatch, and so the rounding, depends on the size of
// the data set. Set Microbatch if the last bits must not reveal that size.
type Performance struct {
	Backend    string    // "go", another of [backend.Names], or [backend.Auto]. Default: DPLAB_BACKEND, or "go".
	Precision  Precision // Float32 by default
	Microbatch int       // examples of one replica in one call. Default: the expected batch plus a margin, at most 512.

	// ReplicasPerCall is the number of replicas in one call, called a group. The default splits the
	// replicas over the goroutines, with at most a million parameters in a group. On a device (see
	// [backend.SetDeviceMemory]) it is as many as fit into its memory.
	ReplicasPerCall int

	// Goroutines is the number of groups, or microbatches of a group, that run at the same time.
	// The default is GOMAXPROCS. On a device it is 2, because a device runs its programs one after
	// the other.
	Goroutines int

	// StepsPerCall is the most steps, of a single microbatch each, that run in one call. It saves
	// the time of calls if a step is short. A call ends early after a step if Plan.Weights is then
	// called, Plan.Evaluate measures or a checkpoint is due. The end of a context is noticed after
	// a call.
	//
	// The default depends on the model and the backend only, because the last bits of results
	// depend on it. It is 2^14 divided by the larger of the number of parameters and of values per
	// example, in [1, 32]. On a device it is 2^20 divided by the same, because a call costs more
	// there. On the go backend it is always 1, and so is the default for a model that has a loop
	// over places, see nn.Model.HasLoop.
	StepsPerCall int

	// MemoryLimit is the largest allowed estimate of a run's memory, in bytes: see EstimateMemory.
	// If the device has its own memory, the limit is about that memory. 0 is the free memory of the
	// machine, if known (Linux), or three quarters of the device's. -1 means no limit.
	MemoryLimit int64

	Checkpoint Checkpoint // where and how often a run is saved for resuming; nowhere by default
}

// Precision is the number type of weights and gradients.
type Precision int

const (
	// Float32 is the default.
	Float32 Precision = iota
	// Float64 is for tests and studies of rounding.
	Float64
)

// Validate returns every fault, joined. The backend's name is checked when it is opened.
func (p Performance) Validate() error {
	errs := check.In("engine: ")
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

// onePerformance returns the optional last argument, or the zero value.
func onePerformance(given []Performance) (Performance, error) {
	switch len(given) {
	case 0:
		return Performance{}, nil
	case 1:
		return given[0], nil
	}
	return Performance{}, fmt.Errorf("engine: %d values of Performance: must be at most one", len(given))
}

// withDefaults fills in the defaults. batch is the likely size of the largest batch of a replica.
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
			most = 128 // their values stay in the caches
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

// deviceLimit returns how many bytes of the device's memory a run may take: -1 for no limit, 0
// without such a device.
func (p Performance) deviceLimit() int64 {
	bytes, device := backend.DeviceMemory(p.Backend)
	if device && p.MemoryLimit != 0 {
		return p.MemoryLimit
	}
	return bytes / 4 * 3 // the rest is for programs, and for gaps between blocks
}

// evenGroup returns the size of groups of at most most replicas. It is the largest that divides the
// replicas evenly, if that is at least three quarters of most. Otherwise it is the size with the
// largest last group. A last group of another size needs its own programs.
func evenGroup(replicas, most int) int {
	for size := most; 4*size >= 3*most; size-- {
		if replicas%size == 0 {
			return size
		}
	}
	groups := (replicas + most - 1) / most
	return (replicas + groups - 1) / groups
}

// defaultMicrobatch returns a size that splits a batch into as few microbatches as possible, of at
// most 512 examples each. If an example takes much work and the backend does most of it on one
// core, their number is even: two can run at once. Each then holds at most about four million
// numbers, which needs less memory and hardly more time. The size must not depend on the number of
// replicas or cores, because the last bits of results depend on it.
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

// defaultStepsPerCall returns the default of StepsPerCall, described there.
func (p Performance) defaultStepsPerCall(model dpsgd.Model) int {
	const most = 32
	work := 1 << 14
	if p.Backend == backend.Go || model.HasLoop() {
		return 1
	}
	if _, device := backend.DeviceMemory(p.Backend); device {
		work = 1 << 20
	}
	return max(1, min(most, work/max(model.Size(), int(model.ValuesPerExample()), 1)))
}

// parallelMicrobatches returns how many microbatches of each replica group are summed at the same
// time. It is above 1 if there are fewer groups than goroutines and the backend runs most of a
// program on one core.
func (p Performance) parallelMicrobatches(groups int) int {
	const most = 1 << 10 // each is a place in a queue, used or not
	if p.Backend != backend.Go {
		return 1
	}
	return max(1, min(p.Goroutines/groups, most))
}

// wrapped puts the name of this package before an error, unless it is nil.
func wrapped(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("engine: %w", err)
}
