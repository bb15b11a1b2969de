package fcnn

import (
	"fmt"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/data/housing"
	"github.com/dplab/dplab/dptune/streams"
)

const width = 8 // features of an example

// rowsOf are the numbers of rows that there are.
var rowsOf = map[string]int{"housing": housing.Count, "digits": digits.Count}

// rows returns as many rows as the batches take, in an order drawn from the root: the rows of
// housing are sorted by place. dir is as in data.Dir.
func (c Config) rows(dir string, root streams.Root) (data.Dataset, error) {
	all, err := digitColumns()
	if c.Data == "housing" {
		all, err = housing.Load(dir)
	}
	if err != nil {
		return data.Dataset{}, fmt.Errorf("fcnn: %w", err)
	}
	order := root.Rand("order of the rows").Perm(all.Len())
	return all.Subset(all.Name, order[:c.BatchSize*c.Batches]), nil
}

// digitColumns is a stand-in of as many features and classes as housing has: the mean of each
// column of the embedded digits, and whether the digit is at least 5.
func digitColumns() (data.Dataset, error) {
	images, err := digits.All()
	if err != nil {
		return data.Dataset{}, err
	}
	d := data.Dataset{Name: "digit columns", Shape: []int{width}, Classes: 2}
	for i := range images.Len() {
		var columns [width]float32
		for pixel, x := range images.Row(i) {
			columns[pixel%width] += x / digits.Side
		}
		d.Features = append(d.Features, columns[:]...)
		d.Labels = append(d.Labels, images.Labels[i]/(digits.Classes/2))
	}
	return d, nil
}
