package nn

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"slices"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/loss"
)

// Foreign is a layer that is not this package's own, and how a model uses it. Only its interface is
// known, so the engine tests it before it runs it.
type Foreign struct {
	Where string // place in the model, for instance "layer 1: Residual: block: layer 0: "
	Layer Layer
	Input []int // shape of one of its inputs
	Use
}

// Use lists the passes of a layer that run.
type Use struct {
	Backward, WantInput bool // the backward pass, and gradients at the inputs
	Shared              bool // all replicas may share inputs
}

// Foreign returns the model's layers that are not this package's own, including those inside other
// layers. The model must be valid.
func (m Model) Foreign() []Foreign {
	return sequence(m.Layers).foreign("", m.Input, Use{Backward: true, Shared: true})
}

// ForeignLoss reports whether the loss is not this package's own.
func (m Model) ForeignLoss() bool { return !isOwn(baseLoss(m.Loss)) }

// baseLoss returns the loss inside of weighted ones.
func baseLoss(l Loss) Loss {
	for {
		w, is := l.(weighted)
		if !is {
			return l
		}
		l = w.of
	}
}

func (s sequence) foreign(where string, input []int, u Use) []Foreign {
	first := firstTrained(s.each(input))
	var found []Foreign
	for i, layer := range s {
		inner := Use{ // as in forward, and in tape.back
			Backward:  u.Backward && (u.WantInput || i >= first),
			WantInput: u.Backward && (u.WantInput || i > first),
			Shared:    u.Shared && i <= first,
		}
		found = append(found, foreignIn(fmt.Sprintf("%slayer %d: ", where, i), layer, input, inner)...)
		input, _ = layer.OutputShape(input)
	}
	return found
}

// foreignIn returns the layer if it is not this package's own, otherwise the foreign layers inside
// it. A layer inside a frozen one has no gradients and is tested without them.
func foreignIn(where string, layer Layer, input []int, u Use) []Foreign {
	own := isOwn(layer)
	switch l := layer.(type) {
	case auto:
		own = false
	case residual:
		return slices.Concat(l.block.foreign(where+"Residual: block: ", input, u), l.projection.foreign(where+"Residual: projection: ", input, u))
	case perPlace:
		return l.layers.foreign(where+"PerPlace: ", input[1:], u)
	case frozen:
		own = len(foreignIn("", l.layer, input, u)) == 0
	}
	if own {
		return nil
	}
	return []Foreign{{where, layer, input, u}}
}

// isOwn reports whether all of the model's code is this package's. Only then does its hash identify
// it.
func (m Model) isOwn() bool {
	return !m.ForeignLoss() && !holds(m.Layers, func(l Layer) bool { _, is := l.(auto); return is || !isOwn(l) })
}

// holds reports whether a condition holds for a layer or one inside it.
func holds(layers []Layer, is func(Layer) bool) bool {
	for _, layer := range layers {
		if is(layer) || holds(inside(layer), is) {
			return true
		}
	}
	return false
}

// inside returns the layers that a layer is made of.
func inside(layer Layer) []Layer {
	switch l := layer.(type) {
	case frozen:
		return []Layer{l.layer}
	case perPlace:
		return l.layers
	case residual:
		return append(append([]Layer(nil), l.block...), l.projection...)
	}
	return nil
}

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
	if _, is := baseLoss(m.Loss).(loss.SquaredError); is {
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
