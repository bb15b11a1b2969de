package curves_test

import (
	"fmt"
	"os"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/curves"
)

// Two replicas, their mean and range. In a notebook: show.Plot(c).
func ExampleChart() {
	c, err := curves.Chart("Two seeds", curves.Run{Label: "C = 1", Curve: dpsgd.LearningCurve{
		Steps:    []int{50, 100},
		Accuracy: [][]float64{{0.75, 0.875}, {0.5, 0.875}}, // engine.Results.Curve has these
		Loss:     [][]float64{{1, 0.5}, {1.5, 0.5}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.WriteCSV(os.Stdout))
	// Output:
	// panel,curve,x,y,low,high
	// Accuracy,C = 1,50,62.5,50,75
	// Accuracy,C = 1,100,87.5,87.5,87.5
	// Mean loss,C = 1,50,1.25,1,1.5
	// Mean loss,C = 1,100,0.5,0.5,0.5
	// <nil>
}
