package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/streams"
)

// ownPlan is the plan of steps of one's own that move as those of a plan do.
func ownPlan(p dpsgd.Plan, own dpsgd.Own) dpsgd.Plan {
	p.Replicas = slices.Clone(p.Replicas)
	for r, c := range p.Replicas {
		p.Replicas[r] = dpsgd.Config{
			Steps: c.Steps, ExpectedBatchSize: c.ExpectedBatchSize, LearningRate: c.LearningRate, WeightDecay: c.WeightDecay, Optimizer: c.Optimizer,
			Clipping: c.Clipping,
		}
	}
	p.Own = &own
	return p
}

// asConfigs takes the steps of a plan's configs.
func asConfigs(p dpsgd.Plan, examples int) func(*engine.OwnStep) ([][]float64, error) {
	return func(s *engine.OwnStep) ([][]float64, error) {
		var batches [][]int32
		var clip []float64
		for r, c := range p.Replicas {
			batch, err := c.Sampling.Batch(s.Coins(r), s.Number, examples)
			if err != nil {
				return nil, err
			}
			batches, clip = append(batches, batch), append(clip, c.ClipNorm)
		}
		sums, _, err := s.Sums(batches, clip)
		for r := range sums {
			s.NoiseStdDev[r] = p.Replicas[r].NoiseStdDev()
			addScaled(sums[r], s.NoiseStdDev[r], s.Normals(r, s.Number))
		}
		return sums, err
	}
}

// Steps of one's own that do what a config says train the same models, in one microbatch and in
// several, with probes, average, slots, learning curve, and coins of layers.
func TestOwnStepsEqualRun(t *testing.T) {
	testOwnStepsEqualRun(t, mlp(t, 6, 5, 3))
	testOwnStepsEqualRun(t, dpsgd.Model{Name: "drawn", Input: []int{6}, Loss: nn.SoftmaxCrossEntropy(),
		Layers: []nn.Layer{nn.Dense(6, 4), nn.Tanh(), nn.Dropout(0.4), nn.Dense(4, 3)}})
}

// With a clipping of one's own, and with an optimizer that asks for the noise, too.
func TestOwnStepsEqualRunWithOtherCode(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(40, 6, 3)
	for name, change := range map[string]func(c *dpsgd.Config, r int){
		"AdamBC":    func(c *dpsgd.Config, _ int) { c.Optimizer = dpsgd.AdamBC{Floor: 1e-5} },
		"clipping":  func(c *dpsgd.Config, r int) { c.Clipping = normalized{Scale: 0.2 * float64(r+1)} },
		"too much":  func(c *dpsgd.Config, _ int) { c.Clipping = normalized{Scale: 100} }, // capped
		"per layer": func(c *dpsgd.Config, _ int) { c.Clipping = dpsgd.PerLayerClipping{} },
	} {
		var plan dpsgd.Plan
		for r := range 2 {
			c := private()
			c.ClipNorm, c.Steps = 0.3+float64(r), 4
			change(&c, r)
			plan.Replicas = append(plan.Replicas, c)
		}
		perf := engine.Performance{Precision: engine.Float64}
		want := train(t, m, d, plan, perf, "own")
		own := trainer(t, m, d, ownPlan(plan, dpsgd.Own{Event: accounting.NonPrivate{}}), perf)
		got := must(own.RunOwn(t.Context(), streams.Fixed("own"), asConfigs(plan, d.Len())))(t)
		for r := range plan.Replicas {
			checkClose(t, fmt.Sprintf("%s, replica %d", name, r), got.Parameters.Values[r], want.Parameters.Values[r], 1e-12)
		}
	}
}

// An example adds at most the clip norm of the step under any rule, and a rule that does not take
// a clip norm ends the run.
func TestOwnStepsBoundForeignClippings(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(12, 6, 3)
	plan := ownPlan(clipOnly(1).Plan(), dpsgd.Own{Event: accounting.NonPrivate{}})
	plan.Replicas[0].Clipping = upTo{normalized{Scale: 100}, 2}
	own := trainer(t, m, d, plan, engine.Performance{})
	_, err := own.RunOwn(t.Context(), streams.Fixed("own"), func(s *engine.OwnStep) ([][]float64, error) {
		for _, c := range []float64{0.1, 2} {
			sums, _, err := s.Sums([][]int32{{3}}, []float64{c})
			if err != nil {
				return nil, err
			}
			if added := length(sums[0]); added > c || added < 0.999*c {
				t.Errorf("an example adds %g at clip norm %g", added, c)
			}
		}
		_, _, err := s.Sums([][]int32{{3}}, []float64{2.5})
		return nil, err
	})
	checkError(t, err, []string{"clipNorms[0] 2.5: Clipping normalized", "upTo: clip norm 2.5: must be at most 2"})
}

