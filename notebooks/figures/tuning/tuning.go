// Package tuning shows what tuning.ipynb computes by calls of the library: your own file, a private
// search on it, and the released weights.
//
// It promises nothing to other modules.
package tuning

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/table"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/weights/safetensors"
	"github.com/dplab/dplab/notebooks/figures"
)

// Loaded is a file that was read.
type Loaded struct {
	Schema table.Schema
	Data   data.Dataset
}

// Table lists what an example is.
func (l Loaded) Table() figures.Table {
	return figures.Table{Name: "tuning-loaded", Title: "Each line became an example", Columns: []string{"quantity", "value"}, Rows: [][]string{
		{"features", fmt.Sprintf("%d: %s", l.Data.Width(), strings.Join(l.Schema.FeatureNames(), ", "))},
		{"the first example", fmt.Sprintf("%.3v", l.Data.Row(0))},
		{"its class", fmt.Sprintf("%d of %d", l.Data.Labels[0], l.Data.Classes)},
	}}
}

// Planned is a search that was calibrated, and not run.
type Planned struct {
	Epsilon         float64 // that was asked for, of the whole
	NoiseMultiplier float64 // of each training
	Plan            dptune.Planned
}

// Table lists what the search takes.
func (p Planned) Table() figures.Table {
	return figures.Table{Name: "tuning-planned", Title: "The search, before it runs", Columns: []string{"quantity", "value"}, Rows: [][]string{
		{"ε of the whole search, at most", fmt.Sprint(p.Epsilon)},
		{"noise multiplier of each training", fmt.Sprintf("%.4f", p.NoiseMultiplier)},
		{"choices", fmt.Sprint(p.Plan.Choices)},
		{"it takes", p.Plan.String()},
	}}
}

// Released is what a search let out, and how well it does on examples that the guarantee does not
// cover.
type Released struct {
	Name            string // of the model
	Hyperparameters any
	Accuracy        float64
	Examples        int     // to test on
	Best            float64 // share of the examples that the best rule there is gets right; 0 if nobody knows
}

// Table lists what was released.
func (r Released) Table() figures.Table {
	t := figures.Table{Name: "tuning-released", Title: r.Name + ": what the search released", Columns: []string{"quantity", "value"}, Rows: [][]string{
		{"hyper-parameters", r.chosen()},
		{fmt.Sprintf("accuracy on %d test examples", r.Examples), figures.Percent(r.Accuracy, 1) + " ± " + figures.Percent(r.stdErr(), 1)},
	}, Notes: []string{"± one standard error."}}
	if r.Best > 0 {
		t.Rows = append(t.Rows, []string{"accuracy of the rule that made the labels", figures.Percent(r.Best, 1)})
	}
	return t
}

// stdErr is the standard error of the accuracy.
func (r Released) stdErr() float64 {
	return math.Sqrt(r.Accuracy * (1 - r.Accuracy) / float64(r.Examples))
}

// chosen returns the hyper-parameters; of a number, four digits.
func (r Released) chosen() string {
	if x, ok := r.Hyperparameters.(float64); ok {
		return fmt.Sprintf("%.4g", x)
	}
	return fmt.Sprintf("%+v", r.Hyperparameters)
}

// Saved is a file of weights.
type Saved struct {
	Name string // of the table
	Path string
	File safetensors.File
}

// Table lists the tensors, and how the statement next to them begins.
func (s Saved) Table() figures.Table {
	first, _, _ := strings.Cut(s.File.Metadata["guarantee"], "\n")
	t := figures.Table{Name: s.Name, Title: fmt.Sprintf("What %s holds", filepath.Base(s.Path)), Columns: []string{"tensor", "type", "shape"},
		Notes: []string{fmt.Sprintf("The statement next to the weights begins: “%s”", first)}}
	for _, tensor := range s.File.Tensors {
		t.Rows = append(t.Rows, []string{tensor.Name, tensor.Type, fmt.Sprint(tensor.Shape)})
	}
	return t
}

// Transfer is two private models of one task at one price: only the last layer, on public features,
// and the whole network.
type Transfer struct {
	Features, Scratch Released
	Guarantee         accounting.Guarantee // of each
	Public            float64              // accuracy of the public network on its own classes
}

// Answers returns the price of each.
func (t Transfer) Answers() []accounting.Guarantee { return []accounting.Guarantee{t.Guarantee} }

// Table has the two side by side.
func (t Transfer) Table() figures.Table {
	out := figures.Table{
		Name: "tuning-transfer", Title: fmt.Sprintf("Two private models, each at ε at most %s, δ = %s", accounting.FormatUpper(t.Guarantee.Epsilon.Upper), chart.Scientific(t.Guarantee.Delta)),
		Columns: []string{"model", "chosen", "test accuracy", "standard error"},
	}
	// Both are tested on the same examples. However the two go together, the error of the difference
	// is at most the sum of theirs.
	out.Notes = []string{fmt.Sprintf("First less second: %+.1f points, ± %.1f at most (two standard errors, one run of each). The public network gets %s right on its own classes. It has seen none of the others.",
		100*(t.Features.Accuracy-t.Scratch.Accuracy), 200*(t.Features.stdErr()+t.Scratch.stdErr()), figures.Percent(t.Public, 1))}
	for _, r := range []Released{t.Features, t.Scratch} {
		out.Rows = append(out.Rows, []string{r.Name, r.chosen(), figures.Percent(r.Accuracy, 1), figures.Percent(r.stdErr(), 1)})
	}
	return out
}
