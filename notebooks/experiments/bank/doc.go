// Package bank trains runs once and evaluates protocols of private tuning on them, as often as one likes.
//
// A [Config] names a task (data, model, optimizer), a grid of learning rates and trainings, and levels of noise. A bank
// holds, for each point of the grid and each level, several independent runs, with the accuracies that a search would see
// and those that are reported. What a protocol reaches on average follows from them: the best of K runs wins with a chance
// that the generating function of K gives exactly, so that any law with any mean costs no training. [Bank.Resample] gives
// the error bars.
//
//	stored, err := bank.NewExperiment("paper/item", "a title", profiles).Load("full")
//	b := stored.Result
//	out := b.BestOfK(law, level)                 // the search on all data
//	out = b.TuneThenTrain(law, level, bank.Rest) // tuning on a sample, training on the rest
//
// What is left out on purpose: prices. The event of a level is the caller's, who knows which theorem a figure is about.
//
// A search draws its runs anew; here they come from the bank with replacement, so that averages over searches are unbiased
// up to the ties that a run has with itself, of order (number of runs in the bank)^-1.
package bank
