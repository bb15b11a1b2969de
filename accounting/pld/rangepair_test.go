package pld_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/pld"
)

// twoOutputs is the choice of range ε whose first output has the loss t: its chance without the
// record is q, with it q e^t.
func twoOutputs(epsilon, t float64) (with, without [2]float64) {
	q := -math.Expm1(t-epsilon) / (math.Exp(t) - math.Exp(t-epsilon))
	without = [2]float64{q, 1 - q}
	return [2]float64{q * math.Exp(t), 1 - q*math.Exp(t)}, without
}

// worstOf is the largest ∫ (P - xQ)₊ of count choices, each of which knows the outputs before it:
// the definition, over a list of t. With none left it is (1-x)₊; a choice turns x into x e^-L.
func worstOf(epsilon float64, count int, x float64, steps int) float64 {
	if count == 0 {
		return math.Max(0, 1-x)
	}
	worst := 0.0
	for i := range steps + 1 {
		with, without := twoOutputs(epsilon, epsilon*float64(i)/float64(steps))
		sum := 0.0
		for j := range with {
			if with[j] > 0 {
				sum += with[j] * worstOf(epsilon, count-1, x*without[j]/with[j], steps)
			}
		}
		worst = math.Max(worst, sum)
	}
	return worst
}

func choice(epsilon float64) accounting.Event {
	return accounting.ExponentialMechanism{Epsilon: epsilon}
}

// One choice against its definition, on a sample too: the interval holds the largest δ over all t,
// and both ends are told.
func TestOneChoice(t *testing.T) {
	for _, epsilon := range []float64{1e-3, 0.5, 2, 8} {
		for _, share := range []float64{0, 0.3, 0.9} {
			at := epsilon * share
			want := worstOf(epsilon, 1, math.Exp(at), 4000)
			got, err := pld.NewAccountant().DeltaAt(choice(epsilon), at)
			if err != nil || !got.HasLower || got.Lower > want*(1+1e-6) || got.Upper < want*(1-1e-12) {
				t.Errorf("ε = %g: δ(%g) %v, %v, want %g inside", epsilon, at, got, err, want)
			}
			if closed := math.Pow(-math.Expm1((at-epsilon)/2), 2) / -math.Expm1(-epsilon); math.Abs(closed/want-1) > 1e-6 {
				t.Errorf("ε = %g: the closed form is %g at %g, the definition says %g", epsilon, closed, at, want)
			}
			const rate = 0.1
			inner := math.Log1p(math.Expm1(at) / rate)
			if inner >= epsilon {
				continue
			}
			// With the record (1-q)Q+qP against Q: q H((x-1+q)/q), and the other direction is less.
			want = rate * worstOf(epsilon, 1, math.Exp(inner), 4000)
			got, err = pld.NewAccountant().DeltaAt(sampled(rate, choice(epsilon)), at)
			if err != nil || !got.HasLower || got.Lower > want*(1+1e-6) || got.Upper < want*(1-1e-12) {
				t.Errorf("ε = %g on a sample: δ(%g) %v, %v, want %g inside", epsilon, at, got, err, want)
			}
		}
	}
	g, err := pld.NewAccountant().EpsilonAt(choice(1), 1e-5)
	want := 1 + 2*math.Log1p(-math.Sqrt(1e-5*-math.Expm1(-1))) // H(e^ε) = δ
	if err != nil || g.Epsilon.Lower > want || g.Epsilon.Upper < want || g.Epsilon.Width() > 0.01 {
		t.Errorf("ε at δ = 1e-5: %v, %v, want %.9g inside", g.Epsilon, err, want)
	}
}

// Two and three choices, each of which may look at those before it: no list of t leaks more than
// the bound, and pure differential privacy is dearer. It has no lower end, as nothing attains one.
func TestChoicesThatLookBack(t *testing.T) {
	const epsilon = 0.8
	for count, steps := range map[int]int{2: 60, 3: 16} {
		for _, at := range []float64{0, 0.4, 1, 1.5} {
			worst := worstOf(epsilon, count, math.Exp(at), steps)
			got, err := pld.NewAccountant().DeltaAt(times(choice(epsilon), count), at)
			pure, pureErr := pld.NewAccountant().DeltaAt(times(accounting.PureDP{Epsilon: epsilon}, count), at)
			if err != nil || pureErr != nil || got.HasLower || got.Upper < worst || got.Upper > worst*1.3+1e-3 || got.Upper > pure.Lower {
				t.Errorf("%d choices: δ(%g) %v, %v, want between %g and 1.3 times that; pure %v", count, at, got, err, worst, pure)
			}
		}
	}
}

