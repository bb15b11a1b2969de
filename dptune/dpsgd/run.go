package dpsgd

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/streams"
)

// run trains all chunks, perf.Goroutines at a time.
func run[T arrays.Real](ctx context.Context, t *Trainer, roots []streams.Root) (*Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	start := time.Now()
	store, roots, err := t.prepareRoots(roots)
	if err != nil {
		return nil, err
	}
	result := newResult(t, roots)
	meter := newMeter(t.plan, t.examples)
	table, err := newTrainTable[T](t)
	defer table.device.finalize()
	if err != nil {
		return nil, err
	}
	var weights sync.Mutex // serialises calls of Plan.Weights

	var running sync.WaitGroup
	limit := make(chan struct{}, t.perf.Goroutines)
	chunks := t.chunks()
	errs := make([]error, len(chunks))
	for i, first := range chunks {
		running.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			last := min(first+t.perf.Chunk, len(roots))
			c := chunk[T]{
				Trainer: t, result: result, meter: meter, weights: &weights, store: store,
				feeder: feeder[T]{
					graphs: t.graphs, backend: t.backend, table: table, microbatch: t.perf.Microbatch,
					together: t.perf.StepsPerCall, stops: t.stops, kept: arrays.NewPool(),
					first: first, roots: roots[first:last], sources: noiseSources(roots[first:last]), shared: roots[0],
				},
			}
			if errs[i] = c.train(ctx); errs[i] != nil {
				cancel()
			}
		})
	}
	running.Wait()
	if err := firstCause(errs); err != nil {
		return nil, err
	}
	result.Elapsed = time.Since(start)
	if store != nil {
		result.Warnings = append(result.Warnings, store.Warnings()...)
	}
	result.finish()
	return result, nil
}

// newTrainTable returns the training data, where the backend gathers batches.
func newTrainTable[T arrays.Real](t *Trainer) (table[T], error) {
	all := newTable[T](t.train.Features, t.train.Labels, t.train.Width())
	if !t.onDevice {
		return all, nil
	}
	err := all.toDevice(t.backend)
	return all, err
}

// stops reports whether weights are to be observed or saved when so many steps are done.
func (t *Trainer) stops(done int) bool {
	return t.plan.observes(done-1) || t.perf.Checkpoint.Dir != "" && t.perf.Checkpoint.due(done, t.plan.Replicas[0].Steps)
}

// chunks returns the first replica of each chunk.
func (t *Trainer) chunks() []int {
	var firsts []int
	for first := 0; first < len(t.plan.Replicas); first += t.perf.Chunk {
		firsts = append(firsts, first)
	}
	return firsts
}

// firstCause returns the first error that is not the cancelling of one chunk by another,
// or else the first.
func firstCause(errs []error) error {
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(errs...)
}
