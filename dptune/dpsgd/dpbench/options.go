package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
)

var errHelp = errors.New("help")

// usageError is a mistake in the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// options are the flags.
type options struct {
	estimateOf                              string
	rows                                    bool
	model, mode, backend, batches, sampling string
	generator                               string // of noise
	batch, replicas, steps                  int
	goroutines, chunk, microbatch, together int
	seconds                                 float64
	cpuProfile                              string
	float64                                 bool
	set                                     map[string]bool // flags that were given
}

func (o *options) flags() *flag.FlagSet {
	f := flag.NewFlagSet("dpbench", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.estimateOf, "estimate", "", "estimate the time of an `experiment`: list, "+experimentNames())
	command.SwitchVar(f, &o.rows, "table", "measure and print the README's table on -backend")
	f.StringVar(&o.model, "model", "mlp", "model: "+modelNames())
	command.WholeVar(f, &o.batch, "batch", "`examples` of one replica in one step (default: the model's usual batch)")
	o.replicas, o.seconds = 1, 8
	command.WholeVar(f, &o.replicas, "replicas", "`models` that train at the same time")
	f.StringVar(&o.mode, "mode", "bookkeeping", "bookkeeping, materialized, integers (an integer release, 4096 units to the clip norm) or nonprivate")
	f.StringVar(&o.backend, "backend", "go", "backend: "+strings.Join(backend.Names(), ", "))
	f.StringVar(&o.generator, "generator", "default", "generator of the noise: default (chacha20 on xla:cuda, otherwise aes256), aes256 or chacha20")
	f.StringVar(&o.batches, "batches", "own", "own: each replica draws its own batches; shared: all use the same")
	f.StringVar(&o.sampling, "sampling", "full", "full: every step takes all of -batch examples; poisson: each of 10 × -batch examples joins with chance 0.1; allocation: each of as many joins one of each 10 steps")
	command.WholeVar(f, &o.steps, "steps", "`steps` of one timed run (default: 32 if they take at most 4 s, otherwise about half a second of steps, at least 3)")
	command.NumberVar(f, &o.seconds, "seconds", "measure for this many `seconds`, and at least three runs")
	command.WholeVar(f, &o.goroutines, "goroutines", "`groups` of replicas that run at the same time (default: the engine's)")
	command.WholeVar(f, &o.chunk, "chunk", "`replicas` in one call (default: the engine's)")
	command.WholeVar(f, &o.microbatch, "microbatch", "`examples` of one replica in one call (default: the engine's)")
	command.WholeVar(f, &o.together, "steps-per-call", "`steps` of one call (default: the engine's)")
	command.SwitchVar(f, &o.float64, "float64", "compute in float64")
	f.StringVar(&o.cpuProfile, "cpuprofile", "", "write a profile of the timed runs to this `file`, for go tool pprof")
	return f
}

// parse reads a command line and returns all its faults.
func parse(args []string) (options, error) {
	o := options{set: map[string]bool{}}
	f := o.flags()
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return o, errHelp
	} else if err != nil {
		return o, usageError{err}
	}
	if f.NArg() > 0 {
		return o, usagef("argument %q: must be a flag", f.Arg(0))
	}
	f.Visit(func(given *flag.Flag) { o.set[given.Name] = true })
	return o, o.validate()
}

func (o options) validate() error {
	var errs []error
	unless := func(ok bool, name string, value any, rule string) {
		if !ok {
			errs = append(errs, fmt.Errorf("-%s %v: %s", name, value, rule))
		}
	}
	oneOf := func(name, value string, allowed ...string) {
		unless(slices.Contains(allowed, value), name, fmt.Sprintf("%q", value), "must be one of "+strings.Join(allowed, ", "))
	}
	const most = 1 << 20
	_, known := findModel(o.model)
	_, planned := findExperiment(o.estimateOf)
	unless(planned || o.estimateOf == "list" || !o.set["estimate"], "estimate", fmt.Sprintf("%q", o.estimateOf), "must be one of list, "+experimentNames())
	unless(known, "model", fmt.Sprintf("%q", o.model), "must be one of "+modelNames())
	refuse := func(with, why string, names ...string) {
		for _, name := range names {
			if o.set[with] && o.set[name] {
				errs = append(errs, fmt.Errorf("-%s must not be given with -%s, %s", name, with, why))
			}
		}
	}
	refuse("table", "since its rows set it", "estimate", "model", "batch", "replicas", "batches", "mode", "steps", "sampling", "chunk", "microbatch", "goroutines", "steps-per-call", "float64", "cpuprofile")
	refuse("estimate", "since its parts set it", "model", "batch", "batches", "steps", "cpuprofile")
	oneOf("mode", o.mode, "bookkeeping", "materialized", "integers", "nonprivate")
	oneOf("backend", o.backend, backend.Names()...)
	oneOf("batches", o.batches, "own", "shared")
	oneOf("generator", o.generator, "default", "aes256", "chacha20")
	oneOf("sampling", o.sampling, "full", "poisson", "allocation")
	unless(o.batch >= 1 && o.batch <= most || !o.set["batch"], "batch", o.batch, "must be in [1, 1048576]")
	unless(o.replicas >= 1 && o.replicas <= most, "replicas", o.replicas, "must be in [1, 1048576]")
	unless(o.steps >= 1 && o.steps <= most || !o.set["steps"], "steps", o.steps, "must be in [1, 1048576]")
	unless(o.cpuProfile != "" || !o.set["cpuprofile"], "cpuprofile", `""`, "must be a file")
	unless(o.seconds > 0 && o.seconds <= 86400, "seconds", o.seconds, "must be in (0, 86400]")
	unless(o.goroutines >= 1 && o.goroutines <= 4096 || !o.set["goroutines"], "goroutines", o.goroutines, "must be in [1, 4096]")
	unless(o.chunk >= 1 && o.chunk <= most || !o.set["chunk"], "chunk", o.chunk, "must be in [1, 1048576]")
	unless(o.microbatch >= 1 && o.microbatch <= 1<<16 || !o.set["microbatch"], "microbatch", o.microbatch, "must be in [1, 65536]")
	unless(o.together >= 1 && o.together <= 1<<10 || !o.set["steps-per-call"], "steps-per-call", o.together, "must be in [1, 1024]")
	unless(o.together <= 1 || o.backend != "go", "steps-per-call", o.together, "must be 1 on -backend go")
	if err := errors.Join(errs...); err != nil {
		return usageError{err}
	}
	return nil
}

func usage() string {
	var o options
	f := o.flags()
	var text strings.Builder
	text.WriteString(`dpbench measures what training costs on this machine.

  dpbench -model mlp -batch 256
  dpbench -model mlp -batch 64 -replicas 64
  dpbench -model fcnn -batch 400 -replicas 64 -batches shared
  dpbench -estimate list
  dpbench -estimate cebere2024/figure1
  dpbench -table

One JSON line goes to standard output, one line for people to standard error. Times are of
one step of all replicas together.

Flags

`)
	f.SetOutput(&text)
	f.PrintDefaults()
	return text.String()
}
