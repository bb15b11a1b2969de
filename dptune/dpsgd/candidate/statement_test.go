package candidate

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// searchOf is a search of the best of two runs.
func searchOf(c DPSGD[float64]) dptune.Search[float64, dpsgd.Parameters] {
	return dptune.Search[float64, dpsgd.Parameters]{Law: law.Fixed{Count: 2}, Prior: dptune.Grid[float64]{1}, Candidate: c, Delta: 1e-5, Unit: "one image"}
}

// The price of a search assumes a split of training and validation. The statement lists it, and
// parts that are known to violate it are refused before anything is priced.
func TestStatementNamesTheSplit(t *testing.T) {
	c := small(t)
	s := searchOf(c)
	s.Assumptions = []string{"the moon is full"}
	statement, err := s.Statement()
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"each example joined training or validation by its own coin", "the expected batch size, and every other setting that is not tuned, was chosen without looking at the data", "the initial weights were drawn from the seed", "added within a microbatch without rounding", "the moon is full"} {
		if !strings.Contains(statement.Full(), part) {
			t.Errorf("statement lacks %q:\n%s", part, statement.Full())
		}
	}
	if c.Train, c.Validation, err = data.SplitRandom(c.Train, 200, streams.Fixed("x").Rand("split")); err != nil {
		t.Fatal(err)
	}
	s.Candidate = c
	if _, err := s.Statement(); err == nil || !strings.Contains(err.Error(), "parts by data.SplitRandom: must be split by data.SplitCoins") {
		t.Errorf("parts by SplitRandom: error %v", err)
	}
	if _, err := c.RunAll(t.Context(), []float64{1}, []streams.Root{streams.Fixed("x")}); err == nil {
		t.Error("parts by SplitRandom were run")
	}
}

// A run has its price only if its batches are drawn by coins, or fixed, where an example that is
// left out moves no other one. The statement of a search lists which, once, like that of one run.
func TestStatementSaysHowBatchesAreDrawn(t *testing.T) {
	const coins, fixed = "each example joined each step by its own coin", "an example that is left out leaves its place empty"
	c := small(t)
	saysHowBatchesAreDrawn(t, c, coins)
	configure := c.Configure
	c.Configure = func(h float64) dpsgd.Config {
		config := configure(h)
		config.Sampling = dpsgd.FixedBatches{Period: 10}
		return config
	}
	saysHowBatchesAreDrawn(t, c, fixed)
}

// The quotable sentence of a search over fixed batches names the empty place. If the runs are not
// listed, it names when that holds.
func TestStatementNamesTheEmptyPlace(t *testing.T) {
	const note = "under adding or removing one image, whose place stays empty"
	c := small(t)
	poisson, fixed := c.Configure, c
	fixed.Configure = func(h float64) dpsgd.Config {
		config := poisson(h)
		if config.LearningRate > 1 {
			config.Sampling, config.NoiseMultiplier = dpsgd.FixedBatches{Period: 10}, 4
		}
		return config
	}
	unlisted := searchOf(c)
	unlisted.Prior = dptune.Sampler[float64](func(*rand.Rand) float64 { return 1 })
	unlisted.Base, _ = c.Event(1)
	for want, s := range map[string]dptune.Search[float64, dpsgd.Parameters]{
		note + ".":                            {Prior: dptune.Grid[float64]{1, 2}, Candidate: fixed},
		"under adding or removing one image.": {Prior: dptune.Grid[float64]{1}, Candidate: fixed},
		note + " if batches are fixed.":       {Prior: unlisted.Prior, Candidate: c, Base: unlisted.Base},
	} {
		s.Law, s.Delta, s.Unit = law.Fixed{Count: 2}, 1e-5, "one image"
		statement, err := s.Statement()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(statement.String(), want) {
			t.Errorf("statement %v, want %q", statement, want)
		}
	}
}

