package papers

import (
	"math"
	"slices"
)

// Koskela2023 holds the published numbers of Koskela and Kulkarni, "Practical Differentially
// Private Hyperparameter Tuning with Subsampling" (NeurIPS 2023), that our figures can be compared
// with.
//
// The figures were not digitized: we have only the paper's text, without the legends. Figure 1 is
// compared at q = 0.1 with the theorems that it draws. They are Recomputed at the integer orders 2
// to 64, with dp_accounting 0.6.0 for the Rényi curve of DP-SGD.
var Koskela2023 = Koskela2023Numbers{
	Delta:        1e-5,
	TuningRate:   0.1,
	MeanRepeats:  15,
	Figure1:      koskela2023Figure1,
	Figure9:      koskela2023Figure9,
	Noise:        koskela2023Noise,
	Costs:        koskela2023Costs,
	Times:        koskela2023Times,
	Batches:      koskela2023Batches,
	Table1:       koskela2023Table1,
	Table1Header: koskela2023Stated("Table 1, header: \"γ = B/N\"", "share of the sampling rates γ that are B/N"),
	Table2:       koskela2023Table2,
}

// Koskela2023Numbers is the type of Koskela2023.
type Koskela2023Numbers struct {
	Delta        float64 // δ of all experiments; Section 5
	TuningRate   float64 // q of the training experiments; Section 5
	MeanRepeats  float64 // µ if only the learning rate is tuned; Section 5
	Figure1      Koskela2023Figure1
	Figure9      Koskela2023Figure9
	Noise        Koskela2023Noise
	Costs        []TuningCost
	Times        Koskela2023Times
	Batches      Koskela2023Batches
	Table1       []Koskela2023Fixed
	Table1Header Value // what its header claims of γ
	Table2       []Koskela2023Grid
}

// Koskela2023Figure1 is the setup of Figure 1 (Section 3.3), and values on its curves.
type Koskela2023Figure1 struct {
	SamplingRate    float64 // γ of DP-SGD
	NoiseMultiplier float64 // σ
	Epochs          int
	MaxOrder        int // Rényi orders 2 to MaxOrder, of the recomputation; the paper prints none
	Base            Value
	Points          []TuneThenTrainPoint
	Crossing        Value   // whether the bounds of variants 1 and 2 cross, 1 or 0,
	CrossingMean    float64 // at this µ
}

// TuneThenTrainPoint has the values at δ of one mean number of runs. One is for tuning on all data.
// The others are for tuning on a sample of rate TuningRate, with the last training on the rest or
// on all data.
type TuneThenTrainPoint struct {
	MeanRepeats, TuningRate      float64
	Baseline, Variant1, Variant2 Value
}

// Koskela2023Figure9 has the numbers in the caption of Figure 9. Its σ and T are in the legend,
// which we do not have.
type Koskela2023Figure9 struct {
	SamplingRates []float64
	MaxOrder      int
	Source        Source
	LargerNoise   Value // share of the pairs of curves at which the sentence holds
	SmallerRate   Value // likewise
}

// Koskela2023Noise has the claims of the captions of Figures 5 and 6 on the noise multiplier
// against the final ε: the share of the points at which each holds.
type Koskela2023Noise struct {
	LessThanBaseline, Variant1Lower Value
}

// TuningCost is how many times more gradients the baseline evaluates than variant 2.
type TuningCost struct {
	MeanRepeats, TuningRate float64
	Ratio                   Value
}

// Koskela2023Times has what the text prints of the time of the baseline over that of the faster
// variant. The other ratios are in the legends, which we do not have.
type Koskela2023Times struct {
	CIFARSGD    Value // Figures 2 and 5
	FashionAdam Value // Figures 3 and 6
	Slower      Value // share of the settings whose ratio of times is below that of gradients
}

// Koskela2023Batches are expected batch sizes of the last training (Section 5).
type Koskela2023Batches struct {
	Tuning             float64 // expected batch size on the sample
	Variant1, Variant2 Value
}

// Koskela2023Fixed is a column of Table 1.
type Koskela2023Fixed struct {
	Dataset      string
	SamplingRate Value // γ
	Epochs       int
}

// Koskela2023Grid is a row of Table 2.
type Koskela2023Grid struct {
	Dataset           string
	Train, Test       int   // examples
	Parameters        Value // trainable, in thousands
	ClipNorm          float64
	Batches           []int     // expected batch sizes B
	LearningRatePower []float64 // x of the learning rates 10^-x
	Epochs            []int
}

const koskela2023Paper = "Koskela and Kulkarni (NeurIPS 2023)"

func koskela2023Printed(where string, absErr float64) Source {
	return Source{Paper: koskela2023Paper, Where: where, Read: Printed, AbsErr: absErr}
}

// koskela2023Stated returns a sentence that holds (1) or does not.
func koskela2023Stated(where, quantity string) Value {
	return Value{Quantity: quantity, Number: 1, Source: Source{Paper: koskela2023Paper, Where: where, Read: Stated}}
}

// Column returns the place of a data set in Tables 1 and 2, or -1.
func (n Koskela2023Numbers) Column(dataset string) int {
	return slices.IndexFunc(n.Table2, func(g Koskela2023Grid) bool { return g.Dataset == dataset })
}

// Steps returns T of the runs: epochs over the sampling rate.
func (f Koskela2023Figure1) Steps() int {
	return int(math.Round(float64(f.Epochs) / f.SamplingRate))
}
