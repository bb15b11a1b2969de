package threshold

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection"
)

// Calibrate returns the search with the least noise whose own price, without a training,
// is at most the target, rounded towards more noise. Positives are capped at
// DoublingPositives(maxTests). The noise is split between thresholds and comparisons so that the
// variance of their difference is the least at the pure price:
//
//	ε2/ε1 = (4m/c)^(1/3)
//
// which for Once is the split 1 : (2c)^(2/3) of Lyu, Su and Li (PVLDB 10(6), 2017), Section 4.2.
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
	if err := at(1e-6).Validate(); err != nil { // before divisions by its fields count
		return Event{}, err
	}
	// Between ends that no price can miss: the pure one is linear in the scale.
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

// WithThresholdEpsilon returns the search with noise such that ThresholdEpsilon is epsilon1, split
// between thresholds and comparisons as by [Calibrate].
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
	if e.Noise == Exponential { // losses that are certain do not add up to less; those of pure parts do
		count, each, _ := pricer{search: e}.parts()
		losses = responses(count, each)
	}
	if ok {
		least = math.Min(least, numeric.LeastTrue(1e-9, func(epsilon float64) bool { return losses.delta(epsilon, noTraining) <= delta }))
	}
	return least
}
