package candidate

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

func TestMeasures(t *testing.T) {
	for _, c := range []struct {
		measure Measure
		outputs []float64
		label   int32
		want    float64
	}{
		{LabelsRight(), []float64{1, -1, 0.5, -2}, 0b0101, 1},
		{LabelsRight(), []float64{1, -1, 0.5, -2}, 0b1000, 0.25}, // only the second
		{Nearness(2, -1, 0, 1), []float64{0.5}, 2, 0.75},
		{Nearness(2, -1, 0, 1), []float64{9}, 0, 0},
	} {
		if got := c.measure.Of(c.outputs, c.label); got != c.want {
			t.Errorf("%v of %v, label %b: %g, want %g", c.measure, c.outputs, c.label, got, c.want)
		}
	}
}

// returns is a measure that returns some number.
type returns float64

func (r returns) String() string              { return "a number" }
func (r returns) Of([]float64, int32) float64 { return float64(r) }

// For any value of a measure, one example more adds exactly between 0 and 1 to a sum. So noise for
// sensitivity 1 is enough.
func TestOneExampleMovesASumByAtMostOne(t *testing.T) {
	for value, want := range map[float64]float64{
		math.NaN(): 0, math.Inf(-1): 0, -1: 0, 0: 0, 0.5: 0.5, 1: 1, 1 + 1e-9: 1, math.Inf(1): 1,
		0.1: math.Floor(0.1*(1<<20)) / (1 << 20), 1e-9: 0,
	} {
		for _, n := range []int{0, 1, 12_345} {
			if got := total(returns(value), make([]float64, 2*n), data.Dataset{Labels: make([]int32, n)}); got != want*float64(n) {
				t.Errorf("%d examples of %g: sum %g, want %g", n, value, got, want*float64(n))
			}
		}
	}
}

// A score is the sum of the measure over the outputs of the released weights, here with almost no
// noise. With public validation examples it has no noise.
func TestScoreByMeasure(t *testing.T) {
	c := small(t)
	c.Model.Loss = nn.MultiLabel(4)
	c.Model.Layers = []nn.Layer{nn.Dense(64, 4)}
	for _, d := range []*data.Dataset{&c.Train, &c.Validation} { // digits by the bits of their names
		d.Classes = 16
	}
	c.Measure = LabelsRight()
	roots := []streams.Root{streams.Fixed("a"), streams.Fixed("b")}
	outcomes, err := c.RunAll(t.Context(), []float64{0.2, 1}, roots)
	if err != nil {
		t.Fatal(err)
	}
	c = public(c)
	scored, err := c.RunAll(t.Context(), []float64{0.2, 1}, roots)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range outcomes {
		classes, err := engine.Predict(t.Context(), c.Model, o.Output, c.Validation)
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for k, class := range classes[0] {
			for bit := range 4 {
				if (class^c.Validation.Labels[k])>>bit&1 == 0 {
					want += 0.25
				}
			}
		}
		if math.Abs(o.Score-want) > 1e-6 || scored[i].Score != want {
			t.Errorf("run %d has score %g, %g in public, want %g", i, o.Score, scored[i].Score, want)
		}
		if half := float64(c.Validation.Len()) / 2; want < 1.2*half {
			t.Errorf("run %d gets %g of the labels right, no better than guessing", i, want/half/2)
		}
	}
}

// public takes the validation examples for others, which are public.
func public(c DPSGD[float64]) DPSGD[float64] {
	v := c.Validation
	c.Validation = data.Dataset{Name: v.Name, Features: v.Features, Shape: v.Shape, Labels: v.Labels, Classes: v.Classes}
	c.PublicValidation, c.EqualAreOthers, c.Score = true, true, dptune.PrivateAccuracy{}
	return c
}

