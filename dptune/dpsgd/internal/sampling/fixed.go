package sampling

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/check"
)

// Fixed is the order of batches that anyone may know: example i takes part in the steps t
// with t ≡ i (mod Period), for ever. With Period 1 every example takes part in every step.
//
// An example's place is its index: one that is added to data takes a place of its own and
// moves no other, and one that is removed leaves its place empty.
type Fixed struct {
	Period int // k >= 1 batches, which follow each other in a circle
}

// Validate returns an error unless the period is at least 1.
func (f Fixed) Validate() error {
	return check.AtLeast(1).Of("sampling: Fixed.Period", float64(f.Period))
}

// Batch returns the indices, ascending, of the examples among n that take part in a step.
func (f Fixed) Batch(step, n int) ([]int32, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	if step < 0 || n < 0 || n > math.MaxInt32 {
		return nil, fmt.Errorf("sampling: step %d, number of examples %d: must be >= 0, and examples in [0, 2^31)", step, n)
	}
	var batch []int32
	for i := step % f.Period; i < n; i += f.Period {
		batch = append(batch, int32(i))
	}
	return batch, nil
}

// Joins reports whether the example at a place takes part in a step.
func (f Fixed) Joins(step, place int) bool { return f.Period >= 1 && step%f.Period == place%f.Period }
