package gdp_test

import (
	_ "embed"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/accountingtest"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/internal/reference"
)

func TestAccountant(t *testing.T) {
	for _, relation := range []accounting.Neighboring{0, accounting.ReplaceOne, accounting.ReplaceSpecial} {
		accountingtest.Run(t, func() accounting.Accountant { return gdp.Accountant{Relation: relation} })
	}
}

//go:embed testdata/gaussian.csv
var gaussianCSV string

func TestLogDeltaAt(t *testing.T) {
	source, rows := reference.Rows(t, gaussianCSV)
	for _, row := range rows {
		mu, epsilon, want := row[0], row[1], row[2]
		got, err := gdp.LogDeltaAt(mu, epsilon)
		if err != nil {
			t.Fatal(err)
		}
		// The file has 17 digits of log δ.
		slack := 1e-16 * math.Abs(want)
		if got.Lower > want+slack || got.Upper < want-slack {
			t.Errorf("log δ(µ=%g, ε=%g) in [%.17g, %.17g], want %.17g inside; %s", mu, epsilon, got.Lower, got.Upper, want, source)
		}
		// Some thousand eps, growing with the sizes of ε/µ and µ, whose rounding is squared.
		if limit := 1e-12 * (1 + epsilon/mu + mu); got.Width() > limit {
			t.Errorf("log δ(µ=%g, ε=%g) known to %g, want %g", mu, epsilon, got.Width(), limit)
		}
	}
}

func TestEpsilonAtInvertsDelta(t *testing.T) {
	source, rows := reference.Rows(t, gaussianCSV)
	for _, row := range rows {
		mu, want, logDelta := row[0], row[1], row[2]
		if logDelta < -700 || logDelta > -1e-3 || want == 0 {
			continue // δ is not a float64 in (0, 1), or ε is not determined by it
		}
		got, err := gdp.EpsilonAt(mu, math.Exp(logDelta))
		if err != nil {
			t.Fatal(err)
		}
		// exp loses |log δ| eps of δ; dε/d(log δ) = δ/(e^ε Φ(-b)) is at most about µ or 1.
		tolerance := 1e-9*want + 1e-9*mu
		if math.Abs(got.Estimate-want) > tolerance || got.Lower > got.Upper {
			t.Errorf("ε(µ=%g, log δ=%g) = %v, want %.15g; %s", mu, logDelta, got, want, source)
		}
	}
}

const computedGaussian = "dp_accounting 0.6.0 get_epsilon_gaussian, get_sigma_gaussian"

func TestEpsilonAt(t *testing.T) {
	for _, c := range []struct {
		sigma, delta, want float64
		src                string
	}{
		{1, 1e-5, 4.377178095681137, computedGaussian},
		{1, 1e-6, 4.886554117462159, computedGaussian},
		{0.5, 1e-5, 9.997256146434315, computedGaussian},
		{2, 1e-5, 1.9930914044151198, computedGaussian},
		{4.530877117, 1e-6, 0.9273923379974423, computedGaussian},
		{4, 1e-5, 0.9263415039982249, computedGaussian},
		{10 / math.Sqrt(1000), 1e-5, 17.856586830107616, "closed form at 40 digits, 1000 steps at noise multiplier 10"},
	} {
		got, err := gdp.EpsilonAt(1/c.sigma, c.delta)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Upper/c.want-1) > 1e-9 || math.Abs(got.Lower/c.want-1) > 1e-9 {
			t.Errorf("ε(σ=%g, δ=%g) = %v, want %.16g to 1e-9; %s", c.sigma, c.delta, got, c.want, c.src)
		}
	}
}

func TestMuAt(t *testing.T) {
	for _, c := range []struct {
		epsilon, delta, sigma float64
		src                   string
	}{
		{1, 1e-5, 3.7306316348159374, computedGaussian},
		{1, 1e-6, 4.224678889326822, computedGaussian},
		{0.1, 1e-6, 36.304690426196096, computedGaussian},
		{8, 1e-5, 0.6002290721989517, computedGaussian},
		{10, 1e-5, 0.4998886197090323, computedGaussian},
	} {
		mu, err := gdp.MuAt(accounting.Target{Epsilon: c.epsilon, Delta: c.delta})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(mu*c.sigma-1) > 1e-9 {
			t.Errorf("1/µ(ε=%g, δ=%g) = %.16g, want %.16g to 1e-9; %s", c.epsilon, c.delta, 1/mu, c.sigma, c.src)
		}
	}
}

