package law_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

// zipf is a law of our own: P[K = k] is proportional to k^-Exponent, for k from 1 to Most.
type zipf struct {
	Most     int     // from 1 to 65,536
	Exponent float64 // finite
}

func (z zipf) Validate() error {
	if z.Most < 1 || z.Most > 1<<16 || math.IsNaN(z.Exponent) || math.IsInf(z.Exponent, 0) {
		return errors.New("zipf: Most must be from 1 to 65,536, and Exponent finite")
	}
	return nil
}

func (z zipf) String() string {
	return fmt.Sprintf("Zipf law (K <= %d, exponent %g)", z.Most, z.Exponent)
}

// Distribution says what the chances are. All else follows from them.
func (z zipf) Distribution() law.Distribution {
	weights, sum := make([]float64, z.Most+1), 0.0
	for k := 1; k <= z.Most; k++ {
		weights[k] = math.Pow(float64(k), -z.Exponent)
		sum += weights[k]
	}
	for k := range weights {
		weights[k] /= sum
	}
	return law.PMF{Weights: weights}.Distribution()
}

func init() {
	law.RegisterFormat("zipf",
		func(z zipf) []eventjson.Field {
			return []eventjson.Field{{Name: "most", Value: z.Most}, {Name: "exponent", Value: z.Exponent}}
		},
		func(o *eventjson.Object) zipf {
			return zipf{Most: o.Int("most"), Exponent: o.Float("exponent")}
		})
}

// A law of one's own is drawn and priced from one list of chances.
func ExampleLaw() {
	event := selection.BestOf{Law: zipf{Most: 100, Exponent: 1.5}, Base: accounting.Gaussian{NoiseMultiplier: 1}}
	price, err := selection.EventAt(event, 1e-5)
	if err != nil {
		panic(err)
	}
	k, err := event.Law.Distribution().Rand(rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		panic(err)
	}
	text, err := eventjson.Marshal(event)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%v: mean %.2f, drawn %d, ε <= %g\n%s\n", event.Law, event.Law.Distribution().Mean(), k, math.Ceil(price.Guarantee.Epsilon.Upper), text)
	// Output:
	// Zipf law (K <= 100, exponent 1.5): mean 7.70, drawn 7, ε <= 6
	// {"type":"selection","law":{"type":"zipf","most":100,"exponent":1.5},"base":{"type":"gaussian","noise_multiplier":1}}
}

// The law that is priced is the law that is drawn. A fixed seed is for figures only: who
// knows it knows K.
func ExampleDistribution_Rand() {
	l := law.TNB{Eta: 1, Gamma: 0.1}
	runs, rng := l.Distribution(), rand.New(rand.NewPCG(1, 2))
	sum := 0
	for range 100_000 {
		k, err := runs.Rand(rng)
		if err != nil {
			panic(err)
		}
		sum += k
	}
	fmt.Printf("%v: mean of draws %.1f\n", l, float64(sum)/100_000)
	// Output: geometric law (η=1, γ=0.1, mean 10): mean of draws 10.0
}
