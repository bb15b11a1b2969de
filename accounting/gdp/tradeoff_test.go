package gdp_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
)

// hidden is a Gaussian that does not look like one, so that it goes the way of any other event.
type hidden struct{ accounting.Gaussian }

// opened is an accountant that knows hidden events.
type opened struct{ accounting.Accountant }

func (o opened) EpsilonAt(e accounting.Event, delta float64) (accounting.Guarantee, error) {
	return o.Accountant.EpsilonAt(e.(hidden).Gaussian, delta)
}

func (o opened) DeltaAt(e accounting.Event, epsilon float64) (accounting.Interval, error) {
	return o.Accountant.DeltaAt(e.(hidden).Gaussian, epsilon)
}

func tradeOff(t testing.TB, a accounting.Accountant, event accounting.Event) *gdp.TradeOff {
	t.Helper()
	c, err := gdp.NewTradeOff(event, a)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func hiddenGaussian(t testing.TB, mu float64) *gdp.TradeOff {
	return tradeOff(t, opened{gdp.NewAccountant()}, hidden{accounting.Gaussian{NoiseMultiplier: 1 / mu}})
}

// holds checks that the truth, known to a relative accuracy, is inside and the interval narrow.
func holds(t *testing.T, what string, got accounting.Interval, err error, truth, accuracy, width float64) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if got.Lower > truth*(1+accuracy) || got.Upper < truth*(1-accuracy) || got.Width() > width*truth {
		t.Errorf("%s: [%.12g, %.12g], want %.12g inside, at most %g wide relative to it", what, got.Lower, got.Upper, truth, width)
	}
}

// A Gaussian is exactly µ-GDP: f(α) = Φ(Φ⁻¹(1-α) - µ), on every range.
func TestTradeOffOfGaussian(t *testing.T) {
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for _, mu := range []float64{0.01, 1, 4} {
		c := hiddenGaussian(t, mu)
		for _, z := range []float64{-6, -3, -1, 0, 2} { // α = Φ(z)
			tpr, err := c.TPRAt(phi(z))
			holds(t, fmt.Sprintf("TPR, µ %g, FPR Φ(%g)", mu, z), tpr, err, phi(z+mu), 1e-9, 1e-4)
			miss, err := c.TypeIIAt(phi(z))
			holds(t, fmt.Sprintf("type II, µ %g, α Φ(%g)", mu, z), miss, err, phi(-z-mu), 1e-9, 1e-4)
		}
		holds(t, "advantage", c.Advantage(), nil, math.Erf(mu/math.Sqrt(8)), 1e-9, 1e-9)
		for _, r := range [][2]float64{{1e-12, 1e-3}, {1e-5, 1e-5}, {1e-8, 0.9}} {
			width := 5e-3 // every δ of the range decides, so that refining one place does not help
			if r[0] == r[1] {
				width = 1e-9
			}
			got, err := hiddenGaussian(t, mu).MuOnDelta(r[0], math.Max(r[0], math.Min(r[1], math.Erf(mu/math.Sqrt(8)))))
			holds(t, fmt.Sprintf("µ %g on δ %v", mu, r), got, err, mu, 1e-9, width)
		}
		got, err := hiddenGaussian(t, mu).MuOnTypeI(1e-6, 0.5)
		holds(t, fmt.Sprintf("µ %g on type I errors", mu), got, err, mu, 1e-9, 1e-2)
	}
	c := tradeOff(t, gdp.NewAccountant(), accounting.Gaussian{NoiseMultiplier: 0.5})
	if mu, err := c.MuOnDelta(1e-9, 1e-3); err != nil || mu != accounting.Exact(2).WithLower(2) {
		t.Errorf("µ of a Gaussian: %v, %v, want exactly 2", mu, err)
	}
}

