package threshold

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection"
)

// Calibrate returns the search with the least noise whose price, without a training, is at most the
// target. Noise is rounded up. Positives are capped at DoublingPositives(maxTests). The split of
// the noise between thresholds and comparisons minimizes the variance of their difference at the
// pure price:
//
//	ε2/ε1 = (4m/c)^(1/3)
//
// For Once this is the split 1 : (2c)^(2/3) of Lyu, Su and Li (PVLDB 10(6), 2017), Section 4.2.
//
// The target's ε must be > 0. sensitivity is Δ > 0.
func Calibrate(target accounting.Target, sensitivity float64, maxTests int, refresh Refresh, noise Noise) (Event, error) {
	f := check.In("threshold: Calibrate: ")
	f.Add(target.Validate())
	f.That(target.Epsilon != 0, "target", target, "must have ε > 0")
	if err := f.Err(); err != nil {
		return Event{}, err
	}
	epsilon, delta := target.Epsilon, target.Delta
	tests := Event{Sensitivity: sensitivity, MaxTests: maxTests, MaxPositives: DoublingPositives(maxTests), Refresh: refresh, Noise: noise}
	at := tests.WithThresholdEpsilon
	if err := at(1e-6).Validate(); err != nil { // before any division by its fields
		return Event{}, err
	}
	// The pure price is linear in the scale, so the first low meets the target.
	low := epsilon / at(1).PureEpsilon() / 2
	high := low
	for at(2*high).epsilonAlone(delta) <= epsilon && high < 1e6*low {
		high *= 2
	}
	low, high = high, 2*high
	for range 60 {
		mid := math.Sqrt(low * high)
		if at(mid).epsilonAlone(delta) <= epsilon {
			low = mid
		} else {
			high = mid
		}
	}
	e := at(low)
	if err := e.Validate(); err != nil {
		return Event{}, fmt.Errorf("threshold: epsilon %g is out of the range of searches: %w", epsilon, err)
	}
	return e, nil
}

// WithThresholdEpsilon returns the search with its noise set. ThresholdEpsilon is then epsilon1,
// and the split between thresholds and comparisons is that of [Calibrate].
func (e Event) WithThresholdEpsilon(epsilon1 float64) Event {
	split := math.Cbrt(4 * float64(e.Thresholds()) / float64(e.MaxPositives))
	e.ThresholdNoise, e.ScoreNoise = e.Sensitivity/epsilon1, 2*e.Sensitivity/(epsilon1*split)
	return e
}

// epsilonAlone returns the ε of the search at delta by the quick bounds.
func (e Event) epsilonAlone(delta float64) float64 {
	if e.Validate() != nil {
		return math.Inf(1)
	}
	least := math.Min(e.PureEpsilon(), selection.RDPBound(e.Curve(), delta, accounting.Bound{}).Epsilon)
	losses, ok := e.losses(delta / 1e4)
	if e.Noise == Exponential { // certain losses just add up; pure parts compose to less
		count, each, _ := pricer{search: e}.parts()
		losses = responses(count, each)
	}
	if ok {
		least = math.Min(least, numeric.LeastTrue(1e-9, func(epsilon float64) bool { return losses.delta(epsilon, noTraining) <= delta }))
	}
	return least
}
