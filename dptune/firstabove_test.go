package dptune

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/dptune/streams"
)

func firstAbove(t *testing.T) FirstAbove[float64, float64] {
	return FirstAbove[float64, float64]{Search: search(t), Threshold: 1}
}

// The law that is priced: let G be the generating function of K and s the chance of a good run.
// There is no good run with chance G(1-s), and a released one has the law of one good run. n = 4000
// searches; the largest distance of the empirical from the true distribution function of "-1 if
// none, else Φ of the output" exceeds sqrt(ln(2/1e-6)/(2n)) = 0.0426 with chance at most 1e-6
// (Dvoretzky-Kiefer-Wolfowitz with Massart's constant).
func TestFirstAboveHasTheLawThatIsPriced(t *testing.T) {
	const n = 4000
	normal := distuv.UnitNormal
	s := firstAbove(t)
	var found []float64
	for i := range n {
		release, err := unpriced(s.run)(t.Context(), streams.Fixed("first "+strconv.Itoa(i)))
		if err != nil {
			t.Fatal(err)
		}
		if release.Empty != (release.Output == 0 && release.Hyperparameters == 0) || !release.Empty && release.Output < s.Threshold {
			t.Fatalf("released %+v with threshold %g", release, s.Threshold)
		}
		if !release.Empty {
			found = append(found, release.Output)
		}
	}
	slices.Sort(found)
	limit := math.Sqrt(math.Log(2/1e-6) / (2 * n))
	share := normal.Survival(s.Threshold)
	none := s.Search.Law.Distribution().PGF(1 - share)
	if got := 1 - float64(len(found))/n; math.Abs(got-none) > limit {
		t.Errorf("no run was good in a share %g of the searches, want G(1-s) = %g within %g", got, none, limit)
	}
	for i, x := range found {
		want := none + (1-none)*(1-normal.Survival(x)/share)
		if got := float64(n-len(found)+i) / n; math.Abs(got-want) > limit+1.0/n {
			t.Fatalf("empirical distribution at %g: %g, want %g within %g", x, got, want, limit)
		}
	}
}

// How many runs are made at a time changes nothing, and no more are made than are needed.
func TestFirstAboveAtOnce(t *testing.T) {
	for i := range 50 {
		root := streams.Fixed("at once " + strconv.Itoa(i))
		one := firstAbove(t)
		many := one
		many.AtOnce = 7
		a, errA := unpriced(one.run)(t.Context(), root)
		b, errB := unpriced(many.run)(t.Context(), root)
		if errA != nil || errB != nil || a.Output != b.Output || a.Hyperparameters != b.Hyperparameters || a.Empty != b.Empty {
			t.Fatalf("one at a time releases %+v, %v, seven %+v, %v", a, errA, b, errB)
		}
	}
	runs := 0
	s := firstAbove(t)
	s.Search.Law = law.Fixed{Count: 100}
	s.Search.Candidate = CandidateFunc(gaussian, func(context.Context, float64, streams.Root) (Outcome[float64], error) {
		runs++
		return Outcome[float64]{Score: map[bool]float64{true: math.NaN(), false: 1}[runs < 5]}, nil
	})
	if release, err := unpriced(s.run)(t.Context(), streams.Fixed("enough")); err != nil || release.Empty || runs != 5 {
		t.Errorf("%d runs, %v, where the fifth was good and the others NaN", runs, err)
	}
}

// The first good run costs less than the best of as many runs.
func TestFirstAboveCostsLess(t *testing.T) {
	s := firstAbove(t)
	first, err := s.Price()
	if err != nil {
		t.Fatal(err)
	}
	best, err := s.Search.Price()
	if err != nil || first.Guarantee.Epsilon.Upper >= best.Guarantee.Epsilon.Upper {
		t.Errorf("the first good run costs %v, the best %v, %v", first.Guarantee.Epsilon, best.Guarantee.Epsilon, err)
	}
}

func TestFirstAboveBadInput(t *testing.T) {
	for want, change := range map[string]func(s *FirstAbove[float64, float64]){
		"FirstAbove.Threshold":                    func(s *FirstAbove[float64, float64]) { s.Threshold = math.Inf(1) },
		"FirstAbove.AtOnce":                       func(s *FirstAbove[float64, float64]) { s.AtOnce = -1 },
		"FirstAbove.Search.KeepUnsafeDiagnostics": func(s *FirstAbove[float64, float64]) { s.Search.KeepUnsafeDiagnostics = true },
		"Search.Law":                              func(s *FirstAbove[float64, float64]) { s.Search.Law = law.TNB{Eta: -0.5, Gamma: 1e-12} },
		"Search.Delta":                            func(s *FirstAbove[float64, float64]) { s.Search.Delta = 0 },
	} {
		s := firstAbove(t)
		change(&s)
		if _, err := s.Run(t.Context(), streams.Fixed("bad")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error that names %s", err, want)
		}
	}
	s, broken := firstAbove(t), errors.New("broken")
	s.Search.Candidate = CandidateFunc(gaussian, func(context.Context, float64, streams.Root) (Outcome[float64], error) {
		return Outcome[float64]{}, broken
	})
	if release, err := s.Run(t.Context(), streams.Fixed("fails")); !errors.Is(err, broken) || release.Output != 0 {
		t.Errorf("a run that fails: %v, released %v", err, release.Output)
	}
}
