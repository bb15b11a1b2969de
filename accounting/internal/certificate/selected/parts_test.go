package selected_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dplab/dplab/accounting/internal/certificate/laws"
	"github.com/dplab/dplab/accounting/internal/certificate/selected"
	"github.com/dplab/dplab/accounting/internal/certificate/unproved"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/numeric"
)

// response is randomized response. Two values give its profile everywhere.
func response(epsilon float64) (enumerate.Pair, selected.Run) {
	p := 1 / (1 + math.Exp(-epsilon))
	return enumerate.Of([]float64{p, 1 - p}, []float64{1 - p, p}), selected.NewRun([]selected.Known{{Delta: 2*p - 1}, {Epsilon: epsilon}})
}

// profileOf returns the profile of a pair, whose orders are alike, at the ratios of its outcomes.
func profileOf(pair enumerate.Pair) selected.Run {
	known := []selected.Known{{Delta: pair.Delta(0)}}
	for i, p := range pair.P {
		if e := numeric.Log(p / pair.Q[i]); e > 0 {
			known = append(known, selected.Known{Epsilon: e, Delta: pair.Delta(e)})
		}
	}
	slices.SortFunc(known, func(a, b selected.Known) int { return cmp.Compare(a.Epsilon, b.Epsilon) })
	return selected.NewRun(known)
}

// forth is δ at ε of one order of a pair.
func forth(pair enumerate.Pair, epsilon float64) (delta float64) {
	for i, p := range pair.P {
		delta += math.Max(0, p-math.Exp(epsilon)*pair.Q[i])
	}
	return delta
}

// ofSearch returns the pairs of a search: of a threshold, and of a positive with up to 60 failures
// before it.
func ofSearch(s selected.Search) (tested, failed enumerate.Pair) {
	one, two := s.Sensitivity/s.ThresholdNoise, 2*s.Sensitivity/s.ScoreNoise
	if s.Exponential { // the loss is ε always
		certain := func(epsilon float64) enumerate.Pair {
			return enumerate.Of([]float64{1, 0}, []float64{math.Exp(-epsilon), -math.Expm1(-epsilon)})
		}
		return certain(one), certain(two)
	}
	tested, _ = response(one)
	p := 1 / (1 + math.Exp(-two))
	for j := range 60 {
		failed.P, failed.Q = append(failed.P, p*math.Pow(1-p, float64(j))), append(failed.Q, (1-p)*math.Pow(p, float64(j)))
	}
	return tested, failed
}

// The checks of a search against its pair, enumerated: never below, and hardly above. A search
// with a positive less is below.
func TestSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(52, 1))
	planted := 0
	for range 60 {
		s := selected.Search{Sensitivity: 1, ThresholdNoise: 1 + 5*rng.Float64(), ScoreNoise: 1 + 5*rng.Float64(), Thresholds: 1 + rng.IntN(3), Positives: 1 + rng.IntN(2), Exponential: rng.IntN(3) == 0}
		s.Once = s.Thresholds == 1
		whole, run := response(0.5 * rng.Float64())
		after := whole
		tested, failed := ofSearch(s)
		for range s.Thresholds {
			whole = enumerate.Product(whole, tested)
		}
		for range s.Positives {
			whole = enumerate.Product(whole, failed)
		}
		one, two := 1/s.ThresholdNoise, 2/s.ScoreNoise
		pure := float64(s.Thresholds)*one + float64(s.Positives)*two
		epsilon := pure * rng.Float64()
		want := forth(whole, epsilon)
		got, work := s.Losses(run, want)(epsilon, 0)
		if got < want*(1-1e-12) || got > want*(1+1e-6)+1e-12 || work == 0 {
			t.Errorf("%+v at ε %g: δ %.12g, want %.12g", s, epsilon, got, want)
		}
		less := s
		less.Positives--
		if got, _ := less.Losses(run, want)(epsilon, 0); got < want*(1-1e-9) {
			planted++
		}
		for _, order := range []float64{1.5, 4, 60} {
			laplace := numeric.Log(order/(2*order-1)*math.Exp((order-1)*one) + (order-1)/(2*order-1)*math.Exp(-order*one))
			miss := numeric.Log(sumOfPowers(failed, order))
			if s.Exponential {
				laplace, miss = (order-1)*one, (order-1)*two
			}
			count, each := s.Thresholds, one+two
			if s.Once {
				count, each = 1, pure
			}
			part, _ := response(each)
			rest := after.Divergence(order)
			exponent := math.Min(float64(s.Thresholds)*laplace+float64(s.Positives)*miss, float64(count)*numeric.Log(sumOfPowers(part, order))) + (order-1)*rest
			want := math.Min(1, math.Exp(exponent-(order-1)*epsilon)*math.Pow(1-1/order, order)/(order-1))
			if got, _ := s.Renyi(order, rest)(epsilon, 0); math.Abs(got/want-1) > 1e-9 {
				t.Errorf("%+v at ε %g, order %g: δ %.12g, want %.12g", s, epsilon, order, got, want)
			}
		}
		count, each := s.Thresholds, one+two
		if s.Once {
			count, each = 1, pure
		}
		sum := math.Min(pure, float64(count)*each)
		if got, _ := s.Pure(run)(sum+epsilon, 0); math.Abs(got-forth(after, epsilon)) > 1e-6*got+1e-12 {
			t.Errorf("%+v, pure: δ %g at ε %g, want %g", s, got, sum+epsilon, forth(after, epsilon))
		}
		part, _ := response(each)
		parts := after
		for range count {
			parts = enumerate.Product(parts, part)
		}
		exact := forth(parts, epsilon)
		if got, _ := s.Tests(run)(epsilon, 0); got < exact*(1-1e-12) || got > exact*(1+1e-6)+1e-12 {
			t.Errorf("%+v, tests at ε %g: δ %.12g, want %.12g", s, epsilon, got, exact)
		}
	}
	if planted < 50 {
		t.Errorf("a positive less is below the exact δ in %d of 60 cases", planted)
	}
}

