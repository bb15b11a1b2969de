package answer

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/interval"
)

// TestJoined compares the tails with exact binomial ones. They are at least as large, and larger by
// 1e-9 at most, apart from the numbers that are rounded up.
func TestJoined(t *testing.T) {
	for _, c := range []struct {
		n int
		q float64
	}{{1, 0.3}, {4, 0.01}, {16, 0.5}, {64, 0.005}, {300, 0.2}, {1000, 1e-6}, {5, 0.9999}} {
		rate := interval.Of(c.q)
		numbers, chances := joined(c.n, binomial(c.n, rate.Div(interval.Of(1).Sub(rate))))
		above := func(k int) (sum float64) {
			for i, j := range numbers {
				if j > float64(k) {
					sum += chances[i]
				}
			}
			return sum
		}
		total, exact := 0.0, new(big.Float).SetPrec(200)
		for _, w := range chances {
			total += w
		}
		if math.Abs(total-1) > 1e-12 {
			t.Errorf("%+v: chances sum to %.17g", c, total)
		}
		q := new(big.Float).SetPrec(200).SetFloat64(c.q)
		p := new(big.Float).SetPrec(200).Sub(big.NewFloat(1).SetPrec(200), q)
		for k := c.n - 1; k >= 0; k-- { // the chance of more than k
			term := new(big.Float).SetPrec(200).SetInt(new(big.Int).Binomial(int64(c.n), int64(k+1)))
			for range k + 1 {
				term.Mul(term, q)
			}
			for range c.n - k - 1 {
				term.Mul(term, p)
			}
			exact.Add(exact, term)
			want, _ := exact.Float64()
			if got := above(k); got < want*(1-1e-15) || k < exactUpTo && got > want*(1+1e-9)+1e-290 {
				t.Errorf("%+v: more than %d with chance %.17g, want %.17g", c, k, got, want)
			}
		}
	}
}

// sums is the law of a batch's sum: a list of values with chances.
type sums map[float64]float64

// drawn enumerates all ways to draw the batch of event, all equally likely.
func drawn(event accounting.Event, values []float64) sums {
	var all []float64
	var draw func(left, from int, sum float64)
	switch e := event.(type) {
	case accounting.SampledWithoutReplacement:
		draw = func(left, from int, sum float64) {
			if left == 0 {
				all = append(all, sum)
				return
			}
			for i := from; i < len(values); i++ {
				draw(left-1, i+1, sum+values[i])
			}
		}
		draw(e.SampleSize, 0, 0)
	case accounting.SampledWithReplacement:
		draw = func(left, _ int, sum float64) {
			if left == 0 {
				all = append(all, sum)
				return
			}
			for _, v := range values {
				draw(left-1, 0, sum+v)
			}
		}
		draw(e.SampleSize, 0, 0)
	}
	law := sums{}
	for _, sum := range all {
		law[sum] += 1 / float64(len(all))
	}
	return law
}

// hockeyStick is ∫ (P - cQ)_+ of the laws with normal noise, by the midpoint rule.
func hockeyStick(p, q sums, sigma, c float64) (sum float64) {
	const n = 1500
	lo, hi := -7-7*sigma, 13+7*sigma
	step := (hi - lo) / n
	density := func(law sums, y float64) (d float64) {
		for mean, chance := range law {
			z := (y - mean) / sigma
			d += chance * math.Exp(-z*z/2) / (sigma * math.Sqrt(2*math.Pi))
		}
		return d
	}
	for i := range n {
		y := lo + step*(float64(i)+0.5)
		sum += step * math.Max(0, density(p, y)-c*density(q, y))
	}
	return sum
}

