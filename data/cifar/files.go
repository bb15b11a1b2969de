package cifar

import "github.com/dplab/dplab/data/internal/rawfile"

// The MD5 sums are of the members of the binary edition, whose SHA-256 is the archive's.
var ten = source{
	name: "cifar-10", labels: 1, classes: 10,
	train: []file{
		{"data_batch_1.bin", rawfile.MD5("5dd7e06a14cb22eb9f671a540d1b7c25"), 10000},
		{"data_batch_2.bin", rawfile.MD5("5ea93a67294ea407fff1d09f752e9692"), 10000},
		{"data_batch_3.bin", rawfile.MD5("942cd6a4bcdd0dd3c604fbe906cb4421"), 10000},
		{"data_batch_4.bin", rawfile.MD5("ae636b3ba5c66a11e91e8cb52e771fcb"), 10000},
		{"data_batch_5.bin", rawfile.MD5("53f37980c15c3d472c316c40844f3f0d"), 10000},
	},
	test:    []file{{"test_batch.bin", rawfile.MD5("803d5f7f4d78ea53de84dbe85f74fb6d"), 10000}},
	urls:    []string{"https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"},
	archive: rawfile.SHA256("c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"),
	folder:  "cifar-10-batches-bin",
}

// Images of CIFAR-100, each with a coarse and a fine label, 50 and 10 of each fine class. These two
// files have no official place.
var hundred = source{
	name: "cifar-100-subset", labels: 2, classes: 100,
	train: []file{{"train_subset.bin", rawfile.SHA256("940fd14c218f1316b4ac43e204c467fb14705e6f1548567b5f0446d7a9b7c3b0"), 5000}},
	test:  []file{{"test_subset.bin", rawfile.SHA256("322b3bc4d1052d37911f199f80fbcbb20586c9632cf9f07159ac3f38b4b5206a"), 1000}},
}
