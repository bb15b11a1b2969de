package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// tableRows are the command lines of the README's table, without the backend and the generator.
var tableRows = []string{
	"-model mlp -batch 256",
	"-model mlp -batch 256 -mode nonprivate",
	"-model mnist-cnn -batch 256",
	"-model mnist-cnn -batch 256 -mode nonprivate",
	"-model convnet -batch 128",
	"-model convnet -batch 128 -mode nonprivate",
	"-model fcnn -batch 400 -batches shared",
	"-model fcnn -batch 400 -replicas 64 -batches shared",
	"-model fcnn -batch 400 -replicas 512 -batches shared",
	"-model mlp -batch 64 -replicas 64",
	"-model convnet -batch 128 -replicas 8 -batches shared",
	"-model convnet -batch 128 -replicas 16 -batches shared",
	"-model encoder -batch 64",
	"-model gru -batch 128",
	"-model tokens -batch 144",
}

// table measures every row in its own process, since memory is counted by process, and prints them
// as Markdown.
func (o options) table(ctx context.Context, stdout, stderr io.Writer) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	var reports []report
	for _, row := range tableRows {
		args := append(strings.Fields(row), "-backend", o.backend, "-generator", o.generator, "-seconds", fmt.Sprint(o.seconds))
		r, err := runRow(ctx, program, args, stderr)
		if err != nil {
			return fmt.Errorf("dpbench %s: %w", strings.Join(args, " "), err)
		}
		reports = append(reports, r)
	}
	_, err = fmt.Fprint(stdout, markdown(reports))
	return err
}

// runRow runs one row in a child process.
func runRow(ctx context.Context, program string, args []string, stderr io.Writer) (r report, err error) {
	fmt.Fprintf(stderr, "dpbench %s\n", strings.Join(args, " "))
	child := exec.CommandContext(ctx, program, args...)
	child.Stderr = stderr
	line, err := child.Output()
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(line, &r)
}

// markdown returns the level of vector kernels, the rows, and the cost of privacy for each row that
// has a counterpart without privacy.
func markdown(reports []report) string {
	var b strings.Builder
	if len(reports) > 0 && reports[0].Kernels != "" {
		fmt.Fprintf(&b, "Vector kernels: %s.\n\n", reports[0].Kernels)
	}
	b.WriteString("| model | batch | R | mode | backend | ms a step: best, median (processor) | model-steps/s: best, median | MB | compile s (processor) | floor: processor-ms (share of products) | generator |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range reports {
		fmt.Fprintf(&b, "| %s | %d | %d | %s | %s | %.3g, %.3g (%.3g) | %.4g, %.4g | %.0f | %.2g (%.2g) | %s | %s |\n",
			r.Model, r.Batch, r.Replicas, r.Mode, r.Backend, r.MsPerStepMin, r.MsPerStepMedian, r.CPUMsPerStep,
			r.ModelStepsPerSBest, r.ModelStepsPerS, r.PeakRSSMB, r.CompileS, r.CompileCPUS, r.floor(), r.Generator)
	}
	for _, r := range reports {
		for _, plain := range reports {
			if r.Mode == "bookkeeping" && plain.Mode == "nonprivate" && r.Model == plain.Model && r.Batch == plain.Batch && r.Replicas == plain.Replicas {
				fmt.Fprintf(&b, "\n%s on %s: a private step takes %.2f times a step without privacy (best of each; processor time %.2f).\n",
					r.Model, r.Backend, r.MsPerStepMin/plain.MsPerStepMin, r.CPUMsPerStep/plain.CPUMsPerStep)
			}
		}
	}
	return b.String()
}

// floor returns the column of the floor. It is empty on a device, because its work takes no
// processor time.
func (r report) floor() string {
	if r.FloorCPUMs == 0 {
		return ""
	}
	return fmt.Sprintf("%.3g (%.0f %%)", r.FloorCPUMs, 100*r.ProductsShare)
}
