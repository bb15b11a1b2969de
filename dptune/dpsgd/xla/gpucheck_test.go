//go:build linux

package xla

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The part variants of gpucheck measures each variant, with stubs in place of the programs and the
// device. A wrong one is not measured, and a slower one only for a short time.
func TestVariantsOfGpucheck(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"nvidia-smi": `echo "GPU 0: a stub"`,
		"python3":    `exit 1`,
		"plugin.so":  ``,

		"variants-are-here": ``,

		"xla.test": `[ "$DPLAB_GPU_VARIANTS" = one-product ] && echo "--- FAIL: TestTrainingOnCUDA" || echo "--- PASS: TestTrainingOnCUDA"`,
		"dpbench": `echo "$DPLAB_GPU_VARIANTS: $*" >>"$(dirname "$0")/calls"
case "$DPLAB_GPU_VARIANTS" in chacha-turns) ms=2.5 ;; tiny-products) ms=20 ;; *) ms=10 ;; esac
echo "{\"system\":\"dplab\",\"ms_per_step_min\":1,\"ms_per_step_median\":$ms,\"cpu_ms_per_step\":7,\"compile_s\":3,\"compile_cpu_s\":4}"`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/usr/bin/env bash\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	script, err := filepath.Abs("gpucheck/gpucheck.sh")
	if err != nil {
		t.Fatal(err)
	}
	run := exec.Command("bash", script, "run", dir, "variants")
	run.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "DPLAB_PJRT_CUDA="+filepath.Join(dir, "plugin.so"))
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	table, err := os.ReadFile(filepath.Join(dir, "out", "variants.md"))
	if err != nil {
		t.Fatal(err)
	}
	calls, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	const fcnn = "-model fcnn -batch 400 -batches shared -replicas 5000 -steps 128"
	for _, want := range []string{
		"| " + fcnn + " | - | 10 | 3 | 1.00 |", "| " + fcnn + " | chacha-turns | 2.5 | 3 | 4.00 |", "| " + fcnn + " | tiny-products | 20 | 3 | 0.50 |",
		"| -model mnist-cnn -batch 256 -replicas 32 -steps 32 | one-product | fails TestTrainingOnCUDA | | |", "-steps-per-call 4 | unrolled-steps | 10 | 3 | 1.00 |",
		"no JAX here",
	} {
		if !strings.Contains(string(table), want) {
			t.Errorf("the table lacks %q:\n%s\n%s", want, table, out)
		}
	}
	if strings.Contains(string(calls), "one-product: ") {
		t.Error("a wrong variant was measured")
	}
	if strings.Contains("\n"+string(calls), "\ntiny-products: -backend xla:cuda -seconds 2 ") {
		t.Error("a slower variant was measured for long")
	}
}

// The patch with the variants fits the code as it is.
func TestVariantsFit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	root, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		t.Skip("this is not a checkout")
	}
	check := exec.Command("git", "apply", "--check", "dptune/dpsgd/xla/gpucheck/variants.patch")
	check.Dir = strings.TrimSpace(string(root))
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
