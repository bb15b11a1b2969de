package candidate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// lastBits is a measure that distinguishes outputs by the last bits of a float32.
type lastBits struct{}

func (lastBits) String() string { return "last bits" }

func (lastBits) Of(outputs []float64, _ int32) float64 {
	sum := uint32(0)
	for _, z := range outputs {
		sum = 31*sum + math.Float32bits(float32(z))
	}
	return float64(sum%1024) / 1024
}

// To the last bit, an example's part of a private score does not depend on the other examples,
// their number or its place. In larger microbatches it would: of 16 equal images near the border of
// two classes the last one is in the other class. One example more could then move one in every 16.
func TestAnExampleAddsTheSameWhateverTheOthers(t *testing.T) {
	model, err := models.MNISTCNN(nn.ReLU())
	if err != nil {
		t.Fatal(err)
	}
	rng, d := rand.New(rand.NewPCG(1, 2)), data.Dataset{Name: "images", Shape: []int{28, 28, 1}, Classes: 10}
	for i := range 18 {
		for range 28 * 28 {
			d.Features = append(d.Features, rng.Float32())
		}
		d.Labels = append(d.Labels, int32(i%10))
	}
	c := small(t)
	c.Model, c.Train, c.Validation, c.Measure, c.EqualAreOthers = model, d, d, lastBits{}, true
	c.Performance.Microbatch = 16
	config := c.Configure(0.1)
	config.Steps = 1
	trainer, err := engine.NewReplicas(c.Model, c.Train, config.Plan(), c.Performance)
	if err != nil {
		t.Fatal(err)
	}
	result, err := trainer.Run(t.Context(), streams.Fixed("alone"))
	if err != nil {
		t.Fatal(err)
	}
	score := func(indices ...int) float64 {
		of := c
		of.Validation = d.Subset("some", indices)
		sums, err := of.sums(t.Context(), of.Model, result, trainer.Performance())
		if err != nil {
			t.Fatal(err)
		}
		return sums[0]
	}
	all, sum := make([]int, d.Len()), 0.0
	for i := range all {
		all[i] = i
		sum += score(i)
	}
	for what, list := range map[string][]int{"all": all, "turned": slices.Concat(all[5:], all[:5]), "less one": all[1:]} {
		want := sum
		if what == "less one" {
			want -= score(0)
		}
		if got := score(list...); got != want {
			t.Errorf("%s: %g together, %g one by one", what, got, want)
		}
	}
}
