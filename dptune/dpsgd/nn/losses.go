package nn

import (
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/loss"
)

// Loss is a function of one example's outputs and its label. A [TargetLoss] reads more than these.
// Rows must not mix, as in a [Layer]. engine.NewTrainer tests your own loss too, see
// engine.CheckLoss.
//
// A loss that does not allow every number of classes also has the method
//
//	ValidateClasses(classes int) error
//
// It returns an error for a number of classes that the loss does not allow. A model for such
// examples is then not valid.
type Loss interface {
	// String returns the name of the loss and all of its parameters, as for a layer.
	String() string
	// Outputs returns how many outputs the last layer must have.
	Outputs(classes int) int
	// Values returns each example's loss, [R, B], from outputs [R, B, K] and labels [R, B], int32.
	Values(outputs, labels *graph.Node) *graph.Node
	// Gradient returns the gradient of each example's loss at its outputs, [R, B, K].
	Gradient(outputs, labels *graph.Node) *graph.Node
	// Classes returns the predicted class of each example, [R, B], int32.
	Classes(outputs *graph.Node) *graph.Node
}

// SoftmaxCrossEntropy returns the loss -log softmax(z)[label], with gradient
// softmax(z) - onehot(label).
func SoftmaxCrossEntropy() Loss { return loss.SoftmaxCrossEntropy{} }

// BinaryCrossEntropy returns the loss of one output z for two classes,
//
//	log(1 + exp(-z)) for label 1,  log(1 + exp(z)) for label 0
//
// with gradient σ(z) - label. Class 1 is predicted where z > 0.
func BinaryCrossEntropy() Loss { return loss.BinaryCrossEntropy{} }

// BinaryCrossEntropyEach returns the loss with each of K outputs as the log odds of its class
// against all others,
//
//	Σ_k log(1 + exp(-s_k z_k)),  s_k = 1 for the label and -1 elsewhere
//
// with gradient σ(z_k) - [k is the label]. The class of the largest output is predicted.
func BinaryCrossEntropyEach() Loss { return loss.BinaryCrossEntropyEach{} }

// Hinge returns the loss max(0, 1 - s z) of one output z for two classes, as in a support vector
// machine. s is 1 for label 1 and -1 for label 0. The gradient is -s where s z < 1, and 0
// elsewhere. Class 1 is predicted where z > 0.
func Hinge() Loss { return loss.Hinge{} }

// SquaredError returns the loss (z - target)²/2 of one output z, with gradient z - target.
// targets[k] is the target of label k. In a data set for regression, an example's label is the
// index of its target: a bin, or its own target. The class with the nearest target is predicted.
//
// The targets are part of the model, and anyone with the model can read them. They must be public:
// bin edges, not values read from the data.
func SquaredError(targets ...float64) Loss { return loss.SquaredError{Targets: slices.Clone(targets)} }

// MultiLabel returns the loss of K outputs for K independent labels that apply or not,
//
//	Σ_k log(1 + exp(-s_k z_k)),  s_k = 1 where label k applies and -1 where not
//
// with gradient σ(z_k) - [label k applies]. A data set holds all of them in one number, bit k for
// label k (see table.Labels). So it has 2^K classes. K is from 1 to 20. Label k is predicted where
// z_k > 0.
func MultiLabel(labels int) Loss { return loss.MultiLabel{Labels: labels} }

// TokenCrossEntropy returns the mean cross-entropy over the places of an example, from outputs
// [tokens, vocabulary] and target ids [tokens],
//
//	-1/n Σ_{t counts} log softmax(z_t)[target_t]
//
// with gradient (softmax(z_t) - onehot(target_t))/n at the places that count. A place with target
// TokenPadding does not count, and n is the number of the others. An example without any has loss
// 0 and gradient 0. Targets are in [0, vocabulary) or TokenPadding.
//
// Accuracy is the mean over examples of the share of places where the largest output is right. The
// share is 0 if no place counts. No class is predicted for the whole example.
func TokenCrossEntropy(tokens, vocabulary int) Loss {
	return loss.TokenCrossEntropy{Tokens: tokens, Vocabulary: vocabulary}
}

// VectorSquaredError returns the loss Σ_k (z_k - t_k)²/2 of outputs z and targets t, both [width],
// with gradient z - t. No class is predicted.
func VectorSquaredError(width int) Loss { return loss.VectorSquaredError{Width: width} }

// Distillation returns the loss of outputs z and soft targets p, both [classes],
//
//	-T² Σ_k p_k log softmax(z/T)_k
//
// with gradient T (softmax(z/T) Σ_k p_k - p). p are the probabilities of a teacher, softmax(v/T) of
// its outputs v at the same temperature T > 0. They must add up to 1. The factor T² keeps gradients
// of one size for all T. The class of the largest output is predicted.
//
// The teacher must be public. If it was trained on private data, the targets of one example depend
// on others.
//
// Reference: Hinton, Vinyals, Dean (2015), arXiv:1503.02531v1, Section 2.
func Distillation(temperature float64) Loss { return loss.Distillation{Temperature: temperature} }
