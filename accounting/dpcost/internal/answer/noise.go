package answer

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/rdp"
)

// leastNoiseSearched and mostNoiseSearched are the range of noise multipliers that is searched.
const leastNoiseSearched, mostNoiseSearched = 1e-6, 1e9

// leastNoise returns the least noise multiplier that costs at most the target, rounded towards more
// noise; or one that is enough, with a warning why it may not be the least. The quick accountant of
// the list finds a σ that is enough, and the next one searches below it. No tight accountant is
// asked about a σ that is far off.
func (q Question) leastNoise() (noise float64, warning string, err error) {
	high := float64(mostNoiseSearched)
	for i, a := range []accounting.Accountant{auto.NewAccountant(rdp.NewAccountant()), auto.NewAccountant()} {
		search := accounting.Calibration{
			Accountant: a, Target: accounting.Target{Epsilon: q.Target, Delta: q.Delta}, Low: leastNoiseSearched, High: high,
			Event: q.Event,
		}
		if i > 0 { // mostly a few percent less
			search.Low = high / 1.25
		}
		noise, err := search.Least()
		if i > 0 && err == nil && noise == search.Low {
			search.Low = leastNoiseSearched
			noise, err = search.Least()
		}
		if err != nil && i > 0 {
			return high, fmt.Sprintf("the noise is enough and may not be the least: it was searched with Rényi bounds only (%v)", err), nil
		}
		if err != nil {
			return 0, "", fmt.Errorf("no noise multiplier in [%g, %g] costs at most -target-epsilon %g at -delta %g: %w", leastNoiseSearched, float64(mostNoiseSearched), q.Target, q.Delta, err)
		}
		high = noise
	}
	return high, "", nil
}
