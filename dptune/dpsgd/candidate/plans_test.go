package candidate

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// choice is a hyper-parameter with an architecture, a schedule and initial weights.
type choice struct {
	Width   int
	Halved  bool // the learning rate, for the last half
	Zeros   bool // initial weights
	Rate    float64
	Foreign bool // the model has a layer of the user
}

func planned(t *testing.T) DPSGD[choice] {
	t.Helper()
	base := small(t)
	model := func(h choice) (dpsgd.Model, error) {
		m, err := models.MLP(64, h.Width, 10)
		if h.Foreign {
			m.Layers = append(slices.Clone(m.Layers), nn.Auto("same", nil, func(in []int) ([]int, error) { return in, nil },
				func(_ []*graph.Node, x *graph.Node) *graph.Node { return graph.MulScalar(x, 1) }))
		}
		return m, err
	}
	return DPSGD[choice]{
		Train: base.Train, Validation: base.Validation, Score: base.Score, ModelFor: model,
		Plan: func(h choice) dpsgd.Plan {
			config := base.Configure(h.Rate)
			config.Steps = 4
			plan := config.Plan()
			if h.Halved {
				plan.Schedule = dpsgd.StepDecay(2, 0.5)
			}
			if h.Zeros {
				m, _ := model(h)
				plan.Initial = &dpsgd.Parameters{Tensors: m.Tensors(), Values: [][]float64{make([]float64, m.Size())}}
			}
			return plan
		},
	}
}

var choices = []choice{
	{Width: 4, Rate: 1}, {Width: 6, Rate: 1}, {Width: 4, Rate: 2}, {Width: 4, Halved: true, Rate: 1}, {Width: 4, Zeros: true, Rate: 1},
	{Width: 4, Halved: true, Rate: 0.5}, {Width: 4, Foreign: true, Rate: 1}, {Width: 4, Foreign: true, Rate: 1},
}

// Runs that share schedule, initial weights and model are one program, and each gives the weights
// that it gives by itself.
func TestPlansAndModelsTrain(t *testing.T) {
	c := planned(t)
	runs, err := c.runsOf(choices)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.groups(runs), [][]int{{0, 2}, {1}, {3, 5}, {4}, {6}, {7}}; !reflect.DeepEqual(got, want) {
		t.Errorf("programs %v, want %v", got, want)
	}
	const few = 6
	var roots []streams.Root
	for i := range few {
		roots = append(roots, streams.Fixed(fmt.Sprint("plans ", i)))
	}
	outcomes, err := c.RunAll(t.Context(), choices[:few], roots)
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range choices[:few] {
		m, _ := c.ModelFor(h)
		trainer, err := engine.NewReplicas(m, c.Train, c.Plan(h))
		if err != nil {
			t.Fatal(err)
		}
		alone, err := trainer.RunEach(t.Context(), []streams.Root{roots[i].Child("training")})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(outcomes[i].Output.Values[0], alone.Parameters.Values[0]) {
			t.Errorf("%+v: other weights than by itself", h)
		}
	}
	event, err := c.Event(choices[3])
	config := c.Plan(choices[3]).Replicas[0]
	if want := c.Score.EventWith(config.Event()); err != nil || !reflect.DeepEqual(event, want) {
		t.Errorf("event %v, error %v, want %v: a schedule costs nothing", event, err, want)
	}
	if _, err := c.Time(t.Context(), choices[1]); err != nil {
		t.Error(err)
	}
}

// The identity of a search covers schedules, initial weights and models. A model of the caller has
// none.
func TestIdentityOfPlans(t *testing.T) {
	c := planned(t)
	seen := map[string]choice{}
	for _, h := range choices[:few(choices)] {
		sum, err := c.Identity([]choice{h})
		if err != nil || sum == nil {
			t.Fatalf("%+v: identity %x, error %v", h, sum, err)
		}
		if other, twice := seen[string(sum)]; twice {
			t.Errorf("%+v and %+v have one identity", h, other)
		}
		seen[string(sum)] = h
		if again, _ := c.Identity([]choice{h}); !bytes.Equal(again, sum) {
			t.Errorf("%+v: another identity", h)
		}
	}
	if sum, err := c.Identity(choices[6:7]); err != nil || sum != nil {
		t.Errorf("identity %x of a model of the caller, error %v", sum, err)
	}
}

