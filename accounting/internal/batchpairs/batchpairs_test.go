package batchpairs

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/interval"
)

// value is the profile of a side at l >= 0, from the roots.
func (p Profile) value(side Side, l float64) float64 {
	sum := side.Rest
	for _, t := range side.Terms {
		tau := t.Root(p.NoiseMultiplier, l, math.Inf(-1))
		over := func(mean float64) float64 {
			return 0.5 * math.Erfc((tau-mean)/p.NoiseMultiplier/math.Sqrt2)
		}
		v := t.AtZero(l) * over(0)
		for _, c := range t.First {
			v += c.Chance * over(c.Mean)
		}
		for _, c := range t.Second {
			v -= math.Exp(l) * c.Chance * over(c.Mean)
		}
		sum += t.Weight * math.Max(0, v)
	}
	return sum
}

var relations = []accounting.Neighboring{accounting.AddOrRemoveOne, accounting.ReplaceSpecial, accounting.ReplaceOne}

// law is a mixture of normal laws on the line, as a list of means with chances.
type law map[float64]float64

func (l law) density(sigma, y float64) (d float64) {
	for mean, chance := range l {
		z := (y - mean) / sigma
		d += chance * math.Exp(-z*z/2) / (sigma * math.Sqrt(2*math.Pi))
	}
	return d
}

// stick is ∫ (P - cQ)_+ by the midpoint rule.
func stick(p, q law, sigma, c float64) (sum float64) {
	const n = 2000
	lo, hi := -3-7*sigma, 3+7*sigma
	for i := range n {
		y := lo + (hi-lo)*(float64(i)+0.5)/n
		sum += math.Max(0, p.density(sigma, y)-c*q.density(sigma, y))
	}
	return sum * (hi - lo) / n
}

// subsets lists the subsets of 0..n-1 of the given size.
func subsets(n, size int) (all [][]int) {
	for mask := range 1 << n {
		var set []int
		for i := range n {
			if mask>>i&1 == 1 {
				set = append(set, i)
			}
		}
		if len(set) == size {
			all = append(all, set)
		}
	}
	return all
}

func sumAt(values []float64, set []int) (sum float64) {
	for _, i := range set {
		sum += values[i]
	}
	return sum
}

// enumerated is the law of the mean of one release, of numbers in [-1, 1], one for each example.
func enumerated(event accounting.Event, values []float64) law {
	out, n := law{}, len(values)
	switch e := event.(type) {
	case accounting.SampledWithoutReplacement:
		all := subsets(n, e.SampleSize)
		for _, set := range all {
			out[sumAt(values, set)] += 1 / float64(len(all))
		}
	case accounting.SampledWithReplacement:
		draws := [][]int{nil}
		for range e.SampleSize {
			var more [][]int
			for _, set := range draws {
				for i := range n {
					more = append(more, append(append([]int{}, set...), i))
				}
			}
			draws = more
		}
		for _, set := range draws {
			out[sumAt(values, set)] += 1 / float64(len(draws))
		}
	case accounting.TruncatedPoisson:
		for size := range n + 1 {
			for _, set := range subsets(n, size) {
				chance := math.Pow(e.SamplingRate, float64(size)) * math.Pow(1-e.SamplingRate, float64(n-size))
				kept := subsets(size, min(size, e.Cap))
				for _, k := range kept {
					sum := 0.0
					for _, i := range k {
						sum += values[set[i]]
					}
					out[sum] += chance / float64(len(kept))
				}
			}
		}
	}
	return out
}

// neighbors returns the values of two data sets of at most n examples: drawn, or one of the extreme
// ones.
func neighbors(rng *rand.Rand, n int, relation accounting.Neighboring) (with, without []float64) {
	number := func() float64 { return 2*rng.Float64() - 1 }
	with = make([]float64, n)
	extreme := rng.IntN(2) == 0
	others := float64(rng.IntN(3) - 1)
	for i := range with {
		with[i] = number()
		if extreme {
			with[i] = others
		}
	}
	if extreme {
		with[0] = float64(2*rng.IntN(2) - 1)
	}
	without = append([]float64{}, with...)
	switch relation {
	case accounting.AddOrRemoveOne:
		without = without[1:]
	case accounting.ReplaceSpecial:
		without[0] = 0
	default:
		without[0] = number()
		if extreme {
			without[0] = -with[0]
		}
	}
	return with, without
}

