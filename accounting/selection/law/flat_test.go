package law

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
)

// A truncated negative binomial law of a tiny η is the logarithmic law, up to factors of 1 ± |η t|.
// Its closed forms, with s = 1-(1-γ)x:
//
//	E[K] = (1/γ-1)/t,  f(x) = -ln(s)/t,  1 - f(1-p) = ln(1 + (1/γ-1) p)/t,
//	P[K=k] = (1-γ)^k/(k t),  f'(x) = (1-γ)/(s t)
//
// With |η| below 1e-308 rounding of η t to a subnormal number made E[K] 0.82 of K >= 1, and the
// chance of success of a small p was 0.
func TestTinyEta(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 29))
	for i := range 3000 {
		eta := math.Exp(-math.Ln10 * (13 + 310*rng.Float64()))
		if i%2 == 0 {
			eta = math.Exp(-math.Ln10 * (290 + 33*rng.Float64()))
		}
		eta = math.Max(eta, math.SmallestNonzeroFloat64)
		if rng.IntN(2) == 0 {
			eta = -eta
		}
		gamma := math.Max(1e-300, math.Exp(-math.Ln10*[]float64{1, 10, 100, 300}[rng.IntN(4)]*rng.Float64()))
		if rng.IntN(4) == 0 {
			gamma = 1 - math.Exp(-math.Ln10*16*rng.Float64())
		}
		if !(gamma < 1) {
			continue
		}
		l, depth := tnb(TNB{Eta: eta, Gamma: gamma}), -numeric.Log(gamma)
		odds := (1 - gamma) / gamma
		// The closed form of f loses digits itself next to x = 1 where γ is tiny: both ends are
		// asked, and what is between them.
		p, x := math.Exp(-math.Ln10*308*rng.Float64()), rng.Float64()/2
		success := math.Log1p(odds*p) / depth
		if odds*p < 1e-17 {
			success = odds / depth * p
		}
		k := 1 + rng.IntN(20)
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"mean", l.Mean(), odds / depth},
			{"f(1)", l.PGF(1), 1},
			{"f(x)", l.PGF(x), -math.Log1p(-(1-gamma)*x) / depth},
			{"1-f(1-p)", l.SuccessProbability(p), success},
			{"1-f(0)", l.SuccessProbability(1), 1},
			{"P[K=k]", math.Exp(l.LogPMF(k)), math.Exp(float64(k)*math.Log1p(-gamma)) / (float64(k) * depth)},
			{"f'(x)", math.Exp(l.LogPGFDerivative(x)), (1 - gamma) / ((1 - (1-gamma)*x) * depth)},
			{"f'(1)", math.Exp(l.LogPGFDerivative(1) - numeric.Log(l.Mean())), 1},
			{"inverse", l.invertDepth(x), x * depth},
		} {
			tolerance := 2e-12 + 2*math.Abs(eta)*depth + 1e-15*float64(k)*depth
			if !(math.Abs(c.got-c.want) <= tolerance*c.want+1e-320) {
				t.Errorf("η = %g, γ = %g, p = %g, x = %g, k = %d: %s %.15g, want %.15g, that of η = 0", eta, gamma, p, x, k, c.name, c.got, c.want)
			}
		}
	}
}

// The chance of success of a small p is E[K] p, whatever underflows on the way.
func TestSmallSuccess(t *testing.T) {
	for _, c := range []struct {
		law Law
		p   float64
	}{
		{TNB{Eta: 0.5, Gamma: 1 - 0x1p-53}, 1e-307}, {TNB{Eta: 1e-9, Gamma: 0.5}, 1e-307}, {TNB{Eta: -0.5, Gamma: 1e-10}, 1e-307},
		{TNB{Eta: 0, Gamma: 0.1}, 1e-307}, {TNB{Eta: 1e12, Gamma: 1 - 1e-10}, 1e-307},
		{Binomial{Trials: 1 << 24, P: 1e-30}, 1e-300}, {Binomial{Trials: 5, P: 0.5}, 1e-300}, {Poisson{MeanRepeats: 1e5}, 1e-307},
		{Fixed{Count: 10}, 1e-307}, {TwoPoint{Runs: 5, Single: 0.1}, 1e-307}, {PMF{Weights: []float64{0.5, 0.25, 0.25}}, 1e-307},
	} {
		d := c.law.Distribution()
		if got, want := d.SuccessProbability(c.p), d.Mean()*c.p; !(math.Abs(got-want) <= 1e-9*want+1e-320) {
			t.Errorf("%v: chance of success at p = %g is %g, want %g", c.law, c.p, got, want)
		}
	}
}

