package nn

import (
	"crypto/sha256"
	"encoding/json"
	"hash"
)

// Fingerprinter is a [Layer] or a [Loss] that holds numbers which String does not show, such as
// constants of its own. Checkpoints tell models apart by them as well. No privacy rests on it:
// runs of code that is not this package's draw anew each time whatever it says.
type Fingerprinter interface {
	// Fingerprint returns the numbers, or a hash of them.
	Fingerprint() []byte
}

// Identity returns a hash of all that the model is: layers and the loss by their names, and the
// numbers that those leave out. own is whether that is all: whether all of the model's code is
// this package's. Code of the caller has no hash, and nor has a model that is not valid.
func (m Model) Identity() (sum []byte, own bool) {
	if m.Validate() != nil {
		return nil, false
	}
	return m.hash(), m.isOwn()
}

func (m Model) hash() []byte {
	h, names := sha256.New(), sha256.New()
	_ = json.NewEncoder(names).Encode([]any{m.String(), m.Tensors(), m.Input}) // a hash takes every write
	h.Write(names.Sum(nil))
	hashLayers(h, m.Layers)
	hashNumbers(h, m.Loss)
	return h.Sum(nil)
}

// hashLayers adds the numbers that layers have been given.
func hashLayers(h hash.Hash, layers []Layer) {
	for _, layer := range layers {
		hashNumbers(h, layer)
		hashLayers(h, inside(layer))
	}
}

// hashNumbers adds those of a layer or a loss.
func hashNumbers(h hash.Hash, part any) {
	if p, ok := part.(Fingerprinter); ok {
		h.Write(p.Fingerprint())
	}
}

// Assumptions returns what the guarantee of training the model rests on beside its config.
func (m Model) Assumptions() []string {
	var list []string
	if holds(m.Layers, func(l Layer) bool { _, is := l.(frozen); return is }) {
		list = append(list, "the values of frozen layers are public")
	}
	if _, is := m.Loss.(squaredError); is {
		list = append(list, "the targets of the squared error are public")
	}
	if !m.isOwn() {
		list = append(list, "the user's own layers and losses treat each example by itself")
	}
	return list
}
