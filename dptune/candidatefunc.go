package dptune

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/dptune/streams"
)

// RunFunc runs a procedure once with hyper-parameters h. It draws only from root. The error of a
// search has the text of its error, which must reveal no score and nothing about the data.
type RunFunc[H, O any] func(ctx context.Context, h H, root streams.Root) (Outcome[O], error)

// CandidateFunc returns the Candidate that calls run once for each hyper-parameter, on as many
// goroutines as there are processors. event is the cost of one run with its score, for any
// hyper-parameters. If its noise is truncated, as in dpsgd, Search.TruncationDelta must be the δ of
// that. A run that panics ends the search with an error that wraps a *RunPanic. [CachedCandidate]
// stores the runs that are done.
func CandidateFunc[H, O any](event accounting.Event, run RunFunc[H, O]) Candidate[H, O] {
	return candidateFunc[H, O]{event: event, run: run}
}

type candidateFunc[H, O any] struct {
	event accounting.Event
	run   RunFunc[H, O]
}

func (c candidateFunc[H, O]) Event(H) (accounting.Event, error) { return c.event, nil }

// RunAll starts no further run once one has failed. It returns the error of only one run, without
// its hyper-parameters: how many failed, and which, must stay secret.
func (c candidateFunc[H, O]) RunAll(ctx context.Context, hs []H, roots []streams.Root) ([]Outcome[O], error) {
	if c.run == nil {
		return nil, errors.New("dptune: CandidateFunc: run is nil: must be a function")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	outcomes, errs := make([]Outcome[O], len(hs)), make([]error, len(hs))
	limit := make(chan struct{}, runtime.GOMAXPROCS(0))
	var running sync.WaitGroup
	for i := range hs {
		running.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			if errs[i] = ctx.Err(); errs[i] != nil {
				return
			}
			errs[i] = errRunEnded // if it never returns
			defer func() {
				if errs[i] != nil {
					cancel()
				}
			}()
			if outcomes[i], errs[i] = c.one(ctx, hs[i], roots[i]); errs[i] != nil {
				errs[i] = fmt.Errorf("dptune: a run failed: %w", errs[i])
			}
		})
	}
	running.Wait()
	return outcomes, firstCause(errs)
}

// errRunEnded is the error of a run that ended its goroutine, as testing.T.FailNow does.
var errRunEnded = errors.New("dptune: a run ended its goroutine: must return")

// RunPanic is the error of a run that panicked, for debugging. Its text has only the panic's value.
// Which hyper-parameters failed must stay secret, and so must a stack's numbers.
type RunPanic struct {
	Hyperparameters any
	Value           any    // what panic was called with
	Stack           []byte // of the run's goroutine
}

// Error returns the value of the panic, in words.
func (p *RunPanic) Error() string {
	return fmt.Sprintf("panic: %v (see dptune.RunPanic; its hyper-parameters and stack must stay secret)", p.Value)
}

// Unwrap returns the panic's value if it is an error.
func (p *RunPanic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// one makes one run. A panic becomes an error: no caller can recover it on this goroutine, and it
// would end the program. The other runs end as after any other error.
func (c candidateFunc[H, O]) one(ctx context.Context, h H, root streams.Root) (outcome Outcome[O], err error) {
	returned := false
	defer func() {
		if value := recover(); !returned {
			outcome, err = Outcome[O]{}, &RunPanic{Hyperparameters: h, Value: value, Stack: debug.Stack()}
		}
	}()
	outcome, err = c.run(ctx, h, root)
	returned = true
	return outcome, err
}

// firstCause returns the first error that is not the canceling of one run by another, or else the
// first of all.
func firstCause(errs []error) error {
	var first error
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		if first == nil {
			first = err
		}
	}
	return first
}
