package engine_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd/dpsgdtest"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
)

// lossCases are losses with their formulas, one number at a time.
var lossCases = map[string]struct {
	loss    nn.Loss
	classes int
	value   func(z []float64, label int) float64
	class   func(z []float64) int
}{
	"softmax of two classes":   {nn.SoftmaxCrossEntropy(), 2, softmaxLoss, largest},
	"softmax of three classes": {nn.SoftmaxCrossEntropy(), 3, softmaxLoss, largest},
	"binary cross-entropy": {nn.BinaryCrossEntropy(), 2,
		func(z []float64, label int) float64 { return math.Log(1 + math.Exp(float64(1-2*label)*z[0])) },
		func(z []float64) int { return positive(z[0]) }},
	"binary cross-entropy of each class": {nn.BinaryCrossEntropyEach(), 3,
		func(z []float64, label int) float64 {
			sum := 0.0
			for k, v := range z {
				p := 1 / (1 + math.Exp(-v))
				if k != label {
					p = 1 - p
				}
				sum -= math.Log(p)
			}
			return sum
		}, largest},
	"three labels": {nn.MultiLabel(3), 8,
		func(z []float64, label int) float64 {
			sum := 0.0
			for k, v := range z {
				sum += math.Log(1 + math.Exp(float64(1-2*(label>>k&1))*v))
			}
			return sum
		},
		func(z []float64) int { return positive(z[0]) + 2*positive(z[1]) + 4*positive(z[2]) }},
	"hinge": {nn.Hinge(), 2,
		func(z []float64, label int) float64 { return math.Max(0, 1-float64(2*label-1)*z[0]) },
		func(z []float64) int { return positive(z[0]) }},
	"squared error": {nn.SquaredError(-0.5, 0.25, 2), 3,
		func(z []float64, label int) float64 {
			return math.Pow(z[0]-[]float64{-0.5, 0.25, 2}[label], 2) / 2
		},
		func(z []float64) int {
			return largest([]float64{-math.Abs(z[0] + 0.5), -math.Abs(z[0] - 0.25), -math.Abs(z[0] - 2)})
		}},
}

// softmaxLoss is log Σ_k exp(z_k - z_label), with the largest exponent taken out.
func softmaxLoss(z []float64, label int) float64 {
	most, sum := z[largest(z)], 0.0
	for _, v := range z {
		sum += math.Exp(v - most)
	}
	return math.Log(sum) + most - z[label]
}

func positive(z float64) int {
	if z > 0 {
		return 1
	}
	return 0
}

func largest(z []float64) int {
	best := 0
	for k := range z {
		if z[k] > z[best] {
			best = k
		}
	}
	return best
}

// Values and predicted classes of a linear model are those of the formulas.
func TestLosses(t *testing.T) {
	const examples, width = 12, 4
	for name, c := range lossCases {
		m := must(models.Sequential("linear", []int{width}, nn.Dense(width, c.loss.Outputs(c.classes))))(t)
		m.Loss = c.loss
		d, w := blobs(examples, width, c.classes), randomWeights(m, 0.6)
		perf := engine.Performance{Precision: engine.Float64, Microbatch: 16}
		losses := must(engine.Losses(context.Background(), m, w, d, perf))(t)[0]
		classes := must(engine.Predict(context.Background(), m, w, d, perf))(t)[0]
		for i := range examples {
			z := linear(w.Values[0], d.Row(i), c.loss.Outputs(c.classes))
			if want := c.value(z, int(d.Labels[i])); math.Abs(losses[i]-want) > 1e-13*(1+want) {
				t.Errorf("%s: loss of example %d is %g, want %g", name, i, losses[i], want)
			}
			if want := c.class(z); int(classes[i]) != want {
				t.Errorf("%s: class of example %d is %d, want %d", name, i, classes[i], want)
			}
		}
	}
}

// Losses keep the contract: gradients are those of the values, examples do not mix.
func TestLossesKeepTheContract(t *testing.T) {
	for name, c := range lossCases {
		t.Run(name, func(t *testing.T) { dpsgdtest.Loss(t, c.loss, c.classes) })
	}
}

// linear returns W x + b.
func linear(w []float64, x []float32, outputs int) []float64 {
	z := make([]float64, outputs)
	for k := range z {
		z[k] = w[outputs*len(x)+k]
		for i, v := range x {
			z[k] += w[k*len(x)+i] * float64(v)
		}
	}
	return z
}

// Outputs of 1e4 do not overflow: the loss is their size, and gradients are finite.
func TestLossesDoNotOverflow(t *testing.T) {
	for name, c := range lossCases {
		m := must(models.Sequential("linear", []int{1}, nn.Dense(1, c.loss.Outputs(c.classes))))(t)
		m.Loss = c.loss
		d, w := blobs(6, 1, c.classes), randomWeights(m, 1e4)
		for i, loss := range must(engine.Losses(context.Background(), m, w, d))(t)[0] {
			if loss < 0 || loss > 1e10 {
				t.Errorf("%s: loss %d is %g", name, i, loss)
			}
		}
		if _, excluded := clippedSum(t, m, d, clipOnly(1).Plan(), engine.Performance{}, w, rangeOf(6)); excluded > 0 {
			t.Errorf("%s: %d gradients are not finite", name, excluded)
		}
	}
}

func TestLossesRefuseClasses(t *testing.T) {
	for want, loss := range map[string]nn.Loss{
		"binary cross-entropy: 3 classes: must be 2":                                         nn.BinaryCrossEntropy(),
		"hinge: 3 classes: must be 2":                                                        nn.Hinge(),
		"binary cross-entropy of 2 labels: 3 classes: must be 4, one for each set of labels": nn.MultiLabel(2),
		"binary cross-entropy of 21 labels: must be of 1 to 20 labels":                       nn.MultiLabel(21),
		"squared error of 2 targets: 3 classes: must have one target for each":               nn.SquaredError(0, 1),
		"targets[2] is +Inf: must be finite":                                                 nn.SquaredError(0, 1, math.Inf(1)),
	} {
		m := must(models.Sequential("linear", []int{2}, nn.Dense(2, 1)))(t)
		m.Loss = loss
		if _, err := engine.NewTrainer(m, blobs(6, 2, 3), clipOnly(1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
}
