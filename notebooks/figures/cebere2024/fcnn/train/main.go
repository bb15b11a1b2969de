// Command train makes the stored result of Figure 1c at the paper's own size: 5,000 models of
// 68 parameters, 250 steps, each audit five times.
//
//	DPLAB_DATA=DIR go run ./notebooks/figures/cebere2024/fcnn/train
//	DPLAB_DATA=DIR DPLAB_PJRT=FILE go run ./notebooks/figures/cebere2024/fcnn/train -backend xla:cpu
//
// It writes notebooks/results/cebere2024-fcnn.json. Audits that are done are kept in -parts, so
// that a run that was stopped goes on.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/notebooks/figures/cebere2024/fcnn"
	"github.com/dplab/dplab/notebooks/results"
)

func main() {
	backend := flag.String("backend", "go", "backend of the training, for instance xla:cpu")
	chunk := flag.Int("chunk", 0, "models in one call; 0 is the engine's choice")
	out := flag.String("out", "notebooks/results/cebere2024-fcnn.json", "file to write")
	parts := flag.String("parts", filepath.Join(os.TempDir(), "dplab-cebere2024-fcnn"), "folder for audits that are done")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "train: argument %q: must be a flag\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := run(*out, fcnn.Options{Performance: dpsgd.Performance{Backend: *backend, Chunk: *chunk}, Parts: *parts}); err != nil {
		fmt.Fprintf(os.Stderr, "train: %v\n", err)
		os.Exit(1)
	}
}

func run(out string, o fcnn.Options) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	start := time.Now()
	o.Progress = func(done, models int, detail string) {
		fmt.Fprintf(os.Stderr, "%d of %d models, %s, %s\n", done, models, time.Since(start).Round(time.Second), detail)
	}
	cfg := fcnn.Full()
	_, err := results.Load(out, cfg, func() (fcnn.Result, error) { return fcnn.Figure1(ctx, cfg, o) })
	return err
}
