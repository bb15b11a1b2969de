package leak

import (
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/data"
)

// SGD is how the support vector machine is trained by stochastic gradient descent: from
// zero, one example a step, a new random order in each pass, a constant learning rate.
type SGD struct {
	LearningRate float64 // > 0
	Passes       int     // over the data, >= 1
}

// Validate returns every fault, joined.
func (c SGD) Validate() error {
	f := check.In("papernot2022: SGD.")
	f.Number("LearningRate", c.LearningRate, check.Positive)
	f.Count("Passes", c.Passes, 1)
	return f.Err()
}

// train follows the gradients of ‖w‖² + hinge · max(0, 1 - y(w·x + b)), the loss of one
// example in Section 2. The mean of these losses is the objective of trainSVM.
func (c SGD) train(d data.Dataset, hinge float64, rng *rand.Rand) svm {
	m := svm{w: make([]float64, d.Width())}
	p := newSVMProblem(d, hinge) // for its copies of the data
	shrink := 1 - 2*c.LearningRate
	step := c.LearningRate * hinge
	order := make([]int, d.Len())
	for i := range order {
		order[i] = i
	}
	for range c.Passes {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			x, y := p.x[i], p.y[i]
			pull := 0.0
			if y*(dot(m.w, x)+m.b) < 1 {
				pull = step * y
			}
			for j := range m.w {
				m.w[j] = shrink*m.w[j] + pull*x[j]
			}
			m.b += pull
		}
	}
	return m
}
