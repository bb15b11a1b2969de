package tuned

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/notebooks/experiments/bank"
	"github.com/dplab/dplab/notebooks/figures/koskela2023/internal/methods"
	"github.com/dplab/dplab/notebooks/papers"
)

// The noise of a level is the least for its ε, rounded up to three digits: at most a hundredth
// more.
func TestLevelsOfNoise(t *testing.T) {
	for name, cfg := range map[string]struct {
		bank     bank.Config
		epsilons []float64
	}{
		"60,000":   {bank.Config{Trainings: jointOn60000}, []float64{0.25, 0.6, 1.4, 3.3, 8}},
		"CIFAR-10": {bank.Config{Trainings: jointOnCIFAR}, []float64{0.25, 0.6, 1.4, 3.3, 8}},
		"IMDB":     {bank.Config{Trainings: jointOnIMDB}, []float64{0.25, 0.6, 1.4, 3.3, 8}},
		"digits":   {digitsJointBank("sgd"), []float64{0.6, 1.4, 3.3, 8}},
	} {
		for _, training := range cfg.bank.Trainings {
			for level, epsilon := range cfg.epsilons {
				least, err := auto.CalibrateNoiseMultiplier(func(sigma float64) accounting.Event {
					return methods.Training(training.SamplingRate, sigma, training.Steps)
				}, accounting.Target{Epsilon: epsilon, Delta: papers.Koskela2023.Delta})
				if got := training.NoiseMultipliers[level]; err != nil || got < least || got > 1.01*least {
					t.Errorf("%s, γ = %g, T = %d, ε = %g: σ = %g, the least is %g, error %v", name, training.SamplingRate, training.Steps, epsilon, got, least, err)
				}
			}
		}
	}
}

// The grids are those of Table 2: its batches over the size of the sample, its epochs, its learning
// rates.
func TestBanksHaveThePapersGrids(t *testing.T) {
	p := papers.Koskela2023
	for name, trainings := range map[string][]bank.Training{"FashionMNIST": jointOn60000, "MNIST": jointOn60000, "CIFAR-10": jointOnCIFAR, "IMDB": jointOnIMDB} {
		grid, at := p.Table2[papers.Koskela2023.Column(name)], 0
		for _, batch := range grid.Batches {
			for _, epochs := range grid.Epochs {
				training := trainings[at]
				if rate := float64(batch) / (p.TuningRate * float64(grid.Train)); math.Abs(training.SamplingRate-rate) > 5e-5 || training.Steps != int(math.Round(float64(epochs)/training.SamplingRate)) {
					t.Errorf("%s, batch %d, %d epochs: %+v", name, batch, epochs, training)
				}
				at++
			}
		}
		if at != len(trainings) {
			t.Errorf("%s: %d pairs of batch and epochs, and %d trainings", name, at, len(trainings))
		}
	}
	for name, cfg := range map[string]bank.Config{"FashionMNIST": fashionBank("sgd", midLevels), "MNIST": mnistBank("adam", fewLevels), "CIFAR-10": cifarBank("sgd", manyLevels), "IMDB": imdbBank("sgd")} {
		grid := p.Table2[papers.Koskela2023.Column(name)]
		if n := len(cfg.LearningRates); n != len(grid.LearningRatePower) || cfg.LearningRates[n-1] != math.Pow(10, -grid.LearningRatePower[n-1]) || cfg.ClipNorm != grid.ClipNorm {
			t.Errorf("%s: learning rates %v, clip norm %g", name, cfg.LearningRates, cfg.ClipNorm)
		}
		if err := sized(cfg, 0, 1, 1).Validate(); err != nil {
			t.Error(err)
		}
	}
}

// By the paper's bounds every method has levels of noise on both sides of the ε at which the
// profiles mid compare.
func TestMidLevelsCoverTheComparison(t *testing.T) {
	p := papers.Koskela2023
	for _, e := range []Trained{FashionSGD, MNISTSGD, CIFARSGD, IMDBSGD} {
		training := e.Profiles["mid"].Trainings[0]
		low := 1.0
		if e.Name == IMDBSGD.Name {
			low = 2
		}
		for m, published := range methods.Published(p.MeanRepeats, p.TuningRate, p.Figure1.MaxOrder) {
			at := func(sigma float64) float64 {
				g, err := published.EpsilonAt(methods.Training(training.SamplingRate, sigma, training.Steps), p.Delta)
				if err != nil {
					t.Fatal(err)
				}
				return g.Epsilon.Upper
			}
			levels := training.NoiseMultipliers
			if least, most := at(levels[len(levels)-1]), at(levels[0]); least > low || most < 4 {
				t.Errorf("%s, %s: ε from %g to %g", e.Name, methodNames[m], least, most)
			}
		}
	}
}