// upTo is a clipping that takes clip norms up to some.
type upTo struct {
	normalized
	most float64
}

func (u upTo) Validate(clipNorm float64, _ int) error {
	if clipNorm > u.most {
		return fmt.Errorf("upTo: clip norm %g: must be at most %g", clipNorm, u.most)
	}
	return nil
}

func testOwnStepsEqualRun(t *testing.T, m dpsgd.Model) {
	d, public := apart(40, 20, 6, 3)
	plan := dpsgd.Plan{
		Average: 0.9, KeepSlots: true, Schedule: dpsgd.Cosine(9), Probes: [][]float64{randomWeights(m, 1).Values[0]},
		Evaluate: &dpsgd.Evaluation{Data: public, Every: 2}, Generator: dpsgd.AES256,
	}
	for r := range 2 {
		c := private()
		c.ClipNorm, c.Optimizer, c.Steps = 0.3+float64(r), dpsgd.SGD{Momentum: 0.5}, 6
		plan.Replicas = append(plan.Replicas, c)
	}
	for _, microbatch := range []int{64, partsOrWhole(4, 64)} {
		perf := engine.Performance{Precision: engine.Float64, Microbatch: microbatch}
		want := train(t, m, d, plan, perf, "own")
		own := trainer(t, m, d, ownPlan(plan, dpsgd.Own{Event: accounting.NonPrivate{}}), perf)
		got := must(own.RunOwn(t.Context(), streams.Fixed("own"), asConfigs(plan, d.Len())))(t)
		for r := range plan.Replicas {
			what := fmt.Sprintf("microbatches of %d, replica %d", microbatch, r)
			checkClose(t, what, got.Parameters.Values[r], want.Parameters.Values[r], 1e-12)
			checkClose(t, what+", average", got.Averaged.Values[r], want.Averaged.Values[r], 1e-12)
			checkClose(t, what+", slot", got.Slots[r][0], want.Slots[r][0], 1e-12)
			for step := range want.Probes[r] {
				checkClose(t, what+", probes", got.Probes[r][step], want.Probes[r][step], 1e-11)
			}
		}
		sameCurve(t, "own", got.Curve, want.Curve, 20)
	}
}

// Batches of several microbatches are added in the random order of a run by the configs, so one
// example more changes two microbatches and not all behind it: without noise the bits are equal.
// A second sum of a step has another order. Norms are in the order that is given.
func TestOwnSumsAreInRandomOrder(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(60, 6, 3)
	c := clipOnly(0.05)
	c.Sampling, c.Steps, c.LearningRate, c.ExpectedBatchSize = dpsgd.Poisson{Rate: 0.7}, 5, 1, 40
	perf := engine.Performance{Precision: engine.Float32, Microbatch: partsOrWhole(8, 64)}
	want := train(t, m, d, c.Plan(), perf, "order")
	steps := asConfigs(c.Plan(), d.Len())
	again := make([]bool, c.Steps)
	got := must(trainer(t, m, d, ownPlan(c.Plan(), dpsgd.Own{Event: accounting.NonPrivate{}}), perf).RunOwn(t.Context(), streams.Fixed("order"), func(s *engine.OwnStep) ([][]float64, error) {
		first, err := steps(s)
		if err != nil {
			return nil, err
		}
		batch := must(c.Sampling.Batch(s.Coins(0), s.Number, d.Len()))(t)
		second, norms, err := s.Sums([][]int32{batch}, []float64{c.ClipNorm})
		if err != nil {
			return nil, err
		}
		again[s.Number] = sameBits(first[0], second[0])
		for i, example := range batch {
			_, one, err := s.Sums([][]int32{{example}}, []float64{c.ClipNorm})
			if err != nil || math.Abs(one[0][0]-norms[0][i]) > 1e-5*one[0][0] {
				t.Errorf("norm %d of a batch is %g, want %v (error %v)", i, norms[0][i], one, err)
			}
		}
		return first, nil
	}))(t)
	checkClose(t, "weights", got.Parameters.Values[0], want.Parameters.Values[0], 1e-5)
	if !compilesSlowly() && !sameBits(got.Parameters.Values[0], want.Parameters.Values[0]) { // elsewhere they are other programs
		t.Error("the sums of a step have other bits than those of a run by the configs")
	}
	if perf.Microbatch < 42 && !slices.Contains(again, false) {
		t.Error("a second sum of a step is in the same order")
	}
}

