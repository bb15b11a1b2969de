package selection

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Every bound of every family is shown by its check, which shares nothing with the search, not only
// the least. Those without a check, and those whose check takes the searched number as given, are
// not below a twin that is written out here from the theorem. A bound that lacks a term fails.
func TestEveryFamilyIsOnItsSide(t *testing.T) {
	const delta = 1e-5
	gaussian := accounting.Gaussian{NoiseMultiplier: 1}
	limited := []law.Law{
		law.Truncated{Law: law.Poisson{MeanRepeats: 3}, Max: 25}, law.Capped{Law: law.Poisson{MeanRepeats: 3}, Max: 25},
		law.Truncated{Law: law.TNB{Eta: 1, Gamma: 0.5}, Max: 40},
	}
	some := append([]law.Law{law.TNB{Eta: 1, Gamma: 0.1}, law.Poisson{MeanRepeats: 0.3}, law.TwoPoint{Runs: 20, Single: 0.1}}, limited...)
	known := func(event accounting.Event, accountants ...accounting.Accountant) baserun.Run {
		base, err := baserun.New(event, accountants...)
		if err != nil {
			t.Fatal(err)
		}
		return base
	}
	for _, c := range []struct {
		base  baserun.Run
		laws  []law.Law
		twins map[string]func(l law.Law, delta float64) float64
	}{
		{known(gaussian), slices.Concat(enumerate.Laws, limited), twins},
		{known(gaussian, rdp.NewAccountant()), some, nil},
		{known(accounting.ApproxDP{Epsilon: 1, Delta: 1e-8}), some, twinsOfApproxDP},
	} {
		for _, l := range c.laws {
			k := l.Distribution()
			listed := c.base.Prepared().ListedFor(k, delta)
			for _, family := range families {
				bounds, err := family(k, listed, delta)
				if err != nil {
					t.Fatalf("%v of %s: %v", l, c.base.Name, err)
				}
				for _, b := range bounds {
					epsilon := b.Epsilon * (1 + lastDigits)
					if math.IsInf(epsilon, 1) {
						continue
					}
					kind, _, _ := strings.Cut(b.Name, ",")
					twin, known := c.twins[kind]
					if known {
						if want := twin(l, delta); !(epsilon >= want*(1-1e-9)) {
							t.Errorf("%q of the %v: ε %.12g, want at least %.12g (%s, written out in the test)", b.Name, l, epsilon, want, b.Theorem)
						}
					}
					raise := 1.1e-9
					switch kind {
					case "sharpened RDP", "Lemma 7": // the lists of the check are coarse
						raise = 1.1e-5
					case "sharpened profile":
						raise = 1.1e-6
					case "Lemma 20": // the check has no digits to spare for a limited law
						continue
					}
					if b.Ask == nil {
						if twins[kind] == nil {
							t.Errorf("%q has neither a check nor a twin in this test", b.Name)
						}
						continue
					}
					if shown := b.Ask().Certify(epsilon, delta, nil); shown == nil || shown.Epsilon > epsilon*(1+raise) {
						t.Errorf("%q of the %v of %s: its check does not show ε %.12g: %+v", b.Name, l, c.base.Name, epsilon, shown)
					}
				}
			}
		}
	}
}

// A profile that answers one question at a time takes another way to the published constant.
func TestProfileOfOneQuestionAtATime(t *testing.T) {
	const delta = 1e-5
	slow := baserun.Run{Name: "a run", Profiles: []baserun.Profile{{Name: "slow", DeltaAt: func(e float64) float64 { return gaussianDelta(1, e) }}}}
	l := law.TNB{Eta: 1, Gamma: 0.1}
	bounds, err := profileBounds(l.Distribution(), slow.Prepared(), delta)
	if err != nil || len(bounds) != 1 {
		t.Fatal(bounds, err)
	}
	if want := twins["profile"](l, delta); !(bounds[0].Epsilon >= want && bounds[0].Epsilon <= want*(1+1e-3)) {
		t.Errorf("%v: ε %.12g, want just above %.12g (%s)", l, bounds[0].Epsilon, want, bounds[0].Theorem)
	}
}