// Randomized response with ε: f has two pieces, 1 - e^ε α and e^{-ε}(1-α) (Wasserman and Zhou).
func TestTradeOffOfRandomizedResponse(t *testing.T) {
	const epsilon = 1.5
	event := accounting.PureDP{Epsilon: epsilon}
	c := tradeOff(t, pld.NewAccountant(), event)
	c.Questions = 12
	corner := 1 / (1 + math.Exp(epsilon))
	for _, alpha := range []float64{0.01, corner, 0.4, 0.9} {
		want := math.Max(1-math.Exp(epsilon)*alpha, math.Exp(-epsilon)*(1-alpha))
		got, err := c.TypeIIAt(alpha)
		holds(t, fmt.Sprintf("type II at %g", alpha), got, err, want, 1e-9, 0.01)
	}
	// The corner, where both errors are equal, decides: µ = 2Φ⁻¹(1-corner), here by its closed form
	// Φ.
	mu, err := c.MuOnTypeI(1e-3, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	if at := math.Erfc(mu.Upper/2/math.Sqrt2) / 2; at > corner*(1+1e-9) || at < 0.98*corner {
		t.Errorf("µ %v: Φ(-µ/2) is %g at the upper end, want just below %g", mu, at, corner)
	}
}

// DP-SGD: the smallest µ that dominates on a range of δ satisfies ε(δ) <= ε_µ(δ) all over it and a
// little less does not; more of the range costs no less. At the ends of a one-point range it is
// gdp.MuAt.
func TestMuOfSGD(t *testing.T) {
	event := accounting.SelfComposed{Count: 1000, Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 1}}}
	a := contour.NewAccountant()
	last := 0.0
	for _, r := range [][2]float64{{1e-5, 1e-5}, {1e-6, 1e-4}, {1e-9, 1e-2}} {
		mu, err := tradeOff(t, a, event).MuOnDelta(r[0], r[1])
		if err != nil {
			t.Fatal(err)
		}
		if mu.Upper < last || mu.Width() > 1e-4*mu.Upper {
			t.Errorf("µ on δ %v: %v, want narrow and at least %g", r, mu, last)
		}
		last = mu.Lower
		tight := false
		for i := range 41 {
			delta := r[0] * math.Pow(r[1]/r[0], float64(i)/40)
			truth, err := a.EpsilonAt(event, delta)
			if err != nil {
				t.Fatal(err)
			}
			enough, err := gdp.EpsilonAt(mu.Upper, delta)
			if err != nil || enough.Upper < truth.Epsilon.Lower {
				t.Errorf("µ %g on δ %v: ε %g at δ %g, but the event has at least %g", mu.Upper, r, enough.Upper, delta, truth.Epsilon.Lower)
			}
			less, err := gdp.EpsilonAt(mu.Lower*(1-1e-3), delta)
			tight = tight || err == nil && less.Upper < truth.Epsilon.Lower
		}
		if !tight {
			t.Errorf("µ %v on δ %v: a thousandth less dominates too", mu, r)
		}
	}
}

// What the accountant that has upper bounds alone says stays on the safe side of what is known.
func TestTradeOffOfUpperBounds(t *testing.T) {
	event := accounting.SelfComposed{Count: 1000, Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 1}}}
	tight, loose := tradeOff(t, contour.NewAccountant(), event), tradeOff(t, rdp.NewAccountant(), event)
	for _, alpha := range []float64{1e-4, 0.01, 0.3} {
		a, err := tight.TPRAt(alpha)
		if err != nil {
			t.Fatal(err)
		}
		b, err := loose.TPRAt(alpha)
		if err != nil || b.Upper < a.Lower || b.Upper > 3*a.Upper || b.Lower > a.Upper || b.Lower != alpha {
			t.Errorf("TPR at %g: contour %v, Rényi %v, %v", alpha, a, b, err)
		}
	}
}

// dp_accounting 0.6.0, pld_privacy_accountant_test test_gaussian_basic: TPR at FPR 0.1 of µ = 1 is
// 0.38914.
func TestClosedForms(t *testing.T) {
	tpr, err := gdp.TPR(1, 0.1)
	if err != nil || math.Abs(tpr-0.38914) > 1e-5 {
		t.Errorf("TPR(1, 0.1) = %g, %v, want 0.38914 (dp_accounting)", tpr, err)
	}
	miss, err := gdp.TypeII(1, 0.1)
	if err != nil || math.Abs(miss-(1-tpr)) > 1e-14 {
		t.Errorf("TypeII(1, 0.1) = %g, %v, want 1 - TPR", miss, err)
	}
	if adv, err := gdp.Advantage(2); err != nil || math.Abs(adv-0.6826894921370859) > 1e-15 { // mass within one standard deviation
		t.Errorf("Advantage(2) = %g, %v", adv, err)
	}
}

