// Package sampling draws batches and puts them into microbatches of one fixed shape.
//
// A Poisson sample has a random size, which must stay hidden and which a compiled program
// cannot follow: batches are cut into microbatches, the last one is filled up with
// padding, and a mask says which entries are examples.
//
// A fixed order of batches, which hides nothing, is [Fixed].
//
// Left out on purpose: shuffling. Its privacy is not that of Poisson sampling.
//
//	batch := sampling.Poisson{Rate: 0.1}.Draw(rng, train.Len())
//	for part := range sampling.Count(len(batch), len(entries)) {
//		examples := sampling.Cut(batch, part, entries) // the others are sampling.Padding
//	}
package sampling
