package selection

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
)

// Variant says which records the last training of a [TuneThenTrain] reads.
type Variant int

// The variants of Koskela and Kulkarni (NeurIPS 2023). The zero value is neither.
const (
	RestOfData Variant = iota + 1 // variant 1: those that the tuning did not read
	AllData                       // variant 2: all
)

// String returns "rest of the data" or "all data".
func (v Variant) String() string {
	switch v {
	case RestOfData:
		return "rest of the data"
	case AllData:
		return "all data"
	}
	return fmt.Sprintf("Variant(%d)", int(v))
}

// Validate returns an error unless v is one of the two variants.
func (v Variant) Validate() error {
	if v != RestOfData && v != AllData {
		return fmt.Errorf("selection: Variant %d: must be RestOfData or AllData", int(v))
	}
	return nil
}

// TuneThenTrain is a tuning on a Poisson sample of the data and one training after it:
// each record joins the sample with chance TuningRate, Tuning runs on the sample, and
// Training runs on the Variant's records with what the tuning returned, its model included.
// All that both return may be published; who is in the sample may not.
//
// Training is what the last run does whatever hyper-parameters the tuning returned, and
// however they were extrapolated to more data. A factor for the learning rate must come
// from the public rate, 1/q or (1-q)/q, not from how many records were drawn.
type TuneThenTrain struct {
	TuningRate float64          // q in (0, 1]
	Tuning     Event            // the best of K runs on the sample
	Training   accounting.Event // the run after it
	Variant    Variant
}

var _ accounting.Event = TuneThenTrain{}

// Validate returns every fault, joined.
func (e TuneThenTrain) Validate() error {
	errs := []error{validateRate("TuneThenTrain.TuningRate", e.TuningRate), e.Tuning.Validate(), e.Variant.Validate()}
	if e.Training == nil {
		errs = append(errs, errors.New("selection: TuneThenTrain.Training is nil: must be an event"))
	} else {
		errs = append(errs, e.Training.Validate())
	}
	return errors.Join(errs...)
}

// String describes the event.
func (e TuneThenTrain) String() string {
	return fmt.Sprintf("%v, on a Poisson sample of rate %g; then %v, on %v", e.Tuning, e.TuningRate, e.Training, e.Variant)
}