// Computed from the formulas with SciPy, µ and ε at δ = 1e-5.
func TestCLT(t *testing.T) {
	for _, c := range []struct {
		q, sigma    float64
		steps       int
		fixed       bool
		mu, epsilon float64
	}{
		{0.04, 1.5, 2250, false, 1.4193817637916906, 6.601567090158097},
		{256. / 60000, 1.1, 14063, false, 0.5736014702922835, 2.3243616628354324},
		{256. / 60000, 0.7, 10547, false, 1.1339391882883285, 5.066191005220658},
		{0.04, 1.5, 2250, true, 1.7400104608688314, 8.432201057259272},
	} {
		make := gdp.PoissonCLT
		if c.fixed {
			make = gdp.FixedSizeCLT
		}
		clt, err := make(c.q, c.sigma, c.steps)
		if err != nil {
			t.Fatal(err)
		}
		epsilon, err := clt.ApproximateEpsilon(1e-5)
		if err != nil || math.Abs(clt.Mu-c.mu) > 1e-9 || math.Abs(epsilon-c.epsilon) > 1e-6 {
			t.Errorf("%+v: µ %.12g, ε %.12g, %v", c, clt.Mu, epsilon, err)
		}
		if delta, err := clt.ApproximateDelta(c.epsilon); err != nil || math.Abs(delta/1e-5-1) > 1e-9 {
			t.Errorf("%+v: δ %.12g, %v, want 1e-5", c, delta, err)
		}
		if text := clt.String(); !strings.Contains(text, "not a bound") {
			t.Errorf("%q does not say that it is no bound", text)
		}
	}
}

// Rates are those of the given accountant: under its relation, and above its reserve. A ClippedSum
// at σ = 1 moves by 1, and by 2 if a record is replaced. At µ the largest true positive rate is
// Φ(Φ⁻¹(FPR)+µ) (Dong, Roth, Su 2019, equation (6)): here by math.Erfc only.
func TestTradeOffIsTheAccountants(t *testing.T) {
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	sum, z := accounting.ClippedSum{NoiseMultiplier: 1}, -2.3263478740408408 // Φ⁻¹(0.01)
	for relation, mu := range map[accounting.Neighboring]float64{accounting.AddOrRemoveOne: 1, accounting.ReplaceOne: 2, accounting.ReplaceSpecial: 1} {
		general, err := auto.NewAccountantFor(relation)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range []accounting.Accountant{general, gdp.Accountant{Relation: relation}, &gdp.Accountant{Relation: relation}, contour.Accountant{Relation: relation}, accounting.WithDeltaReserve{Accountant: general}} {
			c, name := tradeOff(t, a, sum), fmt.Sprintf("%T, %v", a, relation)
			tpr, err := c.TPRAt(0.01) // 0.372081 at µ = 2
			holds(t, name+": TPR at 0.01", tpr, err, phi(z+mu), 1e-9, 1e-5)
			miss, err := c.TypeIIAt(0.5) // 0.0227501 at µ = 2
			holds(t, name+": type II at 0.5", miss, err, phi(-mu), 1e-9, 1e-5)
			least, err := c.MuOnDelta(1e-5, 1e-5)
			holds(t, name+": µ at δ 1e-5", least, err, mu, 1e-9, 1e-5)
			holds(t, name+": advantage", c.Advantage(), nil, math.Erf(mu/math.Sqrt(8)), 1e-9, 1e-9)
		}
	}
	two := accounting.Parallel{Events: []accounting.Event{sum, sum}}
	if _, err := gdp.NewTradeOff(two, gdp.Accountant{Relation: accounting.ReplaceOne}); !errors.Is(err, accounting.ErrUnsupportedEvent) {
		t.Errorf("%v under replace-one: %v, want an error: a replaced record may change two parts", two, err)
	}
	// The pair N(0, 4), N(1, 4) that shows the record with chance 0.01 is (ε, δ + 0.01)-private, so a
	// reserve of 0.01 allows its rates.
	reserved := tradeOff(t, accounting.WithDeltaReserve{Accountant: gdp.NewAccountant(), Delta: 0.01}, accounting.Gaussian{NoiseMultiplier: 2})
	z = -3.090232306167813 // Φ⁻¹(0.001)
	if tpr, err := reserved.TPRAt(0.001); err != nil || tpr.Upper < 0.01+0.99*phi(z+0.5) || tpr.Upper > 0.0154 {
		t.Errorf("TPR at 0.001 with a reserve of 0.01: %v, %v, want at least 0.01 + 0.99 Φ(Φ⁻¹(0.001)+1/2) = %g", tpr, err, 0.01+0.99*phi(z+0.5))
	}
}

// An accountant that holds another one, or calls itself anything, has the rates of its own answers.
func TestTradeOffTakesNoShortCut(t *testing.T) {
	event := accounting.Gaussian{NoiseMultiplier: 2}
	worse := tradeOff(t, doubled{gdp.NewAccountant()}, event)
	truth, err := gdp.TPR(1, 0.001)
	tpr, err2 := worse.TPRAt(0.001)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	if tpr.Upper < truth*(1-1e-9) {
		t.Errorf("TPR at 0.001 of an accountant that answers for twice the µ: %v, want %g", tpr, truth)
	}
}

