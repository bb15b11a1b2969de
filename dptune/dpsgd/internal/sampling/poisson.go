package sampling

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/check"
)

// Poisson is Poisson sampling: each example joins independently with chance Rate.
type Poisson struct {
	Rate float64 // q in (0, 1]
}

// Validate returns an error unless the rate is in (0, 1].
func (p Poisson) Validate() error {
	return check.Rate.Of("sampling: Poisson.Rate", p.Rate)
}

// Draw returns the indices, ascending, of the examples among n that join.
//
// Each example's coin is 64 bits of rng against ⌊q·2^64⌋, so that the chance of joining
// is never above q and at most 2^-64 below it. With q = 1 all join and rng is not used.
func (p Poisson) Draw(rng *rand.Rand, n int) ([]int32, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if n < 0 || n > math.MaxInt32 {
		return nil, fmt.Errorf("sampling: number of examples %d: must be in [0, 2^31)", n)
	}
	if err := check.Given(rng != nil, "sampling: rng", "must be a random stream"); err != nil {
		return nil, err
	}
	batch := make([]int32, 0, int(p.Rate*float64(n)*1.2)+16)
	if p.Rate == 1 {
		for i := range n {
			batch = append(batch, int32(i))
		}
		return batch, nil
	}
	threshold := p.threshold()
	for i := range n {
		if rng.Uint64() < threshold {
			batch = append(batch, int32(i))
		}
	}
	return batch, nil
}

// Joins tosses the coin of one more example, apart from the data's. The rate must be valid.
func (p Poisson) Joins(rng *rand.Rand) bool {
	return p.Rate == 1 || rng.Uint64() < p.threshold()
}

// threshold returns ⌊q·2^64⌋ for q < 1. The product with a power of two is exact.
func (p Poisson) threshold() uint64 { return uint64(p.Rate * (1 << 64)) }
