package candidate

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// small trains for 10 steps at a learning rate that is the hyper-parameter.
func small(t *testing.T) DPSGD[float64] {
	t.Helper()
	train, _, err := digits.Load()
	if err != nil {
		t.Fatal(err)
	}
	rest, held, err := data.SplitCoins(train, 0.2, streams.Fixed("candidate test").Rand("split"))
	if err != nil {
		t.Fatal(err)
	}
	model, err := models.MLP(64, 10)
	if err != nil {
		t.Fatal(err)
	}
	return DPSGD[float64]{
		Model: model, Train: rest, Validation: held,
		Configure: func(rate float64) dpsgd.Config {
			return dpsgd.Config{ClipNorm: 1, NoiseMultiplier: 1, Sampling: dpsgd.Poisson{Rate: 0.1}, Steps: 10, ExpectedBatchSize: 100, LearningRate: rate}
		},
		Score: dptune.PrivateAccuracy{NoiseMultiplier: 1e-9},
	}
}

// With next to no noise the score is the number of validation examples that the released
// weights get right, counted here by the engine's own evaluation of those weights.
func TestScoreIsThatOfTheReleasedWeights(t *testing.T) {
	c := small(t)
	roots := []streams.Root{streams.Fixed("a"), streams.Fixed("b"), streams.Fixed("c")}
	outcomes, err := c.RunAll(t.Context(), []float64{0.01, 1, 5}, roots)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range outcomes {
		accuracy, err := engine.Accuracy(t.Context(), c.Model, o.Output, c.Validation)
		if err != nil {
			t.Fatal(err)
		}
		if want := accuracy[0] * float64(c.Validation.Len()); math.Abs(o.Score-want) > 1e-6 {
			t.Errorf("run %d has score %g, want %g correct validation examples", i, o.Score, want)
		}
	}
	if outcomes[1].Score <= 2*float64(c.Validation.Len())/10 {
		t.Errorf("a model at learning rate 1 gets %g of %d right, no better than guessing", outcomes[1].Score, c.Validation.Len())
	}
}

// Theorem 2 needs independent runs: a run's outcome must not depend on its company, to the
// last bit, also where the others draw larger batches, which the default microbatch follows.
func TestRunsDoNotDependOnEachOther(t *testing.T) {
	c := small(t)
	configure := c.Configure
	for what, change := range map[string]struct {
		configure func(h float64) dpsgd.Config
		hs        []float64
	}{
		"learning rates": {configure, []float64{1, 0.5}},
		"sampling rates": {func(q float64) dpsgd.Config {
			config := configure(1)
			config.Sampling = dpsgd.Poisson{Rate: q}
			return config
		}, []float64{1, 0.5, 0.1}},
	} {
		c.Configure = change.configure
		roots := []streams.Root{streams.Fixed("a"), streams.Fixed("b"), streams.Fixed("c")}
		together, err := c.RunAll(t.Context(), change.hs, roots[:len(change.hs)])
		if err != nil {
			t.Fatal(err)
		}
		alone, err := c.RunAll(t.Context(), change.hs[1:2], roots[1:2])
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(together[1], alone[0]) {
			t.Errorf("the outcome of a run changed with the %s of the runs beside it", what)
		}
	}
}

// Candidates may differ in their number of steps, clipping and optimizer. Each has the results of
// the same run by itself.
func TestCandidatesMayDifferInTheirPrograms(t *testing.T) {
	c := small(t)
	c.Configure = func(h float64) dpsgd.Config {
		config := dpsgd.Config{ClipNorm: 1, NoiseMultiplier: 1, Sampling: dpsgd.Poisson{Rate: 0.1}, Steps: 5 + int(h)%2, ExpectedBatchSize: 100, LearningRate: 0.1 * (1 + h)}
		if h >= 2 {
			config.Optimizer, config.Clipping = dpsgd.Adam{}, dpsgd.AutomaticClipping{}
		}
		return config
	}
	hs := []float64{0, 1, 2, 3, 4}
	var roots []streams.Root
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		roots = append(roots, streams.Fixed(name))
	}
	c.Performance.Checkpoint.Dir = t.TempDir()
	together, err := c.RunAll(t.Context(), hs, roots)
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.RunAll(t.Context(), hs, roots)
	if err != nil || !reflect.DeepEqual(again, together) {
		t.Errorf("a search taken up from its checkpoints differs, error %v", err)
	}
	c.Performance.Checkpoint.Dir = ""
	for i, h := range hs {
		alone, err := c.RunAll(t.Context(), []float64{h}, roots[i:i+1])
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(together[i], alone[0]) {
			t.Errorf("run %d differs from the same run alone", i)
		}
	}
}