// A search on allocated batches has a price, below that of Poisson sampling, runs, and lists how
// batches were drawn. Without a list of candidates it lists what holds if they are allocated.
func TestSearchOnAllocatedBatches(t *testing.T) {
	c := small(t)
	configure := c.Configure
	c.Score = dptune.PrivateAccuracy{NoiseMultiplier: 5}
	search := func(s dpsgd.Sampling) dptune.Search[float64, dpsgd.Parameters] {
		c.Configure = func(h float64) dpsgd.Config {
			config := configure(h)
			config.NoiseMultiplier, config.Sampling = 2, s
			return config
		}
		search := searchOf(c)
		geometric, err := law.Geometric(2)
		if err != nil {
			t.Fatal(err)
		}
		search.Law = geometric
		return search
	}
	poisson, err := search(dpsgd.Poisson{Rate: 0.1}).Price()
	if err != nil {
		t.Fatal(err)
	}
	release, err := search(dpsgd.RandomAllocation{Period: 10}).Run(t.Context(), streams.Fixed("allocated"))
	if err != nil {
		t.Fatal(err)
	}
	if got, most := release.Statement.Guarantee.Epsilon.Upper, poisson.Guarantee.Epsilon.Upper; !(got > 0.5*most && got < most) {
		t.Errorf("ε %g on allocated batches, %g on Poisson samples", got, most)
	}
	for _, want := range []string{"RandomAllocation(1 of each 10, 10 steps", "each example joined one of each 10 steps, drawn afresh each time", "the batches and their sizes stay secret"} {
		if strings.Count(release.Statement.Full(), want) != 1 {
			t.Errorf("statement lacks %q: %s", want, release.Statement.Full())
		}
	}
	if all := c.AssumptionsOf(nil); !slices.ContainsFunc(all, func(s string) bool { return strings.Contains(s, "if examples are allocated, each joined one step") }) {
		t.Errorf("assumptions of all candidates: %q", all)
	}
}

func saysHowBatchesAreDrawn(t *testing.T, c DPSGD[float64], want string) {
	t.Helper()
	listed := searchOf(c)
	drawn := listed
	drawn.Prior, drawn.TruncationDelta = dptune.Sampler[float64](func(*rand.Rand) float64 { return 1 }), 1e-9
	base, err := c.Event(1)
	if err != nil {
		t.Fatal(err)
	}
	drawn.Base = base
	for name, s := range map[string]dptune.Search[float64, dpsgd.Parameters]{"a grid": listed, "a sampler": drawn} {
		statement, err := s.Statement()
		if err != nil || strings.Count(statement.Full(), want) != 1 {
			t.Errorf("%s: %s, error %v", name, statement.Full(), err)
		}
	}
}

// must returns a memory estimate, or panics.
func must(m engine.Memory, _ engine.Performance, err error) engine.Memory {
	if err != nil {
		panic(err)
	}
	return m
}

// ownSteps and ownFactors are code that is not package dpsgd's.
type (
	ownSteps   struct{ dpsgd.SGD }
	ownFactors struct{ dpsgd.FlatClipping }
)

// A search with the user's own clipping or optimizer assumes what that code reads, like a single
// run. Its statement lists that, once for each.
func TestStatementNamesCodeOfTheUsersOwn(t *testing.T) {
	c := small(t)
	configure := c.Configure
	c.Configure = func(h float64) dpsgd.Config {
		config := configure(h)
		if h > 1 {
			config.Optimizer, config.Clipping = ownSteps{}, ownFactors{}
		}
		return config
	}
	own := func(prior dptune.Prior[float64], base accounting.Event) (said []string) {
		t.Helper()
		s := dptune.Search[float64, dpsgd.Parameters]{Law: law.Fixed{Count: 2}, Prior: prior, Base: base, TruncationDelta: 1e-9, Candidate: c, Delta: 1e-5, Unit: "one image"}
		if base == nil {
			s.TruncationDelta = 0
		}
		statement, err := s.Statement()
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range statement.Assumptions {
			if strings.Contains(text, "user's own") {
				said = append(said, text)
			}
		}
		return said
	}
	if said := own(dptune.Grid[float64]{0.5, 1}, nil); said != nil {
		t.Errorf("nothing is the user's own, and the statement says %q", said)
	}
	want := configure(1)
	want.Optimizer, want.Clipping = ownSteps{}, ownFactors{}
	if said := own(dptune.Grid[float64]{0.5, 2, 3}, nil); len(said) != 2 || !reflect.DeepEqual(said, want.Assumptions()[2:]) {
		t.Errorf("the statement says %q, want %q", said, want.Assumptions()[2:])
	}
	event, err := c.Event(1)
	if err != nil {
		t.Fatal(err)
	}
	if said := own(dptune.Sampler[float64](func(*rand.Rand) float64 { return 2 }), event); len(said) != 2 {
		t.Errorf("of hyper-parameters that are not listed the statement says %q, want two items", said)
	}
}
