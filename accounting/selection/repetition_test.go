package selection_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

// The paper's example: η = 0, γ = m^-10 and t = ln(m^10 - 1)/ε. Then f(1 - e^-εt) = 1 - ln 2/(10 ln m), and the whole is below 1/10 + 1/(10 log2 m).
func TestRepetitionOfThePaper(t *testing.T) {
	for _, m := range []int{2, 10, 1000} {
		ten := math.Pow(float64(m), 10)
		r := selection.Repetition{Law: law.TNB{Eta: 0, Gamma: 1 / ten}, Candidates: m, Epsilon: 0.5}
		distance := 2 * numeric.Log(ten-1) / 0.5
		got, err := r.FailureAt(distance)
		if err != nil {
			t.Fatal(err)
		}
		log := numeric.Log(float64(m))
		missed := numeric.Log(1/ten+(1-1/ten)/float64(m)) / (-10 * log)
		if want := math.Ln2/(10*log) + missed; !near(got, want, 1e-7) || got > 0.1+math.Ln2/(10*log)+1e-9 {
			t.Errorf("m = %d: chance %.9g, want %.9g (D.4)", m, got, want)
		}
		back, err := r.DistanceAt(got)
		if err != nil || !near(back, distance, 1e-6) {
			t.Errorf("m = %d: distance %.9g, %v, want %.9g", m, back, err, distance)
		}
	}
}

// Searches that really run fail at most as often. 20,000 of them: six standard deviations are exceeded with chance 1e-9.
func TestRepetitionAgainstRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 4))
	utilities := []float64{3, 0, -1, -4}
	for _, l := range []law.Law{tnb(t, 0, 10), law.Poisson{MeanRepeats: 12}, law.Fixed{Count: 9}} {
		for _, distance := range []float64{3, 4, 7} {
			const n = 20_000
			failed := 0
			for range n {
				k, err := l.Distribution().Rand(rng)
				if err != nil {
					t.Fatal(err)
				}
				best, released := math.Inf(-1), math.Inf(-1) // no run at all is the worst
				for range k {
					u := utilities[rng.IntN(len(utilities))]
					if noisy := u + rng.ExpFloat64() - rng.ExpFloat64(); noisy > best { // Laplace of scale 1
						best, released = noisy, u
					}
				}
				if released <= 3-distance {
					failed++
				}
			}
			bound, err := selection.Repetition{Law: l, Candidates: len(utilities), Epsilon: 1}.FailureAt(distance)
			if share := float64(failed) / n; err != nil || share > bound+6*math.Sqrt(bound*(1-bound)/n) {
				t.Errorf("%v: %g below the best with frequency %.4f, %v: want at most %.4f", l, distance, share, err, bound)
			}
		}
	}
}

func TestRepetitionIsValidated(t *testing.T) {
	good := selection.Repetition{Law: law.Fixed{Count: 4}, Candidates: 3, Epsilon: 1}
	for text, r := range map[string]selection.Repetition{
		"law is nil":   {Candidates: 3, Epsilon: 1},
		"Candidates 0": {Law: good.Law, Epsilon: 1},
		"Epsilon 0":    {Law: good.Law, Candidates: 3},
	} {
		chance, err := r.FailureAt(1)
		distance, other := r.DistanceAt(0.5)
		if err == nil || !strings.Contains(err.Error(), text) || other == nil || chance != 1 || !math.IsInf(distance, 1) {
			t.Errorf("%+v: %g, %v, %g, %v: want an error with %q", r, chance, err, distance, other, text)
		}
	}
	if _, err := good.FailureAt(-1); err == nil {
		t.Error("distance -1: no error")
	}
	// (2/3)^4 of the searches never draw the best.
	if _, err := good.DistanceAt(0.19); err == nil || !strings.Contains(err.Error(), "failure 0.19: must be above 0.197") {
		t.Errorf("failure 0.19: %v, want the chance to miss the best", err)
	}
}

// How far below the best of 100 candidates is the one released?
func ExampleRepetition() {
	l, err := law.Logarithmic(1000)
	if err != nil {
		panic(err)
	}
	r := selection.Repetition{Law: l, Candidates: 100, Epsilon: 1}
	distance, err := r.DistanceAt(0.6)
	if err != nil {
		panic(err)
	}
	epsilon, err := selection.PureDP(l, r.Epsilon)
	fmt.Printf("below the best by at most %.1f in two of five searches, at ε = %g %v\n", distance, epsilon, err)
	// Output:
	// below the best by at most 17.6 in two of five searches, at ε = 2 <nil>
}
