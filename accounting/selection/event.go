package selection

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/selection/law"
)

// BestOf is the release of the best of K runs of Base. K is drawn from Law and stays secret.
type BestOf struct {
	Law  law.Law
	Base accounting.Event
}

var _ accounting.Holder = BestOf{}

// Validate returns an error unless law and base are given and valid.
func (e BestOf) Validate() error {
	var errs []error
	if e.Law == nil {
		errs = append(errs, errors.New("selection: BestOf.Law is nil: must be a law"))
	} else {
		errs = append(errs, e.Law.Validate())
	}
	if e.Base == nil {
		errs = append(errs, errors.New("selection: BestOf.Base is nil: must be an event"))
	} else {
		errs = append(errs, e.Base.Validate())
	}
	return errors.Join(errs...)
}

// String describes the event.
func (e BestOf) String() string {
	return fmt.Sprintf("best of K runs of %v, K from the %v", e.Base, e.Law)
}

// Holds returns the base.
func (e BestOf) Holds() []accounting.Event { return []accounting.Event{e.Base} }

func init() {
	eventjson.Register("selection",
		func(e BestOf) []eventjson.Field {
			return []eventjson.Field{{Name: "law", Value: law.Value(e.Law)}, {Name: "base", Value: e.Base}}
		},
		func(o *eventjson.Object) BestOf {
			return BestOf{Law: law.Read(o.Object("law")), Base: o.Event("base")}
		})
}