// broken is the logarithmic law with one method that is wrong.
type broken struct {
	tnb
	mean, one, zero, success, slope float64
}

func (b broken) Mean() float64                        { return b.tnb.Mean() * b.mean }
func (b broken) SuccessProbability(p float64) float64 { return b.tnb.SuccessProbability(p) * b.success }
func (b broken) LogPGFDerivative(x float64) float64 {
	return b.tnb.LogPGFDerivative(x) + numeric.Log(b.slope)
}

func (b broken) PGF(x float64) float64 {
	switch x {
	case 0:
		return b.zero
	case 1:
		return b.one
	}
	return b.tnb.PGF(x)
}

// user is a law of another package: its Validate knows nothing of what is wrong.
type user struct {
	TNB
	broken form
}

func (u user) Validate() error            { return nil }
func (u user) String() string             { return "a law of one's own" }
func (u user) Distribution() Distribution { return newDistribution(u, u.broken) }

// A distribution that contradicts itself is an error with the law's name, and has no price.
func TestInconsistentLaws(t *testing.T) {
	good := broken{tnb(TNB{Eta: 0, Gamma: 0.5488116360940264}), 1, 1, 0, 1, 1}
	if _, err := Of(user{broken: good}); err != nil {
		t.Errorf("a law without a fault: %v", err)
	}
	for want, change := range map[string]func(b *broken){
		"E[K]":       func(b *broken) { b.mean, b.slope = 0.6, 0.6 }, // 0.82 runs of at least one
		"f(1)":       func(b *broken) { b.one = 1 + 1e-8 },
		"f(0)":       func(b *broken) { b.zero = 1e-8 },
		"P[K >= 1]":  func(b *broken) { b.success = 1 - 1e-8 },
		"f'(1)/E[K]": func(b *broken) { b.slope = 1 + 1e-8 },
		"comes out":  func(b *broken) { b.mean = math.NaN() },
	} {
		bad := good
		change(&bad)
		l := user{broken: bad}
		if _, err := Of(l); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), l.String()) {
			t.Errorf("a fault of %s: error %v, want one that names it and the law", want, err)
		}
		if d := l.Distribution(); !math.IsInf(d.MaxLogWeight(2, Profile{}), 1) || !math.IsNaN(d.Mean()) {
			t.Errorf("a fault of %s: must leave nothing known", want)
		}
	}
}

// A parameter that is subnormal is refused by its name.
func TestSubnormalParameters(t *testing.T) {
	for _, x := range []float64{5e-324, -5e-324, 1e-310, 0x1p-1022 - 5e-324} {
		for field, l := range map[string]Law{
			"TNB.Eta": TNB{Eta: x, Gamma: 0.5}, "Binomial.P": Binomial{Trials: 3, P: math.Abs(x)},
			"Poisson.MeanRepeats": Poisson{MeanRepeats: math.Abs(x)}, "TwoPoint.Single": TwoPoint{Runs: 3, Single: math.Abs(x)},
		} {
			if _, err := Of(l); err == nil || !strings.Contains(err.Error(), field) || !strings.Contains(err.Error(), "subnormal") {
				t.Errorf("%s = %g: error %v, want one that names field and rule", field, x, err)
			}
		}
		if _, err := TNBFromMean(x, 2); err == nil {
			t.Errorf("TNBFromMean of η = %g: must be refused", x)
		}
	}
}