// TestPersonStepIsAboveEnumeratedDraws: no data exceed the mixture, in either direction, also with
// fewer records of the person and with more examples than stated. The draws are enumerated. Some
// data attain it: all others at -1, and the records at 1.
func TestPersonStepIsAboveEnumeratedDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 1))
	const rule = 1e-4 // more than the error of hockeyStick: at a kink, its cell squared times a slope
	most := 0.0
	for run := range 40 {
		n, k := 4+rng.IntN(2), 2+rng.IntN(2)
		m := 1 + rng.IntN(n-k)
		sigma := 0.3 + 1.5*rng.Float64()
		release := accounting.ClippedSum{NoiseMultiplier: sigma}
		var event accounting.Event = accounting.SampledWithoutReplacement{SampleSize: m, PopulationSize: n, Event: release}
		if run%2 == 1 {
			event = accounting.SampledWithReplacement{SampleSize: m, PopulationSize: n, Event: release}
		}
		node, err := accounting.Flatten(event)
		if err != nil {
			t.Fatal(err)
		}
		step, _, err := personStep(node, k)
		if err != nil {
			t.Fatal(err)
		}
		bound := sums{}
		for i, d := range step.Distances {
			bound[d] += step.Chances[i]
		}
		examples, records := n+rng.IntN(2), 1+rng.IntN(k)
		worst := run%4 < 2
		if worst {
			examples, records = n, k
		}
		values := make([]float64, examples) // the last ones are those of the person
		for i := range values {
			if values[i] = 2*rng.Float64() - 1; worst {
				values[i] = -1
			}
			if worst && i >= examples-records {
				values[i] = 1
			}
		}
		with, without := drawn(event, values), drawn(event, values[:examples-records])
		for _, c := range []float64{1, 1.1, 2, 6} {
			for _, got := range [][2]float64{
				{hockeyStick(with, without, sigma, c), hockeyStick(bound, sums{0: 1}, sigma, c)},
				{hockeyStick(without, with, sigma, c), hockeyStick(sums{0: 1}, bound, sigma, c)},
			} {
				if got[0] > got[1]+rule {
					t.Errorf("%v, %d records of %d, e^ε = %g: δ %.7f, above that of the mixture, %.7f", event, records, examples, c, got[0], got[1])
				}
				if worst && got[0] < got[1]-rule {
					t.Errorf("%v, %d records, e^ε = %g: δ %.7f is not attained: %.7f", event, records, c, got[1], got[0])
				}
				most = math.Max(most, got[0])
			}
		}
	}
	if most < 0.5 {
		t.Errorf("the largest δ is %g: too small to notice anything", most)
	}
}

// Group privacy compares n with n-1, ..., and n-k+1 with n-k examples. With b of n-k+1 the chance
// of a record is largest. A batch must be filled without the person.
func TestAmong(t *testing.T) {
	sum := accounting.ClippedSum{NoiseMultiplier: 1}
	without := func(m, n int) accounting.Event {
		return accounting.SampledWithoutReplacement{SampleSize: m, PopulationSize: n, Event: sum}
	}
	with := func(m, n int) accounting.Event {
		return accounting.SampledWithReplacement{SampleSize: m, PopulationSize: n, Event: sum}
	}
	capped := accounting.TruncatedPoisson{SamplingRate: 0.1, Cap: 3, PopulationSize: 20, Event: sum}
	twice := func(e accounting.Event) accounting.Event { return accounting.SelfComposed{Event: e, Count: 2} }
	for _, c := range []struct {
		event, want accounting.Event
		err         string
	}{
		{twice(without(3, 10)), twice(without(3, 6)), ""},
		{twice(without(5, 10)), twice(without(5, 6)), ""},
		{without(6, 10), nil, "SampledWithoutReplacement(6 of 10, ClippedSum(σ=1)): must leave enough other examples to fill a batch"},
		{accounting.Composed{Events: []accounting.Event{with(30, 6), sum}}, accounting.Composed{Events: []accounting.Event{with(30, 2), sum}}, ""},
		{with(30, 5), nil, "must leave enough"},
		{capped, capped, ""}, // for every number up to 20
		{accounting.ZCDP{Rho: 1}, nil, "several records"},
	} {
		node, err := accounting.Flatten(c.event)
		if err != nil {
			t.Fatal(err)
		}
		got, err := among(node, 4)
		if c.err == "" && (err != nil || got.Event.String() != c.want.String()) || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%v: %v, %v, want %v%s", c.event, got.Event, err, c.want, c.err)
		}
	}
}
