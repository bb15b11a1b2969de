package verify_test

import (
	"testing"
	"time"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/verify"
)

func TestSelections(t *testing.T) {
	logarithmic, _ := law.Logarithmic(10)
	geometric, _ := law.Geometric(10)
	for _, base := range []accounting.Event{
		accounting.Gaussian{NoiseMultiplier: 2}, sgd(0.01, 2, 5000), accounting.SelfComposed{Count: 5, Event: accounting.Laplace{NoiseMultiplier: 20}},
		accounting.SelfComposed{Count: 5, Event: accounting.ZCDP{Rho: 0.001}}, accounting.PureDP{Epsilon: 0.3},
	} {
		for _, l := range []law.Law{logarithmic, geometric, law.Poisson{MeanRepeats: 10}, law.Binomial{Trials: 20, P: 0.5}, law.Fixed{Count: 5}, law.TwoPoint{Runs: 100, Single: 0.2}} {
			for _, event := range []accounting.Event{selection.BestOf{Law: l, Base: base}, firstabove.Event{Law: l, Base: base}} {
				now := time.Now()
				g, err := auto.NewAccountant().EpsilonAt(event, 1e-5)
				took := time.Since(now)
				if err != nil {
					t.Fatal(err)
				}
				answer, err := verify.Of(g)
				if err != nil {
					t.Errorf("%v: %v: %v (%v)", event, err, g.Certificate, g.Method)
					continue
				}
				now = time.Now()
				v, err := answer.Verify()
				t.Logf("%v: %v %v %v %d", event, v, took, time.Since(now), len(g.Certificate.Proof.Of))
				if err != nil {
					t.Errorf("%v: %v: %v", event, err, g.Certificate)
				}
			}
		}
	}
}
