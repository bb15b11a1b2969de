// Package engine trains the models of package dpsgd: many at once, at about the price of ordinary
// training.
//
//	trainer, err := engine.NewTrainer(model, train, config)
//	result, err := trainer.Run(ctx, root)
//	accuracy, err := result.Accuracy(ctx, test)
//	statement, err := result.Statement(1e-5, "one labelled image")
//
// Many models train by [NewReplicas] and a plan, and [Results.Model] returns one of them.
//
// [Performance] is what changes speed and memory, and results by rounding only. [EstimateMemory]
// returns beforehand what a run needs, and [Checkpoint] makes it resumable to the same bits.
// [Predict], [Accuracy], [Losses] and [Outputs] ask trained models; an [Evaluator] asks often.
//
// Per-sample clipping needs no per-sample gradients: each [nn.Layer] gives the norms of its
// examples' gradients by algebra, and their clip-weighted sum as one product
// ([dpsgd.BookKeeping]).
//
// Layers and losses are in package nn or yours: NewTrainer tries them ([CheckLayer]), and package
// dpsgdtest tests them. Package backend lists what programs run on.
package engine
