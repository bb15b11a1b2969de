package exact_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/audit/exact"
)

// From a quadrature in Python that shares no code with this one: the exact rows of the
// project's reference values for private selection (vectors.json, exact_gaussian, column
// exact_eps_gauss_score). Its δ is off by some 1e-7 of itself, so its ε by 1e-8: see
// TestBestOfKAgainst30Digits.
var bestOfKRows = []struct {
	law       law.Law
	mu, delta float64
	epsilon   float64
}{
	{law.TNB{Eta: 0, Gamma: 0.026918259600680214}, 0.25, 1e-05, 1.0604510420595312},
	{law.TNB{Eta: 1, Gamma: 0.10000000000000003}, 0.25, 1e-05, 1.060576837608496},
	{law.Poisson{MeanRepeats: 10}, 0.25, 1e-05, 1.0606323607899835},
	{law.TNB{Eta: 0.5, Gamma: 0.005366274292452122}, 0.25, 1e-05, 1.181525781054169},
	{law.TNB{Eta: 2, Gamma: 0.019615242270663184}, 0.25, 1e-05, 1.1816270734554002},
	{law.TNB{Eta: 0, Gamma: 0.026918259600680214}, 0.25, 1e-06, 1.1817172239951288},
	{law.TNB{Eta: 1, Gamma: 0.10000000000000003}, 0.25, 1e-06, 1.1817316142005738},
	{law.Poisson{MeanRepeats: 10}, 0.25, 1e-06, 1.1817379694942574},
	{law.TNB{Eta: 0.5, Gamma: 0.005366274292452122}, 0.25, 1e-06, 1.292655440846182},
	{law.TNB{Eta: 2, Gamma: 0.019615242270663184}, 0.25, 1e-06, 1.2926667787912292},
	{law.TNB{Eta: 0, Gamma: 0.026918259600680214}, 0.5, 1e-05, 2.2538961607506347},
	{law.TNB{Eta: 1, Gamma: 0.10000000000000003}, 0.5, 1e-05, 2.2539907582969074},
	{law.Poisson{MeanRepeats: 10}, 0.5, 1e-05, 2.254032462645343},
	{law.TNB{Eta: 0.5, Gamma: 0.005366274292452122}, 0.5, 1e-05, 2.490179572537386},
	{law.TNB{Eta: 2, Gamma: 0.019615242270663184}, 0.5, 1e-05, 2.4902527745804233},
	{law.TNB{Eta: 0, Gamma: 0.026918259600680214}, 0.5, 1e-06, 2.4903178514304214},
	{law.TNB{Eta: 1, Gamma: 0.10000000000000003}, 0.5, 1e-06, 2.4903282338839},
	{law.Poisson{MeanRepeats: 10}, 0.5, 1e-06, 2.490332808758739},
	{law.TNB{Eta: 0.5, Gamma: 0.005366274292452122}, 0.5, 1e-06, 2.70758914743787},
	{law.TNB{Eta: 2, Gamma: 0.019615242270663184}, 0.5, 1e-06, 2.707597064498518},
	{law.TNB{Eta: 0, Gamma: 0.026918259600680214}, 1, 1e-05, 4.886428842744644},
	{law.TNB{Eta: 1, Gamma: 0.10000000000000003}, 1, 1e-05, 4.886491727701606},
	{law.Poisson{MeanRepeats: 10}, 1, 1e-05, 4.886519453939407},
	{law.TNB{Eta: 0.5, Gamma: 0.005366274292452122}, 1, 1e-05, 5.3492430902930055},
	{law.TNB{Eta: 2, Gamma: 0.019615242270663184}, 1, 1e-05, 5.349290217971217},
	{law.TNB{Eta: 0, Gamma: 0.026918259600680214}, 1, 1e-06, 5.349332100554478},
	{law.TNB{Eta: 1, Gamma: 0.10000000000000003}, 1, 1e-06, 5.349338779866435},
	{law.Poisson{MeanRepeats: 10}, 1, 1e-06, 5.349341724023999},
	{law.TNB{Eta: 0.5, Gamma: 0.005366274292452122}, 1, 1e-06, 5.776087597911286},
	{law.TNB{Eta: 2, Gamma: 0.019615242270663184}, 1, 1e-06, 5.776092566772431},
}

func TestBestOfKAgainstReference(t *testing.T) {
	for _, r := range bestOfKRows {
		e, err := exact.BestOfK{Law: r.law, Mu: r.mu}.EpsilonAt(r.delta)
		if err != nil {
			t.Fatal(err)
		}
		if !(e.Lower <= r.epsilon*(1+2e-8) && e.Upper >= r.epsilon*(1-2e-8) && e.Width() < 1e-5*(1+r.epsilon)) {
			t.Errorf("%v, µ %g, δ %g: ε %v: want %.12g (exact_gaussian reference)", r.law, r.mu, r.delta, e, r.epsilon)
		}
	}
}

