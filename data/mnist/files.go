package mnist

import "github.com/dplab/dplab/data/internal/rawfile"

const (
	trainImages = "train-images-idx3-ubyte.gz"
	trainLabels = "train-labels-idx1-ubyte.gz"
	testImages  = "t10k-images-idx3-ubyte.gz"
	testLabels  = "t10k-labels-idx1-ubyte.gz"

	trainCount = 60000
	testCount  = 10000
)

// The MD5 sums are the ones that the authors of the two data sets publish.
var (
	digitsSet = source{
		name: "mnist",
		train: part{
			images: trainImages, imagesSum: rawfile.MD5("f68b3c2dcbeaaa9fbdd348bbdeb94873"),
			labels: trainLabels, labelsSum: rawfile.MD5("d53e105ee54ea40749a09fcbcd1e9432"),
			count: trainCount,
		},
		test: part{
			images: testImages, imagesSum: rawfile.MD5("9fb629c4189551a2d022fa330f9573f3"),
			labels: testLabels, labelsSum: rawfile.MD5("ec29112dd5afa0611ce80d1b7f02629c"),
			count: testCount,
		},
		mirrors: []string{
			"https://ossci-datasets.s3.amazonaws.com/mnist/",
			"https://storage.googleapis.com/cvdf-datasets/mnist/",
		},
	}
	fashionSet = source{
		name: "fashion-mnist",
		train: part{
			images: trainImages, imagesSum: rawfile.MD5("8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
			labels: trainLabels, labelsSum: rawfile.MD5("25c81989df183df01b3e8a0aad5dffbe"),
			count: trainCount,
		},
		test: part{
			images: testImages, imagesSum: rawfile.MD5("bef4ecab320f06d8554ea6380940ec79"),
			labels: testLabels, labelsSum: rawfile.MD5("bb300cfdad3c16e7a12a480ee83cd310"),
			count: testCount,
		},
		mirrors: []string{
			"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
			"https://storage.googleapis.com/tensorflow/tf-keras-datasets/",
		},
	}
)
