package engine

import (
	"fmt"

	"github.com/dplab/dplab/accounting/check"
)

// Checkpoint makes a run resumable. After every Every steps, and when the context ends, each group
// of replicas writes its state into a file in Dir. A later run of the same trainer and roots
// resumes from there. It ends with the same bits, no matter when the first run was killed. The
// zero value writes nothing.
//
// A file is written under another name, forced to disk and renamed, and the previous one is kept. A
// file that is cut off or damaged is skipped with a warning. A full disk costs one warning, which
// Progress reports at once. A checkpoint of another plan, model, data set, root, code or settings
// is refused. So is a forged one: files are authenticated with a key made from the root. Anyone
// with the root, or with the name of a fixed root, can forge them.
//
// A checkpoint of other kernels is refused too, see [backend.Kernels]: on a processor with AVX-512,
// one from AVX2. For XLA it is one of another plugin, driver, GPU or processor, or of other
// XLA_FLAGS or another number of cores. The run would round differently from there on. The error
// names both. On a processor with AVX-512, a program that starts with GODEBUG=cpu.avx512f=off has
// the go backend's AVX2 kernels, and resumes such a run.
//
// The last files remain when the run has ended, and the same run then returns its result at once.
// Delete the folder when the result is kept elsewhere.
//
// Do not release the files. They hold weights, the optimizer's slots and probes, which the
// guarantee of the config covers, but also Result.Excluded, which it does not cover. They hold
// neither random state nor the root, since every stream starts from root and label. A one-way
// function of the root identifies it. It reveals nothing about a secret root, but anyone with the
// file can test names of a fixed root. A run from a secret root can be resumed only with that root:
// see streams.SecretFile.
//
// Your own layers, losses, clippings and optimizers are identified by their names only. With a
// secret root, the folder then also keeps a nonce that is part of the noise's key. A run in another
// folder, or without a folder, has other noise. Do not resume a run with changed code under the
// same name.
//
// Steps after the last checkpoint run again, and Plan.Progress is called for them again.
// Plan.Weights must be nil, because it would miss the earlier steps. Result.Probes and Result.Curve
// are complete, because the files keep them. Files with a curve are only for runs with the same
// data and steps in Plan.Evaluate. Only one process at a time may use a folder.
type Checkpoint struct {
	Dir   string // a folder, made if it does not exist; "" is none
	Every int    // steps; 0 is a twentieth of all steps
}

func (c Checkpoint) validate() error {
	fault := check.In("engine: ")
	fault.That(c.Every >= 0, "Performance.Checkpoint.Every", c.Every, "must be >= 0 (0 for a twentieth of all steps)")
	fault.That(c.Every == 0 || c.Dir != "", "Performance.Checkpoint.Dir", fmt.Sprintf("%q", c.Dir), "must be a folder when Every is set")
	return fault.Err()
}

// due reports whether to write after done steps.
func (c Checkpoint) due(done, steps int) bool {
	every := c.Every
	if every == 0 {
		every = max(1, steps/20)
	}
	return done%every == 0 || done == steps
}
