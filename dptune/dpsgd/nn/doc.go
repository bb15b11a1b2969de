// Package nn has the models that package dpsgd trains: a [Model] is a chain of layers with a loss, and
// holds no weights. Layers write out their backward pass, example by example, so that clipping
// needs no gradient of its own for each.
//
//	m := nn.Model{Name: "digits", Input: []int{64}, Loss: nn.SoftmaxCrossEntropy(),
//		Layers: []nn.Layer{nn.Dense(64, 32), nn.Tanh(), nn.Dense(32, 10)}}
//	err := m.Validate() // names the layer that does not fit
//
// Layers are [Dense], [Conv2D], [MaxPool], [AvgPool], [GlobalAvgPool], [GroupNorm],
// [EmbeddingMean], [Flatten], [ReLU], [Tanh], [Sigmoid], [TemperedSigmoid], [Residual] and
// [Frozen], and [Auto] for any graph function; losses [SoftmaxCrossEntropy],
// [BinaryCrossEntropy], [BinaryCrossEntropyEach], [MultiLabel], [Hinge] and [SquaredError].
//
// A layer of your own is a [Layer], a loss a [Loss]: forward, backward and what a row's gradient
// is. engine.NewTrainer tries it on random batches before it trains, package dpsgdtest tests it further. It may
// also be an [InputLayer], which takes examples of a kind only; a [Scratcher], which says what memory it
// takes; and a [Fingerprinter], which says what else tells it from others.
//
// Left out on purpose: batch normalisation, which mixes examples.
package nn