// Two choices against a quadrature of the pair's densities, which the grid must be near: the
// convolution of the closed profile with the density of a loss.
func TestTwoChoicesByQuadrature(t *testing.T) {
	const epsilon, n = 1.0, 20000
	c := math.Exp(-epsilon / 2)
	profile := func(e float64) float64 {
		switch {
		case e >= epsilon:
			return 0
		case e <= -epsilon:
			return -math.Expm1(e)
		}
		return math.Pow(-math.Expm1((e-epsilon)/2), 2) / -math.Expm1(-epsilon)
	}
	for _, at := range []float64{0.2, 1, 1.8} {
		want := 0.0
		for i := range n { // the middle of each part of the losses of the first
			l := -epsilon + 2*epsilon*(float64(i)+0.5)/n
			want += 2 * epsilon / n * c / 2 * math.Exp(l/2) / (1 - c*c) * profile(at-l)
		}
		got, err := pld.NewAccountant().DeltaAt(times(choice(epsilon), 2), at)
		if err != nil || got.Upper < want*(1-1e-7) || got.Upper > want*1.02 {
			t.Errorf("δ(%g) of two choices %v, %v, want at least %g, and not 2 %% above", at, got, err, want)
		}
	}
}

// What is known of bounds that are not attained: permute and flip is priced as pure differential
// privacy, of which it may leak less; the larger of several has the lower end of those that have
// one.
func TestUpperEndsAlone(t *testing.T) {
	flip, pure := accounting.PermuteAndFlip{Epsilon: 1}, accounting.PureDP{Epsilon: 1}
	for _, c := range []struct {
		event, upper accounting.Event
		lower        accounting.Event // nil: it has none
	}{
		{flip, pure, nil},
		{sampled(0.2, flip), sampled(0.2, pure), nil},
		{accounting.Composed{Events: []accounting.Event{flip, gaussian(2)}}, accounting.Composed{Events: []accounting.Event{pure, gaussian(2)}}, nil},
		{accounting.WorstCase{Events: []accounting.Event{flip, gaussian(20)}}, pure, gaussian(20)},
		{accounting.Parallel{Events: []accounting.Event{gaussian(20), times(choice(0.02), 3)}}, gaussian(20), gaussian(20)},
		{accounting.WorstCase{Events: []accounting.Event{flip, times(choice(0.02), 3)}}, pure, nil},
	} {
		got, err := pld.NewAccountant().EpsilonAt(c.event, 1e-6)
		upper, upperErr := pld.NewAccountant().EpsilonAt(c.upper, 1e-6)
		if err != nil || upperErr != nil || got.Epsilon.Upper != upper.Epsilon.Upper || got.Epsilon.HasLower != (c.lower != nil) {
			t.Errorf("%v: %v, %v, want the upper end of %v, %v", c.event, got.Epsilon, err, c.upper, upper.Epsilon)
		}
		delta, err := pld.NewAccountant().DeltaAt(c.event, 0.1)
		if err != nil || delta.HasLower != (c.lower != nil) || !(delta.Upper > 0) {
			t.Errorf("%v: δ %v, %v, with a lower end %t", c.event, delta, err, c.lower != nil)
		}
		if c.lower != nil {
			lower, err := pld.NewAccountant().EpsilonAt(c.lower, 1e-6)
			if err != nil || got.Epsilon.Lower != lower.Epsilon.Lower {
				t.Errorf("%v: %v, want the lower end of %v, %v", c.event, got.Epsilon, c.lower, lower.Epsilon)
			}
		}
	}
}

// Choices under all three relations, at the ends of what the grid takes.
func TestChoicesEverywhere(t *testing.T) {
	for r, relation := range []accounting.Neighboring{accounting.AddOrRemoveOne, accounting.ReplaceOne, accounting.ReplaceSpecial} {
		a := pld.Accountant{Relation: relation}
		for i, epsilon := range []float64{0x1p-1022, 1e-300, 1e-13, 1e-11, 1e-6, 1, 50, 700} {
			if testing.Short() && (i+r)%8 != 0 {
				continue
			}
			for e, event := range []accounting.Event{choice(epsilon), times(choice(epsilon), 10), sampled(0.3, choice(epsilon)), accounting.Composed{Events: []accounting.Event{choice(epsilon), gaussian(3)}}} {
				if testing.Short() && (e+i/8+r)%2 != 0 {
					continue
				}
				g, err := a.EpsilonAt(event, 1e-5)
				if err != nil || !(g.Epsilon.Upper >= 0) || g.Epsilon.Upper > 10*epsilon*(1+1e-9)+1.4 {
					t.Errorf("%v, %v: %v, %v", relation, event, g.Epsilon, err)
				}
			}
		}
		if g, err := a.EpsilonAt(choice(701), 1e-5); err == nil {
			t.Errorf("ε = 701: %v, want an error", g.Epsilon)
		}
	}
	a := pld.Accountant{Relation: accounting.ReplaceOne}
	event := accounting.SampledWithoutReplacement{SampleSize: 10, PopulationSize: 100, Event: choice(1)}
	one, err := a.DeltaAt(event, 0)
	want := 0.1 * math.Tanh(0.25) // (1-q) Q + q P against Q: q times the total variation
	if err != nil || one.Lower > want || one.Upper < want {
		t.Errorf("a sample of fixed size: δ(0) %v, %v, want %g inside", one, err, want)
	}
}
