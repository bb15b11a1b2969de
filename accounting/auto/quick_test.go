package auto_test

import (
	"fmt"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

// everyTuning has searches, and tunings on a sample, around DP-SGD of several sizes, laws and
// variants.
func everyTuning(t *testing.T) (all []accounting.Event) {
	for i, run := range []accounting.Event{sgd(0.02, 1.5, 500), sgd(0.004, 0.8, 2000), sgd(0.1, 6, 1000), accounting.Gaussian{NoiseMultiplier: 3}} {
		for k, l := range []law.Law{law.Poisson{MeanRepeats: 15}, tnb(t, 1, 10), tnb(t, -0.5, 5), law.Fixed{Count: 3}} {
			if (i+k)%2 == 1 || testing.Short() && i != k {
				continue
			}
			all = append(all, selection.BestOf{Law: l, Base: run})
			for v, variant := range []subsample.Variant{subsample.RestOfData, subsample.AllData} {
				if testing.Short() && v != i%2 {
					continue
				}
				rate := []float64{0.1, 0.02, 0.5}[(i+k+v)%3]
				all = append(all, subsample.Event{TuningRate: rate, Tuning: selection.BestOf{Law: l, Base: run}, Training: run, Variant: variant})
			}
		}
	}
	return all
}

// A quick answer is never below EpsilonAt without checks. It is equal where nothing is left out.
// It refuses what EpsilonAt refuses.
func TestQuickIsNeverBelow(t *testing.T) {
	a, equal := auto.NewAccountant(), 0
	fast := accounting.WithOptions(a, accounting.Options{Unchecked: true, Quick: true})
	events := everyTuning(t)
	for _, event := range events {
		quick := upper(t, fast, event, delta)
		switch full := upper(t, accounting.Unchecked(a), event, delta); {
		case quick < full:
			t.Errorf("%v: quick ε %.17g below %.17g", event, quick, full)
		case quick == full:
			equal++
		}
	}
	if 4*equal < 3*len(events) { // else a search by it is no gain
		t.Errorf("%d of %d quick answers are the least", equal, len(events))
	}
	run := sgd(0.02, 2, 100)
	if quick := upper(t, fast, run, delta); quick != upper(t, accounting.Unchecked(a), run, delta) {
		t.Errorf("%v: quick ε %g: want that of Unchecked", run, quick)
	}
	for _, event := range []accounting.Event{nil, subsample.Event{}} {
		_, want := a.EpsilonAt(event, delta)
		if _, err := fast.EpsilonAt(event, delta); fmt.Sprint(err) != fmt.Sprint(want) || err == nil {
			t.Errorf("%v: error %v, want %v", event, err, want)
		}
	}
	if _, err := fast.EpsilonAt(run, 0); err == nil {
		t.Error("δ = 0: must be refused")
	}
}
