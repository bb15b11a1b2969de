package law_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/dplab/dplab/accounting/selection/law"
)

// vectors are the laws in ../testdata/vectors.json, whose source field says where the values come from.
type vectors struct {
	Source string `json:"source"`
	TNB    struct {
		Means []struct{ Eta, Mean, Gamma float64 } `json:"mean_to_gamma"`
		PMF   []struct {
			Eta, Gamma float64
			PMF        []float64
		} `json:"pmf_k1to6"`
	} `json:"tnb"`
}

func readVectors(t testing.TB) vectors {
	t.Helper()
	data, err := os.ReadFile("../testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

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

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }
