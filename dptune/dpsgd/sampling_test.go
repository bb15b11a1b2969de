package dpsgd_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// The event of fixed batches counts the steps of the example that takes part most often,
// counted here one by one, and what is done up to a step likewise.
func TestEventOfFixedBatchesCountsTheWorstExample(t *testing.T) {
	for steps := 1; steps <= 12; steps++ {
		for period := 1; period <= 14; period++ {
			most := 0
			for example := range 40 {
				times := 0
				for step := range steps {
					if step%period == example%period {
						times++
					}
				}
				most = max(most, times)
			}
			c := fixed(period)
			c.Steps = steps
			want := accounting.Event(accounting.SelfComposed{Event: accounting.ClippedSum{NoiseMultiplier: c.NoiseMultiplier}, Count: most})
			if got := c.Event(); got != want {
				t.Errorf("%d steps, period %d: event %v, want %v", steps, period, got, want)
			}
			c.Steps = 100
			if got := c.EventAfter(steps); got != want {
				t.Errorf("after %d steps, period %d: event %v, want %v", steps, period, got, want)
			}
		}
	}
	full := private()
	full.Sampling = dpsgd.FullBatch{}
	if got, want := full.Event(), fixed(1).Event(); got != want {
		t.Errorf("event of the full batch %v, want %v", got, want)
	}
}

// embedding embeds a scheme: it has all methods of one, and its own batches.
type embedding struct{ dpsgd.Poisson }

// embeddingNil has all methods of a scheme, and each of them panics.
type embeddingNil struct{ dpsgd.Sampling }

func (embedding) Batch(streams.Root, int, int) ([]int32, error) { return []int32{0}, nil }

func TestSamplingIsValidated(t *testing.T) {
	const choices = "must be Poisson, RandomAllocation, TruncatedPoisson, FullBatch, FixedBatches, CyclicPoisson or CyclicAllocation"
	for _, c := range []struct {
		sampling dpsgd.Sampling
		want     []string
	}{
		{dpsgd.FullBatch{}, nil},
		{dpsgd.FixedBatches{Period: 3}, nil},
		{nil, []string{"dpsgd: Config.Sampling is nil: " + choices}},
		{dpsgd.FixedBatches{}, []string{"dpsgd: Config.Sampling: FixedBatches.Period 0: must be >= 1"}},
		{dpsgd.Poisson{Rate: 2}, []string{"dpsgd: Config.Sampling: Poisson.Rate 2: must be in (0, 1]"}},
		{embedding{dpsgd.Poisson{Rate: 0.5}}, []string{"dpsgd: Config.Sampling is a dpsgd_test.embedding: " + choices}},
		{(*dpsgd.Poisson)(nil), []string{"dpsgd: Config.Sampling is a *dpsgd.Poisson: " + choices}},
		{&dpsgd.Poisson{Rate: 0.5}, []string{"dpsgd: Config.Sampling is a *dpsgd.Poisson: " + choices}},
		{embeddingNil{}, []string{"dpsgd: Config.Sampling is a dpsgd_test.embeddingNil: " + choices}},
	} {
		config := private()
		config.Sampling = c.sampling
		checkError(t, config.Validate(), c.want)
		if valid := config.Event().Validate() == nil; valid != (len(c.want) == 0) {
			t.Errorf("Sampling %T: the config's event is valid: %v, the config: %v", c.sampling, valid, !valid)
		}
	}
	plan := dpsgd.Plan{Replicas: []dpsgd.Config{fixed(2), fixed(3)}, SharedBatches: true}
	checkError(t, plan.Validate(8), []string{"Plan.Replicas[1].Sampling FixedBatches(period 3): must be FixedBatches(period 2)"})
}

