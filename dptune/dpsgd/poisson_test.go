package dpsgd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/dptune/streams"
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
			batch, err := Poisson{Rate: q}.draw(rng, examples)
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
			checkCount(t, fmt.Sprintf("q %g, example %d", q, i), alone[i], rounds, q)
			checkCount(t, fmt.Sprintf("q %g, examples %d and its neighbor", q, i), pairs[i], rounds, q*q)
		}
	}
}

func checkCount(t *testing.T, what string, count, n, p float64) {
	t.Helper()
	// 5 more for the skew of counts with a small mean.
	if off := math.Abs(count - n*p); off > 5.33*math.Sqrt(n*p*(1-p))+5 {
		t.Errorf("%s: joined %g of %g times, want %g", what, count, n, n*p)
	}
}

func TestPoissonEdges(t *testing.T) {
	for rate, want := range map[float64]int{1: 5, 1e-300: 0} {
		batch, err := Poisson{Rate: rate}.draw(stream(), 5)
		if err != nil || len(batch) != want {
			t.Errorf("rate %g draws %v, %v: want %d", rate, batch, err, want)
		}
	}
	if empty, err := (Poisson{Rate: 0.5}).draw(stream(), 0); err != nil || len(empty) != 0 {
		t.Errorf("no examples: %v, %v", empty, err)
	}
	for _, rate := range []float64{0, 1.5, -1, math.NaN()} {
		if _, err := (Poisson{Rate: rate}).draw(stream(), 5); err == nil || !strings.Contains(err.Error(), "Poisson.Rate") {
			t.Errorf("rate %g: error %v, want one that names it", rate, err)
		}
	}
}

func BenchmarkPoisson(b *testing.B) {
	rng := stream()
	for b.Loop() {
		if _, err := (Poisson{Rate: 0.004}).draw(rng, 60000); err != nil {
			b.Fatal(err)
		}
	}
}

// Every example takes part in one step of each period, whatever the data's size, and an
// example that is added moves no other.
func TestFixedBatchesMoveNoOther(t *testing.T) {
	for _, period := range []int{1, 3, 7} {
		f := FixedBatches{Period: period}
		for _, n := range []int{0, 1, 5, 21} {
			seen := make([]int, n)
			for step := range 2 * period {
				batch, err := f.Batch(streams.Root{}, step, n)
				more, moreErr := f.Batch(streams.Root{}, step, n+1)
				if err != nil || moreErr != nil {
					t.Fatal(err, moreErr)
				}
				if !slices.Equal(batch, more[:len(batch)]) {
					t.Errorf("period %d, step %d: batch %v of %d examples, %v of one more", period, step, batch, n, more)
				}
				one, err := f.Canaries(streams.Root{}, step, n, 1)
				if err != nil || len(one) != len(more)-len(batch) {
					t.Errorf("period %d, step %d: canaries %v, %v at place %d, batches of %d and %d", period, step, one, err, n, len(batch), len(more))
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
	for f, step := range map[FixedBatches]int{{}: 0, {Period: 1}: -1} {
		batch, err := f.Batch(streams.Root{}, step, 5)
		joined, joinedErr := f.Canaries(streams.Root{}, step, 5, 1)
		if err == nil || joinedErr == nil || batch != nil || joined != nil {
			t.Errorf("%v, step %d: batch %v, %v, canaries %v, %v: want errors", f, step, batch, err, joined, joinedErr)
		}
	}
}
