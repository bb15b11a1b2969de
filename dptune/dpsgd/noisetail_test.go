package dpsgd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/streams"
)

// disc is a step's noise as the engine makes it, with a shorter radius: pairs of normals that
// end at a radius, of multiplier σ. With x, the noisy sum is shifted by shift in units of σC.
type disc struct {
	radius, rate float64
	steps        int
	shift        [][2]float64 // of each pair; its norm is 1/σ
}

// norm returns the length of the shift.
func (d disc) norm() float64 {
	sum := 0.0
	for _, s := range d.shift {
		sum += s[0]*s[0] + s[1]*s[1]
	}
	return math.Sqrt(sum)
}

// run draws one run's noisy sums, with x if with is true, and returns ln of its density with x and
// without, up to a common constant.
func (d disc) run(with bool, rng *rand.Rand) (logWith, logWithout float64) {
	for range d.steps {
		taken := with && rng.Float64() < d.rate
		logNear, logFar := 0.0, 0.0 // of noise y and of noise y - shift
		for _, s := range d.shift {
			x, y := d.pair(rng)
			if taken {
				x, y = x+s[0], y+s[1]
			}
			logNear += d.logDensity(x, y)
			logFar += d.logDensity(x-s[0], y-s[1])
		}
		logWithout += logNear
		logWith += math.Log((1-d.rate)*math.Exp(logNear) + d.rate*math.Exp(logFar))
	}
	return logWith, logWithout
}

// pair draws two normals within the radius.
func (d disc) pair(rng *rand.Rand) (x, y float64) {
	for {
		x, y = rng.NormFloat64(), rng.NormFloat64()
		if math.Hypot(x, y) <= d.radius {
			return x, y
		}
	}
}

func (d disc) logDensity(x, y float64) float64 {
	if math.Hypot(x, y) > d.radius {
		return math.Inf(-1)
	}
	return -(x*x + y*y) / 2
}

// Brute force: the mean over drawn runs of (1 - e^ε q/p)+ is δ at ε of normals that end early. It
// must be at most that of exact normals plus the formula, for a shift in one pair and in several,
// for all batches, sampled ones, and several steps, added and removed. Means of n numbers in [0, 1]
// stray by 5.5 standard errors with chance 4e-8.
func TestNoiseTailCoversNormalsThatEndEarly(t *testing.T) {
	n := 60_000
	if testing.Short() {
		n = 20_000
	}
	rng, needed := rand.New(rand.NewPCG(11, 12)), 0
	for _, d := range []disc{
		{3, 1, 1, [][2]float64{{1, 0}}},
		{2.8, 0.3, 1, [][2]float64{{0.6, 0.8}}},
		{3.2, 0.5, 3, [][2]float64{{0.7, 0}, {0, 0.5}}},
		{3.5, 1, 4, [][2]float64{{0.3, 0}, {0.3, 0.1}, {0, 0.3}}},
		{3.7, 0.2, 8, [][2]float64{{1.2, 0}, {0, 0}}},
	} {
		tail := noiseTail(d.radius, 1/d.norm(), d.steps, len(d.shift))
		var event accounting.Event = accounting.Gaussian{NoiseMultiplier: 1 / d.norm()}
		if d.rate < 1 {
			event = accounting.PoissonSampled{SamplingRate: d.rate, Event: event}
		}
		event = accounting.SelfComposed{Event: event, Count: d.steps}
		for _, with := range []bool{true, false} {
			ratios := make([]float64, n) // ln of the other density over this one
			for i := range ratios {
				a, b := d.run(with, rng)
				if ratios[i] = b - a; !with {
					ratios[i] = a - b
				}
			}
			for _, epsilon := range []float64{0.5, 1, 2, 4} {
				mean, square := 0.0, 0.0
				for _, r := range ratios {
					v := max(0, 1-math.Exp(epsilon+r)) / float64(n)
					mean, square = mean+v, square+v*v
				}
				stray := 5.5 * math.Sqrt(square)
				exact, err := contour.NewAccountant().DeltaAt(event, epsilon)
				if err != nil {
					t.Fatal(err)
				}
				if mean-stray > exact.Upper+tail {
					t.Errorf("%+v, with %v: δ(%g) is %g ± %g, above %g + %g", d, with, epsilon, mean, stray, exact.Upper, tail)
				}
				if mean-stray > exact.Upper {
					needed++
				}
			}
		}
	}
	if needed < 5 {
		t.Errorf("%d cases in which exact normals would claim too little: the test says little", needed)
	}
}

