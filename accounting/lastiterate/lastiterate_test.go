package lastiterate

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"gonum.org/v1/gonum/stat/distuv"
)

// of returns a training whose steps contract by at most c and in which an example moves a model by
// 1/σ standard deviations of a step's noise.
func of(steps, batches int, sigma, c float64) Training {
	return Training{Steps: steps, Batches: batches, NoiseMultiplier: sigma, ClipNorm: 1, Divisor: 1, LearningRate: 1, StrongConvexity: 1 - c, Smoothness: 1}
}

// The strongly convex case of Section 4 of Bok, Su and Altschuler, with all examples in each step.
func TestFullBatches(t *testing.T) {
	for _, c := range []float64{0, 0.3, 0.9, 0.999} {
		for _, steps := range []int{1, 2, 7, 100, 5000} {
			power := math.Pow(c, float64(steps))
			want := math.Sqrt((1-power)*(1+c)/((1+power)*(1-c))) / 3
			if got := of(steps, 1, 3, c).ofBatches(); !(got >= want*(1-1e-12) && got <= want*(1+1e-9)) {
				t.Errorf("c %g, %d steps: µ %.15g, want %.15g", c, steps, got, want)
			}
		}
	}
	// Without strong convexity and without a set, the price is that of all models: √T / σ.
	if got := of(400, 1, 5, 1).ofBatches(); !(math.Abs(got-4) <= 1e-9) {
		t.Errorf("convex: µ %g, want 4", got)
	}
	// On a set of diameter D, 4 D u bounds µ² for every number of steps: shifts u over D/u steps.
	bounded := of(100000, 1, 5, 1)
	bounded.Diameter = 40 // 40 / σ = 8 in units of the noise
	if got := bounded.ofBatches(); !(got <= math.Sqrt(4*8/5.)*(1+1e-9)) {
		t.Errorf("on a set: µ %g", got)
	}
}

// Powers of two change no digit of µ, wherever a quotient of sizes would leave a float64, and c^T may
// be 0 to all its digits.
func TestExtremeSizes(t *testing.T) {
	plain := of(90, 3, 1, 0.75)
	plain.Diameter = 1.5
	want := plain.ofBatches()
	for _, e := range []int{-1000, -500, 500, 1000} {
		scaled := plain
		scaled.LearningRate, scaled.Smoothness, scaled.StrongConvexity = math.Ldexp(1, e), math.Ldexp(1, -e), math.Ldexp(0.25, -e)
		scaled.Divisor, scaled.Diameter, scaled.ClipNorm = math.Ldexp(1, e), math.Ldexp(1.5, -e/4), math.Ldexp(1, -e/4)
		if got := scaled.ofBatches(); got != want {
			t.Errorf("2^%d: µ %g, want %g", e, got, want)
		}
		noisy := plain
		noisy.NoiseMultiplier = math.Ldexp(1, e)
		if got := noisy.ofBatches(); got != math.Ldexp(want, -e) {
			t.Errorf("σ 2^%d: µ %g, want %g 2^%d", e, got, want, -e)
		}
	}
	for _, c := range []float64{0, 0.4, 0.9} {
		long, short := of(30000, 3, 2, c).ofBatches(), of(300, 3, 2, c).ofBatches()
		if !(math.Abs(long/short-1) < 1e-9) {
			t.Errorf("c %g: µ %g of 30000 steps, %g of 300", c, long, short)
		}
	}
	for _, sampled := range []bool{false, true} {
		without := of(10, 1, 1e-300, 1)
		if sampled {
			without.Batches, without.SamplingRate = 0, 0.5
		}
		if g, err := without.EpsilonAt(1e-5); err != nil || !math.IsInf(g.Epsilon.Upper, 1) {
			t.Errorf("almost no noise: %v, %v", g, err)
		}
	}
}

