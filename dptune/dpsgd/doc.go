// Package dpsgd trains models by DP-SGD: many at once, at about the price of ordinary
// training.
//
// A [Config] says what one run is, and what it costs: Config.Event is what an accountant
// sees, and the same fields are what the [Trainer] runs. A [Plan] is one config for each
// of R models, the replicas, which share data and shapes and train in one executable:
// the candidates of a search, the games of an audit, the repeats behind an error bar.
//
//	model, err := models.MLP(64, 64, 10) // or models.Sequential, with layers of your choice
//	config := dpsgd.Config{ClipNorm: 1, NoiseMultiplier: 1.5, Sampling: dpsgd.Poisson{Rate: 0.1},
//		Steps: 300, ExpectedBatchSize: 0.1 * 1437, LearningRate: 0.5}
//	trainer, err := dpsgd.NewTrainer(model, train, config)
//	result, err := trainer.Run(ctx, root)
//	accuracy, err := result.Accuracy(ctx, test)
//	statement, err := result.Statement(1e-5, "one labelled image")
//
// Many models train by [NewReplicas] and a plan, and [Results.Model] returns one of them.
//
// A Config also selects which examples take part in a step ([Sampling]), how gradients are clipped ([Clipping])
// and how noisy sums move the weights ([Optimizer]); the last two can be code of yours. A [Canary] is one
// more example for some of the replicas, and [Canaries] are many, for audits. [EstimateMemory] says beforehand what a
// run needs, and [Checkpoint] makes it resumable to the same bits.
//
// [Result.Statement], and [Config.Statement] beforehand, give the guarantee of one training run in
// words that may be quoted. It counts that the normals end in the tails ([Config.NoiseTail]); an
// accountant alone, asked about Config.Event, is about normals that do not.
//
// Per-sample clipping needs no per-sample gradients: each [nn.Layer] gives the norms of its
// examples' gradients by algebra, and their clip-weighted sum as one product
// ([BookKeeping]).
//
// Layers and losses are in package nn or yours: NewTrainer tries them ([CheckLayer]), and package dpsgdtest tests them.
// Package backend says what programs run on.
//
// Neighboring data sets differ by one added or removed example; with [FixedBatches] its
// place is empty in one of them. Noise is made of
// labelled streams of words, the same on every backend that takes the same [Generator].
//
// Rounding is counted: an example alone adds at most C to a step (sensitivity.go). How the examples of a microbatch
// are added to each other is not covered, nor are the finite precision of normals and the time that a run takes.
//
// Left out on purpose: batch normalisation, which mixes examples, and means over the
// drawn batch, whose size is private.
package dpsgd
