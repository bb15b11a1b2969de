package pld_test

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/pld"
)

func ExampleAccountant_EpsilonAt() {
	event := accounting.SelfComposed{Event: accounting.PureDP{Epsilon: 0.1}, Count: 100}
	g, err := pld.NewAccountant().EpsilonAt(event, 1e-6)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.5f\n", g.Epsilon.Upper)
	// Output:
	// 4.77457
}

// The logarithm of a δ: no digit is lost where δ itself is below the least float64.
func ExampleAccountant_LogDeltaAt() {
	logDelta, err := pld.NewAccountant().LogDeltaAt(accounting.SelfComposed{Event: accounting.Laplace{NoiseMultiplier: 2}, Count: 20}, 8)
	fmt.Printf("log δ at most %.3f %v\n", logDelta.Upper, err)
	// Output:
	// log δ at most -8.313 <nil>
}
