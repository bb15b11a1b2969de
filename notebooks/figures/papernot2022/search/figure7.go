package search

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure7Config describes the search of Section 3.6: DP-SGD on MNIST with K random
// learning rates.
type Figure7Config struct {
	NoiseMultiplier float64 // σ > 0
	BatchSize       int     // expected, >= 1
	TrainingImages  int     // >= BatchSize
	Epochs          int     // >= 1
	Delta           float64 // δ in (0, 1) of the proper axis; the paper's axis has none
	Families        []laws.Family
	// Means are E[K], increasing, each > 1. Poisson and fixed laws are drawn at as many means
	// up to 100 only.
	Means []float64
	// AccuracyFile is the authors' file of accuracies (lr_acc.json in tensorflow/privacy,
	// research/hyperparameters_2022; Apache 2.0, not part of this repository). Empty: it is
	// looked for in ../reference beside the folder of DPLAB_DATA, and without it the figure
	// has its privacy axes only.
	AccuracyFile string
}

// DefaultFigure7 is the setup of Section 3.6 and the laws of the legend.
func DefaultFigure7(points int) Figure7Config {
	setup := papers.Papernot2022.Figure7
	return Figure7Config{
		NoiseMultiplier: setup.NoiseMultiplier,
		BatchSize:       setup.BatchSize,
		TrainingImages:  setup.TrainingImages,
		Epochs:          setup.Epochs,
		Delta:           1e-5,
		Families:        []laws.Family{laws.TNB(0), laws.TNB(1), laws.TNB(0.5), laws.Poisson},
		Means:           laws.LogSpace(1.1, 1e5, points),
	}
}

// Validate returns every fault, joined.
func (c Figure7Config) Validate() error {
	f := check.In("papernot2022: Figure7Config.")
	f.Add(laws.Validate("Figure7Config.Families", c.Families))
	f.Add(check.Increasing("papernot2022: Figure7Config.Means", c.Means, 1))
	f.That(len(c.Means) > 0, "Means", "is empty", "must hold at least one mean")
	f.Count("BatchSize", c.BatchSize, 1)
	f.That(c.TrainingImages >= c.BatchSize, "TrainingImages", c.TrainingImages, "must be at least BatchSize")
	f.Count("Epochs", c.Epochs, 1)
	f.That(accounting.ValidateDelta(c.Delta) == nil, "Delta", c.Delta, "must be in (0, 1)")
	f.Add(accounting.Gaussian{NoiseMultiplier: c.NoiseMultiplier}.Validate())
	return f.Err()
}

// isPapers reports whether one run is that of the paper.
func (c Figure7Config) isPapers() bool {
	setup := papers.Papernot2022.Figure7
	return c.NoiseMultiplier == setup.NoiseMultiplier && c.BatchSize == setup.BatchSize &&
		c.TrainingImages == setup.TrainingImages && c.Epochs == setup.Epochs
}

// event is one training run.
func (c Figure7Config) event() accounting.SelfComposed {
	return sgdEvent(float64(c.BatchSize)/float64(c.TrainingImages), c.NoiseMultiplier, (c.Epochs*c.TrainingImages+c.BatchSize-1)/c.BatchSize)
}

// sgdEvent is a run of DP-SGD.
func sgdEvent(rate, sigma float64, steps int) accounting.SelfComposed {
	return accounting.SelfComposed{
		Event: accounting.PoissonSampled{SamplingRate: rate, Event: accounting.Gaussian{NoiseMultiplier: sigma}},
		Count: steps,
	}
}

// Figure7Result has one curve for each family.
type Figure7Result struct {
	Config     Figure7Config
	Steps      int                  // noisy steps of one run
	Base       accounting.Guarantee // of one run, at Delta
	Curves     []SearchCurve
	Accuracies []float64 // behind the figure, sorted; nil without the authors' file
	Source     string    // the file they are from

	// Axis has the published points of the published axis, and how they come about.
	Axis []AxisPoint

	example  *axisExample                  // nil if the published axis does not reach it
	expected []papers.Papernot2022Accuracy // ours, at the published points
}

// SearchCurve is the price and the outcome of one family, one value for each mean.
type SearchCurve struct {
	Family   laws.Family
	Means    []float64 // E[K]
	Budget   []float64 // the published axis: least Rényi bound over orders, no δ
	Paper    []float64 // ε at Delta by Theorem 2 or 6
	Least    []float64 // ε at Delta, the least bound that is known
	Accuracy []float64 // expected accuracy of the best run; nil without the accuracies
}

