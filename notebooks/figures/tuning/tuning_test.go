package tuning

import (
	"strings"
	"testing"
	"time"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/table"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/weights/safetensors"
)

func says(t *testing.T, result interface{ Findings() []string }, want ...string) {
	t.Helper()
	text := strings.Join(result.Findings(), "\n")
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("findings %q, want %q in them", text, w)
		}
	}
}

func TestFindings(t *testing.T) {
	schema := table.Schema{
		Features: []table.Feature{table.Number{Column: "age", High: 100}, table.Category{Column: "sector", Values: []string{"a", "b"}}},
		Target:   table.Classes{Column: "vote", Values: []string{"no", "yes"}},
	}
	d := data.Dataset{Shape: []int{3}, Classes: 2, Features: []float32{-0.5, 0, 1}, Labels: []int32{1}}
	says(t, Loaded{schema, d}, "an example of 3 features: age, sector=a, sector=b.", "of class 1 of 2, is [-0.5 0 1].")
	says(t, Planned{Epsilon: 2, NoiseMultiplier: 1.25, Plan: dptune.Planned{
		Statement: accounting.Statement{Guarantee: accounting.Guarantee{Epsilon: accounting.UpperBound(1.99999), Delta: 1e-5}},
		Choices:   7, MeanRuns: 6, MaxRuns: 40, TailChance: 0.001, MeanTime: 6 * time.Second, MaxTime: 40 * time.Second,
	}}, "to cost ε <= 2: each training then needs noise multiplier 1.2500.", "of 7 choices: 6 runs on average, at most 40 but for a chance of 0.001; 6s on average")
	says(t, Released{"Loans", 1.5 / 3, 0.75, 4800, 0.8}, "Loans: the search chose 0.5, and the model gets 75.0 % of 4800 test examples right (standard error 0.6 %)", "gets 80.0 %.") // √(0.1875/4800) = 0.00625
	says(t, Saved{Path: "/tmp/x", File: safetensors.File{Metadata: map[string]string{"guarantee": "Private at ε 1.5. It assumes."}}}, "begins: “Private at ε 1.5.”")
}

// Which model is better is said where the test examples can tell, either way round, and nowhere else.
func TestTransferTurnsRound(t *testing.T) {
	of := func(a, b float64) Transfer {
		return Transfer{Features: Released{Accuracy: a, Examples: 100}, Scratch: Released{Accuracy: b, Examples: 100}, Public: 0.95}
	}
	// Standard errors are 0.04 and 0.05, so that twice their sum is 18 %.
	says(t, of(0.8, 0.5), "Public features are worth 30.0 % here, more than two standard errors (up to 18.0 %)", "gets 95.0 % of its own classes")
	says(t, of(0.5, 0.8), "Public features cost 30.0 % here")
	says(t, of(0.8, 0.63), "within two standard errors")
}

func TestTables(t *testing.T) {
	saved := Saved{Name: "saved", Path: "/tmp/a/net.safetensors", File: safetensors.File{Tensors: []safetensors.Tensor{{Name: "0.weight", Type: "F32", Shape: []int{3, 2}}}}}
	if got := saved.Table(); got.Title != "What net.safetensors holds" || strings.Join(got.Rows[0], "|") != "0.weight|F32|[3 2]" {
		t.Errorf("table %+v", got)
	}
	pair := Transfer{Features: Released{Name: "a", Accuracy: 0.8, Examples: 100}, Scratch: Released{Name: "b", Hyperparameters: 2, Accuracy: 0.5, Examples: 100}}
	if got := pair.Table(); len(got.Rows) != 2 || strings.Join(got.Rows[1], "|") != "b|2|50.0 %|5.0 %" {
		t.Errorf("table %+v", got)
	}
}
