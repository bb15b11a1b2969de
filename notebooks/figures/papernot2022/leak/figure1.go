package leak

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/synth"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure1Config describes the experiment of Section 2: a support vector machine whose
// best hinge weight tells whether outliers are in its training data.
type Figure1Config struct {
	HingeWeights []float64 // α, increasing, each > 0 and finite; at least 2
	Outliers     int       // added to the negative class, >= 1
	Repeats      int       // data sets that are drawn, >= 2
	SGD          SGD       // the second way of training, beside the exact minimum
	Seed         string    // name of the root of all draws
}

// DefaultFigure1 takes the number of outliers from the paper. Weights from 1/2 to 64 in steps of
// √2: the text prints no range, and below 1/2 the descent has not yet found its offset. The text
// names stochastic gradient descent without its settings; the rate here lets it come to rest at
// small weights and not at large.
func DefaultFigure1(repeats int) Figure1Config {
	var weights []float64
	for i := -2; i <= 12; i++ {
		weights = append(weights, math.Pow(2, float64(i)/2))
	}
	return Figure1Config{
		HingeWeights: weights,
		Outliers:     papers.Papernot2022.Figure1.Outliers,
		Repeats:      repeats,
		SGD:          SGD{LearningRate: 0.001, Passes: 1000},
		Seed:         "papernot2022 figure 1",
	}
}

// Validate returns every fault, joined.
func (c Figure1Config) Validate() error {
	f := check.In("papernot2022: Figure1Config.")
	f.That(len(c.HingeWeights) >= 2, "HingeWeights", fmt.Sprintf("has %d values", len(c.HingeWeights)), "must have at least 2")
	f.Add(check.Increasing("papernot2022: Figure1Config.HingeWeights", c.HingeWeights, 0))
	f.Count("Outliers", c.Outliers, 1)
	f.Count("Repeats", c.Repeats, 2)
	f.Add(c.SGD.Validate())
	return f.Err()
}

// Figure1Result has the training accuracies of every run and what follows from them.
type Figure1Result struct {
	Config Figure1Config
	Exact  TuningLeak // training by the exact minimum
	SGD    TuningLeak // training by stochastic gradient descent
}

// Figure1 draws Repeats data sets, trains on each with and without the outliers at every
// hinge weight, and finds the weight of the best training accuracy. Cost: Repeats times the
// number of weights times 2 runs of each solver; the runs go over all cores.
func Figure1(cfg Figure1Config) (Figure1Result, error) {
	if err := cfg.Validate(); err != nil {
		return Figure1Result{}, err
	}
	root := streams.Fixed(cfg.Seed)
	rows := make([]figure1Row, cfg.Repeats)
	err := parallel.Each(cfg.Repeats, func(i int) (err error) {
		rows[i], err = cfg.repeat(root.Child(fmt.Sprintf("repeat %d", i)))
		return err
	})
	if err != nil {
		return Figure1Result{}, err
	}
	pick := func(solver int) (without, with [][]float64) {
		for _, r := range rows {
			without, with = append(without, r[solver][0]), append(with, r[solver][1])
		}
		return without, with
	}
	result := Figure1Result{Config: cfg}
	without, with := pick(0)
	result.Exact = newTuningLeak(cfg.HingeWeights, without, with)
	without, with = pick(1)
	result.SGD = newTuningLeak(cfg.HingeWeights, without, with)
	return result, nil
}

// figure1Row holds the accuracies of one repeat: [exact, SGD][without, with outliers][weight].
type figure1Row [2][2][]float64

func (c Figure1Config) repeat(root streams.Root) (row figure1Row, err error) {
	for outliers, count := range []int{0, c.Outliers} {
		d, err := drawSVMData(root, count)
		if err != nil {
			return row, err
		}
		for _, hinge := range c.HingeWeights {
			exact, err := trainSVM(d, hinge)
			if err != nil {
				return row, err
			}
			descent := c.SGD.train(d, hinge, root.Rand(fmt.Sprintf("order %d %g", count, hinge)))
			row[0][outliers] = append(row[0][outliers], exact.accuracy(d))
			row[1][outliers] = append(row[1][outliers], descent.accuracy(d))
		}
	}
	return row, nil
}

// drawSVMData draws the data of Section 2, half of the points in each class. The points
// are the same with and without outliers.
func drawSVMData(root streams.Root, outliers int) (data.Dataset, error) {
	setup := papers.Papernot2022.Figure1
	m := synth.Mixture{Name: "Section 2", Classes: 2, Components: []synth.Component{
		{Label: 0, Count: setup.Points / 2, Mean: setup.NegativeMean[:], StdDev: setup.StdDev},
		{Label: 1, Count: setup.Points / 2, Mean: setup.PositiveMean[:], StdDev: setup.StdDev},
	}}
	if outliers > 0 {
		m.Components = append(m.Components, synth.Component{Label: 0, Count: outliers, Mean: setup.Outlier[:]})
	}
	return m.Draw(root.Rand("points"))
}