// TestProfilesAreAboveEnumeratedBatches: no release of numbers exceeds the profile, in either
// direction. The batches are enumerated and not revealed.
func TestProfilesAreAboveEnumeratedBatches(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 1))
	const n = 4
	tight := map[string]float64{}
	for run := range 24 {
		sigma := 0.5 + 2*rng.Float64()
		sum := accounting.ClippedSum{NoiseMultiplier: sigma}
		events := map[string]accounting.Event{
			"without replacement": accounting.SampledWithoutReplacement{SampleSize: 1 + rng.IntN(n-1), PopulationSize: n, Event: sum},
			"with replacement":    accounting.SampledWithReplacement{SampleSize: 1 + rng.IntN(3), PopulationSize: n, Event: sum},
			"capped":              accounting.TruncatedPoisson{SamplingRate: 0.2 + 0.2*rng.Float64(), Cap: 2, PopulationSize: n, Event: sum},
		}
		for name, event := range events {
			for _, relation := range relations {
				step, err := Of(event, relation)
				if name == "without replacement" && relation == accounting.AddOrRemoveOne {
					q, _ := big.NewRat(int64(event.(accounting.SampledWithoutReplacement).SampleSize), n).Float64()
					step.Profile = Profile{NoiseMultiplier: sigma, With: Side{Terms: []Term{pairAt(1, q, 2, 0)}}, Without: Side{Terms: []Term{reversedAt(1, q, 2)}}}
				} else if err != nil {
					t.Fatal(err)
				}
				size := n
				if name == "capped" && relation == accounting.AddOrRemoveOne {
					size = 1 + rng.IntN(n)
				}
				with, without := neighbors(rng, size, relation)
				if run%3 == 0 { // all others at -1
					with, without = []float64{1, -1, -1, -1}, []float64{0, -1, -1, -1}
					switch relation {
					case accounting.AddOrRemoveOne:
						without = without[1:]
					case accounting.ReplaceOne:
						without[0] = -1
					}
				}
				p, q := enumerated(event, with), enumerated(event, without)
				for _, l := range []float64{0, 0.1, 0.5, 1.5} {
					c := math.Exp(l)
					for direction, got := range []float64{stick(p, q, sigma, c), stick(q, p, sigma, c)} {
						bound := step.Profile.value([]Side{step.Profile.With, step.Profile.Without}[direction], l)
						if got > bound+2e-5 { // the error of the rule at a kink is below that
							t.Errorf("%v, %v, σ %.3f, ε %g, direction %d: %.8f above the bound %.8f; %v and %v", event, relation, sigma, l, direction, got, bound, with, without)
						}
						if bound > 1e-3 {
							key := name + relation.String()
							tight[key] = math.Max(tight[key], got/bound)
						}
					}
				}
			}
		}
	}
	for key, most := range tight {
		if most < 0.8 {
			t.Errorf("%s: the bound is reached to %.3f only, want 0.8", key, most)
		}
	}
}

// TestPlacementsInThePlane: the lemma of the package comment. No place of two centers in the plane
// exceeds the value on the line.
func TestPlacementsInThePlane(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 2))
	type point struct{ x, y float64 }
	ball := func(r float64) point {
		for {
			p := point{2*rng.Float64() - 1, 2*rng.Float64() - 1}
			if math.Hypot(p.x, p.y) <= 1 {
				return point{r * p.x, r * p.y}
			}
		}
	}
	plane := func(u, v point, q, c, sigma float64) (sum float64) {
		const h = 0.2
		reach := 2 + 6*sigma
		for x := -reach; x < reach; x += h * sigma {
			for y := -reach; y < reach; y += h * sigma {
				f := func(m point) float64 {
					return math.Exp(-((x-m.x)*(x-m.x) + (y-m.y)*(y-m.y)) / (2 * sigma * sigma))
				}
				sum += math.Max(0, -(c-1)*(1-q)*f(point{})+q*f(u)-c*q*f(v))
			}
		}
		return sum * h * h / (2 * math.Pi)
	}
	for range 12 {
		q, sigma, l := 0.05+0.9*rng.Float64(), 0.6+1.5*rng.Float64(), 0.05+rng.Float64()
		value := func(t Term) float64 {
			p := Profile{NoiseMultiplier: sigma}
			return p.value(Side{Terms: []Term{t}}, l)
		}
		v, step := ball(1), ball(1)
		u := point{v.x + step.x, v.y + step.y}
		if got, most := plane(u, v, q, math.Exp(l), sigma), value(pairAt(1, q, 2, 1)); got > most+1e-5 {
			t.Errorf("|u-v| <= 1, |v| <= 1: %v, %v: %.7f above (2, 1), %.7f", u, v, got, most)
		}
		if got, most := plane(ball(1), v, q, math.Exp(l), sigma), value(pairAt(1, q, 1, -1)); got > most+1e-5 {
			t.Errorf("|u|, |v| <= 1: %.7f above (1, -1), %.7f", got, most)
		}
		w := ball(2)
		far := ball(2)
		if math.Hypot(w.x-far.x, w.y-far.y) <= 2 {
			if got, most := plane(far, w, q, math.Exp(l), sigma), value(pairAt(1, q, 2, 0)); got > most+1e-5 {
				t.Errorf("|u|, |u-v| <= 2: %.7f above (2, 0), %.7f", got, most)
			}
		}
	}
}