// The twins have the ε of bounds for Gaussian runs with µ = 1, whose ε(λ) is λ/2 and whose profile
// is gaussianDelta(1, ε). Minima over grids are not below the bounds' own by more than 1e-9.
var twins = map[string]func(l law.Law, delta float64) float64{
	// Papernot and Steinke (2022), Corollary 4, at every order.
	"Theorem 2": func(l law.Law, delta float64) float64 {
		return ofCurve(delta, theorem2OfGaussian(l.(law.TNB)))
	},
	// Theorem 6: ε(λ) + µ δ̂ + ln(µ)/(λ-1), e^ε̂ = 1 + 1/(λ-1).
	"Theorem 6": func(l law.Law, delta float64) float64 {
		return ofCurve(delta, theorem6OfGaussian(l.(law.Poisson)))
	},
	// Lemma 22 with P[K=0] added. A curve does not fall, so the least of larger orders holds too.
	"Lemma 22": func(l law.Law, delta float64) float64 {
		truncated := l.(law.Truncated)
		curve := func(order float64) float64 { return math.Inf(1) }
		switch inner := truncated.Law.(type) {
		case law.TNB:
			curve = theorem2OfGaussian(inner)
		case law.Poisson:
			curve = theorem6OfGaussian(inner)
		}
		inner := truncated.Law.Distribution()
		var more, runs float64 // P[K > Max], E[K; K > Max]
		for k := truncated.Max + 1; k < 100_000; k++ {
			p := math.Exp(inner.LogPMF(k))
			more, runs = more+p, runs+p*float64(k)
		}
		return ofCurve(delta, func(order float64) float64 {
			weighted := math.Exp((order-1)*curve(order)-(order-1)*math.Log1p(-runs/inner.Mean())) + math.Exp(inner.LogPMF(0))
			return (math.Log1p(weighted-1) - math.Log1p(-more)) / (order - 1)
		})
	},
	// Koskela, Redberg and Wang (2024): ε1 + (1+η) min ln(e^e + (1/γ-1) δ(e)) for TNB, at δ/E[K].
	"profile": func(l law.Law, delta float64) float64 {
		k := l.Distribution()
		tnb, ok := l.(law.TNB)
		if !ok {
			return 0 // its check has the exact constant
		}
		least := math.Inf(1)
		for e := 0.0; e < 10; e += 1e-3 {
			least = math.Min(least, numeric.Log(math.Exp(e)+(1/tnb.Gamma-1)*gaussianDelta(1, e)))
		}
		return (epsilonOf(delta/math.Max(1, k.Mean()), func(e float64) float64 { return gaussianDelta(1, e) }) + (1+tnb.Eta)*least) * (1 - 1e-6)
	},
	// Runs with µ = 1 compose to µ = √n.
	"composition": func(l law.Law, delta float64) float64 {
		most, _ := l.Distribution().MostRuns()
		return epsilonOf(delta, func(e float64) float64 { return gaussianDelta(math.Sqrt(float64(most)), e) })
	},
	// The mean over K of the cost of publishing K runs, and all of K > n.
	"published runs": func(l law.Law, delta float64) float64 {
		k := l.Distribution()
		return epsilonOf(delta, func(e float64) float64 {
			sum, tail := 0.0, 1.0
			for n := 0; tail > delta/1000; n++ {
				p := math.Exp(k.LogPMF(n))
				tail -= p
				if n > 0 {
					sum += p * gaussianDelta(math.Sqrt(float64(n)), e)
				}
			}
			return sum + math.Max(0, tail)
		})
	},
	// δ <= (δ0 + e^ε τ)/(1-τ) if truncated and δ0 + (1+e^ε) τ if capped, τ = P[K > Max]. δ0 is at
	// least that of thresholds on a score that grows with the output.
	"total variation": func(l law.Law, delta float64) float64 {
		var inner law.Law
		var most int
		truncated, ok := l.(law.Truncated)
		if inner, most = truncated.Law, truncated.Max; !ok {
			capped := l.(law.Capped)
			inner, most = capped.Law, capped.Max
		}
		tau, k := 0.0, inner.Distribution()
		for n := most + 1; n < most+1000; n++ {
			tau += math.Exp(k.LogPMF(n))
		}
		return epsilonOf(delta, func(e float64) float64 {
			worst := 0.0
			for x := 0.0; x < 8; x += 0.01 {
				upper := func(shift float64) float64 { return k.SuccessProbability(math.Erfc((x-shift)/math.Sqrt2) / 2) }
				worst = math.Max(worst, upper(1)-math.Exp(e)*upper(0))
			}
			if ok {
				return (worst + math.Exp(e)*tau) / (1 - tau)
			}
			return worst + (1+math.Exp(e))*tau
		})
	},
}