// A stopped run of own steps resumes with its state to the same bits. Another event, or other first
// numbers, is another run.
func TestStoppedOwnSteps(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(40, 6, 3)
	plan := dpsgd.Plan{Replicas: []dpsgd.Config{private(), private()}}
	for r := range plan.Replicas {
		plan.Replicas[r].Steps = 20
	}
	own := dpsgd.Own{Event: accounting.NonPrivate{}, State: []float64{1, 0}}
	steps := asConfigs(plan, d.Len())
	adapt := func(cancelAt int, cancel func()) func(*engine.OwnStep) ([][]float64, error) {
		return func(s *engine.OwnStep) ([][]float64, error) {
			if s.Number == cancelAt {
				cancel()
			}
			noisy, err := steps(s)
			for r := range noisy {
				s.State[r][0] *= 0.9
				s.State[r][1] += float64(s.Number)
				addScaled(noisy[r], s.State[r][0], noisy[r])
			}
			return noisy, err
		}
	}
	perf := engine.Performance{Microbatch: 64}
	want := must(trainer(t, m, d, ownPlan(plan, own), perf).RunOwn(t.Context(), streams.Fixed("own"), adapt(-1, nil)))(t)
	if want.State[0][1] != 190 || math.Abs(want.State[1][0]-math.Pow(0.9, 20)) > 1e-12 || own.State[0] != 1 {
		t.Fatalf("state %v, want (0.9^20, 0 + 1 + ... + 19)", want.State)
	}
	perf.Checkpoint = engine.Checkpoint{Dir: t.TempDir(), Every: 7}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	part, err := trainer(t, m, d, ownPlan(plan, own), perf).RunOwn(ctx, streams.Fixed("own"), adapt(9, cancel))
	if !errors.Is(err, context.Canceled) || part == nil || part.Steps[0] != 9 || part.State[0][1] != 36 {
		t.Fatalf("stopped: %+v, error %v, want the state after 9 steps", part, err)
	}
	got := must(trainer(t, m, d, ownPlan(plan, own), perf).RunOwn(t.Context(), streams.Fixed("own"), adapt(-1, nil)))(t)
	same(t, "resumed", got, want)
	if !slices.Equal(got.State[1], want.State[1]) {
		t.Errorf("state %v, want %v", got.State, want.State)
	}
	for _, other := range []dpsgd.Own{{Event: accounting.Gaussian{NoiseMultiplier: 1}, State: own.State}, {Event: own.Event, State: []float64{1, 1}}} {
		_, err := trainer(t, m, d, ownPlan(plan, other), perf).RunOwn(t.Context(), streams.Fixed("own"), adapt(-1, nil))
		checkError(t, err, []string{"is of another run: must have the same plan"})
	}
}

// Norms are those of single gradients, in the order of the batch: the norm of the sum of a batch of
// one that is not clipped.
func TestNormsBeforeClipping(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(12, 6, 3)
	w := randomWeights(m, 0.5)
	batch := []int32{7, 0, 11, 3, 5}
	for name, p := range precisions {
		var want []float64
		one := clipOnly(1e6).Plan()
		single := trainer(t, m, d, one, engine.Performance{Precision: p.perf.Precision, Microbatch: 1})
		for _, i := range batch {
			sum, _ := sumWith(t, single, w, []int32{i})
			want = append(want, length(sum))
		}
		perf := p.perf
		perf.Microbatch = 2
		norms := must(trainer(t, m, d, private().Plan(), perf).Norms(t.Context(), w, [][]int32{batch}))(t)
		checkClose(t, name, norms[0], want, 10*p.relative)
		plan := ownPlan(private().Plan(), dpsgd.Own{Event: accounting.NonPrivate{}})
		plan.Initial = &w
		stop := errors.New("enough")
		_, err := trainer(t, m, d, plan, perf).RunOwn(t.Context(), streams.Fixed("own"), func(s *engine.OwnStep) ([][]float64, error) {
			sums, norms, err := s.Sums([][]int32{batch}, []float64{0.01})
			checkClose(t, name+", of a step", norms[0], want, 10*p.relative)
			if length(sums[0]) > 0.05 || err != nil {
				t.Errorf("%s: five gradients clipped at 0.01 add up to norm %g (error %v)", name, length(sums[0]), err)
			}
			return nil, stop
		})
		if !errors.Is(err, stop) {
			t.Errorf("%s: error %v, want that of the step", name, err)
		}
	}
}