// TestBelowJointConvexity: the profile of a hole is below what joint convexity gives (Balle, Barthe
// and Gaboardi 2018, Theorem 2), and above both of its parts' least.
func TestBelowJointConvexity(t *testing.T) {
	for _, q := range []float64{1e-4, 0.01, 0.5} {
		for _, sigma := range []float64{0.7, 2, 5} {
			p := Profile{NoiseMultiplier: sigma}
			for _, l := range []float64{0.001, 0.1, 1} {
				value := func(t Term) float64 { return p.value(Side{Terms: []Term{t}}, l) }
				beta := math.Exp(l) / (1 + math.Expm1(l)/q)
				ours, convex := value(pairAt(1, q, 2, 1)), (1-beta)*value(pairAt(1, q, 2, 0))+beta*value(pairAt(1, q, 1, 0))
				if !(ours < convex) || !(ours >= value(pairAt(1, q, 1, 0))) {
					t.Errorf("q %g, σ %g, ε %g: %g, want below %g", q, sigma, l, ours, convex)
				}
			}
		}
	}
}

// TestTails: binomial tails against exact sums.
func TestTails(t *testing.T) {
	for _, n := range []int{1, 7, 40} {
		for _, q := range []float64{0.01, 0.25, 0.9} {
			exact, chance := new(big.Rat), new(big.Rat)
			rate := new(big.Rat).SetFloat64(q)
			for k := n; k > 0; k-- {
				chance.SetInt(new(big.Int).Binomial(int64(n), int64(k)))
				for range k {
					chance.Mul(chance, rate)
				}
				for range n - k {
					chance.Mul(chance, new(big.Rat).Sub(big.NewRat(1, 1), rate))
				}
				exact.Add(exact, chance)
				got, err := tailOf(n, interval.Of(q), k)
				want, _ := exact.Float64()
				if err != nil || !(got.Lo <= want*(1+1e-15) && want*(1-1e-15) <= got.Hi) || want > 1e-250 && got.Hi > want*(1+1e-11) {
					t.Fatalf("P[Bin(%d, %g) >= %d] in [%g, %g], want %g, %v", n, q, k, got.Lo, got.Hi, want, err)
				}
			}
		}
	}
}

// TestChances: the chances of draws sum to 1, and are those of the binomial law.
func TestChances(t *testing.T) {
	chances, rest, err := chancesOf(256, one.Div(interval.Of(60000)))
	if err != nil {
		t.Fatal(err)
	}
	sum := rest
	for _, c := range chances {
		sum += c.Hi
	}
	if want := math.Pow(1-1./60000, 256); math.Abs(sum-1) > 1e-12 || !(chances[0].Lo <= want*(1+1e-13) && want <= chances[0].Hi*(1+1e-13)) || rest > 1e-39 {
		t.Errorf("sum %.17g, w_0 %v, rest %g", sum, chances[0], rest)
	}
	if _, _, err := chancesOf(1_000_000, one.Div(interval.Of(100))); err == nil {
		t.Error("10,000 draws of each record: no error")
	}
}

// TestCutRates: the numbers of capped samples, by the prototype of other code.
func TestCutRates(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "truncated_poisson.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Examples, Cap int
		Rate, Sigma   float64
		Truncation    float64
		Mean          float64 `json:"mean_rate"`
		IfTruncated   float64 `json:"rate_if_truncated"`
	}
	if err := json.Unmarshal(text, &rows); err != nil || len(rows) < 4 {
		t.Fatal(len(rows), err)
	}
	for _, r := range rows {
		step, err := Of(accounting.TruncatedPoisson{SamplingRate: r.Rate, Cap: r.Cap, PopulationSize: r.Examples, Event: accounting.ClippedSum{NoiseMultiplier: r.Sigma}}, accounting.ReplaceSpecial)
		if err != nil {
			t.Fatal(err)
		}
		cut := step.Profile.With.Terms[1]
		got := []float64{cut.Weight, cut.First[0].Chance, step.Attacks[0].SamplingRate}
		for i, want := range []float64{r.Truncation, r.IfTruncated, r.Mean} {
			if math.Abs(got[i]-want) > 1e-9*want {
				t.Errorf("%+v: number %d is %.15g", r, i, got[i])
			}
		}
	}
}

// TestRefused: settings without a price.
func TestRefused(t *testing.T) {
	sum := accounting.ClippedSum{NoiseMultiplier: 1}
	for _, event := range []accounting.Event{
		accounting.SampledWithoutReplacement{SampleSize: 4, PopulationSize: 4, Event: sum},
		accounting.SampledWithReplacement{SampleSize: 4, PopulationSize: 1, Event: sum},
		accounting.SampledWithReplacement{SampleSize: 4, PopulationSize: 9, Event: accounting.Gaussian{NoiseMultiplier: 1}},
		accounting.TruncatedPoisson{SamplingRate: 1, Cap: 2e12 - 1, PopulationSize: 2e12, Event: sum}, // cuts one, always
		sum,
	} {
		if step, err := Of(event, accounting.AddOrRemoveOne); err == nil || len(step.Attacks) > 0 {
			t.Errorf("%v: %v, no error", event, step)
		}
	}
}
