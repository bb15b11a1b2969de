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
