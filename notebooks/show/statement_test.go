package show

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
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
