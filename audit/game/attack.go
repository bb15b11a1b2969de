package game

import (
	"context"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/streams"
)

// Hidden is what an adversary of [HiddenState] knows before training.
type Hidden struct {
	Game HiddenState // with the model, the data and the config of every run

	// Initial holds the initial weights of all runs, as one model. With Game.UnknownInitial it holds
	// other weights, drawn in the same way.
	Initial dpsgd.Parameters

	// Root is for the adversary's own draws, such as simulations. The runs do not draw from it.
	Root streams.Root

	root streams.Root // of the game: the adversaries here draw from it
}

// start returns the initial weights as the adversary assumes them. If it does not know them they
// are zeros, which moves all scores along a coordinate alike.
func (h Hidden) start() []float64 {
	if h.Game.UnknownInitial {
		return make([]float64, h.Game.Model.Size())
	}
	return h.Initial.Values[0]
}

// Attack is what an adversary decided before training: the canary, and how much a model looks
// trained with it. Give exactly one of Score and ScoreModels. A score must be finite, and larger
// the more the model looks trained with the canary.
//
// A bound on ε holds if each score is a function of only its own model, of what Prepare knew, and
// of fresh coins. It must not use the other models, or how many were scored before: models with and
// without the canary come in a fixed order.
type Attack struct {
	// Canary is one of Gradient, GradientAt and Example. In and At must be nil: the game sets them. A
	// gradient has a norm of at most ClipNorm.
	Canary dpsgd.Canary

	// Score returns the score of a model after a number of steps. It must not change weights, or keep
	// the slice.
	Score func(steps int, weights []float64) float64

	// ScoreModels returns the scores of many models at once, in order: weights[i] is a model after
	// steps[i] steps. The game keeps all weights for it.
	ScoreModels func(ctx context.Context, steps []int, weights [][]float64) ([]float64, error)
}

// Proof of the rule. The game reveals a run only by its final weights, whose guarantee is the event
// of HiddenState. The score of a game is a function of these weights and of what does not depend on
// whether the canary is there. So it is post-processing: whatever the adversary does, the event's
// guarantee holds for the scores of the two worlds. Games have separate roots, so scores are
// independent given what Prepare decided. That is all that the bounds of package audit assume.

// validate returns every fault of the attack, joined. The engine checks the canary's shape and its
// norm against ClipNorm.
func (a Attack) validate() error {
	f := check.In("Attack.")
	f.That(a.Canary.In == nil, "Canary.In", a.Canary.In, "must be nil, the game fills it in")
	f.That(a.Canary.At == nil, "Canary.At", "is given", "must be nil, as HiddenState.At has the steps")
	if a.Canary.Gradient != nil {
		f.Number("Canary.Gradient has norm", norm(a.Canary.Gradient), check.Positive)
	}
	f.OneOf("", "Score, ScoreModels", a.Score != nil, a.ScoreModels != nil)
	return f.Err()
}

// keeps reports whether the weights of models must be kept, to be looked at together.
func (a Attack) keeps() bool { return a.Score == nil }

// prepare asks an adversary for its attack and checks it. The weights that it gets are a copy.
func (h hidden) prepare(ctx context.Context, adversary Adversary) (Attack, error) {
	initial := dpsgd.Parameters{Tensors: h.initial.Tensors}
	for _, weights := range h.initial.Values {
		initial.Values = append(initial.Values, append([]float64{}, weights...))
	}
	a, err := adversary.Prepare(ctx, Hidden{Game: h.HiddenState, Initial: initial, Root: h.root.Child("adversary"), root: h.root})
	if err == nil {
		err = a.validate()
	}
	if err != nil {
		return Attack{}, err
	}
	return a, nil
}
