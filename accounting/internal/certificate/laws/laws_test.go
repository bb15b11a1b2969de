package laws_test

import (
	_ "embed"
	"encoding/csv"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/internal/certificate/laws/lawof"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/selection/law"
)

//go:embed testdata/laws.csv
var rows string

// All intervals of all laws hold the values of 50 digits, and are narrow: 1e-8 of the value, or of
// the largest value where f' and f” are sums of a list.
func TestHoldsTheTruth(t *testing.T) {
	r := csv.NewReader(strings.NewReader(rows))
	r.Comment = '#'
	records, err := r.ReadAll()
	if err != nil || len(records) < 300 {
		t.Fatalf("%d rows, %v", len(records), err)
	}
	for _, row := range records[1:] {
		number := func(i int) float64 {
			x, err := strconv.ParseFloat(row[i], 64)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		l := rowLaw(t, row[0], row[3], number(1), number(2), int(number(4)))
		made, err := lawof.Interval(l)
		if err != nil {
			t.Errorf("%v: %v", l, err)
			continue
		}
		p := interval.I{Lo: number(5), Hi: number(5)}
		if value := made.Value(p); value.Lo > 1-made.Some(p).Lo+1e-12 || value.Hi < 1-made.Some(p).Hi-1e-12 || value.Hi-value.Lo > 1e-9 {
			t.Errorf("%v at p = %g: f in [%.17g, %.17g] and 1-f in [%.17g, %.17g]", l, p.Lo, value.Lo, value.Hi, made.Some(p).Lo, made.Some(p).Hi)
		}
		for i, got := range []interval.I{made.Mean, made.None, made.First(p), made.Second(p), made.Some(p)} {
			name, digits := []string{"mean", "none", "first", "second", "some"}[i], row[6+i]
			want, _, err := big.ParseFloat(digits, 10, 200, big.ToNearestEven)
			if err != nil {
				t.Fatal(err)
			}
			rounded := new(big.Float).Add(new(big.Float).Mul(want, big.NewFloat(1e-48)), big.NewFloat(1e-323))
			if new(big.Float).Add(want, rounded).Cmp(big.NewFloat(got.Lo)) < 0 || !math.IsInf(got.Hi, 1) && new(big.Float).Sub(want, rounded).Cmp(big.NewFloat(got.Hi)) > 0 {
				t.Errorf("%v at p = %g: %s in [%.17g, %.17g], want %s", l, p.Lo, name, got.Lo, got.Hi, digits)
			}
			truth, _ := want.Float64()
			allowed := 1e-8 * truth
			if name == "none" || name == "some" { // differences of 1
				allowed = math.Max(allowed, 1e-12)
			}
			if _, list := map[string]int{"truncated": 0, "withheld": 0, "capped": 0}[row[3]]; list {
				allowed = math.Max(allowed, 1e-8*made.Mean.Hi)
			}
			if got.Hi-got.Lo > math.Max(allowed, 1e-300) {
				t.Errorf("%v at p = %g: %s in [%.17g, %.17g]: %.3g wide, want at most %.3g", l, p.Lo, name, got.Lo, got.Hi, got.Hi-got.Lo, allowed)
			}
		}
	}
}

func rowLaw(t *testing.T, kind, limit string, a, b float64, most int) law.Law {
	var l law.Law
	switch kind {
	case "tnb":
		l = law.TNB{Eta: a, Gamma: b}
	case "poisson":
		l = law.Poisson{MeanRepeats: a}
	case "binomial":
		l = law.Binomial{Trials: int(a), P: b}
	case "twopoint":
		l = law.TwoPoint{Runs: int(a), Single: b}
	case "fixed":
		l = law.Fixed{Count: int(a)}
	default:
		t.Fatalf("kind %q", kind)
	}
	switch limit {
	case "truncated":
		return law.Truncated{Law: l, Max: most}
	case "capped":
		return law.Capped{Law: l, Max: most}
	case "withheld":
		return law.Withheld{Law: l, Max: most}
	}
	return l
}

// Intervals hold what package law computes, up to its rounding, for laws of every kind, nested ones
// too. f' and f” of an interval hold those of its ends.
func TestAgreesWithLaw(t *testing.T) {
	all := append([]law.Law{}, enumerate.Laws...)
	for _, l := range enumerate.Laws[:8] {
		all = append(all, law.Capped{Law: law.Truncated{Law: l, Max: 30}, Max: 9}, law.Withheld{Law: law.Capped{Law: l, Max: 30}, Max: 29})
	}
	for _, l := range all {
		made, err := lawof.Interval(l)
		if err != nil {
			t.Error(err)
			continue
		}
		d := l.Distribution()
		near := func(name string, i interval.I, x float64) {
			if slack := 1e-10*math.Abs(x) + 1e-11; x < i.Lo-slack || x > i.Hi+slack {
				t.Errorf("%v: %s is %.15g, in [%.15g, %.15g]", l, name, x, i.Lo, i.Hi)
			}
		}
		near("E[K]", made.Mean, d.Mean())
		near("P[K=0]", made.None, math.Exp(d.LogPMF(0)))
		for _, p := range []float64{0, 1e-6, 0.2, 0.7, 0.99, 1} {
			at, from := interval.I{Lo: p, Hi: p}, interval.I{Lo: p * 0.9, Hi: p}
			if made.Log != nil {
				near("ln f'", made.Log.First(at), d.Derivatives().First(p))
				near("f''/f'", made.Log.Rate(at), math.Exp(d.Derivatives().Second(p)-d.Derivatives().First(p)))
			}
			near("f'", made.First(at), math.Exp(d.Derivatives().First(p)))
			near("f''", made.Second(at), math.Exp(d.Derivatives().Second(p)))
			near("1-f", made.Some(at), d.SuccessProbability(p))
			if wide := made.First(from); wide.Lo > made.First(at).Lo || wide.Hi < made.First(interval.I{Lo: from.Lo, Hi: from.Lo}).Hi {
				t.Errorf("%v: f' at [%g, %g] is in [%g, %g]", l, from.Lo, from.Hi, wide.Lo, wide.Hi)
			}
		}
	}
}

// A parameter that is out of range or lost to rounding is an error, also if package law takes it.
// So is a law of an unknown type.
func TestRefuses(t *testing.T) {
	for _, l := range []law.Law{
		law.TNB{Eta: 5e-324, Gamma: 0.5488116360940264}, law.TNB{Eta: 0, Gamma: 5e-324}, law.TNB{Eta: -1, Gamma: 0.5}, law.TNB{Eta: math.NaN(), Gamma: 0.5}, law.TNB{Eta: 0, Gamma: 1},
		law.Poisson{}, law.Poisson{MeanRepeats: 1e-310}, law.Poisson{MeanRepeats: math.Inf(1)}, law.Binomial{Trials: 3, P: 5e-324}, law.Binomial{P: 0.5}, law.Binomial{Trials: 2, P: 1},
		law.Fixed{}, law.TwoPoint{Runs: 3, Single: 1}, law.TwoPoint{Runs: 3, Single: 1e-320}, law.PMF{}, law.PMF{Weights: []float64{1, 0}}, law.PMF{Weights: []float64{0, math.NaN()}},
		law.Truncated{Law: law.Poisson{MeanRepeats: 1}}, law.Truncated{Law: law.Fixed{Count: 9}, Max: 8}, law.Capped{Law: free{law.Fixed{Count: 9}}, Max: 8}, free{law.Fixed{Count: 9}}, nil,
	} {
		if made, err := lawof.Interval(l); err == nil {
			t.Errorf("%v: E[K] in [%g, %g], want an error", l, made.Mean.Lo, made.Mean.Hi)
		}
	}
}

type free struct{ law.Law }
