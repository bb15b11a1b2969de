// Package bank trains runs once and then evaluates any number of private tuning protocols on them.
//
// A [Config] names a task (data, model, optimizer), a grid of learning rates and trainings, and
// levels of noise. A bank holds several independent runs for each point of the grid and each level.
// Each run has the accuracy that a search would see and the accuracy that is reported. What a
// protocol reaches on average follows from these. The generating function of K gives exactly the
// chance that a run wins as the best of K. So any law with any mean needs no training.
// [Bank.Resample] gives the error bars.
//
//	stored, err := bank.NewExperiment("paper/item", "a title", profiles).Load("full")
//	b := stored.Result
//	out := b.BestOfK(law, level)                 // the search on all data
//	out = b.TuneThenTrain(law, level, bank.Rest) // tuning on a sample, training on the rest
//
// Left out on purpose: prices. The caller knows which theorem a figure is about, and so has the
// event of a level.
//
// A real search draws its runs anew. Here they come from the bank with replacement. So the best of
// K is biased: it is at most the best run of the bank. [Bank.SearchBias] estimates by how much.
//
// It promises nothing to other modules.
package bank
