package dptune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/dptune/streams"
)

// Outcome is the result of one run: what may be released, and how good it is.
type Outcome[O any] struct {
	Output O
	Score  float64 // higher is better; NaN (a run that failed) counts as the worst
}

// Candidate is a private training procedure with hyper-parameters of type H and outputs
// of type O, over data of its own.
type Candidate[H, O any] interface {
	// Event returns what one run with h does to the data, its score included. It must
	// not depend on the data.
	Event(h H) (accounting.Event, error)

	// RunAll runs the procedure once for each of hs and returns the outcomes in the same
	// order. Runs are independent: run i draws from roots[i] alone, and its outcome does
	// not depend on which other runs share the call.
	RunAll(ctx context.Context, hs []H, roots []streams.Root) ([]Outcome[O], error)
}

// Assuming is a Candidate whose event holds under assumptions of its own, which the Statement of a
// search then names.
type Assuming interface {
	// Assumptions says what must hold, each as a clause: "each record is in one part alone".
	Assumptions() []string
}

// AssumingOf is a Candidate whose runs rest on further assumptions that depend on the
// hyper-parameters.
type AssumingOf[H any] interface {
	// AssumptionsOf says what must hold of runs with any of hs, or with any at all if that is nil.
	AssumptionsOf(hs []H) []string
}

// assumptionsOf returns what the search's candidate says that must hold.
func (s Search[H, O]) assumptionsOf() (list []string) {
	if c, ok := any(s.Candidate).(Assuming); ok {
		list = c.Assumptions()
	}
	if c, ok := any(s.Candidate).(AssumingOf[H]); ok {
		list = append(list, c.AssumptionsOf(s.Prior.Support())...)
	}
	return list
}

// RunFunc runs a procedure once with hyper-parameters h, drawing from root alone.
type RunFunc[H, O any] func(ctx context.Context, h H, root streams.Root) (Outcome[O], error)

// Each returns the Candidate that calls run once for each hyper-parameter, on as many
// goroutines as there are processors. event is what one run costs, its score included,
// whatever the hyper-parameters; if its noise is truncated, as that of dpsgd, say so in
// Search.TruncationDelta. A run that panics ends the search with an
// error that wraps a *RunPanic. [EachKept] keeps the runs that are done.
func Each[H, O any](event accounting.Event, run RunFunc[H, O]) Candidate[H, O] {
	return each[H, O]{event: event, run: run}
}

type each[H, O any] struct {
	event accounting.Event
	run   RunFunc[H, O]
}

func (c each[H, O]) Event(H) (accounting.Event, error) { return c.event, nil }

// RunAll starts no further run once one has failed. The error is that of one run alone, and does
// not name its hyper-parameters: how many failed, and which, is to stay secret.
func (c each[H, O]) RunAll(ctx context.Context, hs []H, roots []streams.Root) ([]Outcome[O], error) {
	if c.run == nil {
		return nil, errors.New("dptune: Each: run is nil: must be a function")
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

// RunPanic is the error of a run that panicked, for the person that looks for the fault. Its text
// has only the panic's value. Which hyper-parameters failed must stay secret, and so must a stack's
// numbers.
type RunPanic struct {
	Hyperparameters any
	Value           any    // what panic was called with
	Stack           []byte // of the run's goroutine
}

// Error returns what the run panicked with, in words.
func (p *RunPanic) Error() string {
	return fmt.Sprintf("panic: %v (dptune.RunPanic has the hyper-parameters and the stack, which must stay secret)", p.Value)
}

// Unwrap returns the panic's value if it is an error.
func (p *RunPanic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// one makes one run. A panic becomes an error, since no caller can recover it on this goroutine,
// and it would end the program. The other runs end as after any other error.
func (c each[H, O]) one(ctx context.Context, h H, root streams.Root) (outcome Outcome[O], err error) {
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

// best returns the index of the outcome with the highest score, or -1 if there is none.
// NaN counts below every number. Ties go to the highest of one uniform draw per outcome:
// outcomes with their draws are totally ordered by a rule that knows no data, as Theorem 2
// of papernot2022 (arXiv:2110.03620v2) asks.
func best[O any](outcomes []Outcome[O], rng *rand.Rand) int {
	winner, winnerTie := -1, 0.0
	for i, o := range outcomes {
		tie := rng.Float64()
		if winner < 0 || above(o.Score, outcomes[winner].Score) ||
			(!above(outcomes[winner].Score, o.Score) && tie > winnerTie) {
			winner, winnerTie = i, tie
		}
	}
	return winner
}

// above reports whether score a ranks strictly above b.
func above(a, b float64) bool {
	return a > b || (math.IsNaN(b) && !math.IsNaN(a))
}
