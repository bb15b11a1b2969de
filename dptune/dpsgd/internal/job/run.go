package job

import (
	"context"
	"errors"
	"sync"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/streams"
)

// Run trains all replicas from their roots, Goroutines groups at a time, and fills in the job's
// Out. It returns the first error, or an error soon after the context ends. If that wraps
// ErrStopped, Out has the state of each replica after the steps that ran.
func Run[T arrays.Real](ctx context.Context, j *Job, roots []streams.Root) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	table, err := newTrainTable[T](j)
	defer table.device.finalize()
	if err != nil {
		return err
	}
	var mutex sync.Mutex
	var running sync.WaitGroup
	limit := make(chan struct{}, j.Goroutines)
	groups := j.Groups()
	errs := make([]error, len(groups))
	for i, first := range groups {
		running.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			last := min(first+j.GroupSize, len(roots))
			g := replicaGroup[T]{
				Job: j, mutex: &mutex,
				feeder: feeder[T]{
					Job: j, table: table, kept: arrays.NewPool(),
					first: first, roots: roots[first:last], sources: noiseSources(roots[first:last]), shared: roots[0],
				},
			}
			if errs[i] = g.train(ctx); errs[i] != nil {
				cancel()
			}
		})
	}
	running.Wait()
	return firstCause(errs)
}

// newTrainTable returns the training data, on the device if the backend gathers batches there.
func newTrainTable[T arrays.Real](j *Job) (table[T], error) {
	all := newTable[T](j.Train, j.Program.Targets)
	if !j.Program.OnDevice {
		return all, nil
	}
	err := all.toDevice(j.Backend)
	return all, err
}

// firstCause returns the first error that is not that of a context that ended. If there is none, it
// returns the first that is not the cancelling of one group by another, or all errors.
func firstCause(errs []error) error {
	for _, err := range errs {
		if err != nil && !errors.Is(err, ErrStopped) && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(errs...)
}
