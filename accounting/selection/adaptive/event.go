package adaptive

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Event is the release of the best of K runs of Base whose candidates come from proposals. K is
// drawn from Law and stays secret. The proposal of a run may depend on the outputs of earlier runs.
// Its density relative to the prior is at least Least and at most Most.
type Event struct {
	Law         law.Law
	Base        accounting.Event
	Least, Most float64 // c in (0, 1] and C >= 1
}

var _ accounting.Holder = Event{}

// Validate returns every fault, joined.
func (e Event) Validate() error {
	f := check.In("adaptive: Event.")
	f.That(e.Law != nil, "Law", "is nil", "must be a law")
	if e.Law != nil {
		f.Below("Law", e.Law.Validate())
	}
	f.That(e.Base != nil, "Base", "is nil", "must be an event")
	if e.Base != nil {
		f.Below("Base", e.Base.Validate())
	}
	f.Number("Least", e.Least, Below)
	f.Number("Most", e.Most, Above)
	return f.Err()
}

// Below and Above are the rules of Least and Most.
var Below, Above = check.Between(1e-6, 1), check.Between(1, 1e6)

// String describes the event.
func (e Event) String() string {
	return fmt.Sprintf("best of K runs of %v, K from the %v, candidates from proposals of density %g to %g relative to the prior", e.Base, e.Law, e.Least, e.Most)
}

// Holds returns the base.
func (e Event) Holds() []accounting.Event { return []accounting.Event{e.Base} }

func init() {
	eventjson.Register("adaptive_selection",
		func(e Event) []eventjson.Field {
			return []eventjson.Field{{Name: "law", Value: law.Value(e.Law)}, {Name: "base", Value: e.Base}, {Name: "least", Value: e.Least}, {Name: "most", Value: e.Most}}
		},
		func(o *eventjson.Object) Event {
			return Event{Law: law.Read(o.Object("law")), Base: o.Event("base"), Least: o.Float("least"), Most: o.Float("most")}
		})
}
