package candidate_test

import (
	"fmt"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/candidate"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// near rates a prediction by its distance to the target of an example.
type near struct{}

func (near) String() string { return "nearness to a target" }

func (near) Of([]float64, int32) float64 { return 0 }

func (near) OfTargets(outputs []float64, _ int32, targets []float32) float64 {
	return 1 - max(outputs[0]-float64(targets[0]), float64(targets[0])-outputs[0])
}

func ExampleTargetMeasure() {
	var measure candidate.TargetMeasure = near{}
	fmt.Println(measure.OfTargets([]float64{0.5}, 0, []float32{0.75}))
	// Output: 0.75
}

// A width and a schedule are hyper-parameters. They are public, so they cost nothing.
func ExampleDPSGD_plan() {
	type choice struct {
		width int
		decay bool
	}
	all, _, err := digits.Load()
	check(err)
	train, held, err := data.SplitCoins(all, 0.2, streams.Fixed("plans").Rand("split"))
	check(err)
	c := candidate.DPSGD[choice]{
		Train: train, Validation: held, Score: dptune.PrivateAccuracy{NoiseMultiplier: 4},
		ModelFor: func(h choice) (dpsgd.Model, error) { return models.MLP(64, h.width, 10) },
		Plan: func(h choice) dpsgd.Plan {
			plan := dpsgd.Config{ClipNorm: 1, NoiseMultiplier: 2, Sampling: dpsgd.Poisson{Rate: 0.1}, Steps: 100, ExpectedBatchSize: 100, LearningRate: 1}.Plan()
			if h.decay {
				plan.Schedule = dpsgd.Cosine(100)
			}
			return plan
		},
	}
	wide, err := c.Event(choice{width: 64, decay: true})
	check(err)
	narrow, err := c.Event(choice{width: 8})
	check(err)
	fmt.Println(fmt.Sprint(wide) == fmt.Sprint(narrow))
	// Output: true
}
