package chart_test

import (
	"fmt"
	"os"

	"github.com/dplab/dplab/accounting/chart"
)

func ExampleChart() {
	c := chart.Chart{
		Name: "zcdp", Title: "Gaussian mechanism", XLabel: "Rényi order α", YLabel: "Rényi divergence, nats", XLog: true,
		Curves: []chart.Curve{{Label: "ρ = 0.1", X: []float64{2, 4, 8}, Y: []float64{0.2, 0.4, 0.8}}},
	}
	err := c.WriteCSV(os.Stdout)
	fmt.Println(err)
	// Output:
	// panel,curve,x,y,low,high
	// Gaussian mechanism,ρ = 0.1,2,0.2,,
	// Gaussian mechanism,ρ = 0.1,4,0.4,,
	// Gaussian mechanism,ρ = 0.1,8,0.8,,
	// <nil>
}
