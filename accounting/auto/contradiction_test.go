package auto_test

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/internal/intersected"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
)

// liar certifies that whatever has an event of one type in it costs a million, and knows no other.
type liar struct {
	rdp.Accountant
	about reflect.Type
}

func (l liar) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	node, err := accounting.Flatten(event)
	if err != nil || !node.Contains(func(inside accounting.Node) bool { return reflect.TypeOf(inside.Event) == l.about }) {
		return accounting.NoGuarantee(), accounting.ErrUnsupportedEvent
	}
	return accounting.Guarantee{Epsilon: accounting.Exact(1e6), Delta: delta, Neighboring: accounting.AddOrRemoveOne}, nil
}

func (liar) DeltaAt(accounting.Event, float64) (accounting.Interval, error) {
	return accounting.NoDelta(), accounting.ErrUnsupportedEvent
}

// Accountants that contradict each other in one way to price leave no price, whatever the other
// ways answer: about the whole, or about a pair of laws in place of a selection.
func TestContradictionLeavesNoPrice(t *testing.T) {
	tuning := selection.BestOf{Law: tnb(t, 0, 5), Base: accounting.Gaussian{NoiseMultiplier: 2}}
	twice := accounting.SelfComposed{Event: tuning, Count: 2}
	choice := accounting.Composed{Events: []accounting.Event{accounting.ExponentialMechanism{Epsilon: 1}, accounting.Gaussian{NoiseMultiplier: 2}}}
	for _, c := range []struct{ event, about accounting.Event }{
		{choice, accounting.Composed{}}, {twice, pld.DiscretePair{}},
		{accounting.WorstCase{Events: []accounting.Event{tuning, twice}}, pld.DiscretePair{}},
		{accounting.PoissonSampled{SamplingRate: 0.1, Event: twice}, pld.DiscretePair{}},
	} {
		a := auto.NewAccountant(liar{rdp.NewAccountant(), reflect.TypeOf(c.about)}, rdp.NewAccountant(), pld.NewAccountant())
		price, err := a.PriceAt(c.event, delta)
		if !errors.Is(err, intersected.ErrContradiction) || !math.IsInf(price.Guarantee.Epsilon.Upper, 1) || len(price.Bounds) > 0 {
			t.Errorf("%v, with a lie about %T: %v, %v, want ErrContradiction and no price", c.event, c.about, price, err)
		}
	}
}
