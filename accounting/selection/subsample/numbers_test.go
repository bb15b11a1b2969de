package subsample_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/law"
)

func near(got, want, relative float64) bool {
	return math.Abs(got-want) <= relative*math.Abs(want)
}

func tnb(t *testing.T, eta, mean float64) law.TNB {
	t.Helper()
	l, err := law.TNBFromMean(eta, mean)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func sgd(rate, noise float64, steps int) accounting.Event {
	return accounting.SelfComposed{Event: accounting.PoissonSampled{SamplingRate: rate, Event: accounting.Gaussian{NoiseMultiplier: noise}}, Count: steps}
}