// A search that trains one run after the other keeps the checkpoints of each. Those of an earlier
// run are not an error for the next.
func TestFirstAboveWithCheckpoints(t *testing.T) {
	mean := 10.0
	if testing.Short() {
		mean = 4
	}
	number, err := law.Geometric(mean)
	if err != nil {
		t.Fatal(err)
	}
	for _, atOnce := range []int{1, 2} {
		if testing.Short() && atOnce == 1 {
			continue
		}
		c := small(t)
		c.Score.NoiseMultiplier = 10
		s := dptune.FirstAbove[float64, dpsgd.Parameters]{
			Search:    dptune.Search[float64, dpsgd.Parameters]{Law: number, Prior: dptune.Grid[float64]{0.5, 1}, Candidate: c, Delta: 1e-5, Unit: "one image"},
			Threshold: 1e9, AtOnce: atOnce,
		}
		want, err := s.Run(t.Context(), streams.Fixed("one after the other"))
		if err != nil {
			t.Fatal(err)
		}
		c.Performance.Checkpoint.Dir = t.TempDir()
		s.Search.Candidate = c
		for range 2 { // the second time from the checkpoints
			if got, err := s.Run(t.Context(), streams.Fixed("one after the other")); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%d at once, with checkpoints: %v, error %v (%v), want what the search gives without them", atOnce, got.Empty, err, dptune.UnsafeCause(err))
			}
		}
	}
}

