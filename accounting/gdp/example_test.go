package gdp_test

import (
	"fmt"
	"log"

	"github.com/dplab/dplab/accounting/gdp"
)

func ExampleEpsilonAt() {
	epsilon, err := gdp.EpsilonAt(1, 1e-5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f\n", epsilon.Upper)
	// Output: 4.377178
}

func ExampleDeltaAt() {
	delta, err := gdp.DeltaAt(1, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f\n", delta.Upper)
	// Output: 0.126937
}

// The noise multiplier that (1, 1e-5)-differential privacy needs.
func ExampleMuAt() {
	mu, err := gdp.MuAt(1, 1e-5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f\n", 1/mu)
	// Output: 3.730632
}
