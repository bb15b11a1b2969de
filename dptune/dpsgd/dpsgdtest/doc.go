// Package dpsgdtest has the contract tests for every [nn.Layer] and [nn.Loss], this module's own
// and yours.
//
//	func TestScale(t *testing.T) {
//		dpsgdtest.Layer(t, scale{}, 4, 3) // the shape of one input
//	}
//
// Use small shapes: gradients are compared with finite differences, which need two losses for each
// weight.
//
// If a norm is computed by algebra from terms that cancel, it must be raised by the rounding of
// these terms, as those of [nn.Products] are. [Layer] searches for an example that adds a gradient
// larger than its norm.
//
// Left out on purpose: batches of more than about twenty examples, and layers with gradients that
// are not derivatives, such as rounding. For such layers use only [engine.CheckLayer], which checks
// all that privacy rests on.
package dpsgdtest