// A public validation set costs nothing and is said to be public.
func TestPublicValidation(t *testing.T) {
	c := small(t)
	c.PublicValidation, c.Score = true, dptune.PrivateAccuracy{}
	if _, err := c.Event(1); err == nil || !strings.Contains(err.Error(), "must have other, public records") {
		t.Errorf("a part of the data as the public validation set: error %v", err)
	}
	parts := c
	parts.Train, parts.Validation = c.Train.Subset("a", []int{0, 1, 2, 3}), c.Train.Subset("b", []int{4, 5})
	for _, equalAreOthers := range []bool{false, true} {
		parts.EqualAreOthers = equalAreOthers
		const want = "candidate: DPSGD.PublicValidation: Train and Validation are parts of one data set (see data.PartsOfOne)"
		if _, err := parts.Event(1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("subsets of one data set, EqualAreOthers %v: error %v, want %q", equalAreOthers, err, want)
		}
	}
	c = public(c)
	l := law.Fixed{Count: 2}
	s := dptune.Search[float64, dpsgd.Parameters]{Law: l, Prior: dptune.Grid[float64]{1}, Candidate: c, Delta: 1e-5, Unit: "one image"}
	statement, err := s.Statement()
	if err != nil {
		t.Fatal(err)
	}
	if text := statement.Full(); !strings.Contains(text, "the validation examples, which choose the best run, are public") || strings.Contains(text, "by its own coin, or by a rule") {
		t.Errorf("statement:\n%s", text)
	}
	price, err := s.Price()
	if err != nil {
		t.Fatal(err)
	}
	want, err := selection.EventAt(selection.BestOf{Law: l, Base: c.Configure(1).Event()}, 1e-5)
	if err != nil || math.Abs(price.Guarantee.Epsilon.Upper/want.Guarantee.Epsilon.Upper-1) > 1e-6 { // but for the tails of the noise
		t.Errorf("ε %g, want %g, that of training alone, error %v", price.Guarantee.Epsilon.Upper, want.Guarantee.Epsilon.Upper, err)
	}
	c.Score.NoiseMultiplier = 1
	if _, err := c.Event(1); err == nil || !strings.Contains(err.Error(), "NoiseMultiplier 1: must be 0 with PublicValidation") {
		t.Errorf("noise on a public score: error %v", err)
	}
}

// Examples in both parts are refused, before anything runs, unless they are said to be other records or coins made the parts.
func TestOverlapIsRefused(t *testing.T) {
	c := small(t)
	roots := []streams.Root{streams.Fixed("a")}
	rows := []int{3, 5}
	c.Validation = c.Train.Subset("some", rows)
	const want = "candidate: DPSGD.Validation has 2 of 2 examples in common with Train, such as row 0: must be disjoint"
	if _, err := c.RunAll(t.Context(), []float64{1}, roots); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
	s := dptune.Search[float64, dpsgd.Parameters]{Law: law.Fixed{Count: 1}, Prior: dptune.Grid[float64]{1}, Candidate: c, Delta: 1e-5, Unit: "one image"}
	root, err := streams.Secret()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context(), root); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a search: error %v, want %q", err, want)
	}
	whole := small(t)
	for name, mistaken := range map[string][2]data.Dataset{
		"one part of two as both": {whole.Train, whole.Train}, "the other part as both": {whole.Validation, whole.Validation},
		"a training part that the validation part was added to": {both(whole.Train, whole.Validation), whole.Validation},
	} {
		of := whole
		of.Train, of.Validation = mistaken[0], mistaken[1]
		if _, err := of.RunAll(t.Context(), []float64{1}, roots); err == nil || !strings.Contains(err.Error(), "examples in common with Train") {
			t.Errorf("%s: error %v: must be refused", name, err)
		}
	}
	c.EqualAreOthers = true
	if _, err := c.RunAll(t.Context(), []float64{1}, roots); err != nil {
		t.Errorf("other records: error %v", err)
	}
	if !slices.Contains(c.Assumptions(), "equal examples of training and validation are different records") {
		t.Errorf("assumptions %q", c.Assumptions())
	}
}

// both returns a with the examples of b behind its own.
func both(a, b data.Dataset) data.Dataset {
	a.Features, a.Labels = slices.Concat(a.Features, b.Features), slices.Concat(a.Labels, b.Labels)
	return a
}