// What is wrong with a step of one's own, or with the plan around it, is named.
func TestBadOwnSteps(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(12, 6, 3)
	good := ownPlan(private().Plan(), dpsgd.Own{Event: accounting.NonPrivate{}, State: []float64{1}})
	tr := trainer(t, m, d, good, engine.Performance{})
	run := func(batches [][]int32, clip []float64, change func(s *engine.OwnStep, sums [][]float64) [][]float64) error {
		result, err := tr.RunOwn(t.Context(), streams.Fixed("own"), func(s *engine.OwnStep) ([][]float64, error) {
			sums, _, err := s.Sums(batches, clip)
			if err == nil && change != nil {
				sums = change(s, sums)
			}
			return sums, err
		})
		if err != nil && result != nil {
			t.Errorf("a result next to the error %v", err)
		}
		return err
	}
	one, c := [][]int32{{1, 2}}, []float64{1}
	checkError(t, run(one, c, nil), nil)
	checkError(t, run([][]int32{{}}, c, nil), nil)
	checkError(t, run([][]int32{{3, 1, 3}}, c, nil), []string{"batches[0] holds example 3 twice"})
	checkError(t, run([][]int32{{12}}, c, nil), []string{"batches[0] holds example 12: must be in [0, 12)"})
	checkError(t, run([][]int32{{-1}}, c, nil), []string{"batches[0] holds example -1: must be in [0, 12)"})
	checkError(t, run(nil, c, nil), []string{"0 batches: must be 1"})
	checkError(t, run(one, nil, nil), []string{"0 clip norms: must be 1"})
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		checkError(t, run(one, []float64{bad}, nil), []string{"engine: step 0: ", fmt.Sprintf("clipNorms[0] %g: must be in", bad)})
	}
	checkError(t, run(one, c, func(*engine.OwnStep, [][]float64) [][]float64 { return nil }), []string{"step 0 returns 0 sums: must return 1"})
	checkError(t, run(one, c, func(_ *engine.OwnStep, s [][]float64) [][]float64 { return [][]float64{s[0][1:]} }), []string{"has length 52: must be 53"})
	checkError(t, run(one, c, func(_ *engine.OwnStep, s [][]float64) [][]float64 { s[0][4] = math.NaN(); return s }), []string{"number 4 in the sum of replica 0 is NaN"})
	checkError(t, run(one, c, func(s *engine.OwnStep, sums [][]float64) [][]float64 { s.State[0] = nil; return sums }), []string{"OwnStep.State[0] is []: must be 1 finite numbers"})
	for _, bad := range [][]float64{nil, {0, 0}, {-1}, {math.NaN()}, {math.Inf(1)}} {
		checkError(t, run(one, c, func(s *engine.OwnStep, sums [][]float64) [][]float64 { s.NoiseStdDev = bad; return sums }), []string{"OwnStep.NoiseStdDev is", "must be 1 finite numbers >= 0"})
	}
	_, err := tr.Run(t.Context(), streams.Fixed("own"))
	checkError(t, err, []string{"Plan.Own is given: must be nil for Run"})
	_, _, err = tr.ClippedSums(t.Context(), randomWeights(m, 1), one)
	checkError(t, err, []string{"Plan.Own is given: must be nil for ClippedSums"})
	_, err = tr.RunOwn(t.Context(), streams.Fixed("own"), nil)
	checkError(t, err, []string{"step is nil"})
	_, err = trainer(t, m, d, private().Plan(), engine.Performance{}).RunOwn(t.Context(), streams.Fixed("own"), asConfigs(private().Plan(), 12))
	checkError(t, err, []string{"Plan.Own is nil"})
	for want, change := range map[string]func(p *dpsgd.Plan){
		"Plan.Own.Event is nil":                                func(p *dpsgd.Plan) { p.Own.Event = nil },
		"Plan.Own.Event: ":                                     func(p *dpsgd.Plan) { p.Own.Event = accounting.Gaussian{} },
		"Plan.Own.TruncationDelta 1: must be in [0, 1)":        func(p *dpsgd.Plan) { p.Own.TruncationDelta = 1 },
		"Plan.Own.State[0]":                                    func(p *dpsgd.Plan) { p.Own.State[0] = math.NaN() },
		"Plan.SharedBatches true: must be false with Own":      func(p *dpsgd.Plan) { p.SharedBatches = true },
		"Plan.Canary or Canaries are given":                    func(p *dpsgd.Plan) { p.Canary = &dpsgd.Canary{Example: odd(), In: []bool{true}} },
		"Plan.Replicas[0].Sampling Poisson":                    func(p *dpsgd.Plan) { p.Replicas[0].Sampling = dpsgd.Poisson{Rate: 1} },
		"Plan.Replicas[0].NoiseMultiplier 1: must be zero":     func(p *dpsgd.Plan) { p.Replicas[0].NoiseMultiplier = 1 },
		"Plan.Replicas[0].ClipNorm 1: must be zero":            func(p *dpsgd.Plan) { p.Replicas[0].ClipNorm = 1 },
		"Plan.Replicas[0].NonPrivate true: must be zero":       func(p *dpsgd.Plan) { p.Replicas[0].NonPrivate = true },
		"Plan.Replicas[0].Clipping PerLayerClipping([1])":      func(p *dpsgd.Plan) { p.Replicas[0].Clipping = dpsgd.PerLayerClipping{Norms: []float64{1}} },
		"Plan.Replicas[0].LearningRate 0: must be > 0":         func(p *dpsgd.Plan) { p.Replicas[0].LearningRate = 0 },
		"Plan.Replicas[0].Steps 0: must be >= 1":               func(p *dpsgd.Plan) { p.Replicas[0].Steps = 0 },
		"Plan.Replicas[0].ExpectedBatchSize -1: must be > 0":   func(p *dpsgd.Plan) { p.Replicas[0].ExpectedBatchSize = -1 },
		"Plan.Replicas[0].UnitsPerClip 16: must be zero":       func(p *dpsgd.Plan) { p.Replicas[0].UnitsPerClip = 16 },
		"Plan.Replicas[0].Phases [{5 0 0}]: must be zero with": func(p *dpsgd.Plan) { p.Replicas[0].Phases = []dpsgd.Phase{{Steps: 5}} },
	} {
		p := good.Clone()
		change(&p)
		_, err := engine.NewReplicas(m, d, p)
		checkError(t, err, []string{want})
	}
}

