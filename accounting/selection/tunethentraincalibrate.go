package selection

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
)

// CalibrateTuneThenTrain returns the least noise multiplier with which tuning on a sample
// and training after it, event(σ), cost at most epsilon at delta together. It is rounded
// towards more noise; see accounting.CalibrateNoiseMultiplier. It takes some seconds.
func CalibrateTuneThenTrain(event func(noiseMultiplier float64) TuneThenTrain, epsilon, delta float64, accountants ...accounting.Accountant) (float64, error) {
	return accounting.CalibrateNoiseMultiplier(tuneThenTrainAccountant{accountants}, func(sigma float64) accounting.Event {
		return event(sigma)
	}, epsilon, delta)
}

// tuneThenTrainAccountant answers for a TuneThenTrain what a calibration asks: ε.
type tuneThenTrainAccountant struct{ accountants []accounting.Accountant }

func (tuneThenTrainAccountant) Name() string { return "selection" }

func (tuneThenTrainAccountant) Neighboring() accounting.Neighboring { return accounting.AddOrRemoveOne }

func (a tuneThenTrainAccountant) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	e, ok := event.(TuneThenTrain)
	if !ok {
		return accounting.Guarantee{}, fmt.Errorf("selection: event %T: %w", event, accounting.ErrUnsupportedEvent)
	}
	price, err := TuneThenTrainAt(e, delta, a.accountants...)
	return price.Guarantee, err
}

func (tuneThenTrainAccountant) DeltaAt(event accounting.Event, _ float64) (accounting.Interval, error) {
	return accounting.Interval{}, fmt.Errorf("selection: δ of %T at a given ε: %w", event, accounting.ErrUnsupportedEvent)
}

// NewTuneThenTrainAccountant returns an accountant that answers for a TuneThenTrain what a
// calibration asks, ε at a δ, and refuses every other event. The accountants given give tighter
// profiles of the runs.
func NewTuneThenTrainAccountant(accountants ...accounting.Accountant) accounting.Accountant {
	return tuneThenTrainAccountant{accountants}
}
