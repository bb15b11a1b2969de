package rounded

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/interval"
)

// never fails the test if a value needs further words.
func never(t *testing.T) func(int) func() uint64 {
	return func(i int) func() uint64 {
		return func() uint64 { t.Errorf("value %d needs more than 64 bits", i); return 0 }
	}
}

func randomWords(rng *rand.Rand, count int) []uint32 {
	words := make([]uint32, count)
	for i := range words {
		words[i] = rng.Uint32()
	}
	return words
}

// The bound on the quantile that Fill uses, by enclosures of the normal law that share no code with
// it: Φ(x-e) <= p <= Φ(x+e).
func TestErrorOfQuantile(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	phi := func(x float64) interval.I {
		return interval.Of(-x).Mul(interval.Of(2).Sqrt()).Mul(interval.Of(0.5)).Erfc().Mul(interval.Of(0.5))
	}
	for i := range 200_000 {
		p := 0.5 * rng.Float64()
		if i%2 == 0 { // small tails
			p = math.Exp2(-1 - 30*rng.Float64())
		}
		x := mathext.NormalQuantile(p)
		if below, above := phi(x-errorOfQuantile), phi(x+errorOfQuantile); below.Hi > p || above.Lo < p {
			t.Fatalf("the quantile of %g is %g, which is off by more than %g", p, x, errorOfQuantile)
		}
	}
}

// float64 and wide arithmetic return the same values from the same bits.
func TestFastIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	none := func() uint64 { t.Error("needs more bits"); return 0 }
	for _, s := range []float64{0.2, 1, 3.5, 1000, 72089.6, MaxDeviation} {
		decided := 0
		for range 100 {
			word := rng.Uint64()
			if k, ok := fast(word, s); ok {
				decided++
				if want := exact(word, s, none); k != want {
					t.Errorf("s %g, word %#x: %g, want %g", s, word, k, want)
				}
			}
		}
		if decided < 90 {
			t.Errorf("s %g: float64 decides %d of 100 words only", s, decided)
		}
	}
}

// Thresholds of the law to 18 digits, from stored masses: the mass of k is the length of the words
// whose value is k. Bisection finds both ends among the words.
func TestMassesToEighteenDigits(t *testing.T) {
	text, err := os.ReadFile("testdata/masses.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Deviation float64 `json:"standard_deviation"`
		Value     int64
		Mass      string
	}
	if err := json.Unmarshal(text, &rows); err != nil || len(rows) == 0 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows {
		want, _, err := new(big.Float).SetPrec(200).Parse(row.Mass, 10)
		if err != nil {
			t.Fatal(err)
		}
		top, bottom := upperTail(row.Value-1, row.Deviation, 120), upperTail(row.Value, row.Deviation, 120)
		if row.Value == 0 { // from Q(-½/s) = 1 - Q(½/s)
			one := big.NewFloat(1).SetPrec(200)
			top = enclosure{new(big.Float).Sub(one, bottom.hi), new(big.Float).Sub(one, bottom.lo)}
		}
		low, high := new(big.Float).Sub(top.lo, bottom.hi), new(big.Float).Sub(top.hi, bottom.lo)
		relative := 5e-18
		if row.Deviation*2 != math.Round(row.Deviation*2) { // the decimal number is not a float64
			relative = 2e-16
		}
		slack := new(big.Float).Mul(want, big.NewFloat(relative))
		if low.Cmp(new(big.Float).Add(want, slack)) > 0 || high.Cmp(new(big.Float).Sub(want, slack)) < 0 {
			t.Errorf("s %g, k %d: mass in [%.20g, %.20g], want %s", row.Deviation, row.Value, low, high, row.Mass)
		}
		if width := new(big.Float).Sub(high, low); width.Cmp(big.NewFloat(0x1p-110)) > 0 {
			t.Errorf("s %g, k %d: the enclosure is %.2g wide", row.Deviation, row.Value, width)
		}
	}
}

