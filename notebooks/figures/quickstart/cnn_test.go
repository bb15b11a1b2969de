package quickstart

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/data"
)

// Without DPLAB_DATA the network is one for the embedded digits, of the size that its comment says.
func TestConvNetForDigits(t *testing.T) {
	t.Setenv(data.DirVariable, "")
	task, err := ConvNet(2)
	if err != nil {
		t.Fatal(err)
	}
	if task.Name != "digits" || task.Model.Size() != 6090 || task.Train.Len() != 1437 || task.Test.Len() != 360 {
		t.Errorf("%s with %d and %d examples, %d weights", task.Name, task.Train.Len(), task.Test.Len(), task.Model.Size())
	}
	task.Config.NoiseMultiplier = 1
	if err := task.Config.Validate(); err != nil {
		t.Error(err)
	}
	r := CNN{Task: task, Guarantee: accounting.Guarantee{Epsilon: accounting.UpperBound(3), Delta: 1e-5}, TestAccuracy: 0.9}
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
	if rows := r.Table().Rows; rows[4][1] != "3.0000 at δ = 10⁻⁵" || !strings.HasPrefix(rows[5][1], "90.0 % ± 1.6 %") {
		t.Errorf("rows %q", rows)
	}
}

// A damaged MNIST is an error, not a reason to train on other data.
func TestConvNetRefusesDamagedData(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(data.DirVariable, dir)
	if err := os.MkdirAll(filepath.Join(dir, "mnist"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := ConvNet(2); err == nil {
		t.Error("an empty MNIST folder in DPLAB_DATA: no error")
	}
	if _, err := ConvNet(0); err == nil || !strings.Contains(err.Error(), "epochs 0") {
		t.Errorf("no epochs: error %v", err)
	}
}