// doubled answers for a Gaussian of half the noise.
type doubled struct{ gdp.Accountant }

func half(e accounting.Event) accounting.Event {
	return accounting.Gaussian{NoiseMultiplier: e.(accounting.Gaussian).NoiseMultiplier / 2}
}

func (a doubled) EpsilonAt(e accounting.Event, delta float64) (accounting.Guarantee, error) {
	return a.Accountant.EpsilonAt(half(e), delta)
}

func (a doubled) DeltaAt(e accounting.Event, epsilon float64) (accounting.Interval, error) {
	return a.Accountant.DeltaAt(half(e), epsilon)
}

func TestTradeOffRefuses(t *testing.T) {
	if _, err := gdp.NewTradeOff(accounting.NonPrivate{}, nil); err == nil {
		t.Error("nil accountant")
	}
	if _, err := gdp.NewTradeOff(nil, gdp.NewAccountant()); err == nil {
		t.Error("nil event")
	}
	if _, err := gdp.NewTradeOff(accounting.ZCDP{Rho: 1}, gdp.NewAccountant()); err == nil {
		t.Error("unsupported event")
	}
	c := hiddenGaussian(t, 1)
	for _, x := range []float64{0, 1, -1, math.NaN()} {
		if _, err := c.TPRAt(x); err == nil {
			t.Errorf("FPR %g: must be refused", x)
		}
		if _, err := c.MuOnDelta(x, 0.5); err == nil {
			t.Errorf("δ from %g: must be refused", x)
		}
		if _, err := c.MuOnTypeI(0.1, x); err == nil {
			t.Errorf("type I errors to %g: must be refused", x)
		}
		if _, err := gdp.TypeII(1, x); err == nil {
			t.Errorf("α %g: must be refused", x)
		}
	}
	if _, err := gdp.PoissonCLT(0, 1, 1); err == nil {
		t.Error("rate 0")
	}
	none := tradeOff(t, contour.NewAccountant(), accounting.NonPrivate{})
	if tpr, err := none.TPRAt(0.1); err != nil || tpr.Upper != 1 {
		t.Errorf("no noise: TPR %v, %v, want 1", tpr, err)
	}
	far := tradeOff(t, contour.NewAccountant(), accounting.SelfComposed{Count: 3000, Event: accounting.PoissonSampled{SamplingRate: 0.25, Event: accounting.Gaussian{NoiseMultiplier: 0.5}}})
	mu, err := far.MuOnDelta(1e-5, 1e-5)
	if at, _ := gdp.EpsilonAt(mu.Upper, 1e-5); err != nil || at.Upper < 931.67202 || at.Upper > 931.68 {
		t.Errorf("ε 931.67 at 1e-5: µ %v, %v, whose ε is %v", mu, err, at)
	}
}

// What can an attack on DP-SGD reach at a false positive rate of one in a thousand?
func ExampleTradeOff_TPRAt() {
	event := accounting.SelfComposed{Count: 5000, Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 2}}}
	c, err := gdp.NewTradeOff(event, contour.NewAccountant())
	if err != nil {
		panic(err)
	}
	tpr, err := c.TPRAt(1e-3)
	if err != nil {
		panic(err)
	}
	mu, err := c.MuOnDelta(1e-6, 1e-4)
	if err != nil {
		panic(err)
	}
	fmt.Printf("TPR at most %.4f, µ %.4f\n", tpr.Upper, mu.Upper)
	// Output:
	// TPR at most 0.0034, µ 0.3828
}