// Figure7 computes the privacy axes of Figure 7, and its accuracies if the authors' file
// is there. Nothing is trained.
func Figure7(cfg Figure7Config) (Figure7Result, error) {
	if err := cfg.Validate(); err != nil {
		return Figure7Result{}, err
	}
	r := Figure7Result{Config: cfg, Steps: cfg.event().Count}
	var err error
	if r.Accuracies, r.Source, err = findAccuracies(cfg.AccuracyFile); err != nil {
		return Figure7Result{}, err
	}
	base, err := baserun.New(cfg.event(), contour.NewAccountant())
	if err != nil {
		return Figure7Result{}, err
	}
	if r.Base, err = contour.NewAccountant().EpsilonAt(cfg.event(), cfg.Delta); err != nil {
		return Figure7Result{}, err
	}
	r.Curves = make([]SearchCurve, len(cfg.Families))
	n := len(cfg.Means)
	for i, f := range cfg.Families {
		r.Curves[i] = SearchCurve{Family: f, Means: f.Means(cfg.Means), Budget: make([]float64, n), Paper: make([]float64, n), Least: make([]float64, n)}
		if r.Accuracies != nil {
			r.Curves[i].Accuracy = make([]float64, n)
		}
	}
	err = parallel.Each(n*len(r.Curves), func(k int) error { return r.fill(base, r.Curves[k/n], k%n) })
	if err != nil {
		return Figure7Result{}, err
	}
	return r, r.check(base)
}

func (r Figure7Result) fill(base baserun.Run, c SearchCurve, i int) error {
	law, err := c.Family.Law(c.Means[i])
	if err != nil {
		return err
	}
	curve, err := laws.TheoremCurve(law, base)
	if err != nil {
		return err
	}
	c.Budget[i] = leastDivergence(curve)
	g, err := rdp.NewAccountant().EpsilonOf(curve, r.Config.Delta)
	if err != nil {
		return err
	}
	c.Paper[i] = g.Epsilon.Upper
	price, err := selection.PriceAt(law, base, r.Config.Delta)
	if err != nil {
		return err
	}
	c.Least[i] = price.Least().Epsilon
	if c.Accuracy != nil {
		c.Accuracy[i] = expectedBest(law, r.Accuracies)
	}
	return nil
}

// leastDivergence is the published axis of Figure 7. A curve of the theorems is the least
// bound of the orders above, so that its value at the lowest order is the least of all.
func leastDivergence(curve rdp.Curve) float64 { return curve(rdp.MinOrder) }

// check computes what is set beside the published values.
func (r *Figure7Result) check(base baserun.Run) error {
	err := r.checkAxis(base)
	if err != nil {
		return err
	}
	if r.example, err = r.findExample(base); err != nil || r.Accuracies == nil {
		return err
	}
	for _, p := range papers.Papernot2022.Figure7.Accuracies {
		r.expected = append(r.expected, papers.Papernot2022Accuracy{
			Gamma:       p.Gamma,
			Logarithmic: expectedBest(law.TNB{Eta: 0, Gamma: p.Gamma}, r.Accuracies),
			Geometric:   expectedBest(law.TNB{Eta: 1, Gamma: p.Gamma}, r.Accuracies),
			NBHalf:      expectedBest(law.TNB{Eta: 0.5, Gamma: p.Gamma}, r.Accuracies),
		})
	}
	return nil
}

// axisExample is one search that the published axis puts at Budget.
type axisExample struct {
	spec                 laws.Spec
	budget, paper, least float64
}

// findExample takes the first family with a law whose value on the published axis is near 1.25 times the ε of one run.
func (r Figure7Result) findExample(base baserun.Run) (*axisExample, error) {
	asked := chart.Round(1.25*r.Base.Epsilon.Upper, 1)
	for _, c := range r.Curves {
		last := len(c.Means) - 1
		if last < 1 || asked < c.Budget[0] || asked > c.Budget[last] {
			continue
		}
		mean := math.Max(chart.Round(laws.Interpolate(c.Budget, c.Means, asked), 2), c.Means[0])
		point := SearchCurve{Family: c.Family, Means: []float64{mean}, Budget: make([]float64, 1), Paper: make([]float64, 1), Least: make([]float64, 1)}
		if err := r.fill(base, point, 0); err != nil {
			return nil, err
		}
		return &axisExample{c.Family.WithMean(mean), point.Budget[0], point.Paper[0], point.Least[0]}, nil
	}
	return nil, nil
}
