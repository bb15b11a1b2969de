package toeplitz

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// The losses of jax_privacy's optimal banded Toeplitz strategies, which the prototype of this
// package reaches to 13 digits, and the square-root matrix.
func TestOptimalLosses(t *testing.T) {
	for _, want := range []struct {
		n, b int
		loss float64
		c    []float64
	}{
		{16, 4, 3.7540235663615307, []float64{0.7948752820426527, 0.4384330416202035, 0.3292740796153809, 0.2598621451976301}},
		{1000, 10, 57.618075873473934, []float64{0.4866125222822419, 0.35930203356271745, 0.3272412167998569}},
		{2000, 2, 504.2337127472409, []float64{0.7415308336709351, 0.6709187899554522}},
		{2000, 50, 30.733251043021077, []float64{0.4502378632088176, 0.25658152404361445}},
		{500, 100, 9.42773456614778, []float64{0.5764167060852652}},
		{2000, 1, 1000.5, []float64{1}},
	} {
		c := Optimal(want.n, want.b)
		if got := MeanError(c, want.n); math.Abs(got/want.loss-1) > 1e-9 || len(c) != want.b {
			t.Errorf("n %d, b %d: loss %.12g of %d bands, want %.12g", want.n, want.b, got, len(c), want.loss)
		}
		for j, v := range want.c { // the loss is flat at its minimum
			if math.Abs(c[j]-v) > 2e-4 {
				t.Errorf("n %d, b %d: c_%d = %.8f, want %.8f", want.n, want.b, j, c[j], v)
			}
		}
		if norm := Norm(c); norm > 1 || norm < 1-1e-12 {
			t.Errorf("n %d, b %d: norm %v, want at most 1", want.n, want.b, norm)
		}
	}
	root := Root(100, -0.5)
	if got := MeanError(root, 100); math.Abs(got-5.620020336) > 1e-8 {
		t.Errorf("square root: loss %.10f, want 5.620020336", got)
	}
	last := 0.0
	for _, b := range divided(ones(100), root) {
		last += b * b
	}
	if last *= math.Pow(Norm(root), 2); math.Abs(last-6.407743519) > 1e-8 {
		t.Errorf("square root: last error %.10f, want 6.407743519", last)
	}
}

func TestGradientIsTheDerivative(t *testing.T) {
	c := []float64{1, 0.8, 0.5, 0.45}
	for j, got := range meanErrorGradient(c, 40) {
		const h = 1e-6
		up, down := append([]float64(nil), c...), append([]float64(nil), c...)
		up[j], down[j] = c[j]+h, c[j]-h
		if want := (MeanError(up, 40) - MeanError(down, 40)) / (2 * h); math.Abs(got-want) > 1e-6*math.Abs(want)+1e-7 {
			t.Errorf("entry %d: %v, want %v", j, got, want)
		}
	}
}

// brute is the largest ‖C D‖² over the steps of a pattern and all signs of one-dimensional d_i.
func brute(c []float64, n int, steps []int) (most float64) {
	for signs := range 1 << len(steps) {
		sum := 0.0
		for t := range n {
			row := 0.0
			for k, i := range steps {
				if t >= i && t-i < len(c) {
					row += c[t-i] * float64(1-2*(signs>>k&1))
				}
			}
			sum += row * row
		}
		most = max(most, sum)
	}
	return math.Sqrt(most)
}

// Over all first steps, and all signs of what the example adds, no choice is above the sensitivity.
// For coefficients that are not negative one attains it, falling or not.
func TestSensitivityAgainstAllPatterns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 300 {
		n, k, b := 1+rng.IntN(12), 1+rng.IntN(5), 1+rng.IntN(8)
		c, signed := make([]float64, b), trial%3 == 0
		for j := range c {
			c[j] = rng.Float64()
			if signed && rng.IntN(2) == 0 {
				c[j] = -c[j]
			}
		}
		c[0] = 0.5 + math.Abs(c[0])
		got, most := Periodic(c, n, k), 0.0
		for first := range min(k, n) {
			var steps []int
			for i := first; i < n; i += k {
				steps = append(steps, i)
			}
			each := brute(c, n, steps)
			most = max(most, each)
			if chosen := Chosen(c, n, steps); chosen < each || !signed && chosen > each*(1+1e-12) {
				t.Errorf("%v, n %d, steps %v: %v, brute force %v", c, n, steps, chosen, each)
			}
		}
		if got < most || !signed && b > k && got > most*(1+1e-12) {
			t.Errorf("%v, n %d, period %d: sensitivity %v, brute force %v", c, n, k, got, most)
		}
	}
}

// The table of the reference implementation: square-root coefficients, n = 9.
func TestSensitivityOfTheSquareRoot(t *testing.T) {
	c := Root(9, -0.5)
	for _, k := range []int{1, 2, 4} {
		var steps []int
		for i := 0; i < 9; i += k {
			steps = append(steps, i)
		}
		if got, want := Periodic(c, 9, k), brute(c, 9, steps); math.Abs(got/want-1) > 1e-13 || got < want {
			t.Errorf("period %d: %v, want %v", k, got, want)
		}
	}
}

// With no more bands than the period, the columns do not overlap.
func TestDisjointColumns(t *testing.T) {
	c := Optimal(100, 8)
	if got := Periodic(c, 100, 10); got < math.Sqrt(10)*(1-1e-12) || got > math.Sqrt(10)*(1+1e-15) {
		t.Errorf("10 participations: sensitivity %v, want √10", got)
	}
	if got := Largest(c, 100, 10); math.Abs(got-c[0]) > 1e-12 {
		t.Errorf("largest row %v, want %v", got, c[0])
	}
	if got := Largest(c, 100, 1); got <= 2 {
		t.Errorf("largest row %v at period 1, want the sum of all coefficients", got)
	}
}

// An inverse times its series is one.
func TestInverse(t *testing.T) {
	c := Root(20, -0.5)
	inverse := Inverse(c, 20)
	for j, want := range Root(20, 0.5) {
		if math.Abs(inverse[j]-want) > 1e-14 {
			t.Errorf("coefficient %d: %v, want %v", j, inverse[j], want)
		}
	}
}

func ExampleOptimal() {
	fmt.Printf("%.4f\n", Optimal(16, 4))
	// Output: [0.7949 0.4384 0.3293 0.2599]
}
