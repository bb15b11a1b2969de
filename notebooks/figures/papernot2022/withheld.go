package papernot2022

import (
	"math"

	"github.com/dplab/dplab/notebooks/figures"
)

// withheld takes the reference from a row: it is the paper's number for another setup than ours, so that a difference
// would say nothing. Why says for which setup it is; a row with an empty why stays as it is.
func withheld(row figures.ComparisonRow, why string) figures.ComparisonRow {
	if why == "" {
		return row
	}
	row.Reference, row.AbsErr, row.Note = math.NaN(), 0, why
	return row
}
