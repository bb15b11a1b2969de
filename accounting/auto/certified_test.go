package auto_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/internal/certificate/closed"
	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

var certifiedCases = flag.Int("auto.certified", 1000, "number of drawn questions whose upper ends are checked")

// drawnEvent is an event with its exact ln δ at ε, if that has a closed form.
type drawnEvent struct {
	event accounting.Event
	exact func(epsilon interval.I) interval.I
}

// drawEvent draws an event: wild ones have parameters near the ends of their ranges.
func drawEvent(rng *rand.Rand, wild bool) drawnEvent {
	log := func(lo, hi float64) float64 { return lo * math.Exp(rng.Float64()*numeric.Log(hi/lo)) }
	sigma, scale, rate := log(0.3, 30), log(0.05, 50), log(1e-4, 1)
	if wild {
		sigma, scale, rate = log(1e-6, 1e6), log(0.002, 1e6), log(1e-12, 1)
	}
	gaussian := accounting.Gaussian{NoiseMultiplier: sigma}
	mu := interval.Of(1).Div(interval.Of(sigma))
	switch rng.IntN(5) {
	case 0:
		return drawnEvent{gaussian, func(e interval.I) interval.I { return closed.LogGaussian(mu, e) }}
	case 1:
		return drawnEvent{accounting.Laplace{NoiseMultiplier: scale}, func(e interval.I) interval.I { return closed.Laplace(scale, e).Log() }}
	case 2:
		truth := 0.5 + 0.499*rng.Float64()
		return drawnEvent{accounting.RandomizedResponse{Truth: truth}, func(e interval.I) interval.I { return closed.RandomizedResponse(truth, e).Log() }}
	case 3:
		return drawnEvent{accounting.PoissonSampled{SamplingRate: rate, Event: gaussian}, func(e interval.I) interval.I { return closed.LogSampled(rate, mu, e) }}
	}
	return drawnEvent{sgd(rate, sigma, int(log(2, 1e5))), nil}
}

// Each upper end has a certificate that fits, or is known not to have one. None is below the exact
// value. At least 98 % of ordinary questions have one, and 80 % of those at the ends of the ranges.
func TestUpperEndsAreChecked(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 10_000))
	cases := *certifiedCases
	if testing.Short() {
		cases = min(cases, 100)
	}
	asked, certified := map[bool]int{}, map[bool]int{}
	for i := range cases {
		wild := i%3 == 0
		drawn := drawEvent(rng, wild)
		delta := math.Exp(-1 - 30*rng.Float64())
		if wild {
			delta = math.Exp(-650 * rng.Float64() * rng.Float64())
		}
		if !(delta < 1) {
			continue
		}
		g, err := auto.NewAccountant().EpsilonAt(drawn.event, delta)
		if err != nil {
			t.Errorf("%v at δ %g: %v", drawn.event, delta, err)
			continue
		}
		if math.IsInf(g.Epsilon.Upper, 1) {
			continue
		}
		asked[wild]++
		if c := g.Certificate; c != nil {
			if certified[wild]++; c.Epsilon != g.Epsilon.Upper || !(c.DeltaUpper <= delta) || c.Claim == "" || attach.Failed(g) {
				t.Errorf("%v at δ %g: %v, certificate %v, warnings %v", drawn.event, delta, g, c, g.Warnings)
			}
		} else {
			t.Logf("not checked: %v at δ %g: %v, warnings %v", drawn.event, delta, g, g.Warnings)
		}
		if drawn.exact != nil && drawn.exact(interval.Of(g.Epsilon.Upper)).Lo > interval.Of(delta).Log().Hi {
			t.Errorf("%v at δ %g: %v is below the exact ε", drawn.event, delta, g)
		}
	}
	for wild, least := range map[bool]float64{false: 0.98, true: 0.8} {
		share := float64(certified[wild]) / float64(asked[wild])
		if t.Logf("wild %t: %d of %d certified", wild, certified[wild], asked[wild]); share < least {
			t.Errorf("wild %t: %.4g of the upper ends are certified, want %g", wild, share, least)
		}
	}
}