// Lemma 20 for (1, 1e-8)-private runs: with d such that 1 - f(1-d) = δ, ε0 at d and the largest
// ln f'((1-d)p)/f'((1-d)p') of the ranks of ε0-private runs, p <= e^ε0 p' and 1-p' <= e^ε0 (1-p).
var twinsOfApproxDP = map[string]func(l law.Law, delta float64) float64{
	"Lemma 20": func(l law.Law, delta float64) float64 {
		k := l.Distribution()
		d := epsilonOf(delta, func(d float64) float64 { return 2*delta - k.SuccessProbability(d) })
		ratio := math.E - (d-1e-8)*(1+math.E) // e^ε0 of a run at δ0 = d
		most := 0.0
		for p := 0.0; p <= 1; p += 1e-4 {
			up := math.Min(ratio*p, 1-(1-p)/ratio)
			most = math.Max(most, k.LogPGFDerivative((1-d)*up)-k.LogPGFDerivative((1-d)*p))
		}
		return (numeric.Log(ratio) + most) * (1 - 1e-6)
	},
}

// gaussianDelta is the profile of the Gaussian mechanism: Balle and Wang (2018), Theorem 8.
func gaussianDelta(mu, epsilon float64) float64 {
	cdf := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	return cdf(mu/2-epsilon/mu) - math.Exp(epsilon)*cdf(-mu/2-epsilon/mu)
}

