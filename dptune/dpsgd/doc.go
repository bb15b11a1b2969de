// Package dpsgd holds the rules of training by DP-SGD: what a run is, and what it costs. Package
// engine runs it.
//
// A [Config] is one run. Config.Event is what an accountant sees, and the same fields are what
// engine.NewTrainer trains. A [Plan] is one config for each of R models, the replicas, which share
// data and shapes and train in one executable: the candidates of a search, the games of an audit,
// the repeats behind an error bar.
//
//	model, err := models.MLP(64, 64, 10) // or models.Sequential, with layers of your choice
//	config := dpsgd.Config{ClipNorm: 1, Sampling: dpsgd.Poisson{Rate: 0.1}, Steps: 300,
//		ExpectedBatchSize: 0.1 * 1437, LearningRate: 0.5}
//	config, err = config.Calibrate(model, accounting.Target{Epsilon: 3, Delta: 1e-5})
//	trainer, err := engine.NewTrainer(model, train, config)
//
// A Config selects which examples take part in a step ([Sampling]), how gradients are clipped
// ([Clipping]) and how noisy sums move the weights ([Optimizer]). The last two can be code of yours.
// A [Canary] is one more example for some of the replicas, and [Canaries] are many, for audits.
//
// [Config.Statement], and engine.Result.Statement after a run, give the guarantee in words that may
// be quoted. They count that the noise is truncated ([Config.TruncationDelta]). The price of Config.Event
// is for noise that is not.
//
// Neighboring data sets differ by one added or removed example; with [FixedBatches] its place is
// empty in one of them. Noise is made of labelled streams of words, the same on every backend that
// takes the same [Generator].
//
// Rounding is counted: an example alone adds at most C to a step (sensitivity.go). How the examples
// of a microbatch are added to each other is not covered, nor are the finite precision of normals
// and the time that a run takes.
//
// Left out on purpose: batch normalisation, which mixes examples, and means over the drawn batch,
// whose size is private.
package dpsgd