// Words at both sides of a threshold, up to the last bit, have neighboring values. The word that
// the threshold cuts needs more bits, which decide.
func TestThresholdsToTheLastBit(t *testing.T) {
	for _, c := range []struct {
		s float64
		k int64 // the threshold is between k and k+1
	}{{0.2, 0}, {1, 0}, {1, 3}, {3.5, 7}, {1000, 2500}, {72089.6, 0}, {72089.6, 100_000}, {72089.6, 400_000}} {
		threshold := upperTail(c.k, c.s, 200)
		scaled, _ := new(big.Float).SetMantExp(threshold.lo, 64).Int(nil) // the first 63 digits of V = 2 Q
		word := scaled.Uint64()
		all := func(bit uint64) func() uint64 { return func() uint64 { return -bit } }
		for _, w := range []struct {
			word uint64
			more func() uint64
			want int64
		}{
			{word - 1, all(0), c.k + 1}, {word + 1, all(0), c.k}, {word, all(0), c.k + 1}, {word, all(1), c.k},
		} {
			for _, signBit := range []uint64{0, 1} {
				want := float64(w.want) * (1 - 2*float64(signBit))
				if got := exact(w.word|signBit<<63, c.s, w.more); got != want {
					t.Errorf("s %g, word %#x: %g, want %g", c.s, w.word, got, want)
				}
				if k, ok := fast(w.word|signBit<<63, c.s); ok && k != want {
					t.Errorf("s %g, word %#x: float64 decides %g, want %g", c.s, w.word, k, want)
				}
			}
		}
	}
}

// All zeros and all ones: the ends of the law.
func TestEndsOfTheLaw(t *testing.T) {
	if k := exact(1<<63-1, 1, nil); k != 0 {
		t.Errorf("the largest digits: %g, want 0", k)
	}
	for _, c := range []struct {
		word, more uint64
		want       float64
	}{
		{0, 1 << 63, 9}, // Q(8.5) = 9.5e-18 > V/2 = 2^-65 = 2.7e-20 > Q(9.5) = 1e-21
		{1 << 63, 1 << 63, -9},
		{0, 1, 13}, // V/2 = 2^-128 = 2.9e-39: Q(12.5) = 3.7e-36, Q(13.5) = 7.8e-42
	} {
		if got := exact(c.word, 1, func() uint64 { return c.more }); got != c.want {
			t.Errorf("word %#x, then %#x: %g, want %g", c.word, c.more, got, c.want)
		}
	}
}

// The law of draws, by a chi-square test at a level of 1e-6.
func TestLawOfDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const draws = 400_000
	for _, s := range []float64{0.3, 1, 4.7} {
		values := make([]float64, draws)
		Fill(randomWords(rng, WordsPerValue*draws), s, never(t), values)
		counts := map[float64]float64{}
		for _, v := range values {
			counts[v]++
		}
		statistic, cells := 0.0, 0
		for k := -40.0; k <= 40; k++ {
			mean := draws * 0.5 * (math.Erfc((k-0.5)/s/math.Sqrt2) - math.Erfc((k+0.5)/s/math.Sqrt2))
			if mean > 20 {
				statistic += (counts[k] - mean) * (counts[k] - mean) / mean
				cells++
			}
		}
		if limit := (distuv.ChiSquared{K: float64(cells)}).Quantile(1 - 1e-6); statistic > limit {
			t.Errorf("s %g: the statistic of %d cells is %.1f, above %.1f", s, cells, statistic, limit)
		}
	}
}

func BenchmarkFill(b *testing.B) {
	const count = 1 << 16
	words, values := randomWords(rand.New(rand.NewPCG(7, 8)), WordsPerValue*count), make([]float64, count)
	slow := 0
	for b.Loop() {
		Fill(words, 72089.6, func(int) func() uint64 { slow++; return rand.Uint64 }, values)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/count, "ns/value")
}
