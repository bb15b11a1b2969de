package dpsgd_test

import (
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/dptune/dpsgd"
)

// The event of a run has its noise over the clip norm under every relation. The price of a replaced
// example is that of the exact pair (accounting/pld, TestReplacedClippedSum), and that of an added
// one equals the price of sampled Gaussians to the bit.
func TestEventUnderEveryRelation(t *testing.T) {
	c := dpsgd.Config{ClipNorm: 0.3, NoiseMultiplier: 2, Steps: 5000, ExpectedBatchSize: 100, LearningRate: 0.1, Sampling: dpsgd.Poisson{Rate: 0.01}}
	gaussians := accounting.SelfComposed{Count: 5000, Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 2}}}
	added, err := auto.NewAccountant().EpsilonAt(c.Event(), 1e-5)
	same, errSame := auto.NewAccountant().EpsilonAt(gaussians, 1e-5)
	if err != nil || errSame != nil || added.Epsilon != same.Epsilon {
		t.Errorf("added: %v, %v, want %v, %v", added, err, same, errSame)
	}
	replaces, err := auto.NewAccountantFor(accounting.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	const want = 2.955928329860931
	if g, err := replaces.EpsilonAt(c.Event(), 1e-5); err != nil || !(g.Epsilon.Lower <= want && g.Epsilon.Upper >= want && g.Epsilon.Width() < 0.01) {
		t.Errorf("replaced: %v, %v, want %g", g, err, want)
	}
	c.Sampling = dpsgd.FixedBatches{Period: 100}
	half := accounting.SelfComposed{Count: 50, Event: accounting.Gaussian{NoiseMultiplier: 1}}
	fixed, err := replaces.EpsilonAt(c.Event(), 1e-5)
	moved, errMoved := replaces.EpsilonAt(half, 1e-5)
	if err != nil || errMoved != nil || fixed.Epsilon != moved.Epsilon {
		t.Errorf("fixed batches, replaced: %v, %v, want %v, %v", fixed, err, moved, errMoved)
	}
}
