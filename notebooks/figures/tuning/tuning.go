// Package tuning shows what tuning.ipynb computes, by calls of the library: a file of one's own, a private search on it, and the weights
// that come out.
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

// Findings says what an example is.
func (l Loaded) Findings() []string {
	return []string{
		fmt.Sprintf("Each line became an example of %d features: %s.", l.Data.Width(), strings.Join(l.Schema.FeatureNames(), ", ")),
		fmt.Sprintf("The first example, of class %d of %d, is %.3v.", l.Data.Labels[0], l.Data.Classes, l.Data.Row(0)),
	}
}

// Planned is a search that was calibrated, and not run.
type Planned struct {
	Epsilon         float64 // that was asked for, of the whole
	NoiseMultiplier float64 // of each training
	Plan            dptune.Planned
}

// Findings says what the search takes.
func (p Planned) Findings() []string {
	return []string{
		fmt.Sprintf("The whole search is to cost ε <= %g: each training then needs noise multiplier %.4f.", p.Epsilon, p.NoiseMultiplier),
		fmt.Sprintf("It takes, of %d choices: %v.", p.Plan.Choices, p.Plan),
	}
}

// Released is what a search let out, and how well it does on examples that the guarantee does not cover.
type Released struct {
	Name            string // of the model
	Hyperparameters any
	Accuracy        float64
	Examples        int     // to test on
	Best            float64 // share of the examples that the best rule there is gets right; 0 if nobody knows
}

// Findings says what was released.
func (r Released) Findings() []string {
	text := fmt.Sprintf("%s: the search chose %s, and the model gets %s of %d test examples right (standard error %s)",
		r.Name, r.chosen(), percent(r.Accuracy), r.Examples, percent(math.Sqrt(r.Accuracy*(1-r.Accuracy)/float64(r.Examples))))
	if r.Best > 0 {
		text += fmt.Sprintf("; the rule that made the labels gets %s", percent(r.Best))
	}
	return []string{text + "."}
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

// Table lists the tensors.
func (s Saved) Table() figures.Table {
	t := figures.Table{Name: s.Name, Title: fmt.Sprintf("What %s holds", filepath.Base(s.Path)), Columns: []string{"tensor", "type", "shape"}}
	for _, tensor := range s.File.Tensors {
		t.Rows = append(t.Rows, []string{tensor.Name, tensor.Type, fmt.Sprint(tensor.Shape)})
	}
	return t
}

// Findings says what stands beside them.
func (s Saved) Findings() []string {
	first, _, _ := strings.Cut(s.File.Metadata["guarantee"], ". ")
	return []string{fmt.Sprintf("Beside the weights stands the statement, which begins: “%s.”", strings.TrimSuffix(first, "."))}
}

// Transfer is two private models of one task at one price: the last layer alone on public features, and all of it.
type Transfer struct {
	Features, Scratch Released
	Guarantee         accounting.Guarantee // of each
	Public            float64              // accuracy of the public network on its own classes
}

// Table has the two side by side.
func (t Transfer) Table() figures.Table {
	out := figures.Table{
		Name: "tuning-transfer", Title: fmt.Sprintf("Two private models, each at ε at most %s, δ = %s", accounting.FormatUpper(t.Guarantee.Epsilon.Upper), chart.Scientific(t.Guarantee.Delta)),
		Columns: []string{"model", "chosen", "test accuracy", "standard error"},
	}
	for _, r := range []Released{t.Features, t.Scratch} {
		out.Rows = append(out.Rows, []string{r.Name, r.chosen(), percent(r.Accuracy), percent(math.Sqrt(r.Accuracy * (1 - r.Accuracy) / float64(r.Examples)))})
	}
	return out
}

// Findings says which of the two does better, if that can be told.
func (t Transfer) Findings() []string {
	a, b, n := t.Features.Accuracy, t.Scratch.Accuracy, float64(t.Features.Examples)
	list := []string{fmt.Sprintf("The public network gets %s of its own classes right; it has seen none of the others.", percent(t.Public))}
	// Both are tested on the same examples. However the two go together, the error of the difference is at most the sum of theirs.
	deviation := math.Sqrt(a*(1-a)/n) + math.Sqrt(b*(1-b)/n)
	switch {
	case math.Abs(a-b) <= 2*deviation:
		list = append(list, fmt.Sprintf("The two differ by %s, within two standard errors (up to %s): one run of each on these test examples does not tell which is better.", percent(math.Abs(a-b)), percent(2*deviation)))
	case a > b:
		list = append(list, fmt.Sprintf("Public features are worth %s here, more than two standard errors (up to %s), in one run of each.", percent(a-b), percent(2*deviation)))
	default:
		list = append(list, fmt.Sprintf("Public features cost %s here, more than two standard errors (up to %s), in one run of each.", percent(b-a), percent(2*deviation)))
	}
	return list
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }
