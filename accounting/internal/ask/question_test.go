package ask

import (
	"errors"
	"testing"

	"github.com/dplab/dplab/accounting"
)

// failing returns a value of full privacy next to each error.
type failing struct{}

var errFailing = errors.New("failing")

func (failing) Name() string                        { return "failing" }
func (failing) Neighboring() accounting.Neighboring { return accounting.AddOrRemoveOne }

func (failing) EpsilonAt(accounting.Event, float64) (accounting.Guarantee, error) {
	return accounting.Guarantee{}, errFailing
}

func (failing) DeltaAt(accounting.Event, float64) (accounting.Interval, error) {
	return accounting.Exact(0), errFailing
}

func (failing) EpsilonTo(Question, float64) (accounting.Guarantee, error) {
	return accounting.Guarantee{}, errFailing
}

func (failing) DeltaTo(Question, float64) (accounting.Interval, error) {
	return accounting.Exact(0), errFailing
}

func (failing) DeltasTo(Question, []float64) ([]accounting.Interval, error) {
	return make([]accounting.Interval, 1), errFailing
}

// A list of δ is nil next to an error.
func TestDeltasAtIsNilNextToAnError(t *testing.T) {
	deltas, err := DeltasAt(failing{}, accounting.Gaussian{NoiseMultiplier: 1}, []float64{1})
	if !errors.Is(err, errFailing) || deltas != nil {
		t.Errorf("%v, %v", deltas, err)
	}
}
