package candidate

import (
	"reflect"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// curved is the small candidate with a curve on the test images.
func curved(t *testing.T) WithCurve[float64] {
	t.Helper()
	_, test, err := digits.Load()
	if err != nil {
		t.Fatal(err)
	}
	return WithCurve[float64]{DPSGD: small(t), Evaluate: dpsgd.Evaluation{Data: test, Every: 4}}
}

func searchWithCurve(c WithCurve[float64]) dptune.Search[float64, Trained] {
	return dptune.Search[float64, Trained]{Law: law.Fixed{Count: 2}, Prior: dptune.Grid[float64]{0.5, 1, 2}, Candidate: c, Delta: 1e-5, Unit: "one image"}
}

// A search with curves releases the weights of the same search without them, for the same price.
// The last point of the winner's curve is the accuracy of its weights.
func TestSearchReleasesTheCurveOfTheWinner(t *testing.T) {
	c := curved(t)
	with, without := searchWithCurve(c), searchOf(c.DPSGD)
	without.Prior = with.Prior
	secret, err := streams.Secret()
	if err != nil {
		t.Fatal(err)
	}
	for name, root := range map[string]streams.Root{"fixed": streams.Fixed("curves"), "secret": secret} {
		curve, err := with.Run(t.Context(), root)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := without.Run(t.Context(), root)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(curve.Output.Parameters, plain.Output) || curve.Statement.Guarantee.Epsilon != plain.Statement.Guarantee.Epsilon {
			t.Errorf("%s root: the search with curves released other weights, or at another price", name)
		}
		accuracy, err := engine.Accuracy(t.Context(), c.Model, plain.Output, c.Evaluate.Data)
		if err != nil {
			t.Fatal(err)
		}
		got := curve.Output.Curve
		if !reflect.DeepEqual(got.Steps, []int{4, 8, 10}) || len(got.Accuracy) != 1 || got.Accuracy[0][2] != accuracy[0] {
			t.Errorf("%s root: curve %v, want one that ends at %g after 10 steps", name, got, accuracy[0])
		}
		const public = "the data of the learning curve are public (no ε protects them)"
		if !strings.Contains(curve.Statement.Full(), public) || strings.Contains(plain.Statement.Full(), public) {
			t.Errorf("%s root: the statement with a curve must name its public data, and the other must not:\n%s", name, curve.Statement.Full())
		}
	}
}

// Private data and settings that cannot run are refused when the search is priced, before any run.
func TestWithCurveRefuses(t *testing.T) {
	for want, spoil := range map[string]func(*WithCurve[float64]){
		"dpsgd: Plan.Evaluate.Every 0: must be >= 1":                                                                    func(c *WithCurve[float64]) { c.Evaluate.Every = 0 },
		"dpsgd: Plan.Evaluate.Data is empty":                                                                            func(c *WithCurve[float64]) { c.Evaluate.Data = c.Evaluate.Data.Subset("none", nil) },
		"candidate: WithCurve.Evaluate.Data has 1 of 1 examples in common with the private ones":                        func(c *WithCurve[float64]) { c.Evaluate.Data = c.Train.Subset("one", []int{3}) },
		"candidate: WithCurve.Evaluate.Data is a part of the same data set as the private examples, by data.SplitCoins": func(c *WithCurve[float64]) { c.Evaluate.Data = c.Validation },
		"candidate: WithCurve.Evaluate.Data and the private examples are parts of one data set":                         func(c *WithCurve[float64]) { c.Evaluate.Data = c.Validation.Subset("two", []int{3, 4}) },
		"candidate: WithCurve.Evaluate.Progress is given: must be nil, since the number of runs is secret":              func(c *WithCurve[float64]) { c.Evaluate.Progress = func(dpsgd.LearningCurve) {} },
		"candidate: DPSGD.Configure is nil: must be a function":                                                         func(c *WithCurve[float64]) { c.Configure = nil },
	} {
		c := curved(t)
		spoil(&c)
		if _, err := searchWithCurve(c).Price(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("price: error %v, want %q", err, want)
		}
		if _, err := c.RunAll(t.Context(), []float64{1}, []streams.Root{streams.Fixed("x")}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("run: error %v, want %q", err, want)
		}
	}
	public := curved(t)
	public.PublicValidation, public.Score = true, dptune.PrivateAccuracy{}
	_, test, err := digits.Load()
	if err != nil {
		t.Fatal(err)
	}
	public.Validation, public.Evaluate.Data = test, test
	if _, err := searchWithCurve(public).Price(); err != nil {
		t.Errorf("a curve on the public validation examples: %v", err)
	}
}