// The largest sum of tails over pairs that share a squared shift is that of one pair with all of
// it, and the bound of that pair holds: against the series of the noncentral χ² of two
// degrees, Q(λ) = Σ_j Poisson(j; λ/2) P[Poisson(r²/2) <= j].
func TestShiftInOnePairIsTheWorst(t *testing.T) {
	tail := func(lambda, radius float64) float64 {
		sum, weight, term, below := 0.0, math.Exp(-lambda/2), math.Exp(-radius*radius/2), 0.0
		for j := 0.0; j < 500; j++ {
			below += term
			sum += weight * below
			weight *= lambda / 2 / (j + 1)
			term *= radius * radius / 2 / (j + 1)
		}
		return sum
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for _, radius := range []float64{3, 5, noiseRadius} {
		for range 200 {
			lambda := rng.Float64() * (radius*radius - 4)
			one, share := tail(lambda, radius)+2*tail(0, radius), rng.Float64()
			rest := rng.Float64() * (1 - share)
			split := tail(lambda*share, radius) + tail(lambda*rest, radius) + tail(lambda*(1-share-rest), radius)
			if split > one*(1+1e-12) {
				t.Errorf("radius %g, λ %g: tails sum to %g when split by %g and %g, above %g", radius, lambda, split, share, rest, one)
			}
			gap := radius - math.Sqrt(lambda)
			if q := tail(lambda, radius); q > math.Exp(-gap*gap/2)*(1+1e-12) {
				t.Errorf("radius %g, λ %g: tail %g, above its bound %g", radius, lambda, q, math.Exp(-gap*gap/2))
			}
		}
	}
}

func TestNoiseTail(t *testing.T) {
	c := Config{NoiseMultiplier: 1e9, Steps: 10}
	for _, k := range []struct {
		parameters int
		want       float64
	}{{1, 10 * 3 * 0x1p-64}, {2, 10 * 3 * 0x1p-64}, {3, 10 * 5 * 0x1p-64}, {2_000_000, 10 * 2_000_001 * 0x1p-64}} {
		if got := c.noiseTail(k.parameters); !(got >= k.want && got <= k.want*(1+1e-7)) {
			t.Errorf("%d parameters: %g, want %g", k.parameters, got, k.want)
		}
	}
	// 9.42 - 1/σ deviations of the last pair: e^(-8.42²/2) = 4.05e-16 for σ 1.
	c.NoiseMultiplier = 1
	if got := c.noiseTail(2); math.Abs(got/4.05e-15-1) > 0.01 {
		t.Errorf("σ 1: %g, want 4.05e-15", got)
	}
	if v := 2 * 10 * 0x1p-64; !(c.noiseTail(2) > 2*v) { // v of two normals in each of 10 steps, each with all of its pair's chance
		t.Errorf("σ 1: %g is below the total variation of both noises", c.noiseTail(2))
	}
	for sigma, want := range map[float64]float64{0.1: 1, 1e-3: 1} {
		c.NoiseMultiplier = sigma
		if got := c.noiseTail(2); got != want {
			t.Errorf("σ %g: %g, want %g", sigma, got, want)
		}
	}
	if got := (Config{NonPrivate: true, Steps: 5}).NoiseTail(ofSize(100)); got != 0 {
		t.Errorf("no noise: %g, want 0", got)
	}
	c.NoiseMultiplier = 1e9
	if got, want := c.NoiseTail(ofSize(2_000_000)), 10*2_000_001*0x1p-64; !(got >= want && got <= want*(1+1e-7)) {
		t.Errorf("a model of 2,000,000 parameters: %g, want %g", got, want)
	}
	if got := c.NoiseTail(Model{}); got != 1 {
		t.Errorf("a model that is not valid: %g, want 1, all of δ", got)
	}
	for _, c := range []Config{{NoiseMultiplier: 1}, {NoiseMultiplier: 1, Steps: -1}, {Steps: 10}, {NoiseMultiplier: -1, Steps: 10}, {NoiseMultiplier: math.NaN(), Steps: 10}} {
		if got := c.NoiseTail(ofSize(100)); got != 1 {
			t.Errorf("noise multiplier %g, %d steps: %g, want 1, all of δ", c.NoiseMultiplier, c.Steps, got)
		}
	}
}

// ofSize returns a model of an even number of parameters.
func ofSize(parameters int) Model {
	m := Model{Name: "line", Input: []int{parameters/2 - 1}, Layers: []nn.Layer{nn.Dense(parameters/2-1, 2)}, Loss: nn.SoftmaxCrossEntropy()}
	if m.Size() != parameters {
		panic(fmt.Sprintf("%d parameters, want %d", m.Size(), parameters))
	}
	return m
}

func TestStatement(t *testing.T) {
	c := Config{ClipNorm: 1, NoiseMultiplier: 0.9, Sampling: Poisson{Rate: 0.01}, Steps: 500, ExpectedBatchSize: 10, LearningRate: 1}
	a := contour.NewAccountant()
	epsilon := func(delta float64) string {
		g, err := a.EpsilonAt(c.Event(), delta)
		if err != nil {
			t.Fatal(err)
		}
		return accounting.FormatUpper(g.Epsilon.Upper)
	}
	// 500 (2·5000·2⁻⁶⁴ + e^(-(9.419-1.111)²/2)) = 500 (5.42e-16 + 1.03e-15) = 7.9e-13.
	s, err := c.Statement(ofSize(10_000), 1e-5, "one labelled image", a)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"ε <= " + epsilon(1e-5), "δ = 1e-05", "one labelled image", "PoissonSampled", "by a coin of its own",
		"It includes that the noise is truncated, for which 7.9e-13 of δ is set aside, which raises ε by less than is printed"} {
		if !strings.Contains(s.String(), part) {
			t.Errorf("statement lacks %q:\n%s", part, s)
		}
	}
	// At a δ of twice the tail it matters: ε is that of half of δ.
	small := 2 * c.NoiseTail(ofSize(10_000))
	s, err = c.Statement(ofSize(10_000), small, "one labelled image", a)
	if err != nil {
		t.Fatal(err)
	}
	if part := "which raises ε from " + epsilon(small) + " to " + epsilon(small/2); !strings.Contains(s.String(), part) || s.Guarantee.Delta != small {
		t.Errorf("statement lacks %q:\n%s", part, s)
	}
	if s, err = c.Statement(ofSize(10_000), c.NoiseTail(ofSize(10_000)), "x", a); err != nil || !strings.Contains(s.String(), "no differential privacy guarantee") {
		t.Errorf("nothing left of δ: error %v, statement %v", err, s)
	}
	c.NonPrivate, c.NoiseMultiplier = true, 0
	if s, err = c.Statement(ofSize(10_000), 1e-5, "x", a); err != nil || !strings.Contains(s.String(), "no differential privacy guarantee") || s.Included != nil {
		t.Errorf("no noise: error %v, statement %v", err, s)
	}
	if _, err = (Config{}).Statement(Model{}, 2, ""); err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{"dpsgd: Config.Steps 0: must be >= 1", "dpsgd: Statement: model: nn: model \"\": Layers is empty", "unit is empty"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error lacks %q: %v", part, err)
		}
	}
}

