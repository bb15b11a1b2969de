package auto_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

// truncatedSearch is the best of up to 65,536 runs of a Gaussian. Its list of chances is the
// longest that a law may have.
func truncatedSearch(sigma float64) accounting.Event {
	return selection.BestOf{Law: law.Truncated{Law: law.Poisson{MeanRepeats: 30000}, Max: 65536}, Base: accounting.Gaussian{NoiseMultiplier: sigma}}
}

func TestTooMuchWork(t *testing.T) {
	var many []accounting.Event
	for i := range 100 {
		many = append(many, truncatedSearch(1+float64(i)))
	}
	whole := accounting.Composed{Events: many}
	price, err := auto.NewAccountant().PriceAt(whole, 1e-5)
	if !errors.Is(err, auto.ErrTooMuchWork) || !strings.Contains(err.Error(), "Accountant.MaxWork = 120") {
		t.Errorf("100 truncated searches: error %v, want one that wraps ErrTooMuchWork and names the limit", err)
	}
	if !math.IsInf(price.Guarantee.Epsilon.Upper, 1) {
		t.Errorf("beside the error: ε <= %g, want +Inf", price.Guarantee.Epsilon.Upper)
	}
	if _, err := auto.NewAccountant().DeltaAt(whole, 1); !errors.Is(err, auto.ErrTooMuchWork) {
		t.Errorf("DeltaAt of 100 truncated searches: error %v, want one that wraps ErrTooMuchWork", err)
	}

	one := selection.BestOf{Law: law.Poisson{MeanRepeats: 10}, Base: accounting.Gaussian{NoiseMultiplier: 2}}
	if _, err := (auto.Accountant{MaxWork: 0.01}).PriceAt(one, 1e-5); !errors.Is(err, auto.ErrTooMuchWork) {
		t.Errorf("MaxWork 0.01: error %v, want one that wraps ErrTooMuchWork", err)
	}
	if _, err := (auto.Accountant{MaxWork: 1}).PriceAt(one, 1e-5); err != nil {
		t.Errorf("MaxWork 1: %v", err)
	}
	for _, bad := range []float64{-1, math.NaN()} {
		if _, err := (auto.Accountant{MaxWork: bad}).PriceAt(one, 1e-5); err == nil || !strings.Contains(err.Error(), "Accountant.MaxWork") {
			t.Errorf("MaxWork %g: error %v, want one that names the field", bad, err)
		}
	}
}

func TestWorkCountsWhatTakesTime(t *testing.T) {
	work := func(event accounting.Event) float64 {
		w, err := auto.Work(event)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	short := selection.BestOf{Law: law.Poisson{MeanRepeats: 10}, Base: accounting.Gaussian{NoiseMultiplier: 2}}
	long := truncatedSearch(2)
	inside := selection.BestOf{Law: law.Poisson{MeanRepeats: 10}, Base: long}
	two := accounting.Composed{Events: []accounting.Event{long, truncatedSearch(3)}}
	if order := []float64{work(accounting.Gaussian{NoiseMultiplier: 2}), work(short), work(long), work(inside), work(two)}; !(order[0] < order[1] && order[1] < order[2] && order[2] < order[3] && order[3] < order[4]) {
		t.Errorf("work of a Gaussian, a search, a long one, a search of it, two long ones: %v, want them to rise", order)
	}
	allocation := func(period, steps, participations int) accounting.Event {
		return accounting.RandomAllocation{Period: period, Steps: steps, Participations: participations, Event: accounting.ClippedSum{NoiseMultiplier: 1}}
	}
	// Measured: 0.01, 0.17, 0.47, 0.77 (cut) and 1.06 s.
	if order := []float64{work(allocation(2, 2, 1)), work(allocation(128, 128, 1)), work(allocation(100, 1000, 1)), work(allocation(99, 250, 1)), work(allocation(234, 14040, 1))}; !slices.IsSorted(order) || order[4] < 0.3 || order[4] > 4 {
		t.Errorf("work of allocations: %v, want them to rise", order)
	}
	if w := work(allocation(100, 1000, 10)); w < 0.13/4 || w > 4*0.13 {
		t.Errorf("work of ten participations: %g, want about 0.13", w)
	}
	if w := work(accounting.Composed{Events: []accounting.Event{allocation(100, 1000, 1), allocation(100, 1000, 1)}}); w != work(allocation(100, 1000, 1)) {
		t.Errorf("work of two equal allocations: %g, want that of one", w)
	}
	if _, err := auto.Work(accounting.Gaussian{}); err == nil {
		t.Error("work of an invalid event: no error")
	}
}

// BenchmarkWork compares a price with its estimate, in the metric "estimated-s/op".
func BenchmarkWork(b *testing.B) {
	for name, event := range map[string]accounting.Event{
		"gaussian":    accounting.Gaussian{NoiseMultiplier: 2},
		"logarithmic": selection.BestOf{Law: law.TNB{Eta: 0, Gamma: 0.0269183}, Base: accounting.Gaussian{NoiseMultiplier: 2}},
		"truncated":   truncatedSearch(2),
		"allocation":  allocated(1),
	} {
		b.Run(name, func(b *testing.B) {
			estimate, err := auto.Work(event)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := auto.NewAccountant().PriceAt(event, 1e-5); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(estimate, "estimated-s/op")
		})
	}
}
