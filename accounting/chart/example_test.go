package chart_test

import (
	"fmt"
	"math"
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

// Single runs, and their mean with its error.
func ExampleNew() {
	c, err := chart.New("Accuracy at ε = 3", "epoch", "test accuracy, %",
		chart.Curve{Label: "mean", X: []float64{1, 2}, Y: []float64{61, 75}, Low: []float64{59, 74}, High: []float64{63, 76}},
		chart.Curve{Label: "runs", X: []float64{1, 1, 2, 2}, Y: []float64{60, 62, 75, 75}, Kind: chart.Points})
	c.XMin, c.XMax = 0, 10
	fmt.Println(c.Name, err)
	// Output: accuracy-at-epsilon-3 <nil>
}

func ExampleHistogram() {
	c, err := chart.Histogram("Scores of an attack", "score", chart.Bins{Count: 3},
		chart.Sample{Label: "members", Values: []float64{1.5, 2, 2.5, 3}},
		chart.Sample{Label: "non-members", Values: []float64{0, 0.5, 1.5}})
	fmt.Println(c.YLabel, err)
	fmt.Println(c.WriteCSV(os.Stdout))
	// Output:
	// values per bin of width 1 <nil>
	// panel,curve,x,y,low,high
	// Scores of an attack,members,0.5,0,,
	// Scores of an attack,members,1.5,1,,
	// Scores of an attack,members,2.5,3,,
	// Scores of an attack,non-members,0.5,2,,
	// Scores of an attack,non-members,1.5,1,,
	// Scores of an attack,non-members,2.5,0,,
	// <nil>
}

func ExampleBox() {
	c, err := chart.Box("Accuracy of five seeds", "clip norm", "test accuracy, %",
		chart.Sample{Label: "0.3", Values: []float64{81, 82, 83, 84, 95}},
		chart.Sample{Label: "1", Values: []float64{88, 90, 91, 91, 92}})
	fmt.Println(c.XNames, err)
	fmt.Println(c.WriteCSV(os.Stdout))
	// Output:
	// [0.3 1] <nil>
	// panel,curve,x,y,low,high
	// Accuracy of five seeds,,1,83,81,84
	// Accuracy of five seeds,,2,91,90,92
	// Accuracy of five seeds,"quartiles, median; whiskers within 1.5 boxes",1,83,82,84
	// Accuracy of five seeds,"quartiles, median; whiskers within 1.5 boxes",2,91,90,91
	// Accuracy of five seeds,values beyond,1,95,,
	// Accuracy of five seeds,values beyond,2,88,,
	// <nil>
}

// A search over two hyper-parameters. The learning rate is on a logarithmic axis.
func ExampleHeat() {
	c, err := chart.Heat("Accuracy at ε = 3", "learning rate", "clip norm", "test accuracy, %",
		[]float64{0.1, 1}, []float64{0.3, 1, 3},
		[][]float64{
			{28, 82}, // clip norm 0.3
			{62, 92},
			{83, math.NaN()}, // not trained: crossed out
		})
	c.XLog, c.YLog = true, true
	fmt.Println(c.Name, err)
	fmt.Println(c.WriteCSV(os.Stdout))
	// Output:
	// accuracy-at-epsilon-3 <nil>
	// panel,curve,x,y,low,high,z
	// Accuracy at ε = 3,,0.1,0.3,,,28
	// Accuracy at ε = 3,,1,0.3,,,82
	// Accuracy at ε = 3,,0.1,1,,,62
	// Accuracy at ε = 3,,1,1,,,92
	// Accuracy at ε = 3,,0.1,3,,,83
	// Accuracy at ε = 3,,1,3,,,NaN
	// <nil>
}
