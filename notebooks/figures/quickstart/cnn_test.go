package quickstart

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dplab/dplab/data"
)

// Without DPLAB_DATA the network trains on the embedded digits, at the ε asked for.
func TestTrainCNNOnDigits(t *testing.T) {
	t.Setenv(data.DirVariable, "")
	var detail string
	r, err := TrainCNN(t.Context(), Defaults("quick"), func(_, _ int, d string) { detail = d })
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(detail, "ε <= 3.0000, ") || !strings.HasSuffix(detail, " examples/s") {
		t.Errorf("the last progress says %q, want the ε asked for and a speed", detail)
	}
	if epsilon := r.Guarantee.Epsilon.Upper; r.Data != "digits" || epsilon > 3 || epsilon < 3-1e-5 {
		t.Errorf("trained on %s at ε %g, want digits at 3 or a little less", r.Data, epsilon)
	}
	if r.TestAccuracy < 0.7 {
		t.Errorf("test accuracy %g, want at least 0.7", r.TestAccuracy)
	}
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
}

// A damaged MNIST is an error, not a reason to train on other data.
func TestTrainCNNRefusesDamagedData(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(data.DirVariable, dir)
	if err := os.MkdirAll(filepath.Join(dir, "mnist"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := TrainCNN(t.Context(), Defaults("quick"), nil); err == nil {
		t.Error("an empty MNIST folder in DPLAB_DATA: no error")
	}
}
