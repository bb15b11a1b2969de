package engine_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// unit returns a vector along one weight.
func unit(size, at int, length float64) []float64 {
	v := make([]float64, size)
	v[at] = length
	return v
}

// samplings are configs of four steps at clip norm 0.5, without noise.
func samplings() map[string]dpsgd.Config {
	list := map[string]dpsgd.Config{}
	for name, sampling := range map[string]dpsgd.Sampling{
		"Poisson": dpsgd.Poisson{Rate: 0.5}, "all": dpsgd.Poisson{Rate: 1}, "full": dpsgd.FullBatch{}, "fixed": dpsgd.FixedBatches{Period: 3},
	} {
		c := clipOnly(0.5)
		c.Steps, c.Sampling = 4, sampling
		list[name] = c
	}
	return list
}

// One of many is the one canary: the same coins and the same bits, however it is given and sampled.
func TestOneOfManyCanariesIsTheCanary(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(14, 6, 3)
	gradient := unit(m.Size(), 7, 0.5)
	for name, c := range samplings() {
		for kind, both := range map[string]struct {
			one  dpsgd.Canary
			many dpsgd.Canaries
		}{
			"coordinate": {dpsgd.Canary{Gradient: gradient}, dpsgd.Canaries{Coordinates: []int{7}}},
			"gradient":   {dpsgd.Canary{Gradient: gradient}, dpsgd.Canaries{Gradients: [][]float64{gradient}}},
			"example":    {dpsgd.Canary{Example: odd()}, dpsgd.Canaries{Examples: []dpsgd.Example{*odd()}}},
		} {
			one, many := dpsgd.Plan{Replicas: []dpsgd.Config{c, c}}, dpsgd.Plan{Replicas: []dpsgd.Config{c, c}}
			both.one.In, both.many.In = []bool{true, false}, [][]bool{{true}, {false}}
			one.Canary, many.Canaries = &both.one, &both.many
			perf := engine.Performance{Microbatch: 8}
			want := train(t, m, d, one, perf, "one of many").Parameters.Values
			got := train(t, m, d, many, perf, "one of many").Parameters.Values
			without := train(t, m, d, dpsgd.Plan{Replicas: []dpsgd.Config{c, c}}, perf, "one of many").Parameters.Values
			if !sameBits(got[0], want[0]) || !sameBits(got[1], without[1]) || slices.Equal(want[0], without[0]) {
				t.Errorf("%s, %s: one of Plan.Canaries is not Plan.Canary", name, kind)
			}
		}
	}
}

// Each replica's sums hold only its own canaries, each at its own steps, in separate and in shared
// batches. Coordinates and overlapping directions are compared with single sums.
func TestCanariesAddUp(t *testing.T) {
	const canaries, replicas = 5, 3
	m, d := mlp(t, 12, 10, 4), blobs(20, 12, 4)
	in := [][]bool{{true, true, false, true, false}, {false, false, false, false, false}, {true, false, true, false, true}}
	for name, c := range samplings() {
		c.Steps, c.LearningRate = 9, 1e-9 // the same sums at every step
		plan := dpsgd.Plan{Replicas: slices.Repeat([]dpsgd.Config{c}, replicas)}
		many := dpsgd.Canaries{In: in}
		for i := range canaries {
			many.Coordinates = append(many.Coordinates, 2*i)
			plan.Probes = append(plan.Probes, unit(m.Size(), 2*i, 1))
		}
		for _, plan.SharedBatches = range []bool{false, true} {
			plan.Canaries = nil
			before := train(t, m, d, plan, engine.Performance{ReplicasPerCall: 2}, "add up").Probes
			plan.Canaries = &many
			after := train(t, m, d, plan, engine.Performance{ReplicasPerCall: 2}, "add up").Probes
			for r := range replicas {
				for i := range canaries {
					for step := range c.Steps {
						moved, joins := after[r][step][i]-before[r][step][i], 0.0
						switch {
						case !in[r][i]:
						case name == "Poisson":
							joins = math.Round(2 * moved) // 0 or 1, of its coin; TestCanariesAreSampled counts them
							if joins != 1 {
								joins = 0
							}
						case name != "fixed" || step%3 == (20+i)%3:
							joins = 1
						}
						if math.Abs(moved-0.5*joins) > 1e-6 {
							t.Errorf("%s, shared %v, replica %d, step %d: coordinate of canary %d moved by %g, want %g", name, plan.SharedBatches, r, step, i, moved, 0.5*joins)
						}
					}
				}
			}
		}
	}
	c := samplings()["full"]
	plan := dpsgd.Plan{Replicas: []dpsgd.Config{c}, Canaries: &dpsgd.Canaries{In: [][]bool{{true, true}}}}
	plan.Canaries.Gradients = [][]float64{unit(m.Size(), 3, 0.25), unit(m.Size(), 3, 0.125)}
	plan.Probes = [][]float64{unit(m.Size(), 3, 1)}
	together := train(t, m, d, plan, engine.Performance{}, "add up").Probes[0][0][0]
	plan.Canaries = nil
	if moved := together - train(t, m, d, plan, engine.Performance{}, "add up").Probes[0][0][0]; math.Abs(moved-0.375) > 1e-6 {
		t.Errorf("two gradients along one direction add %g, want 0.375", moved)
	}
}

