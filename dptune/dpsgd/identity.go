package dpsgd

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/dplab/dplab/dptune/dpsgd/internal/checkpoint"
	"github.com/dplab/dplab/dptune/internal/kernel"
	"github.com/dplab/dplab/dptune/streams"
)

// The parts of a run's identity, beside [checkpoint.Data]: what its numbers follow from. A checkpoint must have them in
// common with the run that takes it up.
const (
	identityCode     = "code version"
	identityModel    = "model"
	identityPlan     = "plan"
	identityNonce    = "nonce of code that is not dpsgd's own"
	identitySettings = "performance settings"
	identityNoise    = "generator of noise" // there if it is not AES256
)

// identity returns the identity of a run, without its roots. The plan is hashed with so many
// numbers of the canary's gradients at most.
func (t *Replicas) identity(gradients int) map[string]string {
	data := t.train.Fingerprint()
	model, _ := t.model.Identity()
	parts := map[string]string{
		identityCode:     checkpoint.CodeVersion,
		identityModel:    text(model),
		identityPlan:     text(t.plan.hash(gradients)),
		checkpoint.Data:  text(data[:]),
		identitySettings: text(hashOf(t.perf.Backend, t.perf.Precision, t.perf.Microbatch, t.perf.Chunk, t.perf.StepsPerCall, kernel.SIMD, runtime.GOARCH)),
	}
	if t.generator != AES256 {
		parts[identityNoise] = text(hashOf(t.generator))
	}
	return parts
}

// prepareRoots returns the store of a run's checkpoints, nil if there is to be none, and the roots
// that the run draws from.
//
// Every stream of a run (initial weights, batches, noise, the canary's coins) starts from a
// root that is bound to the run's identity, if it is a secret one: two runs from one secret root
// draw the same numbers only if they are the same run, whose outputs are then the same.
// Otherwise the difference of their weights would be free of noise, and a batch that both
// drew would be priced as if it were secret to each. Fixed roots are left as they are.
//
// What code of the caller computes has no hash. Where a model has such layers, or such a loss, or a
// plan such a clipping or optimizer, a nonce from the operating system stands for it: every run from a secret
// root draws anew, and a folder of checkpoints keeps the nonce, so that the run can be resumed.
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
	identity := t.identity(gradients)
	if dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, nil, fmt.Errorf("dpsgd: Performance.Checkpoint.Dir: %w", err)
		}
	}
	if _, own := t.model.Identity(); secret && !(own && t.plan.isOwn()) {
		nonce, err := newNonce(dir)
		if err != nil {
			return nil, nil, err
		}
		identity[identityNonce] = nonce
	}
	s, err := t.openStore(roots, identity)
	message, bound := hashOf(identity), make([]streams.Root, len(roots))
	for r, root := range roots {
		bound[r] = root.Bound(message)
	}
	return s, bound, err
}

// newNonce returns a random text, which a folder of checkpoints keeps if one is named.
func newNonce(dir string) (string, error) {
	root, err := streams.Secret()
	if dir != "" {
		root, err = streams.SecretFile(filepath.Join(dir, "nonce"))
	}
	if err != nil {
		return "", fmt.Errorf("dpsgd: a nonce for the run: %w", err)
	}
	return text(identityKey([]streams.Root{root})), nil
}

// openStore returns the store of the checkpoints of a run with an identity, or nil if there is to
// be none.
func (t *Replicas) openStore(roots []streams.Root, identity map[string]string) (*checkpoint.Store, error) {
	if t.perf.Checkpoint.Dir == "" {
		return nil, nil
	}
	chunks := map[int]int{}
	for first := 0; first < len(roots); first += t.perf.Chunk {
		chunks[first] = min(t.perf.Chunk, len(roots)-first)
	}
	return checkpoint.Open(t.perf.Checkpoint.Dir, identityKey(roots), identity, chunks, t.createFile)
}

// identityKey returns a key that only who has the roots can make. What a file says of the data is
// made with it, or else who guesses the data could test the guess.
func identityKey(roots []streams.Root) []byte {
	h := sha256.New()
	for _, root := range roots {
		rng := root.Rand("checkpoint")
		for range sha256.Size / 8 {
			number(h, rng.Uint64())
		}
	}
	return h.Sum(nil)
}

func text(sum []byte) string { return hex.EncodeToString(sum) }

// hashOf returns the SHA-256 of values as JSON. It panics on NaN, and on what JSON does not know.
func hashOf(values ...any) []byte {
	h := sha256.New()
	if err := json.NewEncoder(h).Encode(values); err != nil { // without a hash, other values would be taken for these
		panic(fmt.Errorf("dpsgd: hashing: %w", err))
	}
	return h.Sum(nil)
}

// number writes numbers of fixed size.
func number(h hash.Hash, values any) { _ = binary.Write(h, binary.LittleEndian, values) }

// Identity returns a hash of all that the config says, its clipping and optimizer by type and name. own is
// whether that is all: whether they are this package's code. Code of the caller has no hash.
func (c Config) Identity() (sum []byte, own bool) {
	rule, o := c.clipping(), c.optimizer()
	c.Clipping, c.Optimizer = nil, nil
	return hashOf(c, fmt.Sprintf("%T", rule), rule.String(), fmt.Sprintf("%T", o), o.String()), ownCode(rule) && ownCode(o)
}

// ownCode reports whether the code of a clipping or an optimizer is this package's.
func ownCode(value any) bool {
	switch value.(type) {
	case FlatClipping, AutomaticClipping, PerLayerClipping, SGD, Adam:
		return true
	}
	return false
}

// isOwn reports whether all code of the plan's configs is this package's.
func (p Plan) isOwn() bool {
	return !p.some(func(c Config) bool { _, own := c.Identity(); return !own })
}

// hash returns that of all that the plan says. Functions count by their values: a canary's
// sequence of gradients, if it has more numbers than that, by those of steps that lie evenly.
func (p Plan) hash(most int) []byte {
	h := sha256.New()
	for _, c := range p.Replicas {
		sum, _ := c.Identity()
		h.Write(sum)
	}
	h.Write(hashOf(len(p.Replicas), p.SharedBatches, p.Mode, len(p.Probes), p.Initial != nil, p.Canary != nil))
	for t := range p.Replicas[0].Steps {
		number(h, p.factor(t))
	}
	for _, direction := range p.Probes {
		number(h, direction)
	}
	if p.Initial != nil {
		h.Write(hashOf(len(p.Initial.Values)))
		for _, values := range p.Initial.Values {
			number(h, values)
		}
	}
	if p.Canary != nil {
		h.Write(hashOf(p.Canary.In, p.Canary.Example))
		number(h, p.Canary.Gradient)
		p.hashSteps(h, most)
	}
	if c := p.Canaries; c != nil {
		h.Write(hashOf("canaries", c.Coordinates, len(c.Gradients), c.Examples, c.In))
		for _, gradient := range c.Gradients {
			number(h, gradient)
		}
	}
	return h.Sum(nil)
}

// hashSteps adds the functions of the canary.
func (p Plan) hashSteps(h hash.Hash, most int) {
	c, steps, size := p.Canary, p.Replicas[0].Steps, 0
	for t := range steps {
		number(h, c.At == nil || c.At(t))
	}
	for r := 0; r < len(p.Replicas) && c.GradientAt != nil; r++ {
		stride := max(1, steps*len(p.Replicas)*size/most)
		for t := 0; t < steps && c.In[r]; t += stride {
			gradient := c.GradientAt(t, r)
			size = len(gradient)
			number(h, gradient)
		}
	}
}