// Every run starts from given weights, and the statement assumes that they are public.
func TestInitialWeights(t *testing.T) {
	c := small(t)
	start := dpsgd.Parameters{Values: [][]float64{make([]float64, c.Model.Size())}}
	for i := range start.Values[0] {
		start.Values[0][i] = 10
	}
	c.Initial = &start
	outcomes, err := c.RunAll(t.Context(), []float64{1e-9}, []streams.Root{streams.Fixed("a")}) // which hardly moves
	if err != nil || math.Abs(outcomes[0].Output.Values[0][7]-10) > 1e-3 {
		t.Errorf("weights %v, error %v", outcomes, err)
	}
	list := strings.Join(c.Assumptions(), "; ")
	if !strings.Contains(list, "the given initial weights are public") || strings.Contains(list, "drawn from the seed") {
		t.Errorf("assumptions %s", list)
	}
	c.Initial = &dpsgd.Parameters{Values: [][]float64{{1}}}
	if _, err := c.RunAll(t.Context(), []float64{1}, []streams.Root{streams.Fixed("a")}); err == nil || !strings.Contains(err.Error(), "Plan.Initial.Values[0] has length 1: must be 650") {
		t.Errorf("one weight: error %v", err)
	}
}

// All that outcomes follow from is in the identity; code of the caller's own has none.
func TestIdentityOfScores(t *testing.T) {
	one := []float64{1}
	identity := func(change func(*DPSGD[float64])) []byte {
		c := small(t)
		change(&c)
		sum, err := c.Identity(one)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	start := func(v float64) *dpsgd.Parameters {
		values := make([]float64, 650)
		values[3] = v
		return &dpsgd.Parameters{Values: [][]float64{values}}
	}
	targets := make([]float64, 10)
	seen := map[string]int{}
	for i, change := range []func(*DPSGD[float64]){
		func(*DPSGD[float64]) {},
		func(c *DPSGD[float64]) { c.Measure = LabelsRight() },
		func(c *DPSGD[float64]) { c.Measure = Nearness(1, targets...) },
		func(c *DPSGD[float64]) { c.Measure = Nearness(2, targets...) },
		func(c *DPSGD[float64]) { c.Measure = Nearness(2, append([]float64{1}, targets[1:]...)...) },
		func(c *DPSGD[float64]) { *c = public(*c) },
		func(c *DPSGD[float64]) { c.Initial = start(0) },
		func(c *DPSGD[float64]) { c.Initial = start(1) },
	} {
		sum := string(identity(change))
		if before, ok := seen[sum]; ok || sum == "" {
			t.Errorf("search %d has the identity of %d, %x", i, before, sum)
		}
		seen[sum] = i
	}
	if sum := identity(func(c *DPSGD[float64]) { c.Measure = struct{ Measure }{returns(1)} }); sum != nil {
		t.Errorf("a measure of the caller's own has the identity %x", sum)
	}
}

func TestBadMeasures(t *testing.T) {
	for want, m := range map[string]Measure{
		"Nearness scale 0: must be > 0 and finite":                 Nearness(0, make([]float64, 10)...),
		"Nearness scale NaN: must be > 0 and finite":               Nearness(math.NaN(), make([]float64, 10)...),
		"Nearness has 1 targets: must have 10, one for each class": Nearness(1, 0),
	} {
		c := small(t)
		c.Measure = m
		if _, err := c.Event(1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
}

// A run that diverged is scored like any other. A search with only such runs still ends in a
// release. Only the score shows it, and no release has the score.
func TestAllRunsDiverge(t *testing.T) {
	c := small(t)
	model, err := models.MLPWith(nn.ReLU(), 64, 10, 10)
	if err != nil {
		t.Fatal(err)
	}
	c.Model = model
	s := dptune.Search[float64, dpsgd.Parameters]{
		Law: law.Fixed{Count: 3}, Prior: dptune.Grid[float64]{1e60}, Candidate: c, Delta: 1e-5, Unit: "one image", KeepUnsafeDiagnostics: true,
	}
	release, err := s.Run(t.Context(), streams.Fixed("diverge"))
	if err != nil || release.Empty {
		t.Fatalf("release %+v, error %v", release, err)
	}
	if want := [][]float64{make([]float64, model.Size())}; !reflect.DeepEqual(release.Output.Values, want) {
		t.Errorf("weights of a run at learning rate 1e60 are not zeros")
	}
	if err := errors.Join(release.Statement.Warnings...); !errors.Is(err, streams.ErrSeeded) || strings.Contains(err.Error(), "diverged") {
		t.Errorf("warnings %v", err)
	}
}
