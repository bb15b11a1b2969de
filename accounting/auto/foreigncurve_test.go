package auto_test

import (
	"errors"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/threshold"
)

// costless is an event of another program that says it is free.
type costless struct{}

func (costless) Validate() error  { return nil }
func (costless) String() string   { return "costless" }
func (costless) Curve() rdp.Curve { return rdp.ZCDP(0) }

// disguised holds an event of this module inside, and says that it is free.
type disguised struct{ threshold.Event }

func (disguised) Curve() rdp.Curve { return rdp.ZCDP(0) }

// An event is not believed because it has a method Curve: an unknown event is unsupported, never free, wherever it stands.
func TestForeignCurveIsNotBelieved(t *testing.T) {
	search := threshold.Event{Sensitivity: 1, ThresholdNoise: 8, ScoreNoise: 16, MaxTests: 10, MaxPositives: 1, Refresh: threshold.Once}
	if curve, err := auto.NewAccountant().CurveOf(search); err != nil || !(curve(2) > 0) {
		t.Fatalf("%v: %v, want its curve", search, err)
	}
	for _, foreign := range []accounting.Event{costless{}, disguised{search}, &search} {
		for _, event := range []accounting.Event{
			foreign, accounting.WorstCase{Events: []accounting.Event{search, foreign}}, accounting.SelfComposed{Event: foreign, Count: 2}, accounting.Composed{Events: []accounting.Event{foreign, search}},
			accounting.PoissonSampled{Event: foreign, SamplingRate: 0.1},
		} {
			if curve, err := auto.NewAccountant().CurveOf(event); !errors.Is(err, accounting.ErrUnsupportedEvent) {
				t.Errorf("CurveOf(%v): %v, %v, want ErrUnsupportedEvent", event, curve != nil, err)
			}
			if price, err := auto.NewAccountant().PriceAt(event, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) {
				t.Errorf("PriceAt(%v): %v, %v, want ErrUnsupportedEvent", event, price, err)
			}
			if base, err := baserun.New(event, auto.NewAccountant()); err == nil {
				t.Errorf("baserun.New(%v) by package auto: %v, no error", event, base.Name)
			}
			if _, err := baserun.New(event); err == nil {
				t.Errorf("baserun.New(%v): no error", event)
			}
		}
		if auto.HasSelection(foreign) {
			t.Errorf("%v is taken for a selection", foreign)
		}
	}
}