// epsilonOf returns the lower end of the first ε at which δ(ε) is down to delta.
func epsilonOf(delta float64, at func(epsilon float64) float64) float64 {
	low, high := 0.0, 0.25
	for at(high) > delta && high < 500 {
		low, high = high, high+0.25
	}
	for range 50 {
		if middle := (low + high) / 2; at(middle) > delta {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// orders of the grids, from 1.001 to 1,000.
func orders(visit func(order float64)) {
	for a := 1e-3; a < 1000; a *= 1.001 {
		visit(1 + a)
	}
}

// ofCurve is the conversion of Canonne, Kamath and Steinke (2020), with the least of the curve at
// larger orders.
func ofCurve(delta float64, curve func(order float64) float64) float64 {
	all := []float64{}
	orders(func(order float64) { all = append(all, order) })
	least, value := math.Inf(1), math.Inf(1)
	for _, order := range slices.Backward(all) {
		value = math.Min(value, curve(order))
		least = math.Min(least, value+math.Log1p(-1/order)-(numeric.Log(delta)+numeric.Log(order))/(order-1))
	}
	return least * (1 - 1e-6) // the grid's own error
}

func theorem2OfGaussian(l law.TNB) func(order float64) float64 {
	free := math.Inf(1)
	orders(func(order float64) { free = math.Min(free, (1-1/order)*order/2+numeric.Log(1/l.Gamma)/order) })
	free = math.Min(free, numeric.Log(1/l.Gamma)) // λ̂ = 1
	return func(order float64) float64 {
		return order/2 + (1+l.Eta)*free + numeric.Log(l.Distribution().Mean())/(order-1)
	}
}

func theorem6OfGaussian(l law.Poisson) func(order float64) float64 {
	return func(order float64) float64 {
		return order/2 + l.MeanRepeats*gaussianDelta(1, math.Log1p(1/(order-1))) + numeric.Log(l.MeanRepeats)/(order-1)
	}
}

// The moment of Lemma 7 is f(0) + E[K] e^y, also where one of the two is negligible.
func TestMomentOfLemma7(t *testing.T) {
	for _, l := range []law.Law{
		law.Binomial{Trials: 20, P: 0.5}, law.Binomial{Trials: 2, P: 1e-280}, law.TwoPoint{Runs: 20, Single: 0.1},
		law.PMF{Weights: []float64{0.1, 0.2, 0, 0.4, 0.3}},
	} {
		k := l.Distribution()
		for _, y := range []float64{0, 1e-3, 1, 10, 599, 640, 660} {
			none, some := math.Exp(k.LogPMF(0)), numeric.Log(k.Mean())+y
			want := numeric.Log(none + math.Exp(math.Min(some, 600)))
			if some > 600 {
				want = some
			}
			if got := lemma7Moment(k)(y); !(got >= want-1e-14*(1+math.Abs(want)) && got <= want+1e-13*(1+math.Abs(want))) {
				t.Errorf("%v, y %g: %.15g, want %.15g = ln(f(0) + E[K] e^y)", l, y, got, want)
			}
		}
	}
}

// Small terms: the lines of truncated and capped laws, with τ = P[K > 3] of a Poisson law summed
// here, and Lemma 22 with it. The ranks of a two-point law that is nearly one run are tanh(ε0/2)
// apart.
func TestSmallTerms(t *testing.T) {
	tau := 1 - math.Exp(-3)*(1+3+4.5+4.5)
	offset, slope := truncatedVariation(law.Truncated{Law: law.Poisson{MeanRepeats: 3}, Max: 3})(2)
	if math.Abs(offset-math.Exp(2)*tau/(1-tau)) > 1e-9 || math.Abs(slope-1/(1-tau)) > 1e-9 {
		t.Errorf("offset %.15g, slope %.15g, want e²τ/(1-τ) and 1/(1-τ) with τ = %.15g", offset, slope, tau)
	}
	if offset, slope := cappedVariation(law.Capped{Law: law.Poisson{MeanRepeats: 3}, Max: 3})(2); math.Abs(offset-(1+math.Exp(2))*tau) > 1e-9 || slope != 1 {
		t.Errorf("offset %.15g, slope %g, want (1+e²)τ and 1", offset, slope)
	}
	curve, err := Lemma22(law.Truncated{Law: law.Poisson{MeanRepeats: 3}, Max: 3}, func(order float64) float64 { return 0.1 * order })
	if err != nil {
		t.Fatal(err)
	}
	want, runs := math.Inf(1), 1-math.Exp(-3)*(1+3+4.5) // E[K; K > 3]/3 = P[K > 2]
	for a := 1.0; a < 50; a *= 1.0001 {
		want = math.Min(want, numeric.Log(math.Exp(-3)/(1-tau)+math.Exp(a*0.1*(1+a))/((1-tau)*math.Pow(1-runs, a)))/a)
	}
	if got := curve(2); math.Abs(got-want) > 1e-6 {
		t.Errorf("Lemma 22 with P[K = 0] at order 2: %.9g, want %.9g", got, want)
	}
	const rest = 1e-11
	if got, least := pureEpsilon(law.TwoPoint{Runs: 2, Single: 1 - rest}.Distribution(), 1, 0), 1+2*rest*math.Tanh(0.5)*(1-1e-3); got < least {
		t.Errorf("ε %.15g of nearly one run, want at least %.15g", got, least)
	}
}
