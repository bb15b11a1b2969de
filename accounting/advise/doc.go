// Package advise compares ways to tune privately before any data is touched. For each way at one
// (ε, δ) it computes the noise of the training, the expected rank of the winner and the cost of
// computing.
//
// A [Question] has the public facts. [Ask] returns an [Advice]. For each way to tune, it has the
// least noise at which the whole costs at most ε by package auto, and the price by published
// bounds. [Advice.Recommended] returns one way, and the reason.
//
//	advice, err := advise.Ask(advise.Question{
//		Epsilon: 2, Delta: 1e-6, Examples: 60000,
//		SamplingRate: 0.0213, Steps: 1878, Candidates: 10, MeanCost: 15,
//	}, nil)
//	if err != nil { ... }
//	best, reason := advice.Recommended()
//
// [Advice.Drawings] compares ways to draw the batches of one training at equal noise.
//
// The expected quantile measures the quality of the winner: its mean rank among all possible runs,
// from 0 to 1 (Papernot and Steinke, ICLR 2022, Section 4). It needs no data. All candidates are
// equally likely to be drawn. The winner on a sample has this rank among runs on samples. No
// theorem states that a learning rate that wins there also wins on all data.
//
// Accuracy is left out on purpose, because no public number reveals it. Ways are compared by the
// noise of a mean gradient. Data sets are neighbors if one has one example more than the other.
//
// It promises nothing to other modules.
package advise
