package render_test

import (
	"fmt"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/chart/render"
)

func Example() {
	c := chart.Chart{
		Name: "zcdp", Title: "Gaussian mechanism", XLabel: "Rényi order α", YLabel: "Rényi divergence, nats", XLog: true,
		Curves: []chart.Curve{{Label: "ρ = 0.1", X: []float64{2, 4, 8}, Y: []float64{0.2, 0.4, 0.8}}},
	}
	width, height, err := render.Size(c)
	fmt.Println(width, height, err)
	print := render.Print{Figure: c, Paper: render.Column}
	width, height, err = render.Size(print)
	fmt.Println(width, height, err)
	fmt.Print(print.Caption())
	// Output:
	// 480 288 <nil>
	// 312 193 <nil>
	// Gaussian mechanism.
}
