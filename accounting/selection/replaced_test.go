package selection_test

import (
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// TestReplacedRun prices the best of some runs of DP-SGD under replace-one, by the Rényi curve of
// one run. It costs more than one run, and far less than with a curve of a shown sample.
func TestReplacedRun(t *testing.T) {
	one := accounting.SelfComposed{Count: 5000, Event: accounting.PoissonSampled{
		SamplingRate: 0.01, Event: accounting.ClippedSum{NoiseMultiplier: 2}}}
	shown := accounting.SelfComposed{Count: 5000, Event: accounting.PoissonSampled{
		SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 1}}}
	a := rdp.Accountant{Relation: accounting.ReplaceOne}
	price := func(event accounting.Event) accounting.Guarantee {
		curve, err := a.CurveOf(event)
		if err != nil {
			t.Fatal(err)
		}
		run := baserun.Run{Name: event.String(), Curve: curve, Neighboring: a.Neighboring()}
		p, err := selection.PriceAt(law.TNB{Eta: 1, Gamma: 0.1}, run, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		if g := p.Guarantee; g.Neighboring != accounting.ReplaceOne || g.Certificate == nil {
			t.Errorf("%v, certificate %v", g, g.Certificate)
		}
		return p.Guarantee
	}
	g, err := a.EpsilonAt(one, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	best, wrong := price(one).Epsilon.Upper, price(shown).Epsilon.Upper
	if !(best > g.Epsilon.Upper && best < 3*g.Epsilon.Upper && wrong > 5*best) {
		t.Errorf("the best costs %g, one run %g, the best of shown samples %g", best, g.Epsilon.Upper, wrong)
	}
}