func TestTrainingStatement(t *testing.T) {
	c := Config{ClipNorm: 1, NoiseMultiplier: 0.9, Sampling: Poisson{Rate: 0.01}, Steps: 5, ExpectedBatchSize: 10, LearningRate: 1}
	m := Model{Name: "line", Input: []int{1}, Layers: []nn.Layer{nn.Dense(1, 2)}, Loss: nn.SoftmaxCrossEntropy()}
	r := Training{Config: c, Model: m, Seeded: true, Backend: "go"}
	s, err := r.Statement(1e-5, "one row", contour.NewAccountant())
	if err != nil || len(s.Warnings) != 1 || s.Warnings[0] != streams.ErrSeeded {
		t.Errorf("error %v, warnings %v, want that of a fixed root", err, s.Warnings)
	}
	want, err := c.Statement(m, 1e-5, "one row", contour.NewAccountant())
	if err != nil || s.Guarantee.Epsilon != want.Guarantee.Epsilon {
		t.Errorf("error %v, ε %v, want %v", err, s.Guarantee.Epsilon, want.Guarantee.Epsilon)
	}
}

// Calibrated noise meets the target with the tail counted, and 1e-6 less of it does not.
func TestCalibrate(t *testing.T) {
	a := contour.NewAccountant()
	base := Config{ClipNorm: 1, Sampling: Poisson{Rate: 0.02}, Steps: 200, ExpectedBatchSize: 10, LearningRate: 1}
	for _, c := range []struct{ epsilon, delta float64 }{{2, 1e-5}, {1, 1e-11}, {8, 1e-9}} {
		model := ofSize(1_000_000) // a tail of 1e-11
		delta := c.delta + 1e-11
		got, err := base.Calibrate(model, accounting.Target{Epsilon: c.epsilon, Delta: delta}, a)
		if err != nil {
			t.Fatal(err)
		}
		at := func(sigma float64) float64 {
			config := got
			config.NoiseMultiplier = sigma
			s, err := config.Statement(model, delta, "one row", a)
			if err != nil {
				t.Fatal(err)
			}
			return s.Guarantee.Epsilon.Upper
		}
		if is, less := at(got.NoiseMultiplier), at(got.NoiseMultiplier*(1-2e-6)); is > c.epsilon || less <= c.epsilon {
			t.Errorf("ε %g at δ %g: σ %g gives %g, and slightly less %g", c.epsilon, delta, got.NoiseMultiplier, is, less)
		}
	}
	private, none := base, base
	none.Steps = 0
	private.NonPrivate = true
	target := func(epsilon, delta float64) accounting.Target {
		return accounting.Target{Epsilon: epsilon, Delta: delta}
	}
	for want, f := range map[string]func() (Config, error){
		"dpsgd: Calibrate: model: nn: model":                     func() (Config, error) { return base.Calibrate(Model{}, target(1, 1e-5), a) },
		"Target.Epsilon 1e-05, Delta 0.5: must not be exchanged": func() (Config, error) { return base.Calibrate(ofSize(100), target(1e-5, 0.5), a) },
		"dpsgd: Calibrate: Config.Steps 0: must be >= 1":         func() (Config, error) { return none.Calibrate(ofSize(100), target(1, 1e-5), a) },
		"NonPrivate true: must be false":                         func() (Config, error) { return private.Calibrate(ofSize(100), target(1, 1e-5), a) },
		"with 1.1e-07 of δ for the ends of the noise":            func() (Config, error) { return base.Calibrate(ofSize(1e10), target(1, 5e-8), a) },
		"dpsgd: Calibrate: accounting: Target.Delta 3: must":     func() (Config, error) { return base.Calibrate(ofSize(100), target(1, 3), a) },
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Over rates, steps and targets from 0.01 to 1000 the noise is the least whose statement meets the
// target, to 1e-6, and rises nowhere with the target; a target is refused only where the tail of
// 1e-6 less noise takes all of δ and the ε met there is more than 1 % below. Without tails
// (accounting's own calibration) it is not more noise, and the same where the tail is far below δ.
func TestCalibrateOverTargets(t *testing.T) {
	model, accountant := ofSize(1000), contour.NewAccountant()
	refused := 0
	for i, rate := range []float64{0.001, 0.1, 1} {
		for j, steps := range []int{1, 100, 3000} {
			if testing.Short() && i != 1-j {
				continue
			}
			last := math.Inf(1)
			for _, epsilon := range []float64{0.01, 0.3, 3, 30, 150, 300, 1000} {
				if testing.Short() && epsilon != 0.3 && epsilon != 30 && epsilon != 300 {
					continue
				}
				const delta = 1e-5
				at := fmt.Sprintf("q %g, T %d, ε %g", rate, steps, epsilon)
				c := Config{ClipNorm: 1, Sampling: Poisson{Rate: rate}, Steps: steps, ExpectedBatchSize: 144, LearningRate: 1}
				stated := func(sigma float64) float64 {
					c := c
					c.NoiseMultiplier = sigma
					s, err := c.Statement(model, delta, "one row", accountant)
					if err != nil {
						t.Fatal(at, err)
					}
					return s.Guarantee.Epsilon.Upper
				}
				// The least noise that leaves anything of δ, by bisection.
				lo, hi := 0.1, 1.0
				for hi-lo > 1e-9 {
					c.NoiseMultiplier = lo + (hi-lo)/2
					if c.NoiseTail(model) < delta {
						hi = c.NoiseMultiplier
					} else {
						lo = c.NoiseMultiplier
					}
				}
				c.NoiseMultiplier = 0
				got, err := c.Calibrate(model, accounting.Target{Epsilon: epsilon, Delta: delta}, accountant)
				if most := stated(hi * (1 + 1e-6)); err != nil {
					refused++
					if part := fmt.Sprintf("Target.Epsilon %g: must be at most ", epsilon); !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), " meets: with less noise nothing is left of δ") || most > epsilon {
						t.Errorf("%s: %v, though σ %g has ε %g", at, err, hi, most)
					}
					last = 0
					continue
				}
				sigma := got.NoiseMultiplier
				if is, less := stated(sigma), stated(sigma*(1-1e-6)); is > epsilon || less <= epsilon || is < epsilon*0.99 {
					t.Errorf("%s: σ %g gives %g, and slightly less %g", at, sigma, is, less)
				}
				without, err := auto.CalibrateNoiseMultiplier(func(sigma float64) accounting.Event {
					c := c
					c.NoiseMultiplier = sigma
					return c.Event()
				}, accounting.Target{Epsilon: epsilon, Delta: delta}, accountant)
				if err != nil || sigma < without*(1-1e-6) || got.NoiseTail(model) < 1e-4*delta && sigma > without*(1+1e-4) {
					t.Errorf("%s: σ %g, and %g if normals did not end, %v", at, sigma, without, err)
				}
				if sigma > last {
					t.Errorf("%s: σ %g, more than for the target before, %g", at, sigma, last)
				}
				last = sigma
			}
		}
	}
	if refused == 0 {
		t.Error("no target was refused: the cases do not try where δ ends")
	}
}