// The µ returned must be on the private side of its own ε, at any size.
func TestMuAtIsPrivate(t *testing.T) {
	for _, epsilon := range []float64{0, 1e-9, 1e-3, 1, 1000, 1e6} {
		for _, delta := range []float64{1e-300, 1e-12, 1e-5, 0.009, 0.5, 0.999} {
			mu, err := gdp.MuAt(accounting.Target{Epsilon: epsilon, Delta: delta})
			if exchanged := epsilon > 0 && epsilon < delta && delta > 0.01; exchanged {
				if err == nil || !strings.Contains(err.Error(), "must not be exchanged") {
					t.Errorf("µ(ε=%g, δ=%g) = %g, %v: want an error, since they look exchanged", epsilon, delta, mu, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			back, err := gdp.DeltaAt(mu, epsilon)
			if err != nil {
				t.Fatal(err)
			}
			// exp of a log δ of size L adds L eps.
			if !(mu > 0) || back.Upper > delta*(1+1e-12) || back.Upper < delta*(1-1e-6) {
				t.Errorf("µ(ε=%g, δ=%g) = %g, for which δ is %v", epsilon, delta, mu, back)
			}
		}
	}
}

// At ε = 0, δ is the total variation distance 2Φ(µ/2)-1 = erf(µ/√8).
func TestDeltaAtZeroEpsilon(t *testing.T) {
	for _, mu := range []float64{1e-12, 1e-3, 0.5, 1, 2, 30} {
		got, err := gdp.DeltaAt(mu, 0)
		if err != nil {
			t.Fatal(err)
		}
		if want := math.Erf(mu / math.Sqrt(8)); math.Abs(got.Estimate/want-1) > 1e-12 {
			t.Errorf("δ(µ=%g, 0) = %.16g, want erf(µ/√8) = %.16g", mu, got.Estimate, want)
		}
	}
}

func TestSpecialCases(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ mu, delta, want float64 }{
		{0, 1e-5, 0}, {inf, 1e-5, inf}, {1e-8, 0.5, 0}, {1e200, 1e-5, inf},
	} {
		got, err := gdp.EpsilonAt(c.mu, c.delta)
		if err != nil || got.Upper != c.want {
			t.Errorf("ε(µ=%g, δ=%g) = %v, %v, want %g", c.mu, c.delta, got, err, c.want)
		}
	}
	if got, err := gdp.DeltaAt(1e-3, 1000); err != nil || !(got.Upper > 0) {
		t.Errorf("δ below the least float64 = %v, %v, want an upper bound > 0", got, err)
	}
}

func TestBadArguments(t *testing.T) {
	nan := math.NaN()
	for _, mu := range []float64{-1, nan} {
		if _, err := gdp.EpsilonAt(mu, 1e-5); err == nil {
			t.Errorf("EpsilonAt(%g, 1e-5): no error", mu)
		}
		if _, err := gdp.DeltaAt(mu, 1); err == nil {
			t.Errorf("DeltaAt(%g, 1): no error", mu)
		}
	}
	for _, delta := range []float64{0, 1, -1, nan} {
		if _, err := gdp.EpsilonAt(1, delta); err == nil {
			t.Errorf("EpsilonAt(1, %g): no error", delta)
		}
		if _, err := gdp.MuAt(accounting.Target{Epsilon: 1, Delta: delta}); err == nil {
			t.Errorf("MuAt(1, %g): no error", delta)
		}
	}
	for _, epsilon := range []float64{-1, nan, math.Inf(1)} {
		if _, err := gdp.DeltaAt(1, epsilon); err == nil {
			t.Errorf("DeltaAt(1, %g): no error", epsilon)
		}
		if _, err := gdp.MuAt(accounting.Target{Epsilon: epsilon, Delta: 1e-5}); err == nil {
			t.Errorf("MuAt(%g, 1e-5): no error", epsilon)
		}
	}
}

// A noise multiplier whose square overflows still costs something.
func TestMuDoesNotUnderflow(t *testing.T) {
	event := accounting.Composed{Events: []accounting.Event{accounting.Gaussian{NoiseMultiplier: 1e200}}}
	if mu, err := gdp.Mu(event); err != nil || math.Abs(mu*1e200-1) > 1e-15 {
		t.Errorf("µ(%v) = %g, %v, want 1e-200", event, mu, err)
	}
	sampled := accounting.PoissonSampled{SamplingRate: 0.5, Event: accounting.Gaussian{NoiseMultiplier: 1}}
	if _, err := gdp.Mu(sampled); !errors.Is(err, accounting.ErrUnsupportedEvent) {
		t.Errorf("µ(%v): error %v, want ErrUnsupportedEvent", sampled, err)
	}
}

func BenchmarkEpsilonAt(b *testing.B) {
	for b.Loop() {
		if _, err := gdp.EpsilonAt(1, 1e-5); err != nil {
			b.Fatal(err)
		}
	}
}
