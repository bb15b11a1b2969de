package intersected_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/intersected"
	"github.com/dplab/dplab/accounting/lratio"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/baserun"
)

// named is an accountant from elsewhere.
type named struct{ accounting.Accountant }

// answerers are about AddOrRemoveOne.
func answerers() []ask.Answerer {
	all := []ask.Answerer{ask.Other{Accountant: named{gdp.NewAccountant()}}}
	for _, a := range accountants() {
		all = append(all, intersected.Answerer(a))
	}
	return all
}

func accountants() []accounting.Accountant {
	return []accounting.Accountant{contour.NewAccountant(), gdp.NewAccountant(), intersected.NewAccountant(), lratio.NewAccountant(), pld.NewAccountant(), rdp.NewAccountant()}
}

// What has a question gives nothing that reads as privacy next to the error of a wrong one: the
// zero one, and one under another relation than the accountant's.
func TestNothingBesideAnErrorOfAQuestion(t *testing.T) {
	wrong := []ask.Question{{}}
	for _, relation := range []accounting.Neighboring{accounting.ReplaceOne, accounting.ReplaceSpecial} {
		q, err := ask.Of("test", accounting.Gaussian{NoiseMultiplier: 1}, relation)
		if err != nil {
			t.Fatal(err)
		}
		wrong = append(wrong, q)
	}
	for _, q := range wrong {
		name := func(call string) string { return fmt.Sprintf("%s of a question about %v", call, q.Relation()) }
		check := func(call string, got, want any, err error) {
			t.Helper()
			if err == nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %v, %v, want %v and an error", name(call), got, err, want)
			}
		}
		for _, a := range answerers() {
			g, err := a.EpsilonTo(q, 1e-5)
			check(a.Name()+".EpsilonTo", g, accounting.NoGuarantee(), err)
			d, err := a.DeltaTo(q, 1)
			check(a.Name()+".DeltaTo", d, accounting.NoDelta(), err)
			if many, ok := a.(ask.Profiler); ok {
				deltas, err := many.DeltasTo(q, []float64{0, 1})
				check(a.Name()+".DeltasTo", deltas, []accounting.Interval(nil), err)
			}
		}
		delta, _, err := intersected.NewAccountant().DeltaBy(q, 1)
		check("DeltaBy", delta, accounting.NoDelta(), err)
		run, err := baserun.Of(q)
		check("baserun.Of", run, baserun.Run{}, err)
	}
	var zero ask.Question
	if mu, err := gdp.MuTo(zero); err == nil || !math.IsInf(mu, 1) {
		t.Errorf("gdp.MuTo of the zero question: %g, %v", mu, err)
	}
	if curve, err := rdp.CurveTo(zero); err == nil || curve != nil {
		t.Errorf("rdp.CurveTo of the zero question has a curve, %v", err)
	}
	if curve, err := auto.NewAccountant().CurveTo(zero); err == nil || curve != nil {
		t.Errorf("auto.CurveTo of the zero question has a curve, %v", err)
	}
	if _, err := lratio.PartOf(zero, 1); err == nil {
		t.Error("lratio.PartOf of the zero question has no error")
	}
}

// Every accountant that prices shuffled batches warns, once, that the price is that of a known
// order, and has no lower end.
func TestShuffledIsWarnedOf(t *testing.T) {
	event := accounting.Shuffled{Batches: 9, Epochs: 3, Event: accounting.ClippedSum{NoiseMultiplier: 2}}
	for _, a := range accountants() {
		g, err := a.EpsilonAt(event, 1e-5)
		if err != nil || g.Epsilon.HasLower {
			t.Errorf("%s: %v, %v", a.Name(), g, err)
		}
		warned := 0
		for _, w := range g.Warnings {
			if errors.Is(w, accounting.ErrUnknownAmplification) {
				warned++
			}
		}
		if warned != 1 {
			t.Errorf("%s: %d warnings of shuffled batches in %v, want one", a.Name(), warned, g.Warnings)
		}
	}
	other := accounting.Composed{Events: []accounting.Event{event, accounting.Laplace{NoiseMultiplier: 1}}}
	if g, err := contour.NewAccountant().EpsilonAtLogDelta(other, -9); err == nil || !reflect.DeepEqual(g, accounting.NoGuarantee()) {
		t.Errorf("contour, next to an event that it does not know: %v, %v", g, err)
	}
}
