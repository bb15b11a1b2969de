package engine

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/internal/checkpoint"
	"github.com/dplab/dplab/dptune/dpsgd/internal/digest"
	"github.com/dplab/dplab/dptune/streams"
)

// The parts of a run's identity, in addition to [checkpoint.Data] and [checkpoint.Kernels]. They
// determine its numbers. A checkpoint must agree in them with the run that resumes from it.
const (
	identityCode     = "code version"
	identityModel    = "model"
	identityPlan     = "plan"
	identityNonce    = "nonce of code that is not dpsgd's own"
	identitySettings = "performance settings"
	identityNoise    = "generator of noise" // absent for AES256
	identityAverage  = "Plan.Average"       // absent for none

	// identityCurve is of checkpoints only. It does not change what a run draws, and is absent
	// without Plan.Evaluate.
	identityCurve = "learning curve's data and steps"
)

// identity returns the identity of a run, without its roots. The plan is hashed with at most
// gradients numbers of the canary's gradients. whole reports whether all code has a hash.
func (t *Replicas) identity(gradients int) (parts map[string]string, whole bool) {
	data := t.train.Fingerprint()
	model, models := t.model.Identity()
	plan, plans := t.plan.Identity(gradients)
	settings := []any{t.perf.Backend, t.perf.Precision, t.perf.Microbatch, t.perf.ReplicasPerCall, t.perf.StepsPerCall}
	parts = map[string]string{
		identityCode:     checkpoint.CodeVersion,
		identityModel:    digest.Text(model),
		identityPlan:     digest.Text(plan),
		checkpoint.Data:  digest.Text(data[:]),
		identitySettings: digest.Text(digest.JSON(settings...)),
	}
	// Other kernels round differently: with the same noise, the difference of two results would be
	// free of it. The noise of a fixed root stays the same, see prepareRoots.
	parts[checkpoint.Kernels] = backend.Kernels(t.perf.Backend)
	if t.plan.Average > 0 {
		parts[identityAverage] = digest.Text(digest.JSON(t.plan.Average))
	}
	if t.generator != dpsgd.AES256 {
		parts[identityNoise] = digest.Text(digest.JSON(t.generator))
	}
	return parts, models && plans
}

// prepareRoots returns the store of a run's checkpoints, nil without checkpoints, and the roots
// that the run draws from.
//
// Every stream of a run (initial weights, batches, noise, the canary's coins) starts from a root. A
// secret root is bound to the run's identity. So two runs from one secret root draw the same
// numbers only if they are the same run, with equal outputs. Otherwise the difference of their
// weights would be free of noise, and a batch that both drew would be priced as if it were secret
// in each. Fixed roots are not changed.
//
// Code of the caller has no hash. If a layer, the loss, the clipping or the optimizer is such code,
// a nonce from the operating system takes the place of its hash. Every run from a secret root then
// draws new numbers. A folder of checkpoints keeps the nonce, so the run can be resumed.
func (t *Replicas) prepareRoots(roots []streams.Root) (*checkpoint.Store, []streams.Root, error) {
	const fewGradients = 1 << 24
	secret := slices.ContainsFunc(roots, func(root streams.Root) bool { return !root.Seeded() })
	dir := t.perf.Checkpoint.Dir
	if !secret && dir == "" {
		return nil, roots, nil
	}
	gradients := fewGradients
	if secret {
		gradients = math.MaxInt
	}
	identity, whole := t.identity(gradients)
	if dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, nil, fmt.Errorf("engine: Performance.Checkpoint.Dir: %w", err)
		}
	}
	if secret && !whole {
		nonce, err := newNonce(dir)
		if err != nil {
			return nil, nil, err
		}
		identity[identityNonce] = nonce
	}
	s, err := t.openStore(roots, identity)
	message, bound := digest.JSON(identity), make([]streams.Root, len(roots))
	for r, root := range roots {
		bound[r] = root.Bound(message)
	}
	return s, bound, err
}

// newNonce returns a random text. The folder of checkpoints keeps it, if dir is not empty.
func newNonce(dir string) (string, error) {
	root, err := streams.Secret()
	if dir != "" {
		root, err = streams.SecretFile(filepath.Join(dir, "nonce"))
	}
	if err != nil {
		return "", fmt.Errorf("engine: a nonce for the run: %w", err)
	}
	return digest.Text(identityKey([]streams.Root{root})), nil
}

// openStore returns the store of the checkpoints of a run with an identity, or nil without
// checkpoints.
func (t *Replicas) openStore(roots []streams.Root, identity map[string]string) (*checkpoint.Store, error) {
	if t.perf.Checkpoint.Dir == "" {
		return nil, nil
	}
	groups := map[int]int{}
	for first := 0; first < len(roots); first += t.perf.ReplicasPerCall {
		groups[first] = min(t.perf.ReplicasPerCall, len(roots)-first)
	}
	if e := t.plan.Evaluate; e != nil {
		identity = maps.Clone(identity)
		identity[identityCurve] = digest.Text(digest.JSON(e.Data.Fingerprint(), e.Every))
	}
	return checkpoint.Open(t.perf.Checkpoint.Dir, identityKey(roots), identity, groups, t.createFile)
}

// identityKey returns a key that only a holder of the roots can make. Hashes of the data in a file
// use it. Without a key, anyone who guesses the data could test the guess.
func identityKey(roots []streams.Root) []byte {
	h := sha256.New()
	for _, root := range roots {
		rng := root.Rand("checkpoint")
		for range sha256.Size / 8 {
			digest.Add(h, rng.Uint64())
		}
	}
	return h.Sum(nil)
}
