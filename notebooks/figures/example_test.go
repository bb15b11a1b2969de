package figures_test

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

func ExampleComparison() {
	c := figures.Comparison{Name: "figure4", Title: "Figure 4", Rows: []figures.ComparisonRow{
		{Quantity: "ε of 10 runs", Ours: 4.6571, Reference: 4.66, AbsErr: 0.005, Read: papers.Printed, Source: "Section 3"},
		{Quantity: "ε of 100 runs", Ours: 6.35, Reference: 5.93, AbsErr: 0.005, Read: papers.Printed, Source: "Table 4"},
		{Quantity: "ε of 1000 runs", Ours: 9.1, Reference: math.NaN()},
	}}
	for _, r := range c.Rows {
		fmt.Printf("%s: %s\n", r.Quantity, r.Verdict())
	}
	fmt.Println(c.Tally())
	// Output:
	// ε of 10 runs: agrees
	// ε of 100 runs: differs
	// ε of 1000 runs: no reference
	// 1 of 2 printed numbers agree
}
