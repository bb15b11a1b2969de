// Package nn has the models that package dpsgd trains. A [Model] is a chain of layers with a loss,
// and holds no weights. Each layer has an explicit backward pass for single examples, so clipping
// needs no per-sample gradients.
//
//	m := nn.Model{Name: "digits", Input: []int{64}, Loss: nn.SoftmaxCrossEntropy(),
//		Layers: []nn.Layer{nn.Dense(64, 32), nn.Tanh(), nn.Dense(32, 10)}}
//	err := m.Validate() // the error names the layer that does not fit
//
// An example is a vector, an image [rows, columns, channels], or places [T, values...]: the tokens
// of a text, the views of an image, or the records of a user. Layers are
//
//   - of vectors: [Dense], [LoRA];
//   - of images: [Conv2D], [Conv2DNoBias], [WeightStandardized], [MaxPool], [AvgPool],
//     [GlobalAvgPool], [GroupNorm];
//   - of places: [Embedding], [EmbeddingMean], [Positions], [SinusoidalPositions], [Attention],
//     [GRU], [LSTM], [Conv1D], [MeanPlaces], [LastPlace], and [PerPlace] of other layers;
//   - of any shape: [LayerNorm], [RMSNorm], [Flatten], [ReLU], [GELU], [SiLU], [Tanh], [Sigmoid],
//     [TemperedSigmoid];
//   - with coins: [Dropout], [StochasticDepth], [Crops];
//   - made of others: [Residual], [Frozen], and [Auto] for any graph function.
//
// Losses are [SoftmaxCrossEntropy], [BinaryCrossEntropy], [BinaryCrossEntropyEach], [MultiLabel],
// [Hinge] and [SquaredError] of labels, and [VectorSquaredError], [Distillation],
// [TokenCrossEntropy] and [Weighted] of targets. With [Model.Views], the gradient of an example is
// the mean over several views of it.
//
// Your own layer implements [Layer] and your own loss [Loss]: forward, backward, and per-sample
// gradients. [Products], [PerSample] and [Joint] make these gradients. engine.NewTrainer tests it
// on random batches before it trains, and package dpsgdtest tests it further. It may also be an
// [InputLayer], which takes only some kind of examples, or [Drawing], with coins in training. A
// [Scratcher] states its memory. A [Fingerprinter] returns further numbers that identify it.
//
// Left out on purpose: batch normalization, which mixes examples.
package nn
