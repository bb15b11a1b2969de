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
	"github.com/dplab/dplab/notebooks/figures"
)

// has checks the cells of the second column.
func has(t *testing.T, table figures.Table, want ...string) {
	t.Helper()
	if err := table.Validate(); err != nil {
		t.Error(err)
	}
	for i, w := range want {
		if got := table.Rows[i][1]; got != w {
			t.Errorf("%s: %q, want %q", table.Rows[i][0], got, w)
		}
	}
}

func TestWhatIsShown(t *testing.T) {
	schema := table.Schema{
		Features: []table.Feature{table.Number{Column: "age", High: 100}, table.Category{Column: "sector", Values: []string{"a", "b"}}},
		Target:   table.Classes{Column: "vote", Values: []string{"no", "yes"}},
	}
	d := data.Dataset{Shape: []int{3}, Classes: 2, Features: []float32{-0.5, 0, 1}, Labels: []int32{1}}
	has(t, Loaded{schema, d}.Table(), "3: age, sector=a, sector=b", "[-0.5 0 1]", "1 of 2")
	has(t, Planned{Epsilon: 2, NoiseMultiplier: 1.25, Plan: dptune.Planned{
		Statement: accounting.Statement{Guarantee: accounting.Guarantee{Epsilon: accounting.UpperBound(1.99999), Delta: 1e-5}},
		Choices:   7, MeanRuns: 6, MaxRuns: 40, TailChance: 0.001, MeanTime: 6 * time.Second, MaxTime: 40 * time.Second,
	}}.Table(), "2", "1.2500", "7")
	has(t, Released{"Loans", 1.5 / 3, 0.75, 4800, 0.8}.Table(), "0.5", "75.0 % ± 0.6 %", "80.0 %") // √(0.1875/4800) = 0.00625
}

// By hand: standard errors are 0.04 and 0.05, so that twice their sum is 18 points.
func TestTransfer(t *testing.T) {
	r := Transfer{Features: Released{Accuracy: 0.8, Examples: 100}, Scratch: Released{Accuracy: 0.5, Examples: 100}, Public: 0.95}
	if note := r.Table().Notes[0]; !strings.HasPrefix(note, "First less second: +30.0 points, ± 18.0 at most") || !strings.Contains(note, "gets 95.0 % right on its own classes") {
		t.Errorf("note %q", note)
	}
	r.Guarantee.Epsilon = accounting.UpperBound(1.5)
	if got := r.Answers(); len(got) != 1 || got[0].Epsilon.Upper != 1.5 {
		t.Errorf("answers %v", got)
	}
}

func TestTables(t *testing.T) {
	saved := Saved{Name: "saved", Path: "/tmp/a/net.safetensors", File: safetensors.File{Metadata: map[string]string{"guarantee": "Private at ε 1.5.\n\nAssumptions:\n- a"}, Tensors: []safetensors.Tensor{{Name: "0.weight", Type: "F32", Shape: []int{3, 2}}}}}
	if got := saved.Table(); got.Notes[0] != "The statement next to the weights begins: “Private at ε 1.5.”" || got.Title != "What net.safetensors holds" || strings.Join(got.Rows[0], "|") != "0.weight|F32|[3 2]" {
		t.Errorf("table %+v", got)
	}
	pair := Transfer{Features: Released{Name: "a", Accuracy: 0.8, Examples: 100}, Scratch: Released{Name: "b", Hyperparameters: 2, Accuracy: 0.5, Examples: 100}}
	if got := pair.Table(); len(got.Rows) != 2 || strings.Join(got.Rows[1], "|") != "b|2|50.0 %|5.0 %" {
		t.Errorf("table %+v", got)
	}
}