// Linear maps of one number have normal laws. None is told apart better than the bound, whatever
// contractions and moves are drawn, and constant ones nearly reach it.
func TestLinearProcesses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	near := 0
	for range 2000 {
		steps, batches := 1+rng.IntN(60), 1+rng.IntN(9)
		sigma, c := 0.5+3*rng.Float64(), math.Min(1, 1.2*rng.Float64())
		bound, worst := of(steps, batches, sigma, c).ofBatches(), 0.0
		for first := range min(batches, steps) {
			constant := rng.IntN(2) == 0
			moved, variance := 0.0, 0.0
			for i := range steps {
				a, move := c, 1/sigma
				if !constant {
					a, move = c*(2*rng.Float64()-1), move*(2*rng.Float64()-1)
				}
				if i%batches != first {
					move = 0
				}
				moved, variance = a*moved+move, a*a*variance+1
			}
			worst = math.Max(worst, math.Abs(moved)/math.Sqrt(variance))
		}
		if worst > bound*(1+1e-12) {
			t.Fatalf("%d steps, %d batches, σ %g, c %g: µ %.15g of a process, above the bound %.15g", steps, batches, sigma, c, worst, bound)
		}
		if worst > 0.9*bound {
			near++
		}
	}
	if near < 400 {
		t.Errorf("only %d of 2000 processes come near the bound", near)
	}
}

// deltaOf returns δ(ε) of two laws on a list of outcomes.
func deltaOf(p, q []float64, epsilon float64) (sum float64) {
	for i := range p {
		sum += math.Max(0, p[i]-math.Exp(epsilon)*q[i])
	}
	return sum
}

// On an interval the law of the model is computed on a fine grid, its ends included.
func TestProjectedProcesses(t *testing.T) {
	const cells = 400
	rng := rand.New(rand.NewPCG(3, 4))
	used := 0
	for range 12 {
		training := of(40+rng.IntN(60), 1+rng.IntN(3), 3+3*rng.Float64(), 1)
		training.Diameter = training.NoiseMultiplier * (0.5 + rng.Float64()) // D is 0.5 to 1.5 in units of the noise
		unbounded := training
		unbounded.Diameter = 0
		bound := training.ofBatches()
		if bound < 0.9*unbounded.ofBatches() {
			used++
		}
		width := training.diameter() / training.NoiseMultiplier
		laws := [2][]float64{make([]float64, cells), make([]float64, cells)}
		for with := range laws {
			law := laws[with]
			law[cells/2] = 1
			for i := range training.Steps {
				drift := -0.5 / training.NoiseMultiplier // the other examples pull to the left, the one to the right
				if with == 1 && i%training.Batches == training.Batches-1 {
					drift += 1 / training.NoiseMultiplier
				}
				next := make([]float64, cells)
				for from, mass := range law {
					at := (float64(from)+0.5)/cells*width + drift
					last := 0.0
					for to := range cells {
						below := 1.0
						if to < cells-1 {
							below = distuv.UnitNormal.CDF(float64(to+1)/cells*width - at)
						}
						next[to] += mass * (below - last)
						last = below
					}
				}
				law = next
			}
			laws[with] = law
		}
		for _, epsilon := range []float64{0, 0.2, 0.5, 1} {
			gaussian := distuv.UnitNormal.CDF(bound/2-epsilon/bound) - math.Exp(epsilon)*distuv.UnitNormal.CDF(-bound/2-epsilon/bound)
			for _, got := range []float64{deltaOf(laws[0], laws[1], epsilon), deltaOf(laws[1], laws[0], epsilon)} {
				if got > gaussian+1e-3 {
					t.Errorf("%+v at ε %g: δ %g on a grid, above %g of µ %g", training, epsilon, got, gaussian, bound)
				}
			}
		}
	}
	if used < 6 {
		t.Errorf("the set lowers µ in %d of 12 cases", used)
	}
}

