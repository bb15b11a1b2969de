// Package engine trains the models of package dpsgd: many at once, at about the price of ordinary
// training.
//
//	trainer, err := engine.NewTrainer(model, train, config)
//	result, err := trainer.Run(ctx, root)
//	accuracy, err := result.Accuracy(ctx, test)
//	statement, err := result.Statement(1e-5, "one labelled image")
//
// [NewReplicas] trains the models of a plan, and [Results.Model] returns one of them. With
// [dpsgd.Evaluation] in the plan, Results.Curve is a learning curve on public data.
//
// [Performance] has the settings of speed and memory, which change results by rounding only.
// [EstimateMemory] returns beforehand the memory that a run needs. [Checkpoint] makes a run
// resumable to the same bits. [Predict], [Accuracy], [Losses] and [Outputs] evaluate trained
// models. An [Evaluator] is faster for repeated evaluation.
//
// Per-sample clipping needs no per-sample gradients. Each [nn.Layer] computes the norms of its
// examples' gradients by algebra, and their clip-weighted sum as one product ([dpsgd.BookKeeping]).
//
// Layers and losses come from package nn or from you. NewTrainer checks yours ([CheckLayer]), and
// package dpsgdtest tests them. Package backend lists the backends that run programs.
package engine
