package lastiterate

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
)

// Statement returns the guarantee of the last model at delta, in (0, 1), with all that it assumes.
// unit is what one record is. All facts of the Training are believed, as this package does not see
// the code: no other statement of this module rests on so many.
func (t Training) Statement(delta float64, unit string) (accounting.Statement, error) {
	g, err := t.EpsilonAt(delta)
	if err != nil {
		return accounting.NoStatement(), err
	}
	s := accounting.Statement{
		Guarantee: g, Unit: unit, Subject: "the last model of noisy gradient descent",
		Theorem: "shifted interpolation, Bok, Su and Altschuler (ICML 2024), Section 3",
		Mechanism: fmt.Sprintf("%d steps of noisy gradient descent (noise multiplier %g, clipping norm %g, divisor %g, learning rate %g)",
			t.Steps, t.NoiseMultiplier, t.ClipNorm, t.Divisor, t.LearningRate),
		Assumptions: []string{
			unit + " is exactly one record of the data",
			"only the last model is released: no other model, gradient, loss or score of the run, and no checkpoint",
			fmt.Sprintf("the loss of every step is %g-strongly convex and %g-smooth, for every batch that may be drawn", t.StrongConvexity, t.Smoothness),
			fmt.Sprintf("the gradient of one record has an L2 norm of at most %g, without clipping or by a clipping that keeps the loss convex", t.ClipNorm),
			"each step adds new Gaussian noise, with standard deviation noise multiplier x clipping norm, to the sum of the gradients",
			"each step subtracts the learning rate times the gradient with its noise: no momentum, no adaptive step, no averaging of models",
			"the first model does not depend on the data",
			"the learning rate, the divisor and the number of steps are public",
			"noise and samples are drawn without rounding errors", "the seed of all random draws is secret",
		},
		NotCovered: []string{
			"other releases from the same data, such as scores on the training data",
			"several records together: anyone who contributed several is protected less",
			"rounding of the models and of the noise", "the running time",
		},
	}
	if t.Diameter > 0 {
		s.Assumptions = append(s.Assumptions, fmt.Sprintf("after each step the model is projected on a public convex set of diameter %g", t.Diameter))
	}
	switch {
	case t.Batches == 1:
		s.Assumptions = append(s.Assumptions, "every step sums over all records")
	case t.Batches > 1:
		s.Assumptions = append(s.Assumptions, fmt.Sprintf("each record is in one of %d batches, by a rule that reads no data; a missing record leaves its place empty", t.Batches),
			"the batches follow each other in one order, the same in every epoch (no shuffling)")
	default:
		s.Theorem += ", in this package's variant for Poisson samples"
		s.Assumptions = append(s.Assumptions, fmt.Sprintf("each record joins each step by its own coin, with chance %g, and the batches stay secret", t.SamplingRate))
	}
	return s, nil
}
