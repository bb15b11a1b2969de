package dpsgd_test

import (
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/dptune/dpsgd"
)

// What an audit claims about the canary counts the steps that it may join.
func TestCanaryEvent(t *testing.T) {
	every := func(k int) func(int) bool { return func(step int) bool { return step%k == 0 } }
	gaussian := accounting.ClippedSum{NoiseMultiplier: 1.1}
	poisson := accounting.PoissonSampled{SamplingRate: 0.3, Event: gaussian}
	free := private()
	free.NonPrivate, free.NoiseMultiplier = true, 0
	for _, c := range []struct {
		config dpsgd.Config
		at     func(int) bool
		want   accounting.Event
	}{
		{private(), nil, accounting.SelfComposed{Event: poisson, Count: 5}},
		{private(), every(2), accounting.SelfComposed{Event: poisson, Count: 3}},
		{fixed(2), nil, accounting.SelfComposed{Event: gaussian, Count: 3}},
		{fixed(3), every(1), accounting.SelfComposed{Event: gaussian, Count: 5}},
		{fixed(3), every(5), accounting.SelfComposed{Event: gaussian, Count: 1}},
		{free, every(1), accounting.NonPrivate{}},
	} {
		plan := c.config.Plan()
		plan.Canary = &dpsgd.Canary{Example: &dpsgd.Example{Features: []float32{1}}, In: []bool{true}, At: c.at}
		if got := plan.CanaryEvent(0); got != c.want {
			t.Errorf("%v: event %v, want %v", c.config.Sampling, got, c.want)
		}
	}
	plan := private().Plan()
	if plan.CanaryEvent(0).Validate() == nil {
		t.Error("the event of no canary is valid")
	}
	plan.Canary = &dpsgd.Canary{At: func(int) bool { return false }}
	if plan.CanaryEvent(0).Validate() == nil || plan.CanaryEvent(1).Validate() == nil {
		t.Error("the event of a canary that never joins, or of no replica, is valid")
	}
}
