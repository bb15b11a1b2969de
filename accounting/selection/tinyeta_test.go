package selection_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

// A law with a tiny η costs what the logarithmic law costs, from which it differs by factors of 1 ±
// |η t|. With Lemma 20 the price of one run of small δ came out as 0, since the chance of success η
// v/(η t) underflowed.
func TestTinyEtaCostsWhatNoneDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 2))
	cases := 60
	if testing.Short() {
		cases = 4
	}
	for range cases {
		eta := math.Exp(-math.Ln10 * (290 + 17*rng.Float64()))
		if rng.IntN(2) == 0 {
			eta = -eta
		}
		gamma, delta := 0.01+0.98*rng.Float64(), math.Exp(-math.Ln10*(1+250*rng.Float64()))
		run := accounting.ApproxDP{Epsilon: math.Exp(6 * (rng.Float64() - 0.5)), Delta: delta * (0.01 + 0.5*rng.Float64())}
		none, tiny := law.TNB{Gamma: gamma}, law.TNB{Eta: eta, Gamma: gamma}
		want, err := selection.Approximate(none, run)
		got, gotErr := selection.Approximate(tiny, run)
		if err != nil || gotErr != nil || !(math.Abs(got.Epsilon-want.Epsilon) <= 1e-9*want.Epsilon) || !(math.Abs(got.Delta-want.Delta) <= 1e-9*want.Delta) {
			t.Errorf("%v, %v: %v, %v, want %v, %v", tiny, run, got, gotErr, want, err)
		}
		price, err := selection.EventAt(selection.BestOf{Law: none, Base: run}, delta)
		same, sameErr := selection.EventAt(selection.BestOf{Law: tiny, Base: run}, delta)
		if (err == nil) != (sameErr == nil) || err == nil && !(math.Abs(same.Guarantee.Epsilon.Upper-price.Guarantee.Epsilon.Upper) <= 1e-9*price.Guarantee.Epsilon.Upper) && !math.IsInf(price.Guarantee.Epsilon.Upper, 1) {
			t.Errorf("%v, %v at δ = %g: %v, %v, want %v, %v", tiny, run, delta, same.Guarantee, sameErr, price.Guarantee, err)
		}
	}
	_, err := selection.EventAt(selection.BestOf{Law: law.TNB{Eta: 5e-324, Gamma: 0.1}, Base: accounting.ApproxDP{Epsilon: 1, Delta: 1e-7}}, 1e-5)
	if err == nil || !strings.Contains(err.Error(), "TNB.Eta 5e-324") {
		t.Errorf("η = 5e-324: error %v, want one that names it", err)
	}
}
