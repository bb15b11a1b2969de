package repeats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
)

func drawn(rng *rand.Rand, n int, score func() float64) (xs []float64) {
	for range n {
		xs = append(xs, score())
	}
	slices.Sort(xs)
	return xs
}

func copies(xs []float64, times int) []float64 {
	out := slices.Repeat(xs, times)
	slices.Sort(out)
	return out
}

// Copied files and seeds that were used again are doubted in both classes.
func TestCopiesAreDoubted(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	normal := func(n int) []float64 { return drawn(rng, n, rng.NormFloat64) }
	again := func() []float64 { // 60 games, each written one to nine times
		var xs []float64
		for _, x := range normal(60) {
			xs = append(xs, slices.Repeat([]float64{x}, 1+rng.IntN(9))...)
		}
		return xs
	}
	for name, c := range map[string]struct{ in, out []float64 }{
		"three games, 100 times":         {copies([]float64{2, 3.5, 3}, 100), copies([]float64{0.5, 1, 0}, 100)},
		"three games, 10 times":          {copies([]float64{2, 3.5, 3}, 10), copies([]float64{0.5, 1, 0}, 10)},
		"1,000 rows, 10 times":           {copies(normal(1000), 10), copies(normal(1000), 10)},
		"1,000 rows, twice":              {copies(normal(1000), 2), copies(normal(1000), 2)},
		"seeds that were used once more": {again(), again()},
	} {
		if got := Doubts(c.in, c.out); len(got) != 2 {
			t.Errorf("%s: %v, want a doubt about each class", name, got)
		}
	}
	three := Doubts(copies([]float64{2.25, 3.5, 3}, 100), copies([]float64{0.5, 1, 0}, 100))
	if want := "297 of 300 member scores repeat another: are these independent games"; !strings.Contains(fmt.Sprint(three), want) {
		t.Errorf("%v, want %q", three, want)
	}
	if got := Doubts(again(), normal(60)); len(got) != 1 || !strings.Contains(got[0].Error(), " member scores") || strings.Contains(got[0].Error(), "non-member") {
		t.Errorf("copies among members only: %v", got)
	}
}

// Independent games are not doubted: continuous scores, and scores that have few values by nature.
// There are 100 audits of each kind.
func TestIndependentGamesAreNot(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	right := func(of int) (count float64) {
		for range of {
			count += float64(rng.IntN(2))
		}
		return count
	}
	for name, score := range map[string]func() float64{
		"normal":                        rng.NormFloat64,
		"0/1":                           func() float64 { return right(1) },
		"thirds":                        func() float64 { return right(3) / 3 },
		"a share of 7":                  func() float64 { return right(7) / 7 },
		"a share of 7 in float32":       func() float64 { return float64(float32(right(7)) / 7) },
		"a share of 7, six digits":      func() float64 { return math.Round(right(7)/7*1e6) / 1e6 },
		"a share of 300":                func() float64 { return right(300) / 300 },
		"a standardized share of 50":    func() float64 { return (right(50)/50 - 0.4987) / 0.0707 },
		"a count with a long tail":      func() float64 { return math.Floor(math.Exp(2 * rng.NormFloat64())) },
		"two likelihood ratios":         func() float64 { return (2*right(1) - 1) * 1.0986122886681098 },
		"rounded to three digits":       func() float64 { return math.Round(rng.NormFloat64()*1e3) / 1e3 },
		"rounded to one digit":          func() float64 { return math.Round(rng.NormFloat64()*10) / 10 },
		"cut off at ln 1e-6 and at 0":   func() float64 { return math.Min(0, math.Max(numeric.Log(1e-6), 30*rng.NormFloat64())) },
		"cut off, mostly at ln 1e-6":    func() float64 { return math.Max(numeric.Log(1e-6), 10*rng.NormFloat64()-20) },
		"all equal":                     func() float64 { return 0.1234567 },
		"all equal but for one in 1000": func() float64 { return []float64{0.1234567, rng.Float64()}[rng.IntN(1000)/999] },
	} {
		for _, n := range []int{5, 20, 300, 1000} {
			for range 25 {
				if got := Doubts(drawn(rng, n, score), drawn(rng, n, score)); got != nil {
					t.Errorf("%s, %d games of each: %v", name, n, got)
					break
				}
			}
		}
	}
	if got := Doubts(copies([]float64{1}, 1e4), copies([]float64{0}, 1e4)); got != nil { // perfect scores of two values
		t.Errorf("perfect 0/1 scores: %v", got)
	}
	if got := Doubts(nil, nil); got != nil {
		t.Errorf("no scores: %v", got)
	}
}
