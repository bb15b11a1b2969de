package gdp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
)

// The interval of package gdp is wide enough for the check to hold at its upper end, for every µ
// and δ. No end is raised.
func TestCertificate(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	for range 2000 {
		event := accounting.SelfComposed{Event: accounting.Gaussian{NoiseMultiplier: math.Exp(rng.Float64()*40 - 15)}, Count: 1 + rng.IntN(1000)}
		delta := math.Exp(-rng.Float64() * rng.Float64() * 740)
		if !(delta < 1) {
			continue
		}
		g, err := gdp.NewAccountant().EpsilonAt(event, delta)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := accounting.Unchecked(gdp.NewAccountant()).EpsilonAt(event, delta)
		if err != nil || plain.Certificate != nil || plain.Epsilon.Upper != g.Epsilon.Upper || !g.Epsilon.LowerChecked ||
			g.Epsilon.Lower != plain.Epsilon.Lower && delta > 1e-300 || g.Epsilon.Lower < plain.Epsilon.Lower*(1-1e-9) {
			t.Errorf("%v at δ %g: %v unchecked, %v checked, %v", event, delta, plain, g, err)
		}
		if c := g.Certificate; c == nil || c.Epsilon != g.Epsilon.Upper || !(c.DeltaUpper <= delta) || len(g.Warnings) > 0 {
			t.Errorf("%v at δ %g: %v, %v, warnings %v", event, delta, g, c, g.Warnings)
		}
	}
}