// With Poisson samples a linear process has a mixture of normal laws, one for each list of coins.
// Its exact δ at the bound's ε is at most the bound's δ.
func TestSampledProcesses(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	hidden, near, cases := 0, 0, 150
	if testing.Short() {
		cases = 30
	}
	for range cases {
		const delta = 1e-3
		c := 0.9 * rng.Float64()
		training := of(2+rng.IntN(8), 0, 0.5+1.5*rng.Float64(), c)
		training.SamplingRate = 0.05 + 0.9*rng.Float64()
		g, err := training.EpsilonAt(delta)
		if err != nil {
			t.Fatal(err)
		}
		event, err := training.Bounding(delta)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := event.(accounting.Composed); ok {
			hidden++
		}
		n, variance := training.Steps, 0.0
		for i := range n {
			variance += math.Pow(c, 2*float64(i))
		}
		type part struct{ chance, mean float64 }
		var parts []part
		for pattern := range 1 << n {
			p := part{chance: 1}
			for i := range n {
				if pattern>>i&1 == 1 {
					p.chance *= training.SamplingRate
					p.mean += math.Pow(c, float64(i)) / training.NoiseMultiplier / math.Sqrt(variance)
				} else {
					p.chance *= 1 - training.SamplingRate
				}
			}
			parts = append(parts, p)
		}
		ratio := func(x float64) (sum float64) { // it rises with x
			for _, p := range parts {
				sum += p.chance * math.Exp(p.mean*x-p.mean*p.mean/2)
			}
			return sum
		}
		above := func(x float64) (sum float64) {
			for _, p := range parts {
				sum += p.chance * distuv.UnitNormal.Survival(x-p.mean)
			}
			return sum
		}
		where := func(value float64) float64 {
			low, high := -60.0, 60.0
			for range 200 {
				if middle := (low + high) / 2; ratio(middle) < value {
					low = middle
				} else {
					high = middle
				}
			}
			return low
		}
		e := g.Epsilon.Upper
		add := func(e float64) float64 {
			x := where(math.Exp(e))
			return above(x) - math.Exp(e)*distuv.UnitNormal.Survival(x)
		}
		remove := func(e float64) float64 {
			x := where(math.Exp(-e))
			return distuv.UnitNormal.CDF(x) - math.Exp(e)*(1-above(x))
		}
		if got := math.Max(add(e), remove(e)); got > delta*(1+1e-9) {
			t.Errorf("%+v: δ %g of a process at ε %g, above %g", training, got, e, delta)
		}
		if math.Max(add(e/2), remove(e/2)) > delta {
			near++
		}
	}
	if hidden < cases/3 || near < cases/2 {
		t.Errorf("of %d cases: hidden in %d, ε within a factor of two of the process in %d", cases, hidden, near)
	}
}

// The last model never costs more than all models, nor less than one step hidden by all others.
func TestOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		a := of(1+rng.IntN(200), 1+rng.IntN(20), 1+rng.Float64(), 0.5+rng.Float64()/2)
		if rng.IntN(2) == 0 {
			a.Diameter = 5 * rng.Float64()
		}
		µ := a.ofBatches()
		all := math.Sqrt(math.Ceil(float64(a.Steps)/float64(a.Batches))) / a.NoiseMultiplier
		if µ > all*(1+1e-9) || µ < 1/a.NoiseMultiplier/math.Sqrt(float64(a.Steps)) {
			t.Errorf("%+v: µ %g, that of all models %g", a, µ, all)
		}
	}
}

func TestBadTrainings(t *testing.T) {
	good := of(10, 1, 1, 0.9)
	for want, change := range map[string]func(*Training){
		"Training.Batches 0: must be given, or SamplingRate":    func(t *Training) { t.Batches = 0 },
		"Training.SamplingRate 0.1: must not be given":          func(t *Training) { t.SamplingRate = 0.1 },
		"Training.SamplingRate 2: must be":                      func(t *Training) { t.Batches, t.SamplingRate = 0, 2 },
		"Training.Steps 0":                                      func(t *Training) { t.Steps = 0 },
		"Training.Steps 2000000: must be at most 1e6":           func(t *Training) { t.Steps = 2e6 },
		"Training.Batches 1000: must be at most 1e+08 over":     func(t *Training) { t.Steps, t.Batches = 1e6, 1000 },
		"Training.NoiseMultiplier 0: must be > 0":               func(t *Training) { t.NoiseMultiplier = 0 },
		"Training.ClipNorm NaN":                                 func(t *Training) { t.ClipNorm = math.NaN() },
		"Training.Divisor -1":                                   func(t *Training) { t.Divisor = -1 },
		"Training.StrongConvexity 2: must be at most":           func(t *Training) { t.StrongConvexity = 2 },
		"Training.StrongConvexity -1: must be >= 0":             func(t *Training) { t.StrongConvexity = -1 },
		"Training.LearningRate 3: must be at most 2/Smoothness": func(t *Training) { t.LearningRate = 3 },
		"Training.Smoothness 0":                                 func(t *Training) { t.Smoothness = 0 },
		"Training.Diameter -1":                                  func(t *Training) { t.Diameter = -1 },
	} {
		bad := good
		change(&bad)
		g, err := bad.EpsilonAt(1e-5)
		if err == nil || !strings.Contains(err.Error(), want) || g.Epsilon.Computed() {
			t.Errorf("%v, want %q", err, want)
		}
		if s, err := bad.Statement(1e-5, "one example"); err == nil || !strings.HasPrefix(s.String(), "No guarantee") {
			t.Errorf("%s: statement %v", want, s)
		}
	}
	if _, err := good.EpsilonAt(0); err == nil || !strings.Contains(err.Error(), "delta 0") {
		t.Errorf("δ 0: %v", err)
	}
}