// few returns the number of first choices without code of the caller.
func few(list []choice) int {
	return slices.IndexFunc(list, func(h choice) bool { return h.Foreign })
}

// Plans and models that a search cannot run are errors before any run starts, whichever run has
// them.
func TestPlansRefused(t *testing.T) {
	bad := choices[1]
	change := func(f func(*dpsgd.Plan)) func(*DPSGD[choice]) {
		return func(c *DPSGD[choice]) {
			plan := c.Plan
			c.Plan = func(h choice) dpsgd.Plan {
				p := plan(h)
				if h == bad {
					f(&p)
				}
				return p
			}
		}
	}
	for want, spoil := range map[string]func(*DPSGD[choice]){
		"Replicas has length 2: must be 1":     change(func(p *dpsgd.Plan) { p.Replicas = append(p.Replicas, p.Replicas[0]) }),
		"Replicas has length 0: must be 1":     change(func(p *dpsgd.Plan) { p.Replicas = nil }),
		"SharedBatches is set":                 change(func(p *dpsgd.Plan) { p.SharedBatches = true }),
		"Probes is set":                        change(func(p *dpsgd.Plan) { p.Probes = [][]float64{{1}} }),
		"Canary is set":                        change(func(p *dpsgd.Plan) { p.Canary = &dpsgd.Canary{} }),
		"Evaluate is set":                      change(func(p *dpsgd.Plan) { p.Evaluate = &dpsgd.Evaluation{} }),
		"Weights is set":                       change(func(p *dpsgd.Plan) { p.Weights = func(int, int, []float64) {} }),
		"Average is set":                       change(func(p *dpsgd.Plan) { p.Average = 0.9 }),
		"Plan.Schedule(0) is -1":               change(func(p *dpsgd.Plan) { p.Schedule = func(int) float64 { return -1 } }),
		"Plan.Initial":                         change(func(p *dpsgd.Plan) { p.Initial = &dpsgd.Parameters{Values: [][]float64{{1}}} }),
		"NoiseMultiplier 0":                    change(func(p *dpsgd.Plan) { p.Replicas[0].NoiseMultiplier = 0 }),
		"DPSGD.Plan is given: must be nil":     func(c *DPSGD[choice]) { c.Configure = func(choice) dpsgd.Config { return dpsgd.Config{} } },
		"DPSGD.Configure is nil":               func(c *DPSGD[choice]) { c.Plan = nil },
		"DPSGD.ModelFor is given: must be nil": func(c *DPSGD[choice]) { c.Model, _ = c.ModelFor(choices[0]) },
		"DPSGD.ModelFor: no width": func(c *DPSGD[choice]) {
			c.ModelFor = func(choice) (dpsgd.Model, error) { return dpsgd.Model{}, errors.New("no width") }
		},
		"DPSGD.ModelFor: nn: model \"\": Layers": func(c *DPSGD[choice]) { c.ModelFor = func(choice) (dpsgd.Model, error) { return dpsgd.Model{}, nil } },
		"DPSGD.Train: nn: model":                 func(c *DPSGD[choice]) { c.ModelFor = func(choice) (dpsgd.Model, error) { return models.MLP(63, 10) } },
	} {
		c := planned(t)
		c.Progress = func(dpsgd.Progress) { t.Errorf("%s: it trains", want) }
		spoil(&c)
		roots := []streams.Root{streams.Fixed("a"), streams.Fixed("b")}
		if _, err := c.RunAll(t.Context(), choices[:2], roots); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
		if _, err := c.Event(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("event: error %v, want one that says %q", err, want)
		}
		if delta, err := c.TruncationDelta(bad); err == nil || delta != 1 {
			t.Errorf("%s: δ %g next to error %v, want 1", want, delta, err)
		}
	}
}

// nearTargets rates an output by its distance to the target.
type nearTargets struct{}

