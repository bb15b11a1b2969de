package show

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/verify"
	"github.com/dplab/dplab/notebooks/figures"
)

// The file of a statement has a proof of its ε that package verify accepts.
func TestStatementHasItsProof(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(ArtifactsEnv, dir)
	event := accounting.SelfComposed{Count: 100, Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.ClippedSum{NoiseMultiplier: 1}}}
	g, err := auto.NewAccountant().EpsilonAt(event, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	Text("first")
	Statement(accounting.Statement{Guarantee: g, Mechanism: event.String(), Unit: "one example"})
	list, err := figures.ReadManifest(dir)
	if err != nil || len(list) != 2 || !slices.Equal(list[1].Files, []string{"markdown-2.json"}) {
		t.Fatalf("the manifest has %+v (%v)", list, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, list[1].Files[0]))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := verify.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := answer.Verify(); err != nil || v.Epsilon != g.Epsilon.Upper {
		t.Errorf("verified as %v (%v), and the price is %v", v, err, g)
	}
}

// pointsWithAnswers is a result of three prices, the last without a proof.
type pointsWithAnswers struct{ answers []accounting.Guarantee }

func (p pointsWithAnswers) Answers() []accounting.Guarantee { return p.answers }

func (p pointsWithAnswers) Figure() chart.Figure {
	return chart.Chart{Name: "points", Title: "Points", XLabel: "x", YLabel: "y", Curves: []chart.Curve{{X: []float64{1, 2}, Y: []float64{1, 2}}}}
}

func (p pointsWithAnswers) Table() figures.Table {
	return figures.Table{Name: "rows", Title: "Rows", Columns: []string{"x"}, Rows: [][]string{{"1"}}}
}

// The prices of a figure or a table that have a proof are saved next to it, and each is verified.
func TestResultsHaveTheirAnswers(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(ArtifactsEnv, dir)
	var r pointsWithAnswers
	for _, noise := range []float64{1, 2, 3} {
		g, err := auto.NewAccountant().EpsilonAt(accounting.Gaussian{NoiseMultiplier: noise}, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		r.answers = append(r.answers, g)
	}
	r.answers[2].Certificate = nil
	Plot(r)
	Table(r)
	for _, name := range []string{"points", "rows"} {
		text, err := os.ReadFile(filepath.Join(dir, name+".answers.jsonl"))
		if err != nil {
			t.Error(err)
			continue
		}
		lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
		if len(lines) != 2 {
			t.Errorf("%s: %d answers, want 2", name, len(lines))
		}
		for i, line := range lines {
			answer, err := verify.Read(line)
			if err == nil {
				_, err = answer.Verify()
			}
			if err != nil || answer.Epsilon != r.answers[i].Epsilon.Upper {
				t.Errorf("%s: ε <= %g of %v: %v", name, answer.Epsilon, r.answers[i], err)
			}
		}
	}
}
