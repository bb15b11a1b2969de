// Package data holds labelled data sets in memory, and splits that never change. The full sets are
// in the folder that DPLAB_DATA names. Their loaders verify the checksum of a file before a byte of
// it is used. They keep decoded forms in the user's cache folder, or in the one that DPLAB_CACHE
// names.
//
// Read your own data from a CSV file with package data/table, from NumPy's files with package
// data/arrays, or from a folder of images with package data/images. Otherwise fill a [Dataset] in
// your code.
//
// Each source has its own loader package. Package data/sets lists them, and data/README.md
// describes how to add one. Package data/synth draws data sets that need no source.
//
// One example is one record, the unit that differential privacy protects. Features are scaled by
// public constants (16 and 255, the largest values that the formats can hold), never by a statistic
// of the data. A mean that was computed from private data has a price, and no loader here computes
// one.
//
// The command fetch downloads the full sets. Left out on purpose are augmentation, and statistics
// of the data.
//
//	train, test, err := digits.Load()
//	if err != nil { ... }
//	fmt.Println(train.Len(), test.Len(), train.Shape) // 1437 360 [8 8 1]
//
//	train, test, err = mnist.Load("")       // reads $DPLAB_DATA/mnist
//	if errors.Is(err, data.ErrNotFound) { ... } // the message lists what to download
package data