// What is not a scheme is an error of all that takes a config, which calls no method of it.
func TestWhatIsNotASchemeIsRefused(t *testing.T) {
	m, err := models.MLP(6, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []dpsgd.Sampling{nil, (*dpsgd.Poisson)(nil), &dpsgd.Poisson{Rate: 0.5}, embedding{}, embeddingNil{}} {
		c := private()
		c.Sampling = s
		_, err := engine.NewTrainer(m, blobs(14, 6, 3), c)
		checkError(t, err, []string{"Plan.Replicas[0].Sampling is ", "must be Poisson, RandomAllocation, TruncatedPoisson, FullBatch, FixedBatches, CyclicPoisson or CyclicAllocation"})
		_, _, err = engine.EstimateMemory(m, 14, c.Plan())
		checkError(t, err, []string{"Plan.Replicas[0].Sampling is "})
		_, err = c.Statement(m, 1e-5, "one row")
		checkError(t, err, []string{"Config.Sampling is "})
		_, err = c.Calibrate(m, accounting.Target{Epsilon: 1, Delta: 1e-5})
		checkError(t, err, []string{"SelfComposed"})
		if list := c.Assumptions(); len(list) != 0 {
			t.Errorf("Sampling %T: assumptions %q of no event", s, list)
		}
	}
}

// A scheme whose event needs the number of examples has it as a field: another data set is refused
// before anything runs, and the whole run is as priced.
func TestASchemeMayNeedTheNumberOfExamples(t *testing.T) {
	defer dpsgd.AddTestScheme()()
	m, err := models.MLP(6, 3)
	if err != nil {
		t.Fatal(err)
	}
	c := private()
	c.Sampling = dpsgd.TestScheme{Size: 4, Examples: 14}
	_, err = engine.NewTrainer(m, blobs(15, 6, 3), c)
	checkError(t, err, []string{"Plan.Replicas[0].Sampling: TestScheme.Examples 14: must be 15, the number of examples"})
	_, _, err = engine.EstimateMemory(m, 13, c.Plan())
	checkError(t, err, []string{"TestScheme.Examples 14: must be 13"})
	trainer, err := engine.NewTrainer(m, blobs(14, 6, 3), c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trainer.Run(t.Context(), streams.Fixed("scheme")); err != nil {
		t.Error(err)
	}
	want := "5 x SampledWithoutReplacement(4 of 14, ClippedSum(σ=1.1))"
	if got := c.Event().String(); got != want {
		t.Errorf("event %s, want %s", got, want)
	}
}

// A draw that fails ends the run with an error: no other batch replaces it.
func TestADrawThatFailsEndsTheRun(t *testing.T) {
	defer dpsgd.AddTestScheme()()
	m, err := models.MLP(6, 3)
	if err != nil {
		t.Fatal(err)
	}
	c := private()
	c.Sampling = dpsgd.TestScheme{Size: 4, Examples: 14, FailsAt: 3}
	for name, canary := range map[string]*dpsgd.Canary{"batch": nil, "canary": {Gradient: make([]float64, m.Size()), In: []bool{true}}} {
		plan := c.Plan()
		plan.Canary = canary
		trainer, err := engine.NewReplicas(m, blobs(14, 6, 3), plan)
		if err != nil {
			t.Fatal(err)
		}
		_, err = trainer.Run(t.Context(), streams.Fixed("fails"))
		if err == nil || !strings.Contains(err.Error(), "step 3") || !strings.Contains(err.Error(), "no "+name) {
			t.Errorf("%s: error %v, want that of step 3", name, err)
		}
	}
}

func ExampleConfig_EventAfter() {
	c := dpsgd.Config{
		ClipNorm: 1, NoiseMultiplier: 4, Steps: 250, ExpectedBatchSize: 400, LearningRate: 0.1,
		Sampling: dpsgd.FixedBatches{Period: 50},
	}
	fmt.Println(c.EventAfter(1))
	fmt.Println(c.EventAfter(101))
	fmt.Println(c.Event())
	// Output:
	// 1 x ClippedSum(σ=4)
	// 3 x ClippedSum(σ=4)
	// 5 x ClippedSum(σ=4)
}
