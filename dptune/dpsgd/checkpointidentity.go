package dpsgd

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"runtime"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/streams"
)

// codeVersion is raised by hand when a change of this package or of its noise changes what
// a run gives. Checkpoints of another version are refused.
const codeVersion = "5"

// What a checkpoint must have in common with the run that takes it up.
const (
	identityCode     = "code version"
	identityModel    = "model"
	identityPlan     = "plan"
	identityData     = "data"
	identityRoot     = "root"
	identitySettings = "performance settings"
)

// openStore returns the store of a run's checkpoints, or nil if there is to be none.
func (t *Trainer) openStore(roots []streams.Root) (*store, error) {
	if t.perf.Checkpoint.Dir == "" {
		return nil, nil
	}
	chunks := map[int]int{}
	for _, first := range t.chunks() {
		chunks[first] = min(t.perf.Chunk, len(roots)-first)
	}
	key := identityKey(roots)
	s := &store{dir: t.perf.Checkpoint.Dir, create: t.createFile, identity: map[string]string{
		identityCode:     codeVersion,
		identityModel:    text(t.model.hash()),
		identityPlan:     text(t.plan.hash()),
		identityData:     text(keyed(key, hashData(t.train))),
		identityRoot:     text(keyed(key, []byte(identityRoot))),
		identitySettings: text(hashOf(t.perf.Backend, t.perf.Precision, t.perf.Microbatch, t.perf.Chunk, t.perf.StepsPerCall, simdBuild, runtime.GOARCH)),
	}}
	return s, s.open(chunks)
}

// identityKey returns a key that only who has the roots can make. The hash of the data is
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

func keyed(key, message []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(message)
	return mac.Sum(nil)
}

func text(sum []byte) string { return hex.EncodeToString(sum) }

// hashOf returns the SHA-256 of values as JSON. They hold no NaN.
func hashOf(values ...any) []byte {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode(values) // a hash takes every write
	return h.Sum(nil)
}

func hashData(d data.Dataset) []byte {
	h := sha256.New()
	h.Write(hashOf(d.Shape, d.Classes, d.Len()))
	number(h, d.Features)
	number(h, d.Labels)
	return h.Sum(nil)
}

// number writes numbers of fixed size.
func number(h hash.Hash, values any) { _ = binary.Write(h, binary.LittleEndian, values) }

// hash returns that of all that the model is: layers and the loss by their names, and the
// numbers that those leave out.
func (m Model) hash() []byte {
	h := sha256.New()
	h.Write(hashOf(m.String(), m.Tensors(), m.Input))
	hashLayers(h, m.Layers)
	if l, ok := m.Loss.(squaredError); ok {
		number(h, l.targets)
	}
	return h.Sum(nil)
}

// hashLayers adds the weights that layers have been given.
func hashLayers(h hash.Hash, layers []Layer) {
	for _, layer := range layers {
		switch l := layer.(type) {
		case frozen:
			number(h, l.values)
			hashLayers(h, []Layer{l.layer})
		case residual:
			hashLayers(h, l.block)
			hashLayers(h, l.projection)
		}
	}
}

// hash returns that of all that the plan says. Functions count by their values: a canary's
// sequence of gradients, if it is a long one, by those of steps that lie evenly.
func (p Plan) hash() []byte {
	h := sha256.New()
	h.Write(hashOf(p.Replicas, p.SharedBatches, p.Mode, len(p.Probes)))
	for t := range p.Replicas[0].Steps {
		number(h, p.factor(t))
	}
	for _, direction := range p.Probes {
		number(h, direction)
	}
	if p.Initial != nil {
		for _, values := range p.Initial.Values {
			number(h, values)
		}
	}
	if p.Canary != nil {
		h.Write(hashOf(p.Canary.In, p.Canary.Example))
		number(h, p.Canary.Gradient)
		p.hashSteps(h)
	}
	return h.Sum(nil)
}

// hashSteps adds the functions of the canary.
func (p Plan) hashSteps(h hash.Hash) {
	const most = 1 << 24 // numbers
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