// µ lies between the float64 numbers next to it. One that is a float64 is both ends.
func TestMuInterval(t *testing.T) {
	gaussian := func(sigma float64, count int) accounting.Event {
		return accounting.SelfComposed{Event: accounting.Gaussian{NoiseMultiplier: sigma}, Count: count}
	}
	both := func(events ...accounting.Event) accounting.Event { return accounting.Composed{Events: events} }
	for _, c := range []struct {
		event accounting.Event
		want  float64
	}{
		{gaussian(1, 1), 1}, {gaussian(0.5, 1), 2}, {gaussian(2, 4), 1}, {gaussian(10, 25), 0.5},
		{both(gaussian(0x1p-2, 9), gaussian(0x1p-4, 1)), 20}, // √(9·4² + 16²)
		{accounting.WorstCase{Events: []accounting.Event{gaussian(4, 1), gaussian(3, 9)}}, 1},
		{both(accounting.WorstCase{Events: []accounting.Event{gaussian(4, 9), gaussian(3, 1)}}, gaussian(1, 1)), 1.25},
	} {
		if got, err := gdp.MuInterval(c.event); err != nil || got != accounting.Exact(c.want).WithLower(c.want) {
			t.Errorf("%v: µ %v, %v, want %g", c.event, got, err, c.want)
		}
	}
	rng := rand.New(rand.NewPCG(52, 3))
	for range 200 {
		a, b := math.Exp(20*rng.Float64()-10), math.Exp(20*rng.Float64()-10)
		count := 1 + rng.IntN(1e6)
		square := new(big.Float).SetPrec(400) // µ² to 400 bits
		for sigma, times := range map[float64]int{a: count, b: 1} {
			one := new(big.Float).SetPrec(400).Quo(big.NewFloat(1).SetPrec(400), big.NewFloat(sigma))
			square.Add(square, one.Mul(one, one).Mul(one, new(big.Float).SetInt64(int64(times))))
		}
		mu := square.Sqrt(square)
		got, err := gdp.MuInterval(both(gaussian(a, count), gaussian(b, 1)))
		if err != nil || big.NewFloat(got.Lower).Cmp(mu) > 0 || big.NewFloat(got.Upper).Cmp(mu) < 0 || got.Upper > math.Nextafter(got.Lower, 1e300) || !got.LowerChecked {
			t.Errorf("%d x σ %g, σ %g: µ [%.17g, %.17g], %v, want %.25g", count, a, b, got.Lower, got.Upper, err, mu)
		}
	}
	if got, err := gdp.MuInterval(accounting.NonPrivate{}); err != nil || !math.IsInf(got.Upper, 1) {
		t.Errorf("without noise: %v, %v", got, err)
	}
	if got, err := gdp.MuInterval(accounting.MixtureOfGaussians{NoiseMultiplier: 3, Distances: []float64{2}, Chances: []float64{1}}); err != nil || got.LowerChecked {
		t.Errorf("a mixture of one distance: %v, %v; its noise is rounded", got, err)
	}
}

// The closed form of Gaussians is this package's answer, known to rounding. Truths by mpmath
// at 50 digits: Φ(Φ⁻¹(α)+µ) and Φ(-Φ⁻¹(α)-µ).
func TestTradeOffOfGaussianIsExact(t *testing.T) {
	for _, c := range []struct{ mu, alpha, tpr, typeII float64 }{
		{1000, 0.5, 1.0, 0},
		{0.01, 0.3, 0.30348600043155816, 0.6965139995684418},
		{1, 1e-09, 2.8992986310543155e-07, 0.9999997100701369},
		{1, 0.99, 0.9995600398195262, 0.0004399601804737864},
		{4, 1e-200, 1.1472910374548617e-151, 1.0},
		{8, 0.5, 0.9999999999999993, 6.220960574271784e-16},
		{30, 1e-300, 9.134494633058298e-13, 0.9999999999990865},
		{3, 5e-324, 7.82019136740542e-276, 1.0},
		{1e-06, 0.2, 0.20000027996203823, 0.7999997200379618},
		{12, 0.001, 1.0, 2.5569801551287616e-19},
	} {
		f := tradeOff(t, gdp.NewAccountant(), accounting.Gaussian{NoiseMultiplier: 1 / c.mu})
		tpr, err := f.TPRAt(c.alpha)
		holds(t, fmt.Sprintf("TPR, µ %g, FPR %g", c.mu, c.alpha), tpr, err, c.tpr, 1e-16, 2e-11)
		miss, err := f.TypeIIAt(c.alpha)
		if !tpr.LowerChecked || !miss.LowerChecked {
			t.Errorf("µ %g, α %g: rates %v and %v are not checked", c.mu, c.alpha, tpr, miss)
		}
		if c.typeII == 0 { // below the least float64
			if err != nil || miss.Upper > 1e-322 || miss.Lower > 0 {
				t.Errorf("type II, µ %g, α %g: %v, %v, want below 1e-322", c.mu, c.alpha, miss, err)
			}
			continue
		}
		holds(t, fmt.Sprintf("type II, µ %g, α %g", c.mu, c.alpha), miss, err, c.typeII, 1e-16, 2e-11)
	}
	f := tradeOff(t, gdp.NewAccountant(), accounting.NonPrivate{})
	if tpr, err := f.TPRAt(0.1); err != nil || tpr != accounting.Exact(1) {
		t.Errorf("TPR without noise: %v, %v, want 1", tpr, err)
	}
	if miss, err := f.TypeIIAt(0.1); err != nil || miss != accounting.Exact(0) {
		t.Errorf("type II without noise: %v, %v, want 0", miss, err)
	}
}
