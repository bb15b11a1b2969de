package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/results"
)

// train runs the missing shards until the budget ends.
func (p program) train(ctx context.Context, job experiments.Job, o options) error {
	if o.task.count > 0 {
		o.part, o.set["shard"] = o.task.shardsOf(job.Shards), true
	}
	var err error
	if o.backend, err = backend.Resolve(o.backend); err != nil {
		return err
	}
	w, err := p.worker(job, o)
	if err != nil {
		return err
	}
	timed, cancel := o.timed(ctx)
	defer cancel()
	err = w.run(ctx, timed)
	left := len(w.shards) - w.done
	fmt.Fprintf(p.stdout, "%v: shards trained: %d, left: %d%s\n", job, w.done, left, w.timeLeft(left))
	if err == nil && left > 0 && o.set["shard"] {
		err = fmt.Errorf("-budget %v ended before shards %s: %w", o.budget, ranges(w.shards[w.done:]), errUnfinished)
	}
	return err
}

// timed returns a context that ends with ctx or the budget.
func (o options) timed(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.budget == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, o.budget)
}

// worker returns a worker for the shards of a job that are left.
func (p program) worker(job experiments.Job, o options) (*worker, error) {
	known, err := o.done(job)
	if errors.Is(err, experiments.ErrOtherVersion) {
		fmt.Fprintf(p.stderr, "%v: it is not used here, and never overwritten\n", err)
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return &worker{
		job: job, env: o.env(), log: p.stderr, budget: o.budget, seconds: typical(known, o.backend),
		shards: o.todo(job, known), revision: o.revision, save: p.saver(job, o),
	}, nil
}

func (o options) env() experiments.Env {
	return experiments.Env{Performance: engine.Performance{Backend: o.backend, ReplicasPerCall: o.chunk}}
}

// done returns the shards that need not run. For a worker these are the ones in its folder.
// Otherwise those in the store count too.
func (o options) done(job experiments.Job) ([]experiments.Record, error) {
	var done []experiments.Record
	if o.out != "" {
		records, _, err := experiments.Folder{Dir: o.out, Job: job}.Records() // unusable files are replaced
		if err != nil || o.set["shard"] {
			return records, err
		}
		done = records
	} else if _, err := os.Stat(o.results); err != nil {
		return nil, usagef("-results %s: must be a folder that exists: run this in the repository, or give -out", o.results)
	}
	records, err := job.Stored(o.stored())
	return append(done, records...), err
}

// stored returns the folder of results. If there is none, as on a machine without a checkout, it
// returns the results in the program.
func (o options) stored() fs.FS {
	if _, err := os.Stat(o.results); err != nil {
		return results.Stored
	}
	return os.DirFS(o.results)
}

// todo returns the shards to run.
func (o options) todo(job experiments.Job, done []experiments.Record) []int {
	missing := job.Missing(done)
	if o.part.count == 0 {
		return missing
	}
	return slices.DeleteFunc(missing, func(i int) bool { return i < o.part.first || i > o.part.last })
}

// saver returns the function that stores a finished shard.
func (p program) saver(job experiments.Job, o options) func(experiments.Record) error {
	if o.out != "" {
		return func(r experiments.Record) error { return experiments.Folder{Dir: o.out, Job: job}.Add(r) }
	}
	store := experiments.Store{Dir: o.results, Job: job}
	return func(r experiments.Record) error {
		added, err := store.Add(r)
		for try := 0; try < lockTries && errors.Is(err, experiments.ErrLocked); try++ { // merges take a second or less
			time.Sleep(lockWait)
			added, err = store.Add(r)
		}
		if added.Aside != "" {
			fmt.Fprintf(p.stderr, "the store before was of another version; it is now %s\n", added.Aside)
		}
		return err
	}
}

// The time that a training waits for others that write its store.
const (
	lockTries = 300
	lockWait  = 100 * time.Millisecond
)
