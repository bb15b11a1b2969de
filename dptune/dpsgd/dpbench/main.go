// Command dpbench measures training on this machine: the time of a step, model-steps per second,
// memory, the share of time in products, and the least possible time.
//
//	go run ./dptune/dpsgd/dpbench -model mlp -batch 256
//	go run ./dptune/dpsgd/dpbench -model fcnn -batch 400 -replicas 64 -batches shared
//	go run ./dptune/dpsgd/dpbench -estimate cebere2024/figure1
//	go run ./dptune/dpsgd/dpbench -table
//
// It writes JSON lines for programs to standard output, and a line for people to standard error.
// The data are synthetic. Batches are in memory, noise is drawn at each step, and the update is
// included. The exit code is 2 for a wrong command line and 1 for a measurement that fails.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/dplab/dplab/accounting/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run answers one command line and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args)
	if err == nil {
		err = o.dispatch(ctx, stdout, stderr)
	}
	switch {
	case errors.Is(err, errHelp):
		fmt.Fprint(stdout, usage())
		return 0
	case errors.As(err, new(usageError)):
		fmt.Fprintf(stderr, "dpbench: %v\nSee dpbench -h.\n", err)
		return 2
	case err != nil:
		fmt.Fprintf(stderr, "dpbench: %v\n", err)
		return 1
	}
	return 0
}

func (o options) dispatch(ctx context.Context, stdout, stderr io.Writer) error {
	switch {
	case o.rows:
		return o.table(ctx, stdout, stderr)
	case o.set["estimate"]:
		return o.estimate(ctx, stdout, stderr)
	}
	if o.set["cpuprofile"] {
		if err := command.CheckWritable(o.cpuProfile); err != nil {
			return fmt.Errorf("-cpuprofile: %w: must be a file that can be written", err)
		}
	}
	c, err := o.benchmark()
	if err != nil {
		return err
	}
	fmt.Fprint(stderr, c.patience())
	m, err := c.measure(ctx)
	if err != nil {
		return err
	}
	r := newReport(c, m)
	fmt.Fprintln(stderr, r.line())
	return r.writeJSON(stdout)
}
