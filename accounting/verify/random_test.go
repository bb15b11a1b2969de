package verify_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/verify"
)

// outcome has its chances with and without the record.
type outcome struct{ p, q float64 }

// drawnMechanism returns the JSON of a drawn (ε, δ)-private mechanism on a sample, and the largest
// pair of laws that it may have. Under replace-one the outputs may show a Poisson sample.
func drawnMechanism(rng *rand.Rand, relation accounting.Neighboring) (text string, pair []outcome) {
	epsilon, delta, rate := 0.1+2*rng.Float64(), 1e-3*float64(rng.IntN(2)), 1-0.9*rng.Float64()
	text = fmt.Sprintf(`{"type":"approx_dp","epsilon":%g,"delta":%g}`, epsilon, delta)
	truth := (1 - delta) / (1 + math.Exp(-epsilon))
	shown := relation == accounting.ReplaceOne
	text = fmt.Sprintf(`{"type":"poisson_sampled","sampling_rate":%g,"event":%s}`, rate, text)
	for _, o := range []outcome{{truth, 1 - delta - truth}, {1 - delta - truth, truth}, {delta, 0}, {0, delta}} {
		if shown {
			o.p, o.q = rate*o.p, rate*o.q
		} else {
			o.p = rate*o.p + (1-rate)*o.q
		}
		pair = append(pair, o)
	}
	if shown {
		pair = append(pair, outcome{1 - rate, 1 - rate})
	}
	return text, pair
}

// No witness shows a δ below the truth: drawn grids and orders against sums over all outcomes of
// drawn compositions.
func TestDrawnWitnesses(t *testing.T) {
	rng := rand.New(rand.NewPCG(52, 1))
	shown := map[string]int{}
	for range 60 {
		relation := relations[rng.IntN(3)]
		one, pair := drawnMechanism(rng, relation)
		two, other := drawnMechanism(rng, relation)
		count := 1 + rng.IntN(3)
		all := []outcome{{1, 1}}
		for _, part := range append(make([][]outcome, count), other) {
			if part == nil {
				part = pair
			}
			var next []outcome
			for _, a := range all {
				for _, b := range part {
					next = append(next, outcome{a.p * b.p, a.q * b.q})
				}
			}
			all = next
		}
		c, err := verify.NewChecker(fmt.Appendf(nil, `{"type":"composed","events":[{"type":"self_composed","count":%d,"event":%s},%s]}`, count, one, two), relation)
		if err != nil {
			t.Fatal(err)
		}
		for range 8 {
			epsilon := 3 * rng.Float64()
			var remove, add float64
			for _, o := range all {
				remove += math.Max(0, o.p-math.Exp(epsilon)*o.q)
				add += math.Max(0, o.q-math.Exp(epsilon)*o.p)
			}
			truth := math.Max(remove, add)
			step, points, tilt := math.Exp(-5+4*rng.Float64()), 1<<(3+rng.IntN(7)), math.Exp(-2+3*rng.Float64())
			law := fmt.Sprintf(`{"first":%d,"points":%d}`, -rng.IntN(points), 1+rng.IntN(2*points))
			var grids []string
			for _, added := range []bool{false, true} {
				grids = append(grids, fmt.Sprintf(`{"add":%v,"step":%g,"tilt":%g,"beyond":%g,"first":%d,"points":%d,"laws":[%s,%s]}`,
					added, step, tilt, tilt*(1+9*rng.Float64()), -rng.IntN(points), points, law, law))
			}
			for _, step := range []string{
				`{"rule":"laws on a grid","witness":[` + strings.Join(grids, ",") + `]}`,
				fmt.Sprintf(`{"rule":"Rényi divergence","witness":{"order":%g,"total_variation":%v}}`, 1+math.Exp(2*rng.NormFloat64()), rng.IntN(4) == 0),
			} {
				var s accounting.Step
				if err := json.Unmarshal([]byte(step), &s); err != nil {
					t.Fatal(err)
				}
				upper, err := c.Shows(s, epsilon, truth*math.Exp(rng.NormFloat64()))
				if err == nil && upper < 1 {
					shown[s.Rule]++
				}
				if err == nil && upper < truth*(1-1e-12) {
					t.Errorf("δ(%g) <= %g of %d runs of %s and %s under %v, and the sum is %g: %s", epsilon, upper, count, one, two, relation, truth, step)
				}
			}
		}
	}
	if shown["laws on a grid"] < 50 || shown["Rényi divergence"] < 20 {
		t.Errorf("drawn witnesses show little: %v", shown)
	}
	t.Log(shown)
}
