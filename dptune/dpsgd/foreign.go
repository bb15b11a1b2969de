package dpsgd

import (
	"fmt"
	"slices"
)

// foreign is a layer that is not this package's own, and how a model uses it.
type foreign struct {
	where string // in the model
	layer Layer
	input []int
	use
}

// use says which passes of a layer a model runs.
type use struct {
	backward, wantInput bool // the backward pass, and gradients at the inputs
	materialized        bool // by per-sample gradients
	shared              bool // inputs may be the same for all replicas
}

// foreign returns the model's layers that are not this package's own, also those inside of
// others.
func (m Model) foreign() []foreign {
	return sequence(m.Layers).foreign("", m.Input, use{backward: true, shared: true})
}

func (s sequence) foreign(where string, input []int, u use) []foreign {
	lists := s.each(input)
	first := slices.IndexFunc(lists, func(list []Weight) bool { return len(list) > 0 })
	if first < 0 {
		first = len(s)
	}
	var found []foreign
	for i, layer := range s {
		inner := use{ // as in forward, and in graphs.backward
			backward:  u.backward && (u.wantInput || i >= first),
			wantInput: u.backward && (u.wantInput || i > first),
			shared:    u.shared && i <= first,
		}
		found = append(found, foreignIn(fmt.Sprintf("%slayer %d: ", where, i), layer, input, inner)...)
		input, _ = layer.OutputShape(input)
	}
	return found
}

// foreignIn returns the layer if it is not this package's own, or those inside of it. What is
// inside a frozen layer has no gradients and is tried as one.
func foreignIn(where string, layer Layer, input []int, u use) []foreign {
	own := isOwn(layer)
	switch l := layer.(type) {
	case auto:
		own = false
	case residual:
		return append(l.block.foreign(where+"Residual: block: ", input, u), l.projection.foreign(where+"Residual: projection: ", input, u)...)
	case frozen:
		own = len(foreignIn("", l.layer, input, u)) == 0
	}
	if own {
		return nil
	}
	return []foreign{{where, layer, input, u}}
}