// sumOfPowers returns Σ p^α q^(1-α).
func sumOfPowers(pair enumerate.Pair, order float64) (sum float64) {
	for i, p := range pair.P {
		sum += pair.Q[i] * math.Pow(p/pair.Q[i], order)
	}
	return sum
}

// A tuning on a sample and a training, against their joint law. The check is exact, as the training
// is randomized response. With a rate that is too small it is below.
func TestFates(t *testing.T) {
	rng := rand.New(rand.NewPCG(52, 2))
	planted := 0
	for range 100 {
		tuning, rate, all := enumerate.DrawnPair(rng, 2+rng.IntN(4), 0.5), rng.Float64(), rng.IntN(2) == 0
		training, run := response(rng.Float64())
		// both orders are alike
		tuning = enumerate.Of(append(slices.Clone(tuning.P), tuning.Q...), append(slices.Clone(tuning.Q), tuning.P...))
		for i := range tuning.P {
			tuning.P[i], tuning.Q[i] = tuning.P[i]/2, tuning.Q[i]/2
		}
		with, without := training.P, training.Q
		inside := without
		if all {
			inside = with
		}
		joint := func(a, b []float64) []float64 { return enumerate.Product(enumerate.Of(a, a), enumerate.Of(b, b)).P }
		whole := enumerate.Of(enumerate.Mixed(rate, joint(tuning.Q, with), joint(tuning.P, inside)), joint(tuning.Q, without))
		for range 5 {
			epsilon := 2 * rng.Float64() * rng.Float64()
			want := whole.Delta(epsilon)
			check := func(rate float64) float64 {
				got, _ := selected.Fates(profileOf(tuning), run, rate, all)(epsilon, 0)
				return got
			}
			if got := check(rate); got < want*(1-1e-12)-1e-16 || got > want*(1+1e-9)+1e-12 {
				t.Errorf("%+v, rate %g, all %t, at ε %g: δ %.12g, want %.12g", tuning, rate, all, epsilon, got, want)
			}
			if check(rate*0.9) < want*(1-1e-9) {
				planted++
			}
		}
	}
	if planted < 100 {
		t.Errorf("a rate that is too small is below the exact δ in %d of 500 cases", planted)
	}
}

