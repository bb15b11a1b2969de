package firstabove

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Event is the release of the first of at most K runs of Base whose score is at least a public
// threshold, or of the fact that there was none. K is drawn from Law and stays secret.
type Event struct {
	Law  law.Law
	Base accounting.Event
}

var _ accounting.Holder = Event{}

// Validate returns an error unless law and base are given and valid.
func (e Event) Validate() error {
	var errs []error
	if e.Law == nil {
		errs = append(errs, errors.New("firstabove: Event.Law is nil: must be a law"))
	} else {
		errs = append(errs, e.Law.Validate())
	}
	if e.Base == nil {
		errs = append(errs, errors.New("firstabove: Event.Base is nil: must be an event"))
	} else {
		errs = append(errs, e.Base.Validate())
	}
	return errors.Join(errs...)
}

// String describes the event.
func (e Event) String() string {
	return fmt.Sprintf("first above a threshold of at most K runs of %v, K from the %v", e.Base, e.Law)
}

// Holds returns the base.
func (e Event) Holds() []accounting.Event { return []accounting.Event{e.Base} }

func init() {
	eventjson.Register("first_above",
		func(e Event) []eventjson.Field {
			return []eventjson.Field{{Name: "law", Value: law.Value(e.Law)}, {Name: "base", Value: e.Base}}
		},
		func(o *eventjson.Object) Event {
			return Event{Law: law.Read(o.Object("law")), Base: o.Event("base")}
		})
}
