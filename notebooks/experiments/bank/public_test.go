package bank

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/notebooks/experiments"
)

// lastLayer is a bank of last layers on features that know other digits than they are for.
func lastLayer() Config {
	c := small()
	c.Data, c.Model, c.LearningRates = "digits-features", "last-32", []float64{1}
	c.Trainings = []Training{{SamplingRate: 0.1, Steps: 60, NoiseMultipliers: []float64{0.5}}}
	return c
}

// Features come from a network that knows other digits well, in the place of the images, each with
// its label; all parts and repeats have the same network.
func TestPublicFeatures(t *testing.T) {
	c := lastLayer()
	all, err := c.rows(t.Context(), experiments.Env{}, All, 0)
	if err != nil {
		t.Fatal(err)
	}
	train, _, err := lowDigits("")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(all.train.Labels, train.Labels) || slices.Max(train.Labels) != 4 || all.train.Width() != 32 || all.public < 0.9 || all.size != float64(train.Len()) {
		t.Errorf("%d examples of %d features, public size %g, public accuracy %g", all.train.Len(), all.train.Width(), all.size, all.public)
	}
	again, err := c.rows(t.Context(), experiments.Env{}, Sample, 1)
	if err != nil || !slices.Equal(again.test.Features, all.test.Features) || again.public != all.public {
		t.Errorf("the features of another part and repeat differ, error %v", err)
	}
}

// A process trains a network once for each backend and folder of data, and again it would be the
// same.
func TestPublicNetworkIsKept(t *testing.T) {
	first, err := publicDigits.network(t.Context(), experiments.Env{})
	if err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel() // training would fail
	kept, err := publicDigits.network(cancelled, experiments.Env{})
	if err != nil || !reflect.DeepEqual(kept.parameters, first.parameters) {
		t.Errorf("the network was not kept, error %v", err)
	}
	if _, err := publicDigits.network(cancelled, experiments.Env{Data: t.TempDir()}); err == nil {
		t.Error("another folder of data has the same network")
	}
	again, err := publicDigits.train(t.Context(), experiments.Env{})
	if err != nil || again.right != first.right || !reflect.DeepEqual(again.parameters, first.parameters) {
		t.Errorf("trained again, it gets %g right, at first %g, error %v", again.right, first.right, err)
	}
}

// The last layer learns from features what a guess does not know, and says how good the public
// network was.
func TestTrainOnPublicFeatures(t *testing.T) {
	b := trained(t, lastLayer())
	for _, run := range b.At(All, 0, 0, 1) {
		if run.Accuracy < 0.6 { // a guess is right for a fifth
			t.Errorf("a last layer gets %g of the test examples right", run.Accuracy)
		}
	}
	if b.Public < 0.9 || b.MostPublic != b.Public {
		t.Errorf("the public network gets %g to %g right", b.Public, b.MostPublic)
	}
}

// Every network makes features of the width that a last layer takes, which has as many weights as
// the papers say: 0.65 thousand in Table 2 of koskela2023.
func TestPublicNetworks(t *testing.T) {
	for name, last := range map[string]string{"cifar-10-features": "last-64", "cifar-10-convnet-features": "last-84", "digits-features": "last-32"} {
		whole, err := prepared[name].public.build(100)
		if err != nil {
			t.Fatal(err)
		}
		head, err := networks[last]()
		if err != nil {
			t.Fatal(err)
		}
		first := dpsgd.Model{Name: "features", Input: whole.Input, Layers: whole.Layers[:len(whole.Layers)-1], Loss: whole.Loss}
		if got := head.Input[0]; whole.Validate() != nil || (whole.Size()-first.Size())%(got+1) != 0 {
			t.Errorf("%s: the last layer has %d weights, %d features", name, whole.Size()-first.Size(), got)
		}
		if name == "cifar-10-features" && head.Size() != 650 {
			t.Errorf("the last layer has %d weights, want 650", head.Size())
		}
	}
	// 272,474 is the count of He et al.'s ResNet20 for 10 classes with 1x1 convolutions as skips, two
	// weights for each normalised channel.
	if m, err := models.ResNet20(10); err != nil || m.Size() != 272474 {
		t.Errorf("ResNet20 has %d weights, error %v", m.Size(), err)
	}
}

// Public images that are not there are an error that names them and the task's part in it.
func TestPublicImagesMissing(t *testing.T) {
	none := data.Dataset{}
	_, err := ConvNetFeatures(t.Context(), none, experiments.Env{Data: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "bank: public features: ") || !strings.Contains(err.Error(), "cifar-100-subset") {
		t.Errorf("error %v, want one that names the public images", err)
	}
}