// Two fates of one record, against the laws of the outputs. The check is never below, and near in
// some cases.
func TestMixed(t *testing.T) {
	rng := rand.New(rand.NewPCG(52, 3))
	nearest, shown := 0.0, 0
	for range 2000 {
		n := 2 + rng.IntN(3)
		a, c := enumerate.DrawnPair(rng, n, 0.7).P, enumerate.DrawnPair(rng, n, 0.7).Q
		b := append([]float64{}, c...)
		for i := range c {
			a[i], b[i] = c[i]*math.Exp(0.7*rng.NormFloat64()), c[i]*math.Exp(0.7*rng.NormFloat64())
		}
		enumerate.Normalized(a)
		enumerate.Normalized(b)
		rate, one, two := rng.Float64(), 2*rng.Float64(), 2*rng.Float64()
		inside := unproved.Fate{Epsilon: one, Delta: enumerate.Of(a, c).Delta(one)}
		outside := unproved.Fate{Epsilon: two, Delta: enumerate.Of(b, c).Delta(two)}
		epsilon := numeric.Log(rate*math.Exp(one)+(1-rate)*math.Exp(two)) * (1 + 1e-12)
		got, _ := unproved.Mixed(rate, inside, outside)(epsilon, 0)
		want := enumerate.Of(enumerate.Mixed(rate, b, a), c).Delta(epsilon)
		if got < want*(1-1e-12)-1e-15 {
			t.Fatalf("rate %g, %+v, %+v: δ %.12g at ε %g, want %.12g", rate, inside, outside, got, epsilon, want)
		}
		if got > 0 && got < 1 {
			nearest, shown = math.Max(nearest, want/got), shown+1
		}
		if got, _ := unproved.Mixed(rate, inside, outside)(epsilon*(1-1e-6), 0); got < 1 {
			t.Fatalf("rate %g, %+v, %+v: δ %g shown below ε", rate, inside, outside, got)
		}
	}
	if nearest < 0.9 || shown < 500 {
		t.Errorf("%d shown, the nearest has %g of δ", shown, nearest)
	}
}

// A choice and randomized response after it, against a fine list of two outputs. What is shown is
// not below, and 1 % above is shown. With a range that is too small the check is below.
func TestChoice(t *testing.T) {
	rng := rand.New(rand.NewPCG(52, 4))
	planted := 0
	for range 40 {
		reach := 0.05 + 2*rng.Float64()
		last := rng.Float64()
		rest, run := response(last)
		epsilon := (reach + last) * rng.Float64() * 0.95
		want := 0.0
		const steps = 4000
		for i := range steps + 1 {
			t := reach * float64(i) / steps
			first := math.Expm1(t-reach) / math.Expm1(-reach) // chance with the record
			other := math.Exp(-t) * first
			choice := enumerate.Of([]float64{first, 1 - first}, []float64{other, 1 - other})
			want = math.Max(want, enumerate.Product(choice, rest).Delta(epsilon))
		}
		if got, work := selected.Choice(reach, run, want*1.01)(epsilon, 0); got > want*1.01 || got < want*(1-1e-5) || work == 0 {
			t.Errorf("range %g at ε %g: δ %.9g, want at most 1.01 times %.9g", reach, epsilon, got, want)
		}
		if got, _ := selected.Choice(reach, run, want*(1-1e-9))(epsilon, 0); got < 1 {
			t.Errorf("range %g at ε %g: δ %.12g is shown, below %.12g", reach, epsilon, got, want)
		}
		if got, _ := selected.Choice(reach*0.95, run, want*(1-1e-9))(epsilon, 0); got < 1 {
			planted++
		}
	}
	if planted < 30 {
		t.Errorf("a range that is too small is below the exact δ in %d of 40 cases", planted)
	}
}

// Where e^ε overflows, a profile is known from each of its values on. The geometric law of γ = 1/2
// has E[K] = 2, and without a line for P the largest ratio f'(1)/f'(0) = 1/γ².
func TestFarProfile(t *testing.T) {
	made, err := laws.Of(laws.Named{Type: "tnb", Numbers: map[string]float64{"eta": 1, "gamma": 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	known := []selected.Known{{Epsilon: 800, Delta: 1e-6}, {Epsilon: 1e5, Delta: 1e-9}, {Epsilon: math.Inf(1), Delta: 0}}
	check := selected.Profile(made, selected.NewRun(known))
	moved := 2 * math.Ln2
	for epsilon, want := range map[float64]float64{799: 2, 800 + moved*0.999: 2, 800 + moved*1.001: 2e-6, 1e5: 2e-6, 1e5 + 2: 2e-9, 1e300: 2e-9} {
		if got, _ := check(epsilon, 1e-6); !(got >= want && got <= want*(1+1e-12)) {
			t.Errorf("δ(%g) <= %g, want %g", epsilon, got, want)
		}
	}
}
