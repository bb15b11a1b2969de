package dpsgd_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
)

// private returns a valid config of a private run.
func private() dpsgd.Config {
	return dpsgd.Config{ClipNorm: 0.5, NoiseMultiplier: 1.1, Sampling: dpsgd.Poisson{Rate: 0.3}, Steps: 5, ExpectedBatchSize: 20, LearningRate: 0.4}
}

// fixed returns a config with fixed batches.
func fixed(period int) dpsgd.Config {
	c := private()
	c.Sampling = dpsgd.FixedBatches{Period: period}
	return c
}

// blobs returns n examples of separated classes in width dimensions, made from a fixed seed.
func blobs(n, width, classes int) data.Dataset {
	rng := rand.New(rand.NewPCG(1, 2))
	centers := make([]float64, classes*width)
	for i := range centers {
		centers[i] = rng.NormFloat64()
	}
	d := data.Dataset{Name: "blobs", Shape: []int{width}, Classes: classes}
	for i := range n {
		class := i % classes
		for j := range width {
			d.Features = append(d.Features, float32(centers[class*width+j]+0.5*rng.NormFloat64()))
		}
		d.Labels = append(d.Labels, int32(class))
	}
	return d
}

// checkError fails unless err names all of want, or is nil if want is empty.
func checkError(t *testing.T, err error, want []string) {
	t.Helper()
	if len(want) == 0 {
		if err != nil {
			t.Errorf("error %v, want none", err)
		}
		return
	}
	if err == nil {
		t.Errorf("no error, want one that names %q", want)
		return
	}
	for _, part := range append([]string{"dpsgd: "}, want...) {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not name %q", err, part)
		}
	}
}
