package pld_test

import (
	_ "embed"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/reference"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/pld"
)

//go:embed testdata/laplace_small.csv
var smallLaplaceCSV string

// encloses fails unless the interval of ε holds want, which is known to 1e-9, and is at most 0.02
// wide.
func encloses(t *testing.T, a pld.Accountant, event accounting.Event, delta, want float64, source string) {
	t.Helper()
	g, err := a.EpsilonAt(event, delta)
	if err != nil || !(g.Epsilon.Lower <= want+1e-9 && want-1e-9 <= g.Epsilon.Upper) || !(g.Epsilon.Width() <= 0.02) {
		t.Errorf("%v, δ = %g: ε in [%.9g, %.9g], %v, want %.12g inside; %s", event, delta, g.Epsilon.Lower, g.Epsilon.Upper, err, want, source)
	}
}

// Laplace noise of scale b costs 1/b at most. e^(-1/b) is subnormal from b = 0.00141 down and 0
// from 0.00134 down, and the loss of a ray is 1/b all the same.
func TestLaplaceOfSmallScale(t *testing.T) {
	source, rows := reference.Rows(t, smallLaplaceCSV)
	for i, row := range rows {
		if scale, sigma, delta, want := row[0], row[1], row[2], row[3]; !testing.Short() || i%8 == 1 {
			var event accounting.Event = accounting.Laplace{NoiseMultiplier: scale}
			if sigma > 0 {
				event = accounting.Composed{Events: []accounting.Event{event, gaussian(sigma)}}
			}
			encloses(t, pld.NewAccountant(), event, delta, want, source)
		}
	}
	// On samples, for both relations, with ε(δ) = 1/b + 2 log(1-δ) of one release:
	//   Poisson, add-or-remove-one, and of fixed size:  log(1 - q + q e^ε(δ/q))
	//   Poisson, replace-one:                           ε(δ/q)
	for i, c := range []struct{ q, scale, delta float64 }{{0.1, 0.00107, 1e-3}, {0.01, 0.0014, 1e-5}, {0.5, 0.001, 0.1}} {
		if testing.Short() && i > 0 {
			break
		}
		laplace := accounting.Laplace{NoiseMultiplier: c.scale}
		whole := 1/c.scale + 2*math.Log1p(-c.delta/c.q)
		part := whole + numeric.Log(c.q) + math.Log1p((1-c.q)/c.q*math.Exp(-whole))
		poisson := accounting.PoissonSampled{SamplingRate: c.q, Event: laplace}
		encloses(t, pld.NewAccountant(), poisson, c.delta, part, "closed form")
		encloses(t, pld.Accountant{Relation: accounting.ReplaceOne}, poisson, c.delta, whole, "closed form")
		encloses(t, pld.Accountant{Relation: accounting.ReplaceOne},
			accounting.SampledWithoutReplacement{SampleSize: int(100 * c.q), PopulationSize: 100, Event: laplace}, c.delta, part, "closed form")
	}
}

// An infinite loss comes from an outcome that one law has and the other has not, as it is said. A
// mass that underflows is none.
func TestInfiniteLossesAreGiven(t *testing.T) {
	a := pld.NewAccountant()
	for _, c := range []struct {
		event      accounting.Event
		epsilon    float64
		low, upper float64 // of δ, from the definition
	}{
		{accounting.Laplace{NoiseMultiplier: 0.00107}, 1e6, 0, 0}, // 934.6-DP
		{times(accounting.Laplace{NoiseMultiplier: 0.0012}, 3), 2800, 0, 0},
		{accounting.PoissonSampled{SamplingRate: 0.1, Event: accounting.Laplace{NoiseMultiplier: 0.00107}}, 1500, 0, 0},
		{pld.DiscretePair{With: []float64{0.5, 0.5}, Without: []float64{0, 1}}, 1e6, 0.5 - 1e-12, 0.5 + 1e-12},
		{pld.DiscretePair{With: []float64{0.5, 0.5}, Without: []float64{5e-324, 1}}, 1e6, 0, 0}, // log(0.5/2^-1074) is 743.7
		{pld.DiscretePair{With: []float64{0.5, 0.5}, Without: []float64{5e-324, 1}}, 700, 0.5 - 1e-9, 0.5 + 1e-9},
		{accounting.ApproxDP{Epsilon: 1, Delta: 0.25}, 1e6, 0.25 - 1e-12, 0.25 + 1e-12},
		// A product that underflows, or nearly, of a rate and a δ.
		{accounting.PoissonSampled{SamplingRate: 0x1p-900, Event: accounting.ApproxDP{Epsilon: 1, Delta: 0x1p-160}}, 5, 0x1p-1060, 0x1p-1060},
		{accounting.PoissonSampled{SamplingRate: 0x1p-900, Event: accounting.ApproxDP{Epsilon: 1, Delta: 0x1p-200}}, 5, 5e-324, 5e-324},
	} {
		got, err := a.DeltaAt(c.event, c.epsilon)
		if err != nil || got.Lower > c.upper || got.Upper < c.low {
			t.Errorf("%v, ε = %g: δ in [%g, %g], %v, want one in [%g, %g]", c.event, c.epsilon, got.Lower, got.Upper, err, c.low, c.upper)
		}
	}
	// δ(ε) = 1/2 - e^ε q
	pair := pld.DiscretePair{With: []float64{0.5, 0.5}, Without: []float64{1e-310, 1}}
	encloses(t, a, pair, 0.1, numeric.Log(0.4)+310*-numeric.Log(0.1), "closed form")

	// Of 100 samples at rate 0.01 one has a run of loss 1000 + log 0.01 with chance 1 - (1-q/2)^100
	// = 0.394, and every other one lowers the loss by at most -log(1-q).
	g, err := a.EpsilonAt(times(accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Laplace{NoiseMultiplier: 0.001}}, 100), 0.3)
	if least := 1000 + numeric.Log(0.01) + 99*math.Log1p(-0.01); err != nil || g.Epsilon.Upper < least-2 || g.Epsilon.Upper > least+1 || g.Epsilon.Lower > g.Epsilon.Upper {
		t.Errorf("100 samples: ε in %v, %v, want an upper end near %.6g", g.Epsilon, err, least)
	}
}
