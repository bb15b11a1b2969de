package show_test

import (
	"fmt"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
	"github.com/dplab/dplab/notebooks/show"
)

// A cell shows images as pictures.
func ExampleData() {
	people := data.Dataset{Name: "people", Shape: []int{2}, Features: []float32{0.5, -1, 0.25, 1}, Labels: []int32{1, 0}, Classes: 2}
	show.Data(people, "age", "height")
	// Output:
	// people: 2 examples of shape [2], 2 classes
	// label  age   height
	// 1      0.5   −1
	// 0      0.25  1
	// These are records as they are: no guarantee covers what is seen here. Clear this output before you share it, unless the data are public.
}

// Our number beside a printed one. A cell shows it as HTML; elsewhere it is printed, and saved in
// the folder that DPLAB_ARTIFACTS names.
func ExampleTable() {
	defer inNewFolder()()
	printed := papers.Value{Quantity: "ε of 10 runs", Number: 4.66,
		Source: papers.Source{Paper: "Author (2022)", Where: "Section 3", Read: papers.Printed, AbsErr: 0.005}}
	show.Check(os.Setenv(show.ArtifactsEnv, "shown"))
	defer os.Unsetenv(show.ArtifactsEnv)
	show.Table(figures.Comparison{Name: "figure4", Title: "Figure 4", Rows: []figures.ComparisonRow{figures.Against(printed, 4.6571)}})
	// Output:
	// Figure 4
	// quantity      ours    paper  difference  its error  verdict  source
	// ε of 10 runs  4.6571  4.66   −0.0029     ± 0.005    agrees   Author (2022), Section 3, printed
	// 1 of 1 printed numbers agree.
}

// A figure for a paper, in every format, with its numbers.
func ExampleSave() {
	defer inNewFolder()()
	c := show.Must(chart.New("Gaussian mechanism", "Rényi order α", "Rényi divergence, nats",
		chart.Curve{Label: "ρ = 0.1", X: []float64{2, 4, 8}, Y: []float64{0.2, 0.4, 0.8}}))
	c.XLog = true
	show.Save("paper", show.Screen, c)
	// Output:
	// paper/gaussian-mechanism.png
	// paper/gaussian-mechanism.svg
	// paper/gaussian-mechanism.pdf
	// paper/gaussian-mechanism.csv
	// paper/gaussian-mechanism.json
}

// A picture that gonum/plot draws, saved like a figure.
func ExamplePicture() {
	defer inNewFolder()()
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "weight 1", "weight 2"
	p.Add(show.Must(plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}, {X: 2, Y: 4}})))
	show.Save("paper", show.Column, show.Picture("path", "Weights of a training", p))
	// Output:
	// paper/path.png
	// paper/path.svg
	// paper/path.pdf
	// paper/path.txt
}

// inNewFolder goes to an empty folder, and returns the way back.
func inNewFolder() func() {
	was := show.Must(os.Getwd())
	dir := show.Must(os.MkdirTemp("", "example"))
	show.Check(os.Chdir(dir))
	return func() {
		show.Check(os.Chdir(was))
		show.Check(os.RemoveAll(dir))
	}
}

// A training, or what else takes long: with the same config it is read back when the cell runs
// again.
func ExampleMemo() {
	show.Check(os.Setenv(show.MemoEnv, "off")) // here each is computed: where files lie is not the same everywhere
	defer os.Unsetenv(show.MemoEnv)
	config := struct{ Steps, Seeds int }{100, 5}
	total := show.Memo(config, func() (int, error) { return config.Steps * config.Seeds, nil })
	fmt.Println(total)
	// Output: 500
}
