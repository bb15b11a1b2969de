package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// The JSON line starts with the fields that the scripts for other libraries print, in their
// order; the numbers agree with each other.
func TestJSONLine(t *testing.T) {
	for _, mode := range []string{"bookkeeping", "materialized", "nonprivate"} {
		var stdout, stderr bytes.Buffer
		args := "-model fcnn -batch 20 -replicas 3 -steps 5 -seconds 0.01 -mode " + mode
		if code := run(context.Background(), strings.Fields(args), &stdout, &stderr); code != 0 {
			t.Fatalf("%s: exit code %d: %s", mode, code, &stderr)
		}
		const start = `{"system":"dplab","model":"fcnn","batch":20,"replicas":3,"mode":"`
		if line := stdout.String(); !strings.HasPrefix(line, start+mode) || strings.Count(line, "\n") != 1 {
			t.Errorf("output %q does not start with %q, or is not one line", line, start+mode)
		}
		at := 0
		for _, field := range []string{"system", "model", "batch", "replicas", "mode", "backend", "ms_per_step_min", "ms_per_step_median",
			"cpu_ms_per_step", "peak_rss_mb", "compile_s", "params"} {
			next := strings.Index(stdout.String(), `"`+field+`":`)
			if next < at {
				t.Errorf("%s: field %s is missing or out of order", mode, field)
			}
			at = next
		}
		var r report
		if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if !(r.MsPerStepMin > 0 && r.MsPerStepMin <= r.MsPerStepMedian) || r.StepsTimed < 15 || r.Parameters != 68 || r.PeakRSSMB < 1 {
			t.Errorf("%s: %+v is not a measurement of 68 parameters over 3 runs of 5 steps", mode, r)
		}
		if private := mode != "nonprivate"; (r.NoiseCPUMs > 0) != private || (r.Generator == "AES-256") != private {
			t.Errorf("%s: noise takes %g ms by generator %q", mode, r.NoiseCPUMs, r.Generator)
		}
		if level := kernel.VectorLevel(); r.Kernels != level || !strings.Contains(stderr.String(), "vector kernels: "+level) {
			t.Errorf("%s: kernels %q, line for people %q: want %q in both", mode, r.Kernels, &stderr, level)
		}
		if !strings.Contains(stderr.String(), "68 parameters") {
			t.Errorf("%s: line for people %q", mode, &stderr)
		}
	}
}

func TestSampledAndSharedBatches(t *testing.T) {
	for _, sampling := range []string{"poisson", "allocation"} {
		var stdout, stderr bytes.Buffer
		args := "-model H -batch 20 -replicas 2 -steps 2 -seconds 0.01 -sampling " + sampling + " -batches shared -float64 -generator chacha20"
		if code := run(context.Background(), strings.Fields(args), &stdout, &stderr); code != 0 {
			t.Fatalf("exit code %d: %s", code, &stderr)
		}
		if !strings.Contains(stdout.String(), `"sampling":"`+sampling+`","batches":"shared","precision":"float64","generator":"ChaCha20"`) {
			t.Errorf("output %s", &stdout)
		}
	}
}

// A profile is gzip; one that cannot be written is an error before anything is timed.
func TestProfile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cpu.pprof")
	const args = "-model fcnn -batch 20 -steps 2 -seconds 0.01 -cpuprofile "
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), strings.Fields(args+path), &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	if profile, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(profile, []byte("\x1f\x8b")) {
		t.Errorf("profile of %d bytes, error %v: want a gzip file", len(profile), err)
	}
	stderr.Reset()
	if code := run(context.Background(), strings.Fields(args+filepath.Join(path, "cpu")), &stdout, &stderr); code != 1 || !strings.Contains(stderr.String(), "-cpuprofile: ") {
		t.Errorf("a file inside a file: exit code %d, message %q", code, &stderr)
	}
}

