// Package dpsgd holds the rules of training by DP-SGD: the parameters of a run and its privacy
// cost. Package engine runs it.
//
// A [Config] is one run. Config.Event is what an accountant prices, and engine.NewTrainer trains
// with the same fields. A [Plan] has one config for each of R models, the replicas. They share data
// and shapes and train in one executable. Replicas are the candidates of a search, the games of an
// audit, or the repeats behind an error bar.
//
//	model, err := models.MLP(64, 64, 10) // or models.Sequential, with layers of your choice
//	config := dpsgd.Config{ClipNorm: 1, Sampling: dpsgd.Poisson{Rate: 0.1}, Steps: 300,
//		ExpectedBatchSize: 0.1 * 1437, LearningRate: 0.5}
//	config, err = config.Calibrate(model, accounting.Target{Epsilon: 3, Delta: 1e-5})
//	trainer, err := engine.NewTrainer(model, train, config)
//
// A Config selects which examples take part in a step ([Sampling]), how gradients are clipped
// ([Clipping]) and how noisy sums move the weights ([Optimizer]). The last two can be your own
// code. For audits, a [Canary] is one more example in some replicas, and [Canaries] are many.
//
// [Config.Statement], and engine.Result.Statement after a run, return the guarantee in words that
// may be quoted. They include the truncation of the noise ([Config.TruncationDelta]). The price of
// Config.Event is for exact normal noise.
//
// Neighboring data sets differ by one added or removed example. With [FixedBatches] its place is
// empty in one of them. Noise is made from labelled streams of random words, the same on every
// backend with the same [Generator].
//
// Rounding is included: a single example adds at most C to a step (sensitivity.go). Three things
// are not covered: rounding when the examples of a microbatch are added to each other, the finite
// precision of normals, and the time that a run takes.
//
// Left out on purpose: batch normalization, which mixes examples, and means over the drawn batch,
// because its size is private.
package dpsgd
