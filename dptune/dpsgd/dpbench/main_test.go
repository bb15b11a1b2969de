package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
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
		if (r.NoiseCPUMs > 0) != (mode != "nonprivate") {
			t.Errorf("%s: noise takes %g ms", mode, r.NoiseCPUMs)
		}
		if !strings.Contains(stderr.String(), "68 parameters") {
			t.Errorf("%s: line for people %q", mode, &stderr)
		}
	}
}

func TestPoissonAndSharedBatches(t *testing.T) {
	var stdout, stderr bytes.Buffer
	args := "-model H -batch 20 -replicas 2 -steps 2 -seconds 0.01 -sampling poisson -batches shared -float64"
	if code := run(context.Background(), strings.Fields(args), &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	if !strings.Contains(stdout.String(), `"sampling":"poisson","batches":"shared","precision":"float64"`) {
		t.Errorf("output %s", &stdout)
	}
}

func TestWrongCommandLines(t *testing.T) {
	for args, want := range map[string]string{
		"-model foo":             `-model "foo": must be one of mlp (M)`,
		"-batch 0":               "-batch 0: must be in [1, 1048576]",
		"-replicas -1":           "-replicas -1: must be",
		"-steps 0":               "-steps 0: must be",
		"-seconds NaN":           "-seconds NaN: must be",
		"-mode fast":             `-mode "fast": must be one of bookkeeping, materialized, nonprivate`,
		"-backend abacus":        `-backend "abacus": must be one of `,
		"-batches some":          "must be one of own, shared",
		"-sampling shuffle":      "must be one of full, poisson",
		"-chunk 0 -microbatch 0": "-microbatch 0: must be >= 1",
		"-goroutines 0":          "-goroutines 0: must be",
		"mlp":                    `argument "mlp": must be a flag`,
		"-speed 3":               "flag provided but not defined: -speed",
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

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	if code := run(ctx, []string{"-model", "fcnn"}, &stdout, &stderr); code != 1 || stdout.Len() > 0 {
		t.Errorf("exit code %d, output %q: want 1 and none", code, &stdout)
	}
}

// The products of an MLP a-b-c, for one example: forward 2(ab + bc), at the weights the same,
// at the inputs 2bc.
func TestOperations(t *testing.T) {
	model, err := models.MLPWith(dpsgd.ReLU(), 8, 6, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := operations(model), float64(4*(8*6+6*2)+2*6*2); got != want {
		t.Errorf("operations %g, want %g", got, want)
	}
}
