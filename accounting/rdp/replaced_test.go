package rdp_test

import (
	_ "embed"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/reference"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
)

//go:embed testdata/replaced.csv
var replacedCSV string

// replaced is a ClippedSum on Poisson samples.
func replaced(q, sigma float64, steps int) accounting.Event {
	return accounting.SelfComposed{Count: steps, Event: accounting.PoissonSampled{
		SamplingRate: q, Event: accounting.ClippedSum{NoiseMultiplier: sigma}}}
}

// curveFor returns the curve of an event under replace-one.
func curveFor(t *testing.T, event accounting.Event) rdp.Curve {
	t.Helper()
	curve, err := rdp.Accountant{Relation: accounting.ReplaceOne}.CurveOf(event)
	if err != nil {
		t.Fatal(err)
	}
	return curve
}

// The curve is an upper bound to the last digit, and no looser than its rounding. Where the sum has
// too many points, the closed form is above by at most -log(1-q).
func TestReplacedReference(t *testing.T) {
	source, rows := reference.Rows(t, replacedCSV)
	for _, row := range rows {
		q, sigma, order, want := row[0], row[1], row[2], row[3]
		got := curveFor(t, replaced(q, sigma, 1))(order)
		slop := 8*0x1p-53*(2*order*math.Abs(numeric.Log(q))+(order+1)/sigma/sigma)/math.Min(1, (order-1)*want) + 1e-15/sigma/sigma
		if !(got >= want) || got > want*(1+6e-12+slop) {
			t.Errorf("RDP(q=%g, σ=%g, α=%g) = %.17g, want %.17g, from above, relative difference %g; %s", q, sigma, order, got, want, got/want-1, source)
		}
	}
}

// TestReplacedByArea compares with plain sums over the outputs. The same sums for the removed
// record are below, and those of a shown sample are above.
func TestReplacedByArea(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 34))
	for range 60 {
		q, sigma, order := 0.01+0.95*rng.Float64(), 0.5*math.Exp(2*rng.Float64()), 1.1+15*rng.Float64()
		ratio := func(x float64) float64 { return 1 - q + q*math.Exp((2*x-1)/(2*sigma*sigma)) }
		var sum float64
		for x := -12 * sigma; x < 12*sigma+2*order; x += sigma / 100 {
			sum += math.Exp(-x*x/(2*sigma*sigma)+order*numeric.Log(ratio(x))-(order-1)*numeric.Log(ratio(-x))) / math.Sqrt(2*math.Pi) / 100
		}
		want, got := numeric.Log(sum)/(order-1), curveFor(t, replaced(q, sigma, 1))(order)
		if math.Abs(got-want) > 1e-9*want+1e-12 {
			t.Errorf("q %g, σ %g, order %g: %.12g, want %.12g", q, sigma, order, got, want)
		}
		removed, shown := rdp.SampledGaussian(q, sigma)(order), curveFor(t, accounting.PoissonSampled{SamplingRate: q, Event: accounting.Gaussian{NoiseMultiplier: sigma / 2}})(order)
		if !(got > removed && got < shown) {
			t.Errorf("q %g, σ %g, order %g: %.12g, removed %.12g, shown %.12g", q, sigma, order, got, removed, shown)
		}
	}
}

// TestReplacedCurve: the curve rises with the order, the rate and less noise, at all sizes. It
// counts steps, and Rényi's ε is above the exact one.
func TestReplacedCurve(t *testing.T) {
	for _, q := range []float64{1e-300, 1e-12, 1e-4, 0.02, 0.5, 0.999, 1 - 0x1p-53} {
		for _, sigma := range []float64{1e-12, 1e-3, 0.05, 0.3, 1, 20, 1e6, 1e99, 1e101} {
			curve, more := curveFor(t, replaced(q, sigma, 1)), curveFor(t, replaced(min(1, 1.1*q), sigma/1.1, 1))
			last := 0.0
			for _, order := range []float64{1 + 1e-9, 1.001, 1.5, 2, 7.5, 64, 1000, 1e5, 1e9, 1e13, math.Inf(1)} {
				d := curve(order)
				if !(d > 0 && d >= last*(1-1e-9)) || more(order) < d*(1-1e-9) {
					t.Errorf("q %g, σ %g, order %g: %g after %g, with more rate and less noise %g", q, sigma, order, d, last, more(order))
				}
				last = d
			}
		}
	}
	if d := curveFor(t, replaced(0.01, 2, 7))(4.5) / curveFor(t, replaced(0.01, 2, 1))(4.5); math.Abs(d-7) > 1e-12 {
		t.Errorf("7 steps cost %g of them", d)
	}
}

// TestReplacedEpsilon: ε from the curve has a certificate, is above the exact one, and at most 30
// %.
func TestReplacedEpsilon(t *testing.T) {
	for _, c := range []struct {
		q, sigma float64
		steps    int
		delta    float64
		most     float64
	}{{0.01, 2, 5000, 1e-5, 1.15}, {0.1, 4, 1000, 1e-6, 1.15}, {0.003, 0.9, 3000, 1e-7, 1.3}, {0.5, 1, 10, 1e-5, 1.15}} {
		a := rdp.Accountant{Relation: accounting.ReplaceOne}
		g, err := a.EpsilonAt(replaced(c.q, c.sigma, c.steps), c.delta)
		exact, errExact := accounting.Unchecked(pld.Accountant{Relation: accounting.ReplaceOne}).EpsilonAt(replaced(c.q, c.sigma, c.steps), c.delta)
		if err != nil || errExact != nil || g.Epsilon.Upper < exact.Epsilon.Lower || g.Epsilon.Upper > c.most*exact.Epsilon.Upper || g.Certificate == nil || len(g.Warnings) > 0 {
			t.Errorf("%+v: %v, %v; exact %v, %v", c, g, err, exact, errExact)
		}
	}
}