func (nearTargets) String() string { return "near" }

func (nearTargets) Of([]float64, int32) float64 { return 0 }

func (nearTargets) OfTargets(outputs []float64, _ int32, targets []float32) float64 {
	return 1 - (outputs[0]-float64(targets[0]))*(outputs[0]-float64(targets[0]))
}

// Losses of targets are scored by what they predict right, or by a measure that reads targets.
func TestScoresOfTargets(t *testing.T) {
	made := func(name string, n int, loss nn.Loss) data.Dataset {
		d := data.Dataset{Name: name, Shape: []int{1}, Classes: 1, TargetShape: []int{1}}
		for i := range n {
			d.Features, d.Labels, d.Targets = append(d.Features, float32(i%2)), append(d.Labels, 0), append(d.Targets, float32(i%2))
		}
		return d
	}
	tokens, vector := nn.TokenCrossEntropy(1, 2), nn.VectorSquaredError(1)
	config := dpsgd.Config{ClipNorm: 1, NoiseMultiplier: 0.1, Sampling: dpsgd.Poisson{Rate: 0.5}, Steps: 60, ExpectedBatchSize: 50, LearningRate: 1}
	search := func(loss nn.Loss, outputs int, measure Measure) DPSGD[int] {
		return DPSGD[int]{
			Model: dpsgd.Model{Name: "line", Input: []int{1}, Layers: []nn.Layer{nn.Dense(1, outputs)}, Loss: loss},
			Train: made("train", 100, loss), Validation: made("public", 10, loss), PublicValidation: true, EqualAreOthers: true,
			Configure: func(int) dpsgd.Config { return config }, Measure: measure,
		}
	}
	for name, c := range map[string]DPSGD[int]{"tokens": search(tokens, 2, nil), "vector": search(vector, 1, nearTargets{})} {
		outcomes, err := c.RunAll(t.Context(), []int{0}, []streams.Root{streams.Fixed(name)})
		if err != nil || !(outcomes[0].Score > 9 && outcomes[0].Score <= 10) {
			t.Errorf("%s: outcomes %+v, error %v", name, outcomes, err)
		}
	}
	c := search(vector, 1, nil)
	c.Progress = func(dpsgd.Progress) { t.Error("a run without a score trains") }
	if _, err := c.RunAll(t.Context(), []int{0}, []streams.Root{streams.Fixed("v")}); err == nil || !strings.Contains(err.Error(), "candidate: DPSGD.Measure is nil") {
		t.Errorf("error %v of a loss without right and wrong", err)
	}
	var _ dptune.Candidate[int, dpsgd.Parameters] = c
}

// A search lists what it assumes of the generator of the noise, that of the plans or of the backend.
func TestGeneratorsAreAssumed(t *testing.T) {
	const device, words = "device of TestGeneratorsAreAssumed", "noise made by ChaCha20 under a secret key is as good as random"
	if err := errors.Join(backend.Register(device, func() (compute.Backend, error) { return nil, errors.New("never opens") }),
		backend.SetDeviceMemory(device, func() int64 { return 1 })); err != nil {
		t.Fatal(err)
	}
	assumes := func(c DPSGD[choice], hs []choice) bool {
		return slices.Contains(append(c.Assumptions(), c.AssumptionsOf(hs)...), words)
	}
	c, one := planned(t), choices[:1]
	if assumes(c, one) || !assumes(c, nil) {
		t.Error("assumptions of plans with AES-256")
	}
	plan := c.Plan
	c.Plan = func(h choice) dpsgd.Plan {
		p := plan(h)
		p.Generator = dpsgd.ChaCha20
		return p
	}
	if !assumes(c, one) {
		t.Errorf("plans with ChaCha20 assume %q", c.AssumptionsOf(one))
	}
	simple := small(t)
	if slices.Contains(simple.Assumptions(), words) {
		t.Errorf("on the go backend: %q", simple.Assumptions())
	}
	simple.Performance.Backend = device
	if !slices.Contains(simple.Assumptions(), words) {
		t.Errorf("on a device: %q", simple.Assumptions())
	}
}
