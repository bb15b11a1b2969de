package data

import (
	"errors"
	"fmt"
	"math/rand/v2"
)

// SplitCoins puts each example into held with probability share, by its own coin, and the others
// into rest. Both parts keep the original order, and either may be empty.
//
// The coins do not depend on the data. Adding or removing one example changes one of the two parts
// by that example and leaves the other as it is. Use accounting.Parallel to price what is run on
// the two. The sizes of the parts depend on the data; do not publish them.
//
// Take rng from a secret root that is used only for this data set, or bind the root to it
// (fingerprint := d.Fingerprint()): root.Bound(fingerprint[:]).Rand("split"). The same coins on a
// data set without one of its rows would fall on other examples.
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
		inHeld[i] = Coin(share, rng)
	}
	rest, held = d.partition(inHeld, byCoins)
	return rest, held, nil
}

// Coin tosses a coin that shows heads with a chance of at most share, which must be in (0, 1), and
// at least share - 2^-53. It compares 53 bits of rng with ⌊share 2^53⌋. Comparing rng.Float64()
// with share would round that up, and a price by share would be below the truth.
func Coin(share float64, rng *rand.Rand) bool {
	const bits = 53
	return rng.Uint64()<<(64-bits)>>(64-bits) < uint64(share*(1<<bits))
}