// The statement of steps of one's own is about the given event, and its first assumption lists
// that. Without an event there is none.
func TestStatementOfOwnSteps(t *testing.T) {
	m, d, a := mlp(t, 6, 5, 3), blobs(12, 6, 3), rdp.NewAccountant()
	event := accounting.SelfComposed{Event: accounting.Gaussian{NoiseMultiplier: 3}, Count: 5}
	plan := ownPlan(private().Plan(), dpsgd.Own{Event: event, TruncationDelta: 1e-7})
	shown := 0.0
	plan.EpsilonUpper, plan.Progress = dpsgd.EpsilonUpperAt(1e-5, a), func(p dpsgd.Progress) { shown = p.EpsilonUpper }
	result := must(trainer(t, m, d, plan, engine.Performance{}).RunOwn(t.Context(), streams.Fixed("own"), asConfigs(private().Plan(), 12)))(t).Model(0)
	s := must(result.Statement(1e-5, "one row", a))(t)
	less := must(a.EpsilonAt(event, 1e-5-1e-7))(t)
	if s.Guarantee.Epsilon.Upper != less.Epsilon.Upper || s.Mechanism != event.String() {
		t.Errorf("ε %v of %s, want %v of %v", s.Guarantee.Epsilon, s.Mechanism, less.Epsilon, event)
	}
	want := fmt.Sprintf("the user's own batches, clip norms and noise cost at most %v (as given: nothing has checked it)", event)
	if s.Assumptions[0] != want {
		t.Errorf("first assumption %q, want %q", s.Assumptions[0], want)
	}
	if !strings.Contains(s.Full(), "trained by the user's own steps") || len(s.Warnings) != 1 {
		t.Errorf("the statement:\n%s", s.Full())
	}
	if whole := must(a.EpsilonAt(event, 1e-5))(t); shown != whole.Epsilon.Upper {
		t.Errorf("progress showed ε %g, want %v", shown, whole.Epsilon)
	}
	if event := result.Config.Event(); event.Validate() == nil {
		t.Errorf("the config has a valid event, %v", event)
	}
	bad, err := dpsgd.Training{Config: plan.Replicas[0], Own: &dpsgd.Own{}, Model: m, Backend: "go"}.Statement(1e-5, "one row", a)
	checkError(t, err, []string{"Plan.Own.Event is nil"})
	none, err2 := dpsgd.Training{Config: plan.Replicas[0], Own: &dpsgd.Own{Event: accounting.NonPrivate{}}, Model: m, Backend: "go"}.Statement(1e-5, "one row", a)
	if !math.IsInf(bad.Guarantee.Epsilon.Upper, 1) || err2 == nil && !math.IsInf(none.Guarantee.Epsilon.Upper, 1) {
		t.Errorf("ε %v without an event, %v without privacy", bad.Guarantee.Epsilon, none.Guarantee.Epsilon)
	}
}