func TestWrongCommandLines(t *testing.T) {
	for args, want := range map[string]string{
		"-model foo":              `-model "foo": must be one of mlp (M), fcnn (H)`,
		"-batch 0":                "-batch 0: must be in [1, 1048576]",
		"-replicas -1":            "-replicas -1: must be",
		"-steps 0":                "-steps 0: must be",
		"-seconds NaN":            "-seconds: must be a finite number",
		"-mode fast":              `-mode "fast": must be one of bookkeeping, materialized, integers, nonprivate`,
		"-backend abacus":         `-backend "abacus": must be one of `,
		"-batches some":           "must be one of own, shared",
		"-sampling shuffle":       "must be one of full, poisson, allocation",
		"-generator rc4":          "must be one of default, aes256, chacha20",
		"-chunk 0 -microbatch 0":  "-microbatch 0: must be in [1, 65536]",
		"-goroutines 0":           "-goroutines 0: must be",
		"-estimate foo":           `-estimate "foo": must be one of list, cebere2024/figure1`,
		"-estimate list -batch 3": "-batch must not be given with -estimate",
		"-table -model mlp":       "-model must not be given with -table",
		"mlp":                     `argument "mlp": must be a flag`,
		"-speed 3":                "flag provided but not defined: -speed",
	} {
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), strings.Fields(args), &stdout, &stderr)
		if code != 2 || !strings.Contains(stderr.String(), want) || stdout.Len() > 0 {
			t.Errorf("%s: exit code %d, %q: want 2 and %q", args, code, &stderr, want)
		}
	}
	var stdout bytes.Buffer
	if code := run(context.Background(), []string{"-h"}, &stdout, &stdout); code != 0 || !strings.Contains(stdout.String(), "-replicas") {
		t.Errorf("-h: exit code %d, %q", code, &stdout)
	}
}

