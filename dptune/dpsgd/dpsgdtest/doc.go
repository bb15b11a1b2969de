// Package dpsgdtest is the contract that every [nn.Layer] and [nn.Loss] passes, this
// module's own and yours.
//
//	func TestScale(t *testing.T) {
//		dpsgdtest.Layer(t, scale{}, 4, 3) // the shape of one input
//	}
//
// Shapes should be small: gradients are compared with differences of the loss, of which there are
// two for each weight.
//
// Norms by algebra from terms that cancel must be raised by the rounding of these terms. [Layer]
// searches for an example that adds a gradient larger than its norm.
//
// Left out on purpose: what a layer does in batches of more than some twenty examples, and layers
// whose gradients are not meant to be derivatives, such as those of rounding. For the latter
// [engine.CheckLayer] alone checks all that privacy rests on.
package dpsgdtest
