package lratio_test

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/lratio"
)

// Ten epochs of 100 steps, in which each example takes part in one step of each epoch.
func ExampleAccountant() {
	event := accounting.RandomAllocation{
		Period: 100, Steps: 1000, Participations: 1,
		Event: accounting.ClippedSum{NoiseMultiplier: 1},
	}
	g, err := lratio.NewAccountant().EpsilonAt(event, 1e-5)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("ε in [%.3f, %.3f]\n", g.Epsilon.Lower, g.Epsilon.Upper)
	// Output: ε in [1.701, 1.702]
}
