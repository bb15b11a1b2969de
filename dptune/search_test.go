package dptune

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/dptune/streams"
)

var gaussian = accounting.Gaussian{NoiseMultiplier: 1}

// normalCandidate releases a standard normal draw, which is its own score.
func normalCandidate(event accounting.Event) Candidate[float64, float64] {
	return CandidateFunc(event, func(_ context.Context, _ float64, root streams.Root) (Outcome[float64], error) {
		x := root.Rand("x").NormFloat64()
		return Outcome[float64]{Output: x, Score: x}, nil
	})
}

func geometric(t *testing.T) law.Law {
	t.Helper()
	l, err := law.Geometric(10)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func search(t *testing.T) Search[float64, float64] {
	return Search[float64, float64]{
		Law: geometric(t), Prior: LogGrid(0.1, 1, 3), Candidate: normalCandidate(gaussian),
		Delta: 1e-5, Unit: "one number",
	}
}

// The best of K draws of a law with distribution function Φ has distribution function
// f(Φ(x)), f the generating function of K. n = 4000 searches; the largest distance of the
// empirical from the true function exceeds sqrt(ln(2/1e-6)/(2n)) = 0.0426 with chance at
// most 1e-6 (Dvoretzky-Kiefer-Wolfowitz with Massart's constant).
func TestBestOfKHasTheLawThatIsPriced(t *testing.T) {
	const n = 4000
	s := search(t)
	s.KeepUnsafeDiagnostics = true
	best := make([]float64, n)
	for i := range best {
		release, err := unpriced(s.run)(t.Context(), streams.Fixed("law "+strconv.Itoa(i)))
		if err != nil {
			t.Fatal(err)
		}
		best[i] = release.Output
		if d, _ := release.UnsafeDiagnostics(); slices.Max(d.Scores) != release.Output || d.Repeats != len(d.Scores) {
			t.Fatalf("released %g of the scores %v", release.Output, d.Scores)
		}
	}
	slices.Sort(best)
	limit := math.Sqrt(math.Log(2/1e-6) / (2 * n))
	for i, x := range best {
		want := s.Law.Distribution().PGF(distuv.UnitNormal.CDF(x))
		if math.Abs(float64(i)/n-want) > limit || math.Abs(float64(i+1)/n-want) > limit {
			t.Fatalf("empirical distribution at %g: %g, want f(Φ(x)) = %g within %g", x, float64(i)/n, want, limit)
		}
	}
}

// Poisson laws give K = 0, which must be a release like any other, with its chance e^-mean: n =
// 2000, mean 1: 735.8 empty ones, standard deviation 21.6, missed by 6 of them with chance 2e-9.
func TestNoRunReleasesTheDefault(t *testing.T) {
	s := search(t)
	s.Law, s.Default = law.Poisson{MeanRepeats: 1}, -100
	empty := 0
	for i := range 2000 {
		release, err := unpriced(s.run)(t.Context(), streams.Fixed("empty "+strconv.Itoa(i)))
		if err != nil {
			t.Fatal(err)
		}
		if release.Empty != (release.Output == -100) || release.Empty && release.Hyperparameters != 0 {
			t.Fatalf("Empty %v with output %g, hyper-parameter %g", release.Empty, release.Output, release.Hyperparameters)
		}
		if release.Empty {
			empty++
		}
	}
	if math.Abs(float64(empty)-2000/math.E) > 6*21.6 {
		t.Errorf("%d of 2000 searches are empty, want about %.0f", empty, 2000/math.E)
	}
}

// If every run fails, one of them is still released. That none was good depends on the data, and
// only an outcome by the law of the search may reveal it. Each of the two choices is equally
// likely: of 100 searches of two runs, 50 ± 25 release the first. That is 5 standard deviations,
// exceeded with a chance of 6e-7.
func TestNaNForAll(t *testing.T) {
	first := 0
	for i := range 100 {
		search := Search[string, string]{
			Law: law.Fixed{Count: 2}, Prior: Grid[string]{"first", "second"}, Delta: 1e-5, Unit: "one record", Default: "none",
			Candidate: CandidateFunc(accounting.Gaussian{NoiseMultiplier: 5}, func(_ context.Context, h string, _ streams.Root) (Outcome[string], error) {
				return Outcome[string]{Output: h, Score: math.NaN()}, nil
			}),
		}
		release, err := unpriced(search.run)(t.Context(), streams.Fixed("NaN").Child(string(rune(i))))
		if err != nil || release.Empty || release.Output != release.Hyperparameters || release.Output == "none" {
			t.Fatalf("release %+v, error %v", release, err)
		}
		if release.Output == "first" {
			first++
		}
	}
	if first < 25 || first > 75 {
		t.Errorf("the first choice is released %d times of 100, want 50 ± 25", first)
	}
}

// A run depends on its own root only, so a larger K adds runs and changes none.
func TestSameRootSameRelease(t *testing.T) {
	s := search(t)
	s.KeepUnsafeDiagnostics = true
	a, err := s.Run(t.Context(), streams.Fixed("same"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Run(t.Context(), streams.Fixed("same"))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("two searches with one root differ: %+v, %+v", a, b)
	}
	if !a.Seeded || !slices.ContainsFunc(a.Statement.Warnings, func(err error) bool { return errors.Is(err, streams.ErrSeeded) }) {
		t.Error("a search with a fixed root must say that it is seeded")
	}
	root, err := streams.Secret()
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Run(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	if c.Seeded || len(c.Statement.Warnings) != 0 {
		t.Errorf("a search with a secret root: Seeded %v, warnings %v; want false and none", c.Seeded, c.Statement.Warnings)
	}
}

func TestDiagnosticsAreHiddenUnlessAskedFor(t *testing.T) {
	release, err := search(t).Run(t.Context(), streams.Fixed("hidden"))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := release.UnsafeDiagnostics(); ok {
		t.Error("K is in a release that did not ask for it")
	}
}

// noisyBy runs with noise that the hyper-parameter sets, so its price differs.
type noisyBy struct{ Candidate[float64, float64] }

func (noisyBy) Event(h float64) (accounting.Event, error) {
	return accounting.Gaussian{NoiseMultiplier: h}, nil
}

// The worst of σ = 1, 2, 4 is σ = 1, whose price is known without the search.
func TestPriceIsThatOfTheWorstHyperparameter(t *testing.T) {
	s := search(t)
	s.Prior, s.Candidate = Grid[float64]{4, 1, 2, 4}, noisyBy{normalCandidate(nil)}
	got, err := s.Price()
	if err != nil {
		t.Fatal(err)
	}
	want, err := selection.EventAt(selection.BestOf{Law: s.Law, Base: gaussian}, s.Delta)
	if err != nil {
		t.Fatal(err)
	}
	if g, w := got.Guarantee.Epsilon.Upper, want.Guarantee.Epsilon.Upper; math.Abs(g/w-1) > 1e-9 {
		t.Errorf("price of σ in {1, 2, 4}: ε %g, want %g, that of σ = 1 alone", g, w)
	}
}

func TestSamplerRunsOnlyWhatWasPriced(t *testing.T) {
	uniform := Sampler[float64](func(rng *rand.Rand) float64 { return 1 + rng.Float64() })
	s := search(t)
	s.Prior = uniform
	if _, err := s.Run(t.Context(), streams.Fixed("a")); err == nil || !strings.Contains(err.Error(), "Search.Base") {
		t.Errorf("a prior that cannot be listed needs Search.Base; got error %v", err)
	}
	s.Base = gaussian
	if _, err := s.Run(t.Context(), streams.Fixed("a")); err != nil {
		t.Errorf("a sampler whose runs have the base event: %v", err)
	}
	ran := false
	s.Candidate = noisyBy{CandidateFunc(nil, func(context.Context, float64, streams.Root) (Outcome[float64], error) {
		ran = true
		return Outcome[float64]{}, nil
	})}
	if _, err := s.Run(t.Context(), streams.Fixed("a")); err == nil || ran {
		t.Errorf("hyper-parameters with another event than the priced one: error %v, ran %v; want an error and no run", err, ran)
	}
}

// lying is a prior that draws what its support does not list.
type lying struct {
	Grid[float64]
	draws float64
}

func (p lying) Draw(*rand.Rand) float64 { return p.draws }

// A prior of Support {2} that draws 0.3 would train at σ = 0.3 for the price of σ = 2.
func TestPriorDrawsOnlyWhatWasPriced(t *testing.T) {
	s := search(t)
	s.Law = law.Fixed{Count: 1}
	for draws, refused := range map[float64]bool{0.3: true, 2: false} {
		ran := false
		s.Prior = lying{Grid[float64]{2}, draws}
		s.Candidate = noisyBy{CandidateFunc(nil, func(context.Context, float64, streams.Root) (Outcome[float64], error) {
			ran = true
			return Outcome[float64]{}, nil
		})}
		_, err := s.Run(t.Context(), streams.Fixed("a"))
		if ran == refused || (err != nil) != refused || refused && !strings.Contains(err.Error(), "hyper-parameters 0.3") {
			t.Errorf("support {2}, drawn %g: error %v, ran %v", draws, err, ran)
		}
	}
	s.Prior, s.Candidate = lying{Grid[float64]{1e-9}, 1e-8}, ending{normalCandidate(gaussian)}
	if _, err := s.Run(t.Context(), streams.Fixed("a")); err == nil || !strings.Contains(err.Error(), "truncation δ of hyper-parameters 1e-08: 1e-08: must be at most the priced 1e-09") {
		t.Errorf("a truncation δ of 1e-8 for the price of 1e-9: error %v", err)
	}
}

func TestFaultsAreFoundBeforeAnyRun(t *testing.T) {
	for field, spoil := range map[string]func(*Search[float64, float64]){
		"Law is nil":        func(s *Search[float64, float64]) { s.Law = nil },
		"Gamma":             func(s *Search[float64, float64]) { s.Law = law.TNB{Eta: 1, Gamma: 2} },
		"Prior is nil":      func(s *Search[float64, float64]) { s.Prior = nil },
		"Grid is empty":     func(s *Search[float64, float64]) { s.Prior = LogGrid(1, 0, 2) },
		"Candidate is nil":  func(s *Search[float64, float64]) { s.Candidate = nil },
		"Delta":             func(s *Search[float64, float64]) { s.Delta = 1 },
		"Unit is empty":     func(s *Search[float64, float64]) { s.Unit = "" },
		"Base is set":       func(s *Search[float64, float64]) { s.Base = gaussian },
		"event":             func(s *Search[float64, float64]) { s.Candidate = normalCandidate(nil) },
		"unsupported event": func(s *Search[float64, float64]) { s.Candidate = normalCandidate(odd{}) },
		"NoiseMultiplier":   func(s *Search[float64, float64]) { s.Candidate = normalCandidate(accounting.Gaussian{}) },
	} {
		s := search(t)
		spoil(&s)
		if _, err := s.Run(t.Context(), streams.Fixed("a")); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("fault in %s: error %v must name it", field, err)
		}
	}
	if _, err := search(t).Run(t.Context(), streams.Root{}); !errors.Is(err, streams.ErrNoRoot) {
		t.Errorf("the zero root: error %v, want ErrNoRoot", err)
	}
}

type odd struct{}

func (odd) Validate() error { return nil }
func (odd) String() string  { return "odd" }

func TestFailedRunReleasesNothing(t *testing.T) {
	fault := errors.New("disk on fire")
	s := search(t)
	s.Candidate = CandidateFunc(gaussian, func(context.Context, float64, streams.Root) (Outcome[float64], error) {
		return Outcome[float64]{Output: 1, Score: 1}, fault
	})
	s.Prior = LogGrid(0.0625, 0.0625, 1)
	release, err := s.Run(t.Context(), streams.Fixed("a"))
	if !errors.Is(err, fault) || release.Output != 0 {
		t.Errorf("a run that fails: error %v, output %g; want the run's error and nothing released", err, release.Output)
	}
	if err.Error() != "dptune: a run failed: disk on fire" {
		t.Errorf("error %q tells more than that a run failed: how many, or with what", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := search(t).Run(ctx, streams.Fixed("a")); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled search: error %v, want context.Canceled", err)
	}
}

// A law that draws more runs than can be run with a chance that counts is refused before anything
// runs: it would be another law than the priced one. A draw beyond that chance is an error.
func TestTooManyRuns(t *testing.T) {
	heavy, err := law.TNBFromMean(-0.9, 10) // its γ is so small that the tail reaches far
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []law.Law{law.Fixed{Count: 1 << 50}, heavy, law.Poisson{MeanRepeats: 1e9}, law.TwoPoint{Runs: 1 << 30, Single: 0.5}} {
		s := search(t)
		s.Law = l
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "Search.Law") || !strings.Contains(err.Error(), "Truncated") {
			t.Errorf("%v: %v, want an error that names Search.Law and what to do", l, err)
		}
		if _, err := s.Run(t.Context(), streams.Fixed("many")); err == nil {
			t.Errorf("%v: the search ran", l)
		}
		s.Law = law.Truncated{Law: l, Max: 100}
		if _, none := l.(law.TNB); none && s.Validate() != nil {
			t.Errorf("%v: %v", s.Law, s.Validate())
		}
	}
	s := search(t)
	s.Law = law.Fixed{Count: 1 << 50}
	if _, _, err := s.draw(streams.Fixed("many")); !errors.Is(err, errTooManyRuns) {
		t.Errorf("2^50 runs: %v, want %v", err, errTooManyRuns)
	}
}

// The unit is one row, also if it is a person: a statement lists that, and who is protected less.
func TestStatementSaysThatTheUnitIsOneRow(t *testing.T) {
	s := search(t)
	s.Unit = "one person"
	statement, err := s.Statement()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(statement.Assumptions, "one person is exactly one row of the data") ||
		!slices.Contains(statement.NotCovered, "several rows together: anyone who contributed several is protected less") {
		t.Errorf("statement:\n%s", statement.Full())
	}
}

// unpriced returns a run that skips the price, for tests of many draws.
func unpriced[H, O, D any](run func(context.Context, streams.Root, *Release[H, O, D]) error) func(context.Context, streams.Root) (Release[H, O, D], error) {
	return func(ctx context.Context, root streams.Root) (out Release[H, O, D], err error) {
		err = run(ctx, root, &out)
		return out, err
	}
}