// Under Poisson sampling each canary tosses its own coins, whatever the other canaries. Each joins
// a binomial number of n steps, and two join together at the product of their rates, within 5.6
// standard deviations (chance 2e-8 each).
func TestCanariesAreSampled(t *testing.T) {
	const steps, rate = 2000, 0.3
	m, empty := mlp(t, 6, 3), blobs(0, 6, 3)
	c := clipOnly(1)
	c.Steps, c.Sampling, c.LearningRate = steps, dpsgd.Poisson{Rate: rate}, 1e-9
	plan := c.Plan()
	plan.Probes = [][]float64{unit(m.Size(), 1, 1), unit(m.Size(), 4, 1)}
	joins := func(in ...bool) [][]float64 {
		plan.Canaries = &dpsgd.Canaries{Coordinates: []int{1, 4}, In: [][]bool{in}}
		return train(t, m, empty, plan, engine.Performance{}, "coins").Probes[0]
	}
	both, second := joins(true, true), joins(false, true)
	var count [3]float64
	for step := range steps {
		count[0] += both[step][0]
		count[1] += both[step][1]
		count[2] += both[step][0] * both[step][1]
		if both[step][1] != second[step][1] || second[step][0] != 0 {
			t.Fatalf("step %d: the coin of a canary depends on another", step)
		}
	}
	for i, p := range []float64{rate, rate, rate * rate} {
		if z := (count[i] - steps*p) / math.Sqrt(steps*p*(1-p)); math.Abs(z) > 5.6 {
			t.Errorf("joined %g of %d steps, want %g: %.1f standard deviations off", count[i], steps, steps*p, z)
		}
	}
}

// Crafted examples are rows of the data of the replicas that hold them.
func TestCanaryExamplesAreRows(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(14, 6, 3)
	examples := []dpsgd.Example{*odd(), {Features: []float32{1, 2, 3, 4, 5, 6}, Label: 0}, {Features: []float32{-1, 0, 2, 0, -1, 0}, Label: 1}}
	for name, in := range map[string][][]bool{ // of fixed batches a place stays empty: only the first ones compare
		"full": {{true, false, true}, {false, true, true}}, "fixed": {{true, true, false}, {true, false, false}},
	} {
		c := samplings()[name]
		perf := engine.Performance{ReplicasPerCall: 2, Microbatch: 32}
		plan := dpsgd.Plan{Replicas: []dpsgd.Config{c, c}, Canaries: &dpsgd.Canaries{Examples: examples, In: in}}
		got := must(trainer(t, m, d, plan, perf).RunEach(t.Context(), roots(2)))(t).Parameters.Values
		for r := range in {
			longer := d
			for i, x := range examples {
				if in[r][i] {
					longer = with(longer, &x)
				}
			}
			want := must(trainer(t, m, longer, dpsgd.Plan{Replicas: []dpsgd.Config{c, c}}, perf).RunEach(t.Context(), roots(2)))(t).Parameters.Values
			checkClose(t, name+": weights with canaries against those of the data with their rows", got[r], want[r], 1e-5)
		}
	}
}

