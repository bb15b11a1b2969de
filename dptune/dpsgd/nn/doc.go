// Package nn has the models that package dpsgd trains. A [Model] is a chain of layers with a loss,
// and holds no weights. Each layer has an explicit backward pass for single examples, so clipping
// needs no per-sample gradients.
//
//	m := nn.Model{Name: "digits", Input: []int{64}, Loss: nn.SoftmaxCrossEntropy(),
//		Layers: []nn.Layer{nn.Dense(64, 32), nn.Tanh(), nn.Dense(32, 10)}}
//	err := m.Validate() // the error names the layer that does not fit
//
// Layers are [Dense], [Conv2D], [MaxPool], [AvgPool], [GlobalAvgPool], [GroupNorm],
// [EmbeddingMean], [Flatten], [ReLU], [Tanh], [Sigmoid], [TemperedSigmoid], [Residual] and
// [Frozen], and [Auto] for any graph function. Losses are [SoftmaxCrossEntropy],
// [BinaryCrossEntropy], [BinaryCrossEntropyEach], [MultiLabel], [Hinge] and [SquaredError].
//
// Your own layer implements [Layer] and your own loss [Loss]: forward, backward, and per-sample
// gradients. engine.NewTrainer tests it on random batches before it trains, and package dpsgdtest
// tests it further. It may also be an [InputLayer], which takes only some kind of examples; a
// [Scratcher], which states its memory; and a [Fingerprinter], which returns further numbers that
// identify it.
//
// Left out on purpose: batch normalization, which mixes examples.
package nn
