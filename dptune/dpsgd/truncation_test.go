package dpsgd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// disc is a step's noise as the engine makes it, with a shorter radius: pairs of normals that
// end at a radius, of multiplier σ. With x, the noisy sum is shifted by shift in units of σC.
// Without x, the opposite of x takes its place if x is replaced.
type disc struct {
	radius, rate float64
	steps        int
	shift        [][2]float64 // of each pair; its norm is 1/σ
	replaced     bool
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
		move := 0.0
		if taken := rng.Float64() < d.rate; taken && with {
			move = 1
		} else if taken && d.replaced {
			move = -1
		}
		logNear, logFar, logOther := 0.0, 0.0, 0.0 // of noise y, y - shift and y + shift
		for _, s := range d.shift {
			x, y := d.pair(rng)
			x, y = x+move*s[0], y+move*s[1]
			logNear += d.logDensity(x, y)
			logFar += d.logDensity(x-s[0], y-s[1])
			logOther += d.logDensity(x+s[0], y+s[1])
		}
		if !d.replaced {
			logOther = logNear
		}
		logWithout += math.Log((1-d.rate)*math.Exp(logNear) + d.rate*math.Exp(logOther))
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
// for all batches, sampled ones, and several steps, added, removed and replaced. Means of n numbers
// in [0, 1] stray by 5.5 standard errors with chance 4e-8.
func TestTruncationDeltaCoversNormalsThatEndEarly(t *testing.T) {
	n := 60_000
	if testing.Short() {
		n = 20_000
	}
	rng, needed := rand.New(rand.NewPCG(11, 12)), 0
	for _, d := range []disc{
		{3, 1, 1, [][2]float64{{1, 0}}, false},
		{2.8, 0.3, 1, [][2]float64{{0.6, 0.8}}, false},
		{3.2, 0.5, 3, [][2]float64{{0.7, 0}, {0, 0.5}}, false},
		{3.5, 1, 4, [][2]float64{{0.3, 0}, {0.3, 0.1}, {0, 0.3}}, false},
		{3.7, 0.2, 8, [][2]float64{{1.2, 0}, {0, 0}}, false},
		{3.5, 1, 1, [][2]float64{{1, 0}}, true}, // at ε 8 shifts of 1 alone are not enough
		{2.8, 0.3, 1, [][2]float64{{0.6, 0.7}}, true},
		{3.2, 0.5, 3, [][2]float64{{0.7, 0}, {0, 0.5}}, true},
	} {
		a, shifts := contour.NewAccountant(), []float64{1}
		if d.replaced {
			a, shifts = contour.Accountant{Relation: accounting.ReplaceOne}, []float64{1, 2}
		}
		tail := deltaBeyond(d.radius, 1/d.norm(), d.steps, len(d.shift), shifts...)
		var event accounting.Event = accounting.ClippedSum{NoiseMultiplier: 1 / d.norm()}
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
			for _, epsilon := range []float64{0.5, 1, 2, 4, 8} {
				mean, square := 0.0, 0.0
				for _, r := range ratios {
					v := max(0, 1-math.Exp(epsilon+r)) / float64(n)
					mean, square = mean+v, square+v*v
				}
				stray := 5.5 * math.Sqrt(square)
				exact, err := a.DeltaAt(event, epsilon)
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

// tail is the chance that a pair of normals, moved by √λ, is beyond the radius: the series of the
// noncentral χ² of two degrees, Σ_j Poisson(j; λ/2) P[Poisson(r²/2) <= j].
func tail(lambda, radius float64) float64 {
	sum, weight, term, below := 0.0, math.Exp(-lambda/2), math.Exp(-radius*radius/2), 0.0
	for j := 0.0; j < 500; j++ {
		below += term
		sum += weight * below
		weight *= lambda / 2 / (j + 1)
		term *= radius * radius / 2 / (j + 1)
	}
	return sum
}

// The largest sum of tails over pairs that share a squared shift is that of one pair with all of
// it, and the bound of that pair holds.
func TestShiftInOnePairIsTheWorst(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, radius := range []float64{3, 5, truncationRadius} {
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

func TestTruncationDelta(t *testing.T) {
	c := Config{NoiseMultiplier: 1e9, Steps: 10}
	for _, k := range []struct {
		parameters int
		want       float64
	}{{1, 10 * 3 * 0x1p-64}, {2, 10 * 3 * 0x1p-64}, {3, 10 * 5 * 0x1p-64}, {2_000_000, 10 * 2_000_001 * 0x1p-64}} {
		if got := c.truncationDelta(k.parameters, accounting.AddOrRemoveOne); !(got >= k.want && got <= k.want*(1+1e-7)) {
			t.Errorf("%d parameters: %g, want %g", k.parameters, got, k.want)
		}
	}
	// 9.42 - 1/σ deviations of the last pair: e^(-8.42²/2) = 4.05e-16 for σ 1.
	c.NoiseMultiplier = 1
	if got := c.truncationDelta(2, accounting.AddOrRemoveOne); math.Abs(got/4.05e-15-1) > 0.01 {
		t.Errorf("σ 1: %g, want 4.05e-15", got)
	}
	if v := 2 * 10 * 0x1p-64; !(c.truncationDelta(2, accounting.AddOrRemoveOne) > 2*v) { // v of two normals in each of 10 steps, each with all of its pair's chance
		t.Errorf("σ 1: %g is below the total variation of both noises", c.truncationDelta(2, accounting.AddOrRemoveOne))
	}
	for sigma, want := range map[float64]float64{0.1: 1, 1e-3: 1} {
		c.NoiseMultiplier = sigma
		if got := c.truncationDelta(2, accounting.AddOrRemoveOne); got != want {
			t.Errorf("σ %g: %g, want %g", sigma, got, want)
		}
	}
	if got := (Config{NonPrivate: true, Steps: 5}).TruncationDelta(ofSize(100), accounting.AddOrRemoveOne); got != 0 {
		t.Errorf("no noise: %g, want 0", got)
	}
	c.NoiseMultiplier = 1e9
	if got, want := c.TruncationDelta(ofSize(2_000_000), accounting.AddOrRemoveOne), 10*2_000_001*0x1p-64; !(got >= want && got <= want*(1+1e-7)) {
		t.Errorf("a model of 2,000,000 parameters: %g, want %g", got, want)
	}
	if got := c.TruncationDelta(Model{}, accounting.AddOrRemoveOne); got != 1 {
		t.Errorf("a model that is not valid: %g, want 1, all of δ", got)
	}
	for _, c := range []Config{{NoiseMultiplier: 1}, {NoiseMultiplier: 1, Steps: -1}, {Steps: 10}, {NoiseMultiplier: -1, Steps: 10}, {NoiseMultiplier: math.NaN(), Steps: 10}} {
		if got := c.TruncationDelta(ofSize(100), accounting.AddOrRemoveOne); got != 1 {
			t.Errorf("noise multiplier %g, %d steps: %g, want 1, all of δ", c.NoiseMultiplier, c.Steps, got)
		}
	}
}

// A replaced example moves a sum by up to 2C. Values of the formula by mpmath at 40 digits. If x
// and -x exchange places in 10 of 100 steps at σ = 0.5, an output of one is beyond the other's
// discs with chance 10 tail(16) = 4.65e-7 (the steps are nearly disjoint). That is above δ = 1e-7,
// so no ε is enough.
func TestTruncationDeltaOfRelations(t *testing.T) {
	c := Config{ClipNorm: 1, Sampling: FixedBatches{Period: 10}, Steps: 100, ExpectedBatchSize: 1, LearningRate: 1}
	m := Model{Name: "line", Input: []int{1}, Layers: []nn.Layer{nn.Dense(1, 1)}, Loss: nn.Hinge()}
	for sigma, want := range map[float64][2]float64{0.5: {1.114228255e-10, 4.194606242e-05}, 0.7: {1.364088001e-12, 4.459596965e-08}, 1: {4.053130905e-14, 1.114633514e-10}} {
		c.NoiseMultiplier = sigma
		for relation, want := range map[accounting.Neighboring]float64{accounting.AddOrRemoveOne: want[0], accounting.ReplaceSpecial: want[0], accounting.ReplaceOne: want[1], 0: 1, 9: 1} {
			if got := c.TruncationDelta(m, relation); !(got >= want*(1-1e-9)) || got > want*(1+1e-4) { // SensitivityRounding adds less than 1e-4
				t.Errorf("σ %g under %v: %g, want %g", sigma, relation, got, want)
			}
		}
	}
	c.NoiseMultiplier = 0.5
	for relation, finite := range map[accounting.Neighboring]bool{accounting.AddOrRemoveOne: true, accounting.ReplaceSpecial: true, accounting.ReplaceOne: false} {
		s, err := c.Statement(m, 1e-7, "one row", contour.Accountant{Relation: relation})
		if err != nil || math.IsInf(s.Guarantee.Epsilon.Upper, 1) == finite {
			t.Errorf("under %v: ε <= %g, %v, want a finite one: %v", relation, s.Guarantee.Epsilon.Upper, err, finite)
		}
	}
	if shown := 10 * tail(16, truncationRadius); shown < 4.6e-7 || c.TruncationDelta(m, accounting.ReplaceOne) < shown {
		t.Errorf("replaced at σ 0.5: %g is below the chance %g that the output shows the data", c.TruncationDelta(m, accounting.ReplaceOne), shown)
	}
	calibrated, err := c.Calibrate(m, accounting.Target{Epsilon: 200, Delta: 1e-7}, contour.Accountant{Relation: accounting.ReplaceOne})
	if err == nil {
		t.Errorf("ε 200 at δ 1e-7: noise multiplier %g, want an error: the truncation of less noise takes all of δ", calibrated.NoiseMultiplier)
	}
	cut := c
	cut.Sampling, cut.ExpectedBatchSize = TruncatedPoisson{Rate: 0.1, Cap: 20, Examples: 100}, 10
	for relation, shifts := range map[accounting.Neighboring][]float64{accounting.AddOrRemoveOne: {2}, accounting.ReplaceSpecial: {1, 2}, accounting.ReplaceOne: {2, 2}} {
		want := 0.0
		for _, s := range shifts {
			want += 100 * math.Exp(-math.Pow(truncationRadius-2*s, 2)/2)
		}
		if got := cut.TruncationDelta(m, relation); got < want || got > want*(1+1e-4) {
			t.Errorf("a cut batch under %v: %g, want %g", relation, got, want)
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