func TestCanariesAreValidated(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(14, 6, 3)
	size, one := m.Size(), [][]bool{{true}}
	for _, c := range []struct {
		canaries dpsgd.Canaries
		want     []string
	}{
		{dpsgd.Canaries{Coordinates: []int{3, 5}, In: [][]bool{{true, false}}}, nil},
		{dpsgd.Canaries{In: one}, []string{"Plan.Canaries has 0 of Coordinates, Gradients, Examples: must have exactly one"}},
		{dpsgd.Canaries{Coordinates: []int{3}, Examples: []dpsgd.Example{*odd()}, In: one}, []string{"Plan.Canaries has 2 of"}},
		{dpsgd.Canaries{Coordinates: []int{3}}, []string{"length of Plan.Canaries.In 0: must be 1, one for each replica"}},
		{dpsgd.Canaries{Coordinates: []int{3, 4}, In: one}, []string{"length of Plan.Canaries.In[0] 1: must be 2, one for each canary"}},
		{dpsgd.Canaries{Coordinates: []int{3, 3}, In: [][]bool{{true, true}}}, []string{"Plan.Canaries.Coordinates[1] 3: is also that of canary 0: must differ"}},
		{dpsgd.Canaries{Coordinates: []int{size}, In: one}, []string{"Plan.Canaries.Coordinates[0]", "must be in [0, "}},
		{dpsgd.Canaries{Gradients: [][]float64{make([]float64, size)}, In: one}, []string{"Plan.Canaries.Gradients[0] has norm 0: must be > 0"}},
		{dpsgd.Canaries{Gradients: [][]float64{unit(size, 0, 0.6)}, In: one}, []string{"Plan.Canaries.Gradients[0] has norm 0.6: must be at most ClipNorm 0.5 of replica 0"}},
		{dpsgd.Canaries{Gradients: [][]float64{{1}}, In: one}, []string{"Plan.Canaries.Gradients[0] has length 1"}},
		{dpsgd.Canaries{Examples: []dpsgd.Example{{Features: make([]float32, 5)}}, In: one}, []string{"Plan.Canaries.Examples[0].Features has length 5: must be 6"}},
		{dpsgd.Canaries{Examples: []dpsgd.Example{{Features: make([]float32, 6), Label: 3}}, In: one}, []string{"Plan.Canaries.Examples[0].Label 3: must be in [0, 3)"}},
	} {
		plan := private().Plan()
		plan.Canaries = &c.canaries
		_, err := engine.NewReplicas(m, d, plan)
		checkError(t, err, c.want)
	}
	plan := private().Plan()
	plan.SharedBatches, plan.Canary = true, &dpsgd.Canary{Example: odd(), In: []bool{true}}
	plan.Canaries = &dpsgd.Canaries{Examples: []dpsgd.Example{*odd()}, In: one}
	_, err := engine.NewReplicas(m, d, plan)
	checkError(t, err, []string{"Plan.Canary is given: must be nil with Plan.Canaries", "Plan.SharedBatches true: must be false with Plan.Canaries.Examples"})
	free := dpsgd.Config{NonPrivate: true, Sampling: dpsgd.Poisson{Rate: 1}, Steps: 1, ExpectedBatchSize: 1, LearningRate: 1}
	plan = free.Plan()
	plan.Canaries = &dpsgd.Canaries{Coordinates: []int{3}, In: one}
	_, err = engine.NewReplicas(m, d, plan)
	checkError(t, err, []string{"Plan.Replicas[0].ClipNorm 0: must be > 0 with Plan.Canaries.Coordinates"})
}

// Canaries do not change after validation. A statement lists them, with the same ε.
func TestCanariesCannotBeChangedAfterwards(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(40, 6, 3)
	plan := private().Plan()
	plain := train(t, m, d, plan, engine.Performance{}, "own canaries")
	plan.Canaries = &dpsgd.Canaries{Gradients: [][]float64{unit(m.Size(), 2, 0.5), unit(m.Size(), 4, 0.5)}, In: [][]bool{{true, false}}}
	tr := trainer(t, m, d, plan, engine.Performance{})
	want := train(t, m, d, plan, engine.Performance{}, "own canaries")
	for _, c := range []*dpsgd.Canaries{plan.Canaries, tr.Plan().Canaries} {
		c.Gradients[0][2], c.In[0][1] = 1e9, true
	}
	got := must(tr.Run(t.Context(), streams.Fixed("own canaries")))(t)
	if !sameBits(got.Parameters.Values[0], want.Parameters.Values[0]) {
		t.Error("a change of the canaries after NewReplicas changes what runs")
	}
	said := must(got.Model(0).Statement(1e-5, "one row", rdp.NewAccountant()))(t)
	silent := must(plain.Model(0).Statement(1e-5, "one row", rdp.NewAccountant()))(t)
	const words = "none of the 2 canaries of an audit was made from a record"
	if !strings.Contains(said.Full(), words) || strings.Contains(silent.Full(), "canaries") {
		t.Errorf("statements:\n%v\n%v\nwant %q in the first, and nothing of it in the second", said.Full(), silent.Full(), words)
	}
	if said.Guarantee.Epsilon != silent.Guarantee.Epsilon {
		t.Errorf("ε %v with canaries, %v without: want the same", said.Guarantee.Epsilon, silent.Guarantee.Epsilon)
	}
}
