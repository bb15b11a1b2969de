package engine

import (
	"fmt"

	"github.com/dplab/dplab/accounting/check"
)

// Checkpoint makes a run resumable: every so many steps, and when its context ends, each
// group of replicas writes what it needs to go on into a file of Dir. A run of the same
// trainer and roots takes it up from there and ends with the same bits, whenever the first
// one was killed. The zero value writes nothing.
//
// A file is written under another name, forced to disk and renamed, and the one before it is kept:
// one that is cut off or damaged is passed over with a warning, and a disk that is full costs one
// warning and no more, which Progress tells when it happens. A checkpoint of another plan, model,
// data set, root, code, or of other settings is refused, and so is one that was changed by who does
// not have the root: files are authenticated with a key made from it. Of a fixed root, that is who
// does not know its name. When the run has ended the last files remain, and the same run returns
// its result at once; delete the folder when the result is kept elsewhere.
//
// Files hold weights, the optimizer's memory and probes, which the guarantee of the config
// covers, but also Result.Excluded, which it does not: they are not for release. They hold
// neither random state nor the root, since every stream starts from root and label. That
// the root is the same is told by a one-way function of it: it says nothing about a secret
// root, but lets who has the file try names of a fixed one. A run from a secret root can
// only be resumed with that root: see streams.SecretFile.
//
// Layers, losses, clippings and optimizers that are not of this package are known by their names
// alone. With a secret root, the folder then also keeps a nonce, which is part of the noise's key:
// a run in another folder, or in none, has other noise. Do not take up a run with changed code
// under the same name.
//
// Plan.Progress is called again, with the same values, for steps after the last checkpoint that had
// run already. Plan.Weights is refused: what it collects would begin there. Plan.Probes and
// Result.Probes are kept whole. One process at a time may use a folder.
type Checkpoint struct {
	Dir   string // a folder, made if it does not exist; "" is none
	Every int    // steps. 0 is a twentieth of all steps.
}

func (c Checkpoint) validate() error {
	fault := check.In("dpsgd: ")
	fault.That(c.Every >= 0, "Performance.Checkpoint.Every", c.Every, "must be >= 0 (0 for a twentieth of all steps)")
	fault.That(c.Every == 0 || c.Dir != "", "Performance.Checkpoint.Dir", fmt.Sprintf("%q", c.Dir), "must be a folder when Every is set")
	return fault.Err()
}

// due reports whether to write after so many steps.
func (c Checkpoint) due(done, steps int) bool {
	every := c.Every
	if every == 0 {
		every = max(1, steps/20)
	}
	return done%every == 0 || done == steps
}
