package dpsgd_test

import (
	"fmt"
	"os"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
)

// A config without noise is an error unless NonPrivate is set.
func ExampleConfig_Validate() {
	config := dpsgd.Config{ClipNorm: 1, Sampling: dpsgd.Poisson{Rate: 0.1}, Steps: 100, ExpectedBatchSize: 10, LearningRate: 1}
	fmt.Println(config.Validate())
	// Output:
	// dpsgd: Config.NoiseMultiplier 0: must be > 0 and finite (to train without noise set NonPrivate)
}

// Noise that is correlated over ten steps. Each example has a coin in every tenth step.
func ExampleOptimalNoise() {
	noise, err := dpsgd.OptimalNoise(2000, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	config := dpsgd.Config{
		ClipNorm: 1, NoiseMultiplier: 2, Noise: noise, Sampling: dpsgd.CyclicPoisson{Period: 10, Rate: 0.1},
		Steps: 2000, ExpectedBatchSize: 600, LearningRate: 0.5,
	}
	fmt.Printf("%.3f\n", noise.Coefficients[:3])
	fmt.Println(config.Validate(), config.Event())
	// Output:
	// [0.451 0.353 0.328]
	// <nil> 200 x PoissonSampled(q=0.1, ClippedSum(σ=2))
}

// Without sampling, all steps of an example are one release. Here they are three, 20 steps apart.
func ExampleInverseRootNoise() {
	noise, err := dpsgd.InverseRootNoise(4)
	if err != nil {
		fmt.Println(err)
		return
	}
	config := dpsgd.Config{
		ClipNorm: 1, NoiseMultiplier: 8, Noise: noise, Sampling: dpsgd.FixedBatches{Period: 20},
		Steps: 60, ExpectedBatchSize: 100, LearningRate: 0.5,
	}
	fmt.Println(noise.Coefficients)
	event := config.Event().(accounting.ClippedSum)
	fmt.Printf("one sum at σ = %.4f\n", event.NoiseMultiplier)
	// Output:
	// [1 -0.5 -0.125 -0.0625]
	// one sum at σ = 3.6161
}

// Learning rates that rise for three steps, and fall in two ways.
func ExampleWarmup() {
	cosine, steps := dpsgd.Warmup(3, dpsgd.Cosine(4)), dpsgd.Warmup(3, dpsgd.StepDecay(2, 0.5))
	for t := range 8 {
		fmt.Printf("%.2f %.2f\n", cosine(t), steps(t))
	}
	// Output:
	// 0.25 0.25
	// 0.50 0.50
	// 0.75 0.75
	// 1.00 1.00
	// 0.85 1.00
	// 0.50 0.50
	// 0.15 0.50
	// 0.00 0.25
}

// The first of three phases has twice the noise, and the last one a higher sampling rate. The noise
// of all is scaled to meet the target.
func ExampleConfig_Calibrate_phases() {
	config := dpsgd.Config{
		ClipNorm: 1, Sampling: dpsgd.Poisson{Rate: 0.05}, Steps: 300, ExpectedBatchSize: 100, LearningRate: 0.5,
		Phases: []dpsgd.Phase{{Steps: 100, NoiseFactor: 2}, {Steps: 100}, {Steps: 100, SamplingRate: 0.1}},
	}
	model, err := models.MLP(16, 12, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	config, err = config.Calibrate(model, accounting.Target{Epsilon: 3, Delta: 1e-5})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, step := range []int{0, 100, 200} {
		at := config.At(step)
		fmt.Printf("%v: σ %.3f, B %v\n", at.Sampling, at.NoiseMultiplier, at.ExpectedBatchSize)
	}
	// Output:
	// Poisson(q 0.05): σ 3.663, B 100
	// Poisson(q 0.05): σ 1.831, B 100
	// Poisson(q 0.1): σ 1.831, B 200
}

// What a run does to a canary that takes part in every tenth step only is less than what it does to an example.
func ExamplePlan_CanaryEvent() {
	config := dpsgd.Config{ClipNorm: 1, NoiseMultiplier: 1.5, Sampling: dpsgd.Poisson{Rate: 0.2}, Steps: 40, ExpectedBatchSize: 120, LearningRate: 1}
	plan := config.Plan()
	plan.Canary = &dpsgd.Canary{
		Example: &dpsgd.Example{Features: make([]float32, 16)}, In: []bool{true},
		At: func(step int) bool { return step%10 == 0 },
	}
	fmt.Println(config.Event())
	fmt.Println(plan.CanaryEvent(0))
	// Output:
	// 40 x PoissonSampled(q=0.2, ClippedSum(σ=1.5))
	// 4 x PoissonSampled(q=0.2, ClippedSum(σ=1.5))
}

// A line with the progress of a run: plan.Progress = dpsgd.ProgressLine(os.Stderr).
func ExampleProgressLine() {
	show := dpsgd.ProgressLine(os.Stdout)
	show(dpsgd.Progress{Step: 300, Steps: 300, Replicas: 1, ExamplesPerSecond: 35000, EpsilonUpper: 1.25})
	// Output:
	// step 300 of 300, ε <= 1.2500, 35000 examples/s, 0s left
}