// What an experiment costs is its model-steps over the rate that was measured.
func TestEstimate(t *testing.T) {
	var stdout, stderr bytes.Buffer
	args := "-estimate cebere2024/figure1-fcnn -seconds 0.01 -replicas 4"
	if code := run(context.Background(), strings.Fields(args), &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	var line estimated
	if err := json.Unmarshal(stdout.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	// 5,000 models, 250 steps, 3 adversaries, 5 repetitions
	if want := 5000.0 * 250 * 15; line.ModelSteps != want || line.Replicas != 4 || line.MeasuredBatch != 400 {
		t.Errorf("%+v: want %g model-steps, 4 models at once", line, want)
	}
	if hours := line.ModelSteps / line.ModelStepsPerS / 3600; math.Abs(line.Hours/hours-1) > 0.01 {
		t.Errorf("%g hours, want %g", line.Hours, hours)
	}
	if !strings.Contains(stderr.String(), "in all:") {
		t.Errorf("lines for people %q", &stderr)
	}
	stdout.Reset()
	if code := run(context.Background(), []string{"-estimate", "list"}, &stdout, &stderr); code != 0 || !strings.Contains(stdout.String(), "fcnn, batch 400, 5000 models x 250 steps x 15") {
		t.Errorf("list: exit code %d, %s", code, &stdout)
	}
}

// A step that would take minutes is measured with fewer models, then fewer examples; one
// that does not is measured as it is.
func TestEstimateShortensLongSteps(t *testing.T) {
	for _, c := range []struct {
		backend                string
		operations             float64
		replicas, batch, steps int
	}{
		{"go", 1e6, 16, 128, 0},
		{"go", 5e7, 1, 128, 1},   // 6.4e9 of a model
		{"go", 3e9, 1, 3, 1},     // 3.8e11
		{"go", 1e12, 1, 1, 1},    // one example at least
		{"xla", 4e7, 16, 128, 0}, // ten times as fast
	} {
		o := options{backend: c.backend, replicas: 16, batch: 128}
		if o.shorten(c.operations); o.replicas != c.replicas || o.batch != c.batch || o.steps != c.steps {
			t.Errorf("%s, %g operations: %d models, %d examples, %d steps; want %d, %d, %d",
				c.backend, c.operations, o.replicas, o.batch, o.steps, c.replicas, c.batch, c.steps)
		}
	}
	o := options{backend: "go", replicas: 16, batch: 128, set: map[string]bool{"replicas": true}}
	if o.shorten(5e7); o.replicas != 16 || o.batch != 12 {
		t.Errorf("16 models asked for: %d models, %d examples; want 16 and 12", o.replicas, o.batch)
	}
	if e := (estimated{Batch: 128, MeasuredBatch: 10}); e.scaled() != " (by 10 of its 128 examples)" {
		t.Errorf("scaled says %q", e.scaled())
	}
}

func TestMarkdown(t *testing.T) {
	rows := []report{
		{Model: "mlp", Batch: 256, Replicas: 1, Mode: "bookkeeping", Backend: "go", MsPerStepMin: 3, CPUMsPerStep: 4},
		{Model: "mlp", Batch: 256, Replicas: 1, Mode: "nonprivate", Backend: "go", MsPerStepMin: 2, CPUMsPerStep: 2},
	}
	rows[0].Kernels = "AVX2"
	for _, want := range []string{"Vector kernels: AVX2.\n", "| mlp | 256 | 1 | bookkeeping | go | 3, 0 (4) |", "takes 1.50 times", "processor time 2.00"} {
		if got := markdown(rows); !strings.Contains(got, want) {
			t.Errorf("%q does not hold %q", got, want)
		}
	}
	for _, row := range tableRows {
		if _, err := parse(strings.Fields(row)); err != nil {
			t.Errorf("row %s: %v", row, err)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	if code := run(ctx, []string{"-model", "fcnn"}, &stdout, &stderr); code != 1 || stdout.Len() > 0 {
		t.Errorf("exit code %d, output %q: want 1 and none", code, &stdout)
	}
}

// The models that only this command measures have the sizes that testdata/peers.py asserts.
func TestLargerModels(t *testing.T) {
	for _, named := range larger {
		model, err := named.Build()
		if err != nil {
			t.Fatal(err)
		}
		if model.Size() != named.Size {
			t.Errorf("%s has %d weights, not %d", named.Name, model.Size(), named.Size)
		}
		if u := usuals[named.Name]; u.letter == "" || u.batch == 0 {
			t.Errorf("%s has no letter or no usual batch", named.Name)
		}
	}
}

// The products of a perceptron a-b-c, for one example: forward 2(ab + bc), at the weights the
// same, at the inputs 2bc. Of a convolution, as many for each position of its output; the
// numbers are those of the paper's tables of layers, multiplied out by hand.
func TestOperations(t *testing.T) {
	for name, want := range map[string]float64{
		"fcnn": 4*(8*6+6*2) + 2*6*2,
		// 28x28x6 from 5x5x3, 10x10x16 from 5x5x6, 400-120-84-10
		"convnet": 4*28*28*6*75 + 6*(10*10*16*150+400*120+120*84+84*10),
		// 14x14x16 from 8x8x1, 5x5x32 from 4x4x16, 512-32-10
		"mnist-cnn": 4*14*14*16*64 + 6*(5*5*32*256+512*32+32*10),
	} {
		named, ok := findModel(name)
		if !ok {
			t.Fatalf("no model %s", name)
		}
		model, err := named.Build()
		if err != nil {
			t.Fatal(err)
		}
		b := benchmark{options: options{batch: 100, replicas: 10}, model: model}
		if told := b.patience(); told != "" {
			t.Errorf("%s, 1,000 examples: %q, want nothing", name, told)
		}
		if b.batch, b.replicas = 1<<20, 1<<20; !strings.Contains(b.patience(), fmt.Sprintf("%.2g operations", want*(1<<40))) {
			t.Errorf("%s, 2^40 examples: %q, want the operations", name, b.patience())
		}
		if got := operations(model); got != want {
			t.Errorf("%s: %g operations, want %g", name, got, want)
		}
	}
}

// called is a layer with its own text.
type called struct{ nn.Layer }

func (called) String() string { return "Embedding of ours" }

// A layer is a lookup by what it is. Products of a layer that is only called so count: twice 2·3·2,
// as the first layer has no gradient at its input.
func TestLayerCalledEmbedding(t *testing.T) {
	if got := operations(dpsgd.Model{Input: []int{3}, Layers: []nn.Layer{called{nn.Dense(3, 2)}}}); got != 2*2*3*2 {
		t.Errorf("%g operations of a dense layer, want %d", got, 2*2*3*2)
	}
	if got := operations(dpsgd.Model{Input: []int{3}, Layers: []nn.Layer{nn.Embedding(5, 4)}}); got != 0 {
		t.Errorf("%g operations of a lookup, want 0", got)
	}
}