// The price is that of a Gaussian, has a certificate and no lower end, and is refused for replaced
// examples.
func TestGuarantee(t *testing.T) {
	for _, training := range []Training{of(100, 1, 4, 0.75), of(100, 5, 4, 0.75)} {
		s, err := training.Statement(1e-5, "one labelled image")
		if err != nil {
			t.Fatal(err)
		}
		if g := s.Guarantee; g.Certificate == nil || g.Epsilon.Lower > 0 {
			t.Errorf("%v, certificate %v", g.Epsilon, g.Certificate)
		}
		for _, want := range []string{"Releasing the last model of noisy", "adding or removing one labelled image", "is 0.25-strongly convex and 1-smooth", "only the last model is released",
			"standard deviation noise multiplier x clipping norm", map[int]string{1: "every step sums over all records", 5: "one order, the same in every epoch (no shuffling)"}[training.Batches]} {
			if !strings.Contains(s.Full(), want) {
				t.Errorf("%q is not in\n%s", want, s.Full())
			}
		}
		event, err := training.Bounding(1e-5)
		if err != nil {
			t.Fatal(err)
		}
		replaced, err := auto.NewAccountantFor(accounting.ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := replaced.EpsilonAt(event, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) {
			t.Errorf("replace-one: %v", err)
		}
	}
}

// One step is a step of DP-SGD, full batches are one Gaussian release, and in between the estimate
// is below the price of all models. It never reads as a guarantee.
func TestHeuristic(t *testing.T) {
	const delta = 1e-5
	price := func(e accounting.Event) float64 {
		g, err := auto.NewAccountant().EpsilonAt(e, delta)
		if err != nil {
			t.Fatal(err)
		}
		return g.Epsilon.Upper
	}
	sampled := func(q float64, steps int) accounting.Event {
		return accounting.SelfComposed{Count: steps, Event: accounting.PoissonSampled{SamplingRate: q, Event: accounting.Gaussian{NoiseMultiplier: 1}}}
	}
	for _, c := range []struct {
		training  Training
		low, high float64
	}{
		{Training{Steps: 1, SamplingRate: 0.1}, price(sampled(0.1, 1)), price(sampled(0.1, 1))},
		{Training{Steps: 500, SamplingRate: 0.02}, 0.05, price(sampled(0.02, 500))},
		{Training{Steps: 16, Batches: 1}, price(accounting.Gaussian{NoiseMultiplier: 0.25}), price(accounting.Gaussian{NoiseMultiplier: 0.25})},
		{Training{Steps: 100, Batches: 10}, price(accounting.Gaussian{NoiseMultiplier: 1}), price(accounting.Gaussian{NoiseMultiplier: 1})},
	} {
		training := c.training
		training.NoiseMultiplier, training.ClipNorm, training.Divisor, training.LearningRate, training.Smoothness = 1, 1, 1, 1, 1
		h, err := training.Heuristic(delta)
		if err != nil || h.Epsilon < c.low*(1-1e-6) || h.Epsilon > c.high*(1+1e-6) {
			t.Errorf("%+v: %v, %v, want from %g to %g", c.training, h, err, c.low, c.high)
		}
		if !strings.Contains(h.String(), "by a heuristic, not a bound") {
			t.Error(h)
		}
	}
	if h, err := (Training{}).Heuristic(delta); err == nil || !math.IsInf(h.Epsilon, 1) || h.String() != "no estimate" || (Heuristic{}).String() != "no estimate" {
		t.Errorf("%v, %v", h, err)
	}
}
