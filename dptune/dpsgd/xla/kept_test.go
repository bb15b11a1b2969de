//go:build cgo && linux

package xla

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/gomlx/compute"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/candidate"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/dpsgd/xla/plugin"
	"github.com/dplab/dplab/dptune/dpsgd/xla/programs"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// said is the report of a process about its training.
type said struct {
	Compiled, Found int
	Weights         [][]float64 // of both trainings
}

// trainedElsewhere does a piece of work in a separate process that keeps its programs in a folder.
func trainedElsewhere(t *testing.T, work, folder string, environment ...string) said {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run", "^TestTrainElsewhere$")
	child.Env = append(os.Environ(), programs.Variable+"="+folder, elsewhere+"="+work, "GOMAXPROCS=2")
	child.Env = append(child.Env, environment...)
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

// The environment variables of a child: its work, plugin, driver and kind of device.
const (
	elsewhere = "DPLAB_TRAIN_ELSEWHERE"
	deviceOf  = "DPLAB_TRAIN_PLUGIN"
	driver    = "DPLAB_TRAIN_DRIVER"
	kind      = "DPLAB_TRAIN_KIND"
)

func TestTrainElsewhere(t *testing.T) {
	work, ok := map[string]func(*testing.T) [][]float64{
		"train": trainTwice, "train on a device": trainOnDevice, "searches": searches,
	}[os.Getenv(elsewhere)]
	if !ok {
		t.Skip("runs in a child of other tests only")
	}
	s := said{Weights: work(t)}
	s.Compiled, s.Found = programs.Counts()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("said: %s\n", text)
}

// trainOnDevice has the CPU's plugin pose as that of a device, as function posing does, and keeps what it compiles.
func trainOnDevice(t *testing.T) [][]float64 {
	name := posingAndKept(t)
	trainer, err := engine.NewTrainer(network(t), waves(), config, engine.Performance{Backend: name})
	if err != nil {
		t.Fatal(err)
	}
	result, err := trainer.Run(context.Background(), streams.Fixed("elsewhere"))
	if err != nil {
		t.Fatal(err)
	}
	return result.Parameters.Values
}

// posingAndKept registers the backend of trainOnDevice.
func posingAndKept(t *testing.T) string {
	t.Helper()
	const name = "posing, and kept"
	link := filepath.Join(t.TempDir(), "posing_plugin.so")
	if err := os.Symlink(os.Getenv(deviceOf), link); err != nil {
		t.Fatal(err)
	}
	open := func() (compute.Backend, error) {
		if err := programs.Keep(link, os.Getenv(driver)); err != nil {
			return nil, err
		}
		return load(link + ",shared_buffers=false")
	}
	if err := errors.Join(backend.Register(name, open), backend.SetDeviceMemory(name, func() int64 { return 1 << 30 })); err != nil {
		t.Fatal(err)
	}
	return name
}

// trainTwice trains two models, each by two trainers, and predicts.
func trainTwice(t *testing.T) (weights [][]float64) {
	images := waves()
	images.Shape = []int{2, 3, 1}
	convolutional, err := models.Sequential("CNN", images.Shape,
		nn.Conv2D(1, 2, nn.Square(3, 1, 1)), nn.Tanh(), nn.Flatten(), nn.Dense(12, 3))
	if err != nil {
		t.Fatal(err)
	}
	plan := dpsgd.Plan{Replicas: []dpsgd.Config{config, config, config}}
	for range 2 {
		for _, task := range []struct {
			model dpsgd.Model
			data  data.Dataset
		}{{network(t), waves()}, {convolutional, images}} {
			trainer, err := engine.NewReplicas(task.model, task.data, plan, engine.Performance{Backend: plugin.CPU, ReplicasPerCall: 3})
			if err != nil {
				t.Fatal(err)
			}
			result, err := trainer.Run(context.Background(), streams.Fixed("elsewhere"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := result.Predict(context.Background(), task.data); err != nil {
				t.Fatal(err)
			}
			weights = append(weights, result.Parameters.Values...)
		}
	}
	return weights
}

// searches trains 1 to 17 runs, as searches do that draw their number.
func searches(t *testing.T) [][]float64 {
	const trained = 40 // of the examples; the others score
	train, held := waves(), waves()
	train.Features, train.Labels = train.Features[:6*trained], train.Labels[:trained]
	held.Features, held.Labels = held.Features[6*trained:], held.Labels[trained:]
	c := candidate.DPSGD[float64]{
		Model: network(t), Train: train, Validation: held,
		Configure:   func(rate float64) dpsgd.Config { one := config; one.LearningRate = rate; return one },
		Score:       dptune.PrivateAccuracy{NoiseMultiplier: 4},
		Performance: engine.Performance{Backend: "xla:cpu"},
	}
	root := streams.Fixed("searches")
	for runs := 1; runs <= mostRuns; runs++ {
		var rates []float64
		var roots []streams.Root
		for i := range runs {
			rates, roots = append(rates, 1/float64(i+1)), append(roots, root.Child(fmt.Sprint(runs, i)))
		}
		if _, err := c.RunAll(context.Background(), rates, roots); err != nil {
			t.Fatal(err)
		}
	}
	return nil
}

const mostRuns = 17

// Searches of 1 to 17 runs train 1, 2, 3, 4, 6, 8, 12, 16 or 24 models, on two cores in chunks of 1, 2, 3, 4, 6, 8 or 12: one program
// trains such a chunk and one predicts. Chunks of as many models as were drawn would have sizes from 1 to 9.
func TestSearchesShareTheirPrograms(t *testing.T) {
	installed(t)
	if testing.Short() {
		t.Skip("compiles 14 programs")
	}
	const sizes = 7
	if got := trainedElsewhere(t, "searches", t.TempDir()); got.Compiled != 2*sizes {
		t.Errorf("searches of 1 to %d runs: %d programs compiled, %d found: want %d", mostRuns, got.Compiled, got.Found, 2*sizes)
	}
}

// A training takes one program and a prediction another. What one process compiled no other compiles, nor the same one again, and a
// program from a file gives the same bits. A file that is damaged, or that the plugin refuses, is compiled anew.
func TestProgramsAreKept(t *testing.T) {
	installed(t)
	folder := t.TempDir()
	const calls, each = 2, 2 * 2 // times that all is trained, and programs of two models
	first := trainedElsewhere(t, "train", folder)
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
	check("the same folder", trainedElsewhere(t, "train", folder), 0)
	files, err := filepath.Glob(filepath.Join(folder, "*.xla"))
	if err != nil || len(files) != each+2 { // the probe's are two
		t.Fatalf("files %v, %v: want %d", files, err, each+2)
	}
	refused := []byte("of a build that the plugin does not know")
	for i, file := range files {
		damage(t, file, func(content []byte) []byte {
			switch i % 3 {
			case 0:
				return content[:len(content)/2]
			case 1:
				content[len(content)/2] ^= 1
				return content
			default: // whole, but not what the plugin has written
				sum := sha256.Sum256(refused)
				return append(sum[:], refused...)
			}
		})
	}
	check("damaged files", trainedElsewhere(t, "train", folder), each)
	if off := trainedElsewhere(t, "train", "off"); off.Compiled+off.Found != 0 || !reflect.DeepEqual(off.Weights, first.Weights) {
		t.Errorf("without a folder: %d programs counted, or other bits", off.Compiled+off.Found)
	}
}

// A device's programs are kept as well, for processes with the same driver and the same kind of
// device. The plugin is the CPU's, with the environment's description of its devices.
func TestProgramsOfADeviceAreKept(t *testing.T) {
	const describeKind = 26 // PJRT_DeviceDescription_Kind
	path := library(t, fmt.Sprintf(wrapped, installed(t), describeKind, `((void **)args)[3] = getenv("`+kind+`"); ((size_t *)args)[4] = strlen(getenv("`+kind+`"));`))
	folder := t.TempDir()
	train := func(version, name string) said {
		return trainedElsewhere(t, "train on a device", folder, deviceOf+"="+path, driver+"="+version, kind+"="+name)
	}
	first := train("580.1", "H100")
	if first.Compiled == 0 {
		t.Fatal("nothing was compiled")
	}
	if again := train("580.1", "H100"); again.Compiled != 0 || again.Found != first.Compiled+first.Found || !reflect.DeepEqual(again.Weights, first.Weights) {
		t.Errorf("the same: %d programs compiled and %d found, where the first process had %d and %d: want none, the sum, and the same bits",
			again.Compiled, again.Found, first.Compiled, first.Found)
	}
	for version, name := range map[string]string{"580.2": "H100", "580.1": "H200"} {
		if other := train(version, name); other.Compiled != first.Compiled {
			t.Errorf("driver %s and device %s: %d programs compiled, want %d, as at first", version, name, other.Compiled, first.Compiled)
		}
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

// Other replicas, such as the padding of a search, do not change a replica's bits.
func TestCompanyMovesNoBits(t *testing.T) {
	installed(t)
	const own = 5
	var results [][][]float64
	for _, company := range []float64{1e-3, 2} {
		other := config
		other.LearningRate = company
		plan := dpsgd.Plan{Replicas: append(slices.Repeat([]dpsgd.Config{config}, own), other)}
		trainer, err := engine.NewReplicas(network(t), waves(), plan, engine.Performance{Backend: "xla:cpu"})
		if err != nil {
			t.Fatal(err)
		}
		roots := make([]streams.Root, own+1)
		for r := range roots {
			roots[r] = streams.Fixed("company").Child(fmt.Sprint(r))
		}
		roots[own] = streams.Fixed(fmt.Sprint("company of learning rate ", company))
		result, err := trainer.RunEach(context.Background(), roots)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, result.Parameters.Values)
	}
	if !reflect.DeepEqual(results[0][:own], results[1][:own]) {
		t.Error("weights of replicas changed with what trained beside them")
	}
	if reflect.DeepEqual(results[0][own], results[1][own]) {
		t.Error("the company was the same")
	}
}
