//go:build cgo && linux

package xla

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/xla/programs"
	"github.com/dplab/dplab/dptune/streams"
)

// said is what a process says of its training.
type said struct {
	Compiled, Found int
	Weights         [][]float64 // of both trainings
}

// trainedElsewhere trains twice, each time by a new trainer, in a process of its own, which keeps its programs in a folder.
func trainedElsewhere(t *testing.T, folder string) said {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run", "^TestTrainElsewhere$")
	child.Env = append(os.Environ(), programs.Variable+"="+folder, "DPLAB_TRAIN_ELSEWHERE=1")
	out, err := child.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, text, _ := bytes.Cut(out, []byte("said: "))
	text, _, _ = bytes.Cut(text, []byte("\n"))
	var s said
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return s
}

func TestTrainElsewhere(t *testing.T) {
	if os.Getenv("DPLAB_TRAIN_ELSEWHERE") == "" {
		t.Skip("runs in a child of other tests only")
	}
	var s said
	for range 2 {
		plan := dpsgd.Plan{Replicas: []dpsgd.Config{config, config, config}}
		trainer, err := dpsgd.NewTrainer(network(t), waves(), plan, dpsgd.Performance{Backend: "xla:cpu", Chunk: 3})
		if err != nil {
			t.Fatal(err)
		}
		result, err := trainer.Run(context.Background(), streams.Fixed("elsewhere"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := result.Predict(context.Background(), waves()); err != nil {
			t.Fatal(err)
		}
		s.Weights = append(s.Weights, result.Parameters.Values...)
	}
	s.Compiled, s.Found = programs.Counts()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("said: %s\n", text)
}

// A training takes one program and a prediction another. What one process compiled no other compiles, nor the same one again, and a
// program from a file gives the same bits. A file that is damaged is compiled anew.
func TestProgramsAreKept(t *testing.T) {
	installed(t)
	folder := t.TempDir()
	const calls, each = 2, 2 // trainings of a process, and programs of each
	first := trainedElsewhere(t, folder)
	check := func(what string, got said, compiled int) {
		t.Helper()
		if got.Compiled != compiled || got.Found != calls*each-compiled {
			t.Errorf("%s: %d programs compiled and %d found: want %d and %d", what, got.Compiled, got.Found, compiled, calls*each-compiled)
		}
		if !reflect.DeepEqual(got.Weights, first.Weights) {
			t.Errorf("%s: weights have other bits", what)
		}
	}
	check("an empty folder", first, each)
	check("the same folder", trainedElsewhere(t, folder), 0)
	files, err := filepath.Glob(filepath.Join(folder, "*.xla"))
	if err != nil || len(files) != each+2 { // the probe's are two
		t.Fatalf("files %v, %v: want %d", files, err, each+2)
	}
	for i, file := range files {
		damage(t, file, func(content []byte) []byte {
			if i%2 == 0 {
				return content[:len(content)/2]
			}
			content[len(content)/2] ^= 1
			return content
		})
	}
	check("damaged files", trainedElsewhere(t, folder), each)
	if off := trainedElsewhere(t, "off"); off.Compiled+off.Found != 0 || !reflect.DeepEqual(off.Weights, first.Weights) {
		t.Errorf("without a folder: %d programs counted, or other bits", off.Compiled+off.Found)
	}
}

func damage(t *testing.T, path string, how func([]byte) []byte) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, how(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
