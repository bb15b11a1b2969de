// Package digits embeds a small real data set: the optical recognition of handwritten digits, 1,797
// images of 8x8 pixels in 10 classes. No download is needed.
//
// The rows are those of scikit-learn 1.5.2, which ships the test part of the UCI data set: digits
// of 13 writers. Pixels count the black dots of a 4x4 block, 0 to 16. Features are pixels divided
// by the public constant 16. The file LICENSE in this folder has the source and its license (CC BY
// 4.0).
//
// The split is fixed: 1,437 images to train and 360 to test, by [data.SplitStratified] with every
// 5th. The file does not name the writer of an image, and the same writers are in both parts. The
// test accuracy therefore predicts little about other writers. One record is one image, not one
// writer.
//
//	train, test, err := digits.Load()
//	if err != nil { ... }
//	fmt.Println(train.Len(), test.Len(), train.Shape) // 1437 360 [8 8 1]
//
// It promises nothing to other modules.
package digits

import (
	"bytes"
	_ "embed"
	"fmt"
	"strconv"

	"github.com/dplab/dplab/data/internal/rawfile"

	"github.com/dplab/dplab/data"
)

const (
	// Count is the number of images.
	Count = 1797
	// Side is the number of rows and of columns of an image.
	Side = 8
	// Classes is the number of labels.
	Classes = 10
	// pixelMax is the public divisor of the pixels.
	pixelMax = 16

	testEvery = 5 // of the images sorted by label, this one and its multiples are test
	maxBytes  = 1 << 20
)

//go:embed digits.csv.gz
var packed []byte

var packedSum = rawfile.SHA256("09f66e6debdee2cd2b5ae59e0d6abbb73fc2b0e0185d2e1957e9ebb51e23aa22")

// Load returns the two parts of the fixed split. The checksum of the embedded file is
// verified first. Each call returns fresh slices.
func Load() (train, test data.Dataset, err error) {
	all, err := All()
	if err != nil {
		return data.Dataset{}, data.Dataset{}, err
	}
	return data.SplitStratified(all, testEvery)
}

// All returns the 1,797 images in the order of the file.
func All() (data.Dataset, error) {
	return read(packed, packedSum)
}

func read(packed []byte, sum rawfile.Checksum) (data.Dataset, error) {
	const file = "digits.csv.gz (embedded)"
	if err := sum.Verify(file, packed); err != nil {
		return data.Dataset{}, fmt.Errorf("digits: %w", err)
	}
	csv, err := rawfile.Gunzip(file, packed, maxBytes)
	if err != nil {
		return data.Dataset{}, fmt.Errorf("digits: %w", err)
	}
	d, err := parse(csv)
	if err != nil {
		return data.Dataset{}, err
	}
	if d.Len() != Count {
		return data.Dataset{}, fmt.Errorf("digits: %d rows: must be %d", d.Len(), Count)
	}
	return d, nil
}

// parse reads rows of 64 pixels and a label, separated by commas.
func parse(csv []byte) (data.Dataset, error) {
	d := data.Dataset{Name: "digits", Shape: []int{Side, Side, 1}, Classes: Classes}
	for n, line := range bytes.Split(bytes.TrimSuffix(csv, []byte("\n")), []byte("\n")) {
		fields := bytes.Split(line, []byte(","))
		if len(fields) != Side*Side+1 {
			return data.Dataset{}, fmt.Errorf("digits: row %d: %d fields: must be %d", n+1, len(fields), Side*Side+1)
		}
		for i, field := range fields {
			limit, what := pixelMax, "pixel"
			if i == Side*Side {
				limit, what = Classes-1, "label"
			}
			value, err := strconv.Atoi(string(field))
			if err != nil || value < 0 || value > limit {
				return data.Dataset{}, fmt.Errorf("digits: row %d, field %d: %s %q: must be a whole number in [0, %d]", n+1, i+1, what, field, limit)
			}
			if what == "label" {
				d.Labels = append(d.Labels, int32(value))
			} else {
				d.Features = append(d.Features, float32(value)/pixelMax)
			}
		}
	}
	return d, nil
}
