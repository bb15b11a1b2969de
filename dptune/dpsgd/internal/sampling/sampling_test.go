package sampling_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd/internal/sampling"
)

func stream() *rand.Rand { return rand.New(rand.NewChaCha8([32]byte{1})) }

// Each example joins with chance q, and independently: over n rounds the number of times
// that it does, and that two neighbors both do, are binomial, within 5.33 standard
// deviations. The chance of a false failure is 1e-7 for each of 200 checks.
func TestPoissonLaw(t *testing.T) {
	const rounds, examples = 20000, 25
	for _, q := range []float64{0.01, 0.3, 0.9} {
		rng, alone, pairs := stream(), make([]float64, examples), make([]float64, examples)
		for range rounds {
			joined := make([]bool, examples)
			batch, err := sampling.Poisson{Rate: q}.Draw(rng, examples)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range batch {
				joined[i] = true
			}
			for i := range joined {
				if joined[i] {
					alone[i]++
				}
				if joined[i] && joined[(i+1)%examples] {
					pairs[i]++
				}
			}
		}
		for i := range examples {
			check(t, fmt.Sprintf("q %g, example %d", q, i), alone[i], rounds, q)
			check(t, fmt.Sprintf("q %g, examples %d and its neighbor", q, i), pairs[i], rounds, q*q)
		}
	}
}

func check(t *testing.T, what string, count, n, p float64) {
	t.Helper()
	// 5 more for the skew of counts with a small mean.
	if off := math.Abs(count - n*p); off > 5.33*math.Sqrt(n*p*(1-p))+5 {
		t.Errorf("%s: joined %g of %g times, want %g", what, count, n, n*p)
	}
}

func TestPoissonEdges(t *testing.T) {
	all, err := sampling.Poisson{Rate: 1}.Draw(stream(), 5)
	if err != nil || !slices.Equal(all, []int32{0, 1, 2, 3, 4}) {
		t.Errorf("rate 1 draws %v, %v: want all", all, err)
	}
	none, err := sampling.Poisson{Rate: 1e-300}.Draw(stream(), 100000)
	if err != nil || len(none) != 0 {
		t.Errorf("rate 1e-300 draws %v, %v: want nothing", none, err)
	}
	if empty, err := (sampling.Poisson{Rate: 0.5}).Draw(stream(), 0); err != nil || len(empty) != 0 {
		t.Errorf("no examples: %v, %v", empty, err)
	}
	for rate, rule := range map[float64]string{0: "(0, 1]", 1.5: "(0, 1]", -1: "(0, 1]", math.NaN(): "(0, 1]"} {
		if _, err := (sampling.Poisson{Rate: rate}).Draw(stream(), 5); err == nil || !strings.Contains(err.Error(), rule) {
			t.Errorf("rate %g: error %v, want one that names %s", rate, err, rule)
		}
	}
	if _, err := (sampling.Poisson{Rate: 0.5}).Draw(nil, 5); err == nil {
		t.Error("no error for a nil stream")
	}
	if _, err := (sampling.Poisson{Rate: 0.5}).Draw(stream(), -1); err == nil {
		t.Error("no error for -1 examples")
	}
}

// The parts of a batch hold it in order, the rest is padding, and an empty batch has a part.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		batch []int32
		want  [][]int32
	}{
		{nil, [][]int32{{-1, -1, -1}}},
		{[]int32{5}, [][]int32{{5, -1, -1}}},
		{[]int32{5, 6, 7}, [][]int32{{5, 6, 7}}},
		{[]int32{5, 6, 7, 8}, [][]int32{{5, 6, 7}, {8, -1, -1}}},
	} {
		if n := sampling.Count(len(c.batch), 3); n != len(c.want) {
			t.Errorf("batch %v: %d parts, want %d", c.batch, n, len(c.want))
		}
		for part, want := range c.want {
			entries, padding := make([]int32, 3), 0
			for _, e := range want {
				if e == sampling.Padding {
					padding++
				}
			}
			if n := sampling.Cut(c.batch, part, entries); n != 3-padding || !slices.Equal(entries, want) {
				t.Errorf("batch %v, part %d: %v with %d examples, want %v", c.batch, part, entries, n, want)
			}
		}
		beyond := make([]int32, 3)
		if n := sampling.Cut(c.batch, 9, beyond); n != 0 || !slices.Equal(beyond, []int32{-1, -1, -1}) {
			t.Errorf("batch %v, part 9: %v with %d examples, want padding", c.batch, beyond, n)
		}
	}
}

func ExampleCut() {
	batch, entries := []int32{3, 14, 15, 92, 65}, make([]int32, 4)
	for part := range sampling.Count(len(batch), len(entries)) {
		examples := sampling.Cut(batch, part, entries)
		fmt.Println(entries, examples)
	}
	// Output:
	// [3 14 15 92] 4
	// [65 -1 -1 -1] 1
}

func BenchmarkPoisson(b *testing.B) {
	rng := stream()
	for b.Loop() {
		if _, err := (sampling.Poisson{Rate: 0.004}).Draw(rng, 60000); err != nil {
			b.Fatal(err)
		}
	}
}

// Every example takes part in one step of each period, whatever the data's size, and an
// example that is added moves no other.
func TestFixed(t *testing.T) {
	for _, period := range []int{1, 3, 7} {
		f := sampling.Fixed{Period: period}
		for _, n := range []int{0, 1, 5, 21} {
			seen := make([]int, n)
			for step := range 2 * period {
				batch, err := f.Batch(step, n)
				more, moreErr := f.Batch(step, n+1)
				if err != nil || moreErr != nil {
					t.Fatal(err, moreErr)
				}
				if !slices.Equal(batch, more[:len(batch)]) {
					t.Errorf("period %d, step %d: batch %v of %d examples, %v of one more", period, step, batch, n, more)
				}
				if joins := len(more) > len(batch); joins != f.Joins(step, n) {
					t.Errorf("period %d, step %d: Joins(%d) is %v", period, step, n, !joins)
				}
				for _, i := range batch {
					seen[i]++
				}
			}
			for i, times := range seen {
				if times != 2 {
					t.Errorf("period %d: example %d of %d took part %d times in two periods", period, i, n, times)
				}
			}
		}
	}
	if err := (sampling.Fixed{}).Validate(); err == nil || !strings.Contains(err.Error(), "Fixed.Period 0") {
		t.Errorf("period 0: error %v", err)
	}
	if batch, err := (sampling.Fixed{}).Batch(0, 5); err == nil || !strings.Contains(err.Error(), "Fixed.Period 0") || batch != nil || (sampling.Fixed{}).Joins(0, 0) {
		t.Errorf("period 0: batch %v, error %v", batch, err)
	}
	if batch, err := (sampling.Fixed{Period: 1}).Batch(-1, 5); err == nil || batch != nil {
		t.Errorf("step -1: batch %v, error %v", batch, err)
	}
}
