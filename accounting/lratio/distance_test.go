package lratio

import (
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
)

// A sum of clipped vectors and the Gaussian that it is under a relation are at one distance.
func TestDistanceOfASumIsThatOfItsGaussian(t *testing.T) {
	for _, relation := range []accounting.Neighboring{accounting.AddOrRemoveOne, accounting.ReplaceOne, accounting.ReplaceSpecial} {
		sum := accounting.Node{Event: accounting.ClippedSum{NoiseMultiplier: 3}, Count: 1}
		q, err := ask.Of("lratio", sum.Event, relation)
		if err != nil {
			t.Fatal(err)
		}
		as, err := compile(q.Part(sum))
		if err != nil {
			t.Fatal(err)
		}
		want, err := compile(q)
		if err != nil {
			t.Fatal(err)
		}
		if as.shown() != want.shown() || as.gaussian != want.gaussian {
			t.Errorf("%v: distance %g of the sum, %g of its Gaussian", relation, as.shown(), want.shown())
		}
	}
}
