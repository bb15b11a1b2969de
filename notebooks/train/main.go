// Command train makes the stored results of figures that need long trainings, shard by shard.
//
//	train                                            lists experiments, and what of them is done
//	train NAME -profile mid -budget 50m              trains for that time, and stores what is done
//	train NAME -profile full -shard 3-7/40 -out DIR  is one worker of many: shards 3 to 7 of 0 to 39
//	train merge NAME -profile full -from DIR         stores what workers left in DIR
//	train -all -budget 50m                           trains what is left of all, most telling first
//	train -all -only 'koskela2023/*'                 trains what is left of one paper
//	train merge -all -from DIR                       stores all that is in DIR
//
// In a checkout, train is go run ./notebooks/train.
//
// Without -out, each finished shard is merged into the store in notebooks/results. With it, each
// goes into its own file in DIR. A run that is stopped loses the shard in progress, and the same
// command goes on. Finished shards are not run again.
//
// On a cluster:
//
//	train NAME -profile full -tasks 40 -backend xla:cuda -out DIR -slurm > job.sh
//	bash job.sh # submits an array, and its merge
//	train NAME -profile full -tasks 40 -out /shards -kubernetes IMAGE | kubectl apply -f -
//
// Built with cgo for Linux, it also has the backends xla:cpu and xla:cuda. Where it runs, the
// program needs no checkout and no Go: with -out it reads only the data sets in DPLAB_DATA.
//
//	go build -ldflags "-X main.commit=$(git rev-parse HEAD)" -o train ./notebooks/train
//
// The exit codes:
//
//	0   all is done, or the budget was used
//	75  interrupted, a full disk, or a worker's budget that ended before its shards: try again
//	2   a wrong command line
//	1   any other fault
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/results"
)

func main() { os.Exit(start(all, inOrder)) }

// start runs the process's command line until a signal ends it.
func start(list []experiments.Any, order []entry) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return program{list, order, os.Stdout, os.Stderr}.run(ctx, os.Args[1:])
}

// program is the surroundings of a command line.
type program struct {
	experiments    []experiments.Any
	order          []entry // of -all
	stdout, stderr io.Writer
}

// Exit codes.
const (
	exitFault = 1
	exitUsage = 2
	exitAgain = 75 // EX_TEMPFAIL of sysexits.h
)

// errUnfinished is returned, wrapped, by a worker whose time ended before its shards were done.
var errUnfinished = errors.New("unfinished")

// run runs one command line and returns the exit code.
func (p program) run(ctx context.Context, args []string) int {
	o, err := parse(args)
	if err == nil {
		err = p.dispatch(ctx, o)
	}
	switch {
	case errors.Is(err, errHelp):
		fmt.Fprint(p.stdout, usage())
		return 0
	case errors.As(err, new(usageError)):
		fmt.Fprintf(p.stderr, "train: %v\nSee train -h.\n", err)
		return exitUsage
	case err == nil:
		return 0
	}
	fmt.Fprintf(p.stderr, "train: %v\n", err)
	if errors.Is(err, context.Canceled) || errors.Is(err, errUnfinished) || experiments.Temporary(err) {
		return exitAgain
	}
	return exitFault
}

func (p program) dispatch(ctx context.Context, o options) error {
	for _, e := range p.experiments {
		if err := e.Validate(); err != nil {
			return err
		}
	}
	if o.verb == verbTrain {
		o.revision = revision(o.results)
	}
	if o.all {
		var err error
		if p.order, err = chosen(p.order, o); err != nil {
			return err
		}
	}
	switch {
	case o.verb == verbList:
		return p.list(ctx, o)
	case o.verb == verbMerge && o.all:
		return p.mergeAll(o)
	case o.all:
		return p.everything(ctx, o)
	}
	job, err := p.job(o)
	if err != nil {
		return err
	}
	switch {
	case o.verb == verbMerge:
		return p.merge(job, o)
	case o.slurm:
		return p.print(slurmScript(job, o))
	case o.image != "":
		return p.print(kubernetesJob(job, o))
	}
	return p.train(ctx, job, o)
}

// commit names the sources if the build does not record them, as in a worktree of git:
//
//	go build -ldflags "-X main.commit=$(git rev-parse HEAD)" -o train ./notebooks/train
var commit string

// revision names the commit of the sources. If they are not on this machine, it asks git about dir.
func revision(dir string) string {
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		if _, err := os.Stat(file); err == nil {
			dir = filepath.Dir(file)
		}
	}
	return results.Revision(commit, dir)
}