// The threshold's gain by mpmath with 30 digits, at the ε that the reference gives for δ =
// 1e-5: f(Φ(y)) = exp(10(Φ(y)-1)), y = 4.3680429 the root of ln(p_1/p_0) = ε.
func TestBestOfKAgainst30Digits(t *testing.T) {
	const want = 1.00000018358289e-5
	d, err := exact.BestOfK{Law: law.Poisson{MeanRepeats: 10}, Mu: 0.25}.DeltaAt(1.0606323607899835)
	if err != nil {
		t.Fatal(err)
	}
	if !(d.Lower <= want && want <= d.Upper && d.Width() < 1e-7*want) {
		t.Errorf("δ %v: want %.15g (mpmath, 30 digits)", d, want)
	}
}

// Where K may be 0 the chance that all runs are low is a small part of f(Φ(y)), which f(0) hides. By mpmath with 60 digits, from the distribution
// functions between the roots of the likelihood ratio.
func TestBestOfKWithoutRuns(t *testing.T) {
	runs := law.Poisson{MeanRepeats: 0.5}
	const delta, epsilon = 1.35301690147843e-16, 24.79474641784408
	d, err := exact.BestOfK{Law: runs, Mu: 0.5}.DeltaAt(4)
	if err != nil || !(d.Lower <= delta && delta <= d.Upper && d.Width() < 0.02*delta) {
		t.Errorf("δ(4) of µ = 0.5: %v, %v, want %g", d, err, delta)
	}
	e, err := exact.BestOfK{Law: runs, Mu: 3}.EpsilonAt(1e-12)
	if err != nil || !(e.Lower <= epsilon && epsilon <= e.Upper && e.Width() < 1e-5) {
		t.Errorf("ε at 1e-12 of µ = 3: %v, %v, want %.10g", e, err, epsilon)
	}
}

// The table of best-of-K prices at µ = 1, δ = 1e-5 that the bounds on selection are
// measured against, three digits (exact column for a monotone score).
func TestBestOfKTable(t *testing.T) {
	tnb := func(eta, mean float64) law.Law {
		law, err := law.TNBFromMean(eta, mean)
		if err != nil {
			t.Fatal(err)
		}
		return law
	}
	for _, r := range []struct {
		law  law.Law
		want float64
	}{
		{tnb(0, 10), 4.886}, {tnb(1, 10), 4.886}, {tnb(2, 10), 4.887}, {law.Poisson{MeanRepeats: 10}, 4.887},
		{law.Binomial{Trials: 20, P: 0.5}, 5.400}, {tnb(1, 100), 5.349}, {law.Fixed{Count: 1}, 4.377},
	} {
		e, err := exact.BestOfK{Law: r.law, Mu: 1}.EpsilonAt(1e-5)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(e.Estimate-r.want) > 0.0006 {
			t.Errorf("%v: ε %v: want %g (table)", r.law, e, r.want)
		}
	}
}

// One run is the Gaussian mechanism: δ(1) = Φ(-1/2) - e Φ(-3/2) at µ = 1.
func TestBestOfOne(t *testing.T) {
	want := math.Erfc(0.5/math.Sqrt2)/2 - math.E*math.Erfc(1.5/math.Sqrt2)/2
	d, err := exact.BestOfK{Law: law.Fixed{Count: 1}, Mu: 1}.DeltaAt(1)
	if err != nil {
		t.Fatal(err)
	}
	if !(d.Lower <= want && want <= d.Upper && d.Width() < 1e-7*want) {
		t.Errorf("δ(1) %v: want %.15g (Balle and Wang (2018), Theorem 8)", d, want)
	}
}

func TestBestOfKBadInput(t *testing.T) {
	good := law.Fixed{Count: 2}
	for _, c := range []struct {
		b              exact.BestOfK
		epsilon, delta float64
		field          string
	}{
		{exact.BestOfK{Mu: 1}, 1, 1e-5, "BestOfK.Law"},
		{exact.BestOfK{Law: law.Fixed{}, Mu: 1}, 1, 1e-5, "BestOfK.Law"},
		{exact.BestOfK{Law: good, Mu: math.NaN()}, 1, 1e-5, "BestOfK.Mu"},
		{exact.BestOfK{Law: good}, 1, 1e-5, "BestOfK.Mu"},
	} {
		_, deltaErr := c.b.DeltaAt(c.epsilon)
		_, epsilonErr := c.b.EpsilonAt(c.delta)
		for _, err := range []error{deltaErr, epsilonErr} {
			if err == nil || !strings.Contains(err.Error(), c.field) {
				t.Errorf("%+v: error %v: must name %s", c.b, err, c.field)
			}
		}
	}
	for _, bad := range []float64{math.NaN(), -1, 31} {
		if _, err := (exact.BestOfK{Law: good, Mu: 1}).DeltaAt(bad); err == nil {
			t.Errorf("epsilon %g: no error", bad)
		}
	}
	for _, bad := range []float64{math.NaN(), 0, 1} {
		if _, err := (exact.BestOfK{Law: good, Mu: 1}).EpsilonAt(bad); err == nil {
			t.Errorf("delta %g: no error", bad)
		}
	}
}
