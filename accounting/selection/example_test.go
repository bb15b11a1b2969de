package selection_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection"
)

// What does it cost to publish the best of K runs of a Gaussian mechanism?
func Example() {
	law, err := selection.TNBFromMean(0, 10) // logarithmic, 10 runs on average
	if err != nil {
		panic(err)
	}
	price, err := selection.EventAt(selection.Event{Law: law, Base: accounting.Gaussian{NoiseMultiplier: 1}}, 1e-5)
	if err != nil {
		panic(err)
	}
	fmt.Printf("one run    %.4f\n", price.Base.Epsilon.Upper)
	for _, b := range price.Bounds {
		fmt.Printf("%.4f  %s\n", b.Epsilon, b.Name)
	}
	// Output:
	// one run    4.3772
	// 6.2131  sharpened profile, exact Gaussian
	// 6.4049  sharpened RDP
	// 6.7580  profile, exact Gaussian
	// 6.8218  sharpened profile, RDP
	// 7.4002  profile, RDP
	// 7.4104  Theorem 2
}

// The law that is priced is the law that is drawn. A fixed seed is for figures only: who
// knows it knows K.
func ExampleTNB_Rand() {
	law := selection.TNB{Eta: 1, Gamma: 0.1}
	rng := rand.New(rand.NewPCG(1, 2))
	sum := 0
	for range 100_000 {
		k, err := law.Rand(rng)
		if err != nil {
			panic(err)
		}
		sum += k
	}
	fmt.Printf("%v: mean of draws %.1f\n", law, float64(sum)/100_000)
	// Output: geometric law (η=1, γ=0.1, mean 10): mean of draws 10.0
}
