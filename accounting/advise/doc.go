// Package advise compares ways to tune privately before any data is touched: what is left for the training at one (ε, δ), how good a
// candidate is reached, what it computes.
//
// A [Question] holds what is public beforehand. [Ask] returns an [Advice]: for each way to tune the least noise with which the whole
// costs at most ε, priced by package auto, and the price by published bounds beside it. [Advice.Recommended] names one way, and why.
//
//	advice, err := advise.Ask(advise.Question{
//		Epsilon: 2, Delta: 1e-6, Examples: 60000, SamplingRate: 0.0213, Steps: 1878, Candidates: 10, MeanCost: 15,
//	}, nil)
//	if err != nil { ... }
//	best, reason := advice.Recommended()
//
// How good a candidate is: the expected quantile, the mean rank of the winner among all runs that could have happened, from 0 to 1
// (Papernot and Steinke, ICLR 2022, Section 4). It needs no data, and counts all candidates as equally likely to be drawn. A winner
// on a sample has it among runs on samples: that learning rates which win there win on all data is a hope, not a theorem.
//
// What is left out on purpose: accuracy, which no public number tells. Ways are compared by the noise of a mean gradient. Data sets
// are neighbors if one has one example more than the other.
package advise
