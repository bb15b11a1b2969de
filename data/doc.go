// Package data holds labelled data sets in memory, and splits that never change. The full sets are in
// the folder that DPLAB_DATA names. Their loaders verify the checksum of a file before a byte of it is
// used, and keep decoded forms in the user's cache folder, or in the one that DPLAB_CACHE names.
//
// Data of your own come from a CSV file, by package data/table, or from your code, which fills a [Dataset].
//
// The loaders are packages of their own, one for each source. Package data/sets lists them, and
// data/README.md says how to add one. Package data/synth draws data sets that need no source.
//
// One example is one record, the unit that differential privacy protects. Features are
// scaled by public constants (16 and 255, the largest values that the formats can hold),
// never by a statistic of the data: a mean that was computed from private data has a
// price, and no loader here computes one.
//
// The command fetch downloads the full sets. What is left out on purpose: augmentation, and
// statistics of the data.
//
//	train, test, err := digits.Load()
//	if err != nil { ... }
//	fmt.Println(train.Len(), test.Len(), train.Shape) // 1437 360 [8 8 1]
//
//	train, test, err = mnist.Load("")       // reads $DPLAB_DATA/mnist
//	if errors.Is(err, data.ErrNotFound) { ... } // the message says what to download
package data
