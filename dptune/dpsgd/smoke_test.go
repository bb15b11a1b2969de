package dpsgd_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// blobs returns n examples of well separated classes in width dimensions.
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

func TestSmoke(t *testing.T) {
	model, err := models.MLP(20, 16, 4)
	if err != nil {
		t.Fatal(err)
	}
	d := blobs(400, 20, 4)
	c := dpsgd.Config{ClipNorm: 1, NoiseMultiplier: 1, SamplingRate: 0.25, Steps: 40, ExpectedBatchSize: 100, LearningRate: 1}
	tr, err := dpsgd.NewTrainer(model, d, dpsgd.Plan{Replicas: []dpsgd.Config{c, c, c}}, dpsgd.Performance{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := tr.Run(context.Background(), streams.Fixed("smoke"))
	if err != nil {
		t.Fatal(err)
	}
	acc, err := res.Accuracy(context.Background(), d)
	t.Log(acc, err, res.Elapsed, tr.Performance())
}
