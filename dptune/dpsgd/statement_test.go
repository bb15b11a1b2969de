package dpsgd

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/compute"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/streams"
)

// The unit is one row, also if it is a person: a statement lists that, and who is protected less.
func TestStatementSaysThatTheUnitIsOneRow(t *testing.T) {
	c := Config{ClipNorm: 1, NoiseMultiplier: 0.9, Sampling: Poisson{Rate: 0.01}, Steps: 500, ExpectedBatchSize: 10, LearningRate: 1}
	s, err := c.Statement(ofSize(10), 1e-5, "one person")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(s.Assumptions, "one person is exactly one row of the data") || !slices.Contains(s.NotCovered, "several rows together: anyone who contributed several is protected less") {
		t.Errorf("statement:\n%s", s.Full())
	}
}

// The quotable sentence names the relation: with batches by places, a place stays empty.
func TestStatementNamesTheEmptyPlace(t *testing.T) {
	const note = "under adding or removing one image, whose place stays empty."
	for _, test := range []struct {
		sampling Sampling
		noted    bool
	}{
		{FixedBatches{Period: 10}, true}, {CyclicPoisson{Period: 4, Rate: 0.1}, true}, {CyclicAllocation{Period: 4, Turns: 3}, true},
		{Poisson{Rate: 0.1}, false}, {FullBatch{}, false}, {RandomAllocation{Period: 10}, false},
	} {
		c := Config{ClipNorm: 1, NoiseMultiplier: 2, Sampling: test.sampling, Steps: 20, ExpectedBatchSize: 10, LearningRate: 1}
		s, err := c.Statement(ofSize(10), 1e-5, "one image")
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(s.String(), note) != test.noted || !slices.Contains(s.Assumptions, "one image is exactly one row of the data") {
			t.Errorf("%v: statement %v, want %q: %v", test.sampling, s, note, test.noted)
		}
		if s, err = c.Statement(ofSize(10), 1e-5, "one image", contour.Accountant{Relation: accounting.ReplaceOne}); err == nil && strings.Contains(s.String(), "whose place") {
			t.Errorf("%v: statement %v about replaced examples", test.sampling, s)
		}
	}
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
	for _, part := range []string{"ε ≤ " + epsilon(1e-5), "δ = 1e-5", "one labelled image", "PoissonSampled", "by its own coin", "truncated noise (7.9e-13 of δ; no visible change in ε)"} {
		if !strings.Contains(s.Full(), part) {
			t.Errorf("statement lacks %q:\n%s", part, s.Full())
		}
	}
	// At a δ of twice the tail it matters: ε is that of half of δ.
	small := 2 * c.TruncationDelta(ofSize(10_000), accounting.AddOrRemoveOne)
	s, err = c.Statement(ofSize(10_000), small, "one labelled image", a)
	if err != nil {
		t.Fatal(err)
	}
	if part := "ε rises from " + epsilon(small) + " to " + epsilon(small/2); !strings.Contains(s.Full(), part) || s.Guarantee.Delta != small {
		t.Errorf("statement lacks %q:\n%s", part, s.Full())
	}
	if s, err = c.Statement(ofSize(10_000), c.TruncationDelta(ofSize(10_000), accounting.AddOrRemoveOne), "x", a); err != nil || !strings.Contains(s.String(), "no differential privacy guarantee") {
		t.Errorf("nothing left of δ: error %v, statement %v", err, s)
	}
	c.NonPrivate, c.NoiseMultiplier = true, 0
	if s, err = c.Statement(ofSize(10_000), 1e-5, "x", a); err != nil || !strings.Contains(s.String(), "no differential privacy guarantee") || s.Included != nil {
		t.Errorf("no noise: error %v, statement %v", err, s)
	}
	integers := c
	integers.NonPrivate, integers.NoiseMultiplier, integers.UnitsPerClip = false, 0.9, 1<<12
	if s, err = integers.Statement(ofSize(10_000), 1e-5, "x", a); err != nil || !strings.Contains(s.Full(), "integers, 4096 to the clip norm") ||
		!strings.Contains(s.Full(), "at every place of a microbatch") || strings.Contains(s.Full(), "rounding of the noise") || strings.Contains(s.Full(), "truncated") {
		t.Errorf("an integer release: error %v, statement\n%s", err, s.Full())
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

const deviceName = "device of TestTrainingStatement"

// registerDevice registers a backend with its own memory that does not open.
var registerDevice = sync.OnceValue(func() error {
	err := backend.Register(deviceName, func() (compute.Backend, error) { return nil, errors.New("never opens") })
	return errors.Join(err, backend.SetDeviceMemory(deviceName, func() int64 { return 1 }))
})

// The statement of a training rests on the generator that its backend uses where none is named.
func TestTrainingStatement(t *testing.T) {
	c := Config{ClipNorm: 1, NoiseMultiplier: 0.9, Sampling: Poisson{Rate: 0.01}, Steps: 5, ExpectedBatchSize: 10, LearningRate: 1}
	m := Model{Name: "line", Input: []int{1}, Layers: []nn.Layer{nn.Dense(1, 2)}, Loss: nn.SoftmaxCrossEntropy()}
	r := Training{Config: c, Model: m, Seeded: true, Backend: "go"}
	s, err := r.Statement(1e-5, "one row", contour.NewAccountant())
	if err != nil || len(s.Warnings) != 1 || s.Warnings[0] != streams.ErrSeeded {
		t.Errorf("error %v, warnings %v, want that of a fixed root", err, s.Warnings)
	}
	if on := computedOn("go"); !slices.Contains(s.Assumptions, on) {
		t.Errorf("assumptions %q, want %q among them", s.Assumptions, on)
	}
	if err := registerDevice(); err != nil {
		t.Fatal(err)
	}
	r.Backend = deviceName
	onDevice, err := r.Statement(1e-5, "one row", contour.NewAccountant())
	if words := ChaCha20.assumptions()[0]; err != nil || !slices.Contains(onDevice.Assumptions, words) {
		t.Errorf("error %v, assumptions of a device %q, want %q among them", err, onDevice.Assumptions, words)
	}
	if fixed := onDevice.String(); !strings.HasPrefix(fixed, "No guarantee: ") || strings.Contains(fixed, "private") {
		t.Errorf("statement of a fixed root: %s", fixed)
	}
	r.Initial = &Provenance{Event: c.Event(), TruncationDelta: -c.TruncationDelta(m, accounting.AddOrRemoveOne)} // would cancel the run's own
	if s, err := r.Statement(1e-5, "one row", contour.NewAccountant()); err == nil || !strings.Contains(err.Error(), "InitialFrom.TruncationDelta") {
		t.Errorf("a negative truncation δ: error %v, statement %v", err, s)
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
		"Target.Delta 5e-08: must be above 1.1e-07, which trunc": func() (Config, error) { return base.Calibrate(ofSize(1e10), target(1, 5e-8), a) },
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
			if testing.Short() && (i != 1 || j != 0) {
				continue
			}
			last := math.Inf(1)
			for _, epsilon := range []float64{0.01, 0.3, 3, 30, 150, 300, 1000} {
				if testing.Short() && epsilon != 0.3 && epsilon != 300 {
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
					if c.TruncationDelta(model, accounting.AddOrRemoveOne) < delta {
						hi = c.NoiseMultiplier
					} else {
						lo = c.NoiseMultiplier
					}
				}
				c.NoiseMultiplier = 0
				got, err := c.Calibrate(model, accounting.Target{Epsilon: epsilon, Delta: delta}, accountant)
				if most := stated(hi * (1 + 1e-6)); err != nil {
					refused++
					if part := fmt.Sprintf("Target.Epsilon %g: must be at most ", epsilon); !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), "): with less noise its truncation takes all of δ") || most > epsilon {
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
				if err != nil || sigma < without*(1-1e-6) || got.TruncationDelta(model, accounting.AddOrRemoveOne) < 1e-4*delta && sigma > without*(1+1e-4) {
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
func TestCalibrateWhereTruncationCounts(t *testing.T) {
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
		if testing.Short() && epsilon != 300 {
			continue
		}
		if _, err := c.Calibrate(model, accounting.Target{Epsilon: epsilon, Delta: 1e-5}, accountant); err == nil || !strings.Contains(err.Error(), "must be at most 2") || !strings.Contains(err.Error(), "noise multiplier 0.267") {
			t.Errorf("ε %g: %v, want an error that says which ε can be met, and with which noise", epsilon, err)
		}
	}
	c.Steps = 1
	_, err = c.Calibrate(model, accounting.Target{Epsilon: 1, Delta: 1e-17}, accountant) // without a shift it takes 1001 2⁻⁶⁴
	if err == nil || !strings.Contains(err.Error(), "dpsgd: Calibrate: Target.Delta 1e-17: must be above 5.4e-17, which truncated noise takes") {
		t.Errorf("δ below what truncation takes: error %v", err)
	}
}