// At σ 10 for the score, and q 0.1, σ 1, 10 steps for the training, training is the dearer
// part at every order that matters: the price of a search is as if scores were free.
func TestPrivateScoreIsFreeBesideTraining(t *testing.T) {
	c := small(t)
	c.Score.NoiseMultiplier = 10
	law, err := law.Logarithmic(10)
	if err != nil {
		t.Fatal(err)
	}
	s := dptune.Search[float64, dpsgd.Parameters]{
		Law: law, Prior: dptune.LogGrid(0.1, 1, 2), Candidate: c, Delta: 1e-5, Unit: "one image",
	}
	with, err := s.Price()
	if err != nil {
		t.Fatal(err)
	}
	without, err := selection.EventAt(selection.BestOf{Law: law, Base: c.Configure(1).Event()}, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := with.Guarantee.Epsilon.Upper, without.Guarantee.Epsilon.Upper; a < b*(1-1e-12) || a > b*1.001 {
		t.Errorf("price with private scores %g, without scores %g: must be equal to 0.1 %%, and not below", a, b)
	}
}

// A search over training runs reserves the largest truncation δ of their configs.
func TestSearchSetsTruncationDeltaAside(t *testing.T) {
	c := small(t)
	law, err := law.Logarithmic(10)
	if err != nil {
		t.Fatal(err)
	}
	c.Configure = func(sigma float64) dpsgd.Config {
		return dpsgd.Config{ClipNorm: 1, NoiseMultiplier: sigma, Sampling: dpsgd.Poisson{Rate: 0.1}, Steps: 10, ExpectedBatchSize: 100, LearningRate: 1}
	}
	c.Score.NoiseMultiplier = 10
	s := dptune.Search[float64, dpsgd.Parameters]{
		Law: law, Prior: dptune.Grid[float64]{2, 0.2}, Candidate: c, Delta: 0.01, Unit: "one image",
	}
	if testing.Short() {
		s.Prior, s.Accountants = dptune.Grid[float64]{0.2}, []accounting.Accountant{rdp.NewAccountant()}
	}
	tail, err := c.TruncationDelta(0.2)
	if err != nil || tail != c.Configure(0.2).TruncationDelta(c.Model, accounting.AddOrRemoveOne) || tail < 1e-4 {
		t.Fatalf("tail %g, error %v", tail, err)
	}
	s.Delta = 2 * 10 * tail
	statement, err := s.Statement()
	if err != nil || len(statement.Included) != 1 || !strings.Contains(statement.Included[0], "ε rises from") {
		t.Errorf("error %v, statement %s", err, statement.Full())
	}
	if _, err := (DPSGD[float64]{}).TruncationDelta(1); err == nil || !strings.Contains(err.Error(), "candidate: DPSGD.Configure is nil: must be a function") {
		t.Errorf("no Configure: error %v", err)
	}
	if _, err := c.TruncationDelta(-1); err == nil || !strings.Contains(err.Error(), "dpsgd: Config.NoiseMultiplier -1: must be > 0") {
		t.Errorf("σ -1: error %v", err)
	}
}

// Two searches from one secret root: the same one is taken up from its checkpoints, and one whose
// validation data hold one example more has other noise on its score. That of both would be the
// same, and the scores would differ by 0 or 1: the example.
func TestSearchesOfOneSecretRoot(t *testing.T) {
	root, err := streams.Secret()
	if err != nil {
		t.Fatal(err)
	}
	c := small(t)
	c.Score.NoiseMultiplier = 1e6
	c.Performance.Checkpoint.Dir = t.TempDir()
	search := func(c DPSGD[float64]) (dpsgd.Parameters, float64) {
		t.Helper()
		s := dptune.Search[float64, dpsgd.Parameters]{
			Law: law.Fixed{Count: 1}, Prior: dptune.Grid[float64]{1}, Candidate: c, Delta: 1e-5, Unit: "one image", KeepUnsafeDiagnostics: true,
		}
		release, err := s.Run(t.Context(), root)
		if err != nil {
			t.Fatal(err)
		}
		d, _ := release.UnsafeDiagnostics()
		return release.Output, d.Scores[0]
	}
	first, score := search(c)
	if again, scoredAgain := search(c); !reflect.DeepEqual(again, first) || scoredAgain != score {
		t.Error("the same search from the same secret root is another one")
	}
	c.Performance.Checkpoint.Dir = ""
	if again, scoredAgain := search(c); !reflect.DeepEqual(again, first) || scoredAgain != score {
		t.Error("without checkpoints it is another one")
	}
	all := make([]int, c.Validation.Len(), c.Validation.Len()+1)
	for i := range all {
		all[i] = i
	}
	c.Validation = c.Validation.Subset("one more", append(all, 0))
	other, otherScore := search(c)
	// The difference of two noises of 1e6 is below 1.5 with a chance of 3/(√2 1e6 √(2π)) = 8.5e-7.
	if math.Abs(otherScore-score) < 1.5 || reflect.DeepEqual(other, first) {
		t.Errorf("with one validation example more the score moves from %g to %g: the noise is the same", score, otherScore)
	}
}

// A program built for another processor trains other models from the same root: its search is another one, whose draws are its own.
func TestAnotherBuildIsAnotherSearch(t *testing.T) {
	c, hs, mine := small(t), []float64{1}, build
	identity := func() []byte {
		t.Helper()
		sum, err := c.Identity(hs)
		if err != nil || sum == nil {
			t.Fatal(sum, err)
		}
		return sum
	}
	here, again := identity(), identity()
	defer func() { build = mine }()
	build = "another processor"
	if !reflect.DeepEqual(here, again) || reflect.DeepEqual(here, identity()) {
		t.Error("the identity of a search must be the same again, and another one for another build")
	}
}

func (ownSteps) String() string   { return "own steps" }
func (ownFactors) String() string { return "own factors" }

// A config that no run takes has no hash: it is refused by its fault.
func TestIdentityOfAnInvalidConfigIsRefused(t *testing.T) {
	for want, change := range map[string]func(*dpsgd.Config){
		"Config.LearningRate NaN": func(c *dpsgd.Config) { c.LearningRate = math.NaN() },
		"Config.Sampling is a ":   func(c *dpsgd.Config) { c.Sampling = &dpsgd.Poisson{Rate: 0.5} },
	} {
		c := small(t)
		configure := c.Configure
		c.Configure = func(h float64) dpsgd.Config {
			config := configure(h)
			change(&config)
			return config
		}
		if sum, err := c.Identity([]float64{1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("identity %x, error %v, want one that names %q", sum, err, want)
		}
	}
}
