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
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/notebooks/figures/cebere2024/fcnn"
	"github.com/dplab/dplab/notebooks/results"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options are the flags.
type options struct {
	backend, out, parts string
	chunk               int
}

// run answers one command line and returns the exit code: 2 for a wrong one, 1 for a training that fails.
func run(args []string, stdout, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("train", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.backend, "backend", "go", "backend of the training: "+strings.Join(dpsgd.Backends(), ", "))
	flags.Func("chunk", "`models` in one call (default: the engine's)", func(text string) (err error) {
		if o.chunk, err = strconv.Atoi(text); err != nil || o.chunk < 1 || o.chunk > mostModels {
			return fmt.Errorf("must be a whole number in [1, %d]", mostModels)
		}
		return nil
	})
	flags.StringVar(&o.out, "out", "notebooks/results/cebere2024-fcnn.json", "`file` to write")
	flags.StringVar(&o.parts, "parts", filepath.Join(os.TempDir(), "dplab-cebere2024-fcnn"), "`folder` for audits that are done")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return 0
	}
	if err == nil {
		err = o.validate(flags.Args())
	}
	if err != nil {
		fmt.Fprintf(stderr, "train: %v\nSee train -h.\n", err)
		return 2
	}
	if err := o.train(stderr); err != nil {
		fmt.Fprintf(stderr, "train: %v\n", err)
		return 1
	}
	return 0
}

// mostModels are all that the paper trains.
const mostModels = 5000

func (o options) validate(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("argument %q: must be a flag", rest[0])
	case !slices.Contains(dpsgd.Backends(), o.backend):
		return fmt.Errorf("-backend %q: must be one of %s", o.backend, strings.Join(dpsgd.Backends(), ", "))
	case o.out == "":
		return errors.New("-out \"\": must be the file to write")
	case o.parts == "":
		return errors.New("-parts \"\": must be a folder for audits that are done")
	}
	if info, err := os.Stat(o.out); err == nil && info.IsDir() {
		return fmt.Errorf("-out %s: is a folder: must be the file to write", o.out)
	}
	if info, err := os.Stat(o.parts); err == nil && !info.IsDir() {
		return fmt.Errorf("-parts %s: is a file: must be a folder for audits that are done", o.parts)
	}
	return nil
}

func (o options) train(stderr io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	start := time.Now()
	settings := fcnn.Options{Performance: dpsgd.Performance{Backend: o.backend, Chunk: o.chunk}, Parts: o.parts}
	settings.Progress = func(done, models int, detail string) {
		fmt.Fprintf(stderr, "%d of %d models, %s, %s\n", done, models, time.Since(start).Round(time.Second), detail)
	}
	cfg := fcnn.Full()
	_, err := results.Load(o.out, cfg, func() (fcnn.Result, error) { return fcnn.Figure1(ctx, cfg, settings) })
	return err
}
