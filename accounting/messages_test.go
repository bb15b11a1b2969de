package accounting_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/command/badinput"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/adaptive"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/accounting/selection/law"
)

// A message names each package once, whichever package it passes through.
func TestMessagesSayEachNameOnce(t *testing.T) {
	gaussian := accounting.Gaussian{NoiseMultiplier: 1}
	events := []accounting.Event{
		nil, accounting.Gaussian{}, accounting.PoissonSampled{SamplingRate: 3}, accounting.Composed{Events: []accounting.Event{nil, accounting.Laplace{}}},
		accounting.SelfComposed{Event: accounting.Gaussian{}}, accounting.Parallel{}, accounting.WorstCase{}, accounting.ApproxDP{Epsilon: -1}, pld.DiscretePair{},
		accounting.SampledWithoutReplacement{SampleSize: 2, PopulationSize: 1, Event: gaussian},
		selection.BestOf{Law: law.Poisson{}, Base: gaussian}, selection.BestOf{Law: law.Fixed{Count: 2}}, firstabove.Event{Law: law.TNB{Eta: -3, Gamma: 2}, Base: gaussian},
		adaptive.Event{Law: law.TNB{Eta: -3, Gamma: 2}, Base: gaussian, Least: 2},
	}
	for _, e := range events {
		if e != nil && e.Validate() == nil {
			t.Errorf("%v is a valid event", e)
		}
	}
	for _, a := range []accounting.Accountant{
		auto.NewAccountant(), auto.NewAccountant(rdp.NewAccountant()), contour.NewAccountant(), pld.Accountant{}, rdp.NewAccountant(), gdp.Accountant{},
		accounting.WithDeltaReserve{Accountant: auto.NewAccountant(), Delta: 1e-9}, accounting.WithDeltaReserve{Accountant: auto.NewAccountant(), Delta: 3},
	} {
		for _, e := range events {
			for name, ask := range map[string]func() error{
				"EpsilonAt":      func() error { _, err := a.EpsilonAt(e, 1e-5); return err },
				"EpsilonAt NaN":  func() error { _, err := a.EpsilonAt(gaussian, math.NaN()); return err },
				"DeltaAt":        func() error { _, err := a.DeltaAt(e, 1); return err },
				"DeltaAt -1":     func() error { _, err := a.DeltaAt(gaussian, -1); return err },
				"CalibrateDelta": func() error { _, err := auto.CalibrateDelta(e, 1, a); return err },
				"CalibrateSteps": func() error {
					_, err := auto.CalibrateSteps(func(int) accounting.Event { return e }, accounting.Target{Epsilon: 1, Delta: 1e-5}, 9, a)
					return err
				},
				"CalibrateNoiseMultiplier": func() error {
					_, err := auto.CalibrateNoiseMultiplier(func(float64) accounting.Event { return e }, accounting.Target{Epsilon: 1, Delta: 1e-5}, a)
					return err
				},
				"NewTradeOff": func() error { _, err := gdp.NewTradeOff(e, a); return err },
			} {
				err := ask()
				if err == nil {
					t.Errorf("%s of %T, %v: no error", name, a, e)
					continue
				}
				if word := badinput.Repeated(err.Error()); word != "" {
					t.Errorf("%s of %s: %v: says %q twice", name, fmt.Sprintf("%T", a), err, word)
				}
			}
		}
	}
}
