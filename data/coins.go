package data

import (
	"errors"
	"fmt"
	"math/rand/v2"
)

// SplitCoins puts each example into held with probability share, by a coin of its own, and
// the others into rest. Both parts keep the original order, and either may be empty.
//
// The coins know nothing of the data, so that adding or removing one example changes one of
// the two parts by that example and leaves the other as it is: accounting.Parallel prices
// what is run on the two. The sizes of the parts depend on the data; do not publish them.
//
// share must be in (0, 1).
func SplitCoins(d Dataset, share float64, rng *rand.Rand) (rest, held Dataset, err error) {
	if rng == nil {
		return Dataset{}, Dataset{}, errors.New("data: SplitCoins: rng is nil: must be a random stream")
	}
	if err := d.Validate(); err != nil {
		return Dataset{}, Dataset{}, err
	}
	if !(share > 0 && share < 1) {
		return Dataset{}, Dataset{}, fmt.Errorf("data: SplitCoins: share %g: must be in (0, 1)", share)
	}
	inHeld := make([]bool, d.Len())
	for i := range inHeld {
		inHeld[i] = rng.Float64() < share
	}
	rest, held = d.partition(inHeld, "SplitCoins")
	return rest, held, nil
}
