package dpsgd

import (
	"errors"
	"math"
	"runtime"
)

// Performance holds what changes speed and memory, and results by rounding only.
// The zero value is a fair choice.
type Performance struct {
	Backend    string    // "go" (pure Go) or the name of another that was registered. Default "go".
	Precision  Precision // Float32 by default
	Microbatch int       // examples of one replica in one call. Default: the expected batch and a margin, at most 512.
	Chunk      int       // replicas in one call. Default: as many as fill the goroutines, up to a million parameters.
	Goroutines int       // chunks that run at the same time. Default: GOMAXPROCS.

	// MemoryLimit is how many bytes a run may be estimated to need, see EstimateMemory. 0 is
	// what the machine has free, where that is known (Linux); -1 is no limit.
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
	var errs faults
	errs.unless(p.Precision == Float32 || p.Precision == Float64, "Performance.Precision", p.Precision, "must be Float32 or Float64")
	errs.unless(p.Microbatch >= 0 && p.Microbatch <= 1<<16, "Performance.Microbatch", p.Microbatch, "must be in [0, 65536] (0 for the default)")
	errs.unless(p.Chunk >= 0, "Performance.Chunk", p.Chunk, "must be >= 0 (0 for the default)")
	errs.unless(p.Goroutines >= 0, "Performance.Goroutines", p.Goroutines, "must be >= 0 (0 for the default)")
	errs.unless(p.MemoryLimit >= -1, "Performance.MemoryLimit", p.MemoryLimit, "must be >= -1 (0 for what is free, -1 for no limit)")
	errs.add(p.Checkpoint.validate())
	return errors.Join(errs...)
}

// withDefaults fills in what is not given. size is the number of parameters of one model,
// batch how many examples the largest batch of a replica is likely to have.
func (p Performance) withDefaults(replicas, size int, batch float64) Performance {
	if p.Backend == "" {
		p.Backend = defaultBackend
	}
	if p.Goroutines == 0 {
		p.Goroutines = runtime.GOMAXPROCS(0)
	}
	if p.Chunk == 0 {
		const parameters = 1 << 20 // of all models of a chunk
		share := (replicas + p.Goroutines - 1) / p.Goroutines
		p.Chunk = max(1, min(share, parameters/max(size, 1), 256))
	}
	p.Chunk = min(p.Chunk, replicas)
	if p.Microbatch == 0 {
		p.Microbatch = defaultMicrobatch(batch)
	}
	return p
}

// defaultMicrobatch returns a size such that a batch fits into as few microbatches as 512
// examples each allow.
func defaultMicrobatch(batch float64) int {
	const largest, multiple = 512, 8
	pieces := math.Ceil(batch / largest)
	each := int(math.Ceil(batch / max(pieces, 1)))
	return max(1, (each+multiple-1)/multiple) * multiple
}
