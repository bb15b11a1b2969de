package main

import (
	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection"
)

// sampledTuning prices a tuning on a Poisson sample of the data and one run after it (Koskela
// and Kulkarni 2023).
type sampledTuning struct {
	law     selection.Law
	rate    float64
	variant selection.Variant
}

func (p sampledTuning) accountants(accounting.Event) []accounting.Accountant {
	return []accounting.Accountant{selection.NewTuneThenTrainAccountant()}
}

func (p sampledTuning) whole(event accounting.Event) accounting.Event { return p.event(event) }

func (p sampledTuning) event(run accounting.Event) selection.TuneThenTrain {
	return selection.TuneThenTrain{
		TuningRate: p.rate, Variant: p.variant, Training: run,
		Tuning: selection.Event{Law: p.law, Base: run},
	}
}

func (p sampledTuning) report(run accounting.Event, delta float64) (report, error) {
	one, err := plain{}.report(run, delta)
	if err != nil {
		return report{}, err
	}
	event := p.event(run)
	price, err := selection.TuneThenTrainAt(event, delta)
	if err != nil {
		return report{}, err
	}
	r := tuneThenTrainReport(event, price)
	one.Bounds = nil
	r.Base = &one
	return r, nil
}

func tuneThenTrainReport(event selection.TuneThenTrain, price selection.TuneThenTrainPrice) report {
	r := report{Guarantee: price.Guarantee, Mechanism: event.String()}
	for _, b := range price.Bounds {
		r.Bounds = append(r.Bounds, bound{Name: b.Name, Epsilon: number64(b.Epsilon), Method: b.Method, Theorem: b.Theorem})
	}
	return r
}
