package twin

import (
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// loss is one of package nn, for so many classes and outputs, and what it computes.
type loss struct {
	nn.Loss
	classes, outputs int
	of               func(t *tape, z []number, label int) number
}

// logLoss is log(1 + exp(-s z)), s = 1 where a label applies and -1 where not.
func logLoss(t *tape, z number, applies bool) number {
	s := -1.0
	if applies {
		s = 1
	}
	x := -s * t.at(z)
	return t.function(z, max(x, 0)+math.Log1p(math.Exp(-math.Abs(x))), -s/(1+math.Exp(-x)))
}

// logLosses adds up those of all outputs.
func logLosses(applies func(label, k int) bool) func(t *tape, z []number, label int) number {
	return func(t *tape, z []number, label int) number {
		list := make([]number, len(z))
		for k := range z {
			list[k] = logLoss(t, z[k], applies(label, k))
		}
		return t.sum(list)
	}
}

func softmax(t *tape, z []number, label int) number {
	largest, list := math.Inf(-1), make([]number, len(z))
	for _, v := range z {
		largest = max(largest, t.at(v))
	}
	for k, v := range z {
		e := math.Exp(t.at(v) - largest)
		list[k] = t.function(v, e, e)
	}
	sum := t.sum(list)
	return t.sub(t.function(sum, math.Log(t.at(sum))+largest, 1/t.at(sum)), z[label])
}

func hinge(t *tape, z []number, label int) number {
	s := float64(2*label - 1)
	if s*t.at(z[0]) < 1 {
		return t.plus(t.scale(z[0], -s), 1)
	}
	return t.function(z[0], 0, 0)
}

func randomLoss(rng *rand.Rand) loss {
	classes, labels, targets := 2+rng.IntN(3), 1+rng.IntN(3), []float64{-1, 0.5, 2}
	return []loss{
		{nn.SoftmaxCrossEntropy(), classes, classes, softmax},
		{nn.BinaryCrossEntropy(), 2, 1, logLosses(func(label, _ int) bool { return label == 1 })},
		{nn.BinaryCrossEntropyEach(), classes, classes, logLosses(func(label, k int) bool { return label == k })},
		{nn.MultiLabel(labels), 1 << labels, labels, logLosses(func(label, k int) bool { return label>>k&1 == 1 })},
		{nn.Hinge(), 2, 1, hinge},
		{nn.SquaredError(targets...), len(targets), 1, func(t *tape, z []number, label int) number {
			d := t.plus(z[0], -targets[label])
			return t.scale(t.mul(d, d), 0.5)
		}},
	}[rng.IntN(6)]
}
