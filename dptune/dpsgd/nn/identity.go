package nn

import (
	"crypto/sha256"
	"encoding/json"
	"hash"
)

// Fingerprinter is a [Layer] or a [Loss] with numbers that String does not show, such as constants.
// Checkpoints identify models by these numbers too. Privacy does not rest on it: runs with your own
// code draw new numbers each time.
type Fingerprinter interface {
	// Fingerprint returns the numbers, or a hash of them.
	Fingerprint() []byte
}

// Identity returns a hash of the model: the names of layers and loss, and the numbers that the
// names leave out. own reports whether all of the model's code is this package's. Only then does
// the hash identify the model: the caller's code has no hash. It is nil for a model that is not
// valid.
func (m Model) Identity() (sum []byte, own bool) {
	if m.Validate() != nil {
		return nil, false
	}
	return m.hash(), m.isOwn()
}

func (m Model) hash() []byte {
	h, names := sha256.New(), sha256.New()
	_ = json.NewEncoder(names).Encode([]any{m.String(), m.Tensors(), m.Input}) // writes to a hash never fail
	h.Write(names.Sum(nil))
	hashLayers(h, m.Layers)
	hashNumbers(h, m.Loss)
	return h.Sum(nil)
}

// hashLayers adds the numbers of layers.
func hashLayers(h hash.Hash, layers []Layer) {
	for _, layer := range layers {
		hashNumbers(h, layer)
		hashLayers(h, inside(layer))
	}
}

// hashNumbers adds the numbers of a layer or a loss.
func hashNumbers(h hash.Hash, part any) {
	if p, ok := part.(Fingerprinter); ok {
		h.Write(p.Fingerprint())
	}
}

// Assumptions returns what the guarantee of training the model assumes in addition to its config.
func (m Model) Assumptions() []string {
	var list []string
	isFrozen := func(l Layer) bool {
		switch l.(type) {
		case frozen, lora:
			return true
		}
		return false
	}
	if holds(m.Layers, isFrozen) {
		list = append(list, "the values of frozen layers are public")
	}
	if _, is := baseLoss(m.Loss).(squaredError); is {
		list = append(list, "the targets of the squared error are public")
	}
	if _, is := m.Loss.(TargetLoss); is {
		list = append(list, "an example's targets depend on that example only")
	}
	if !m.isOwn() {
		list = append(list, "the user's own layers and losses treat each example by itself")
	}
	return list
}