// What was 129 without a word for the targets 150, 300 and 1000, with more noise for 1000 than for
// 300.
func TestCalibrateWhereTheTailCounts(t *testing.T) {
	model, accountant := ofSize(1000), contour.NewAccountant()
	c := Config{ClipNorm: 1, Sampling: Poisson{Rate: 0.1}, Steps: 100, ExpectedBatchSize: 10, LearningRate: 0.1}
	got, err := c.Calibrate(model, accounting.Target{Epsilon: 150, Delta: 1e-5}, accountant)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := got.Statement(model, 1e-5, "one row", accountant); err != nil || s.Guarantee.Epsilon.Upper > 150 || s.Guarantee.Epsilon.Upper < 149.9 {
		t.Errorf("ε 150: σ %g has %v, %v", got.NoiseMultiplier, s.Guarantee, err)
	}
	for _, epsilon := range []float64{300, 1000} {
		if _, err := c.Calibrate(model, accounting.Target{Epsilon: epsilon, Delta: 1e-5}, accountant); err == nil || !strings.Contains(err.Error(), "must be at most 2") || !strings.Contains(err.Error(), "noise multiplier 0.267") {
			t.Errorf("ε %g: %v, want an error that says which ε can be met, and with which noise", epsilon, err)
		}
	}
	c.Steps = 1
	_, err = c.Calibrate(model, accounting.Target{Epsilon: 1, Delta: 1e-17}, accountant) // the tail without a shift is 1001 2⁻⁶⁴
	if err == nil || !strings.Contains(err.Error(), "dpsgd: Calibrate: delta 1e-17: must be larger, since with 5.4e-17 of δ") {
		t.Errorf("δ below the tail: error %v", err)
	}
}
