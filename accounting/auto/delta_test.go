package auto

import (
	"math"
	"testing"
)

// A price that is not a number meets no ε: δ is then the least at which there is a price.
func TestLeastDeltaOfNoPrice(t *testing.T) {
	price := func(delta float64) (float64, error) {
		if delta < 1e-5 {
			return math.NaN(), nil
		}
		return 0.5, nil
	}
	if got, err := leastDelta(price, 1); err != nil || !(got >= 1e-5 && got <= 1.001e-5) {
		t.Errorf("δ %g, %v: want 1e-5", got, err)
	}
}
