package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// stopped runs a plan until a step has been taken, from a fixed root.
func stopped(t *testing.T, tr *engine.Replicas, p dpsgd.Plan, last int) (*engine.Results, map[string][]float64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := map[string][]float64{}
	tr.Observe(func(step, replica int, w []float64) {
		seen[fmt.Sprint(replica, " after ", step+1)] = slices.Clone(w)
		if step == last && replica == len(p.Replicas)-1 {
			cancel()
		}
	})
	result, err := tr.Run(ctx, streams.Fixed("stopped"))
	if !errors.Is(err, context.Canceled) || result == nil {
		t.Fatalf("results %v, error %v: want the results and the error of the context", result, err)
	}
	return result, seen
}

// A stopped run returns what each replica has after the steps that ran: weights, average, probes
// and curve. Its statement is that of a run of so many steps, and names the assumption. Resumed
// from its checkpoint it ends as if it had not been stopped.
func TestStoppedRunsReturnWhatRan(t *testing.T) {
	train, public := apart(40, 20, 6, 3)
	m := mlp(t, 6, 5, 3)
	plan := dpsgd.Plan{Average: 0.9, Probes: [][]float64{make([]float64, m.Size())}, Evaluate: &dpsgd.Evaluation{Data: public, Every: 3}}
	plan.Probes[0][0] = 1
	for range 3 {
		c := private()
		c.Steps = 20
		plan.Replicas = append(plan.Replicas, c)
	}
	perf := engine.Performance{ReplicasPerCall: 2, Goroutines: 1, Microbatch: 64, Checkpoint: engine.Checkpoint{Dir: t.TempDir(), Every: 6}}
	tr := trainer(t, m, train, plan, perf)
	result, seen := stopped(t, tr, plan, 10)
	perf.Checkpoint = engine.Checkpoint{}
	whole := must(trainer(t, m, train, plan, perf).Run(t.Context(), streams.Fixed("stopped")))(t)
	for r := range plan.Replicas {
		one := result.Model(r)
		steps := one.Steps
		if r == 2 && (steps < 11 || steps == 20) {
			t.Errorf("replica %d: stopped after %d steps, want 11 or slightly more", r, steps)
		}
		if len(one.Probes) != steps || !reflect.DeepEqual(one.Probes, whole.Probes[r][:steps]) {
			t.Errorf("replica %d: probes of %d steps, want those of %d steps of the whole run", r, len(one.Probes), steps)
		}
		if want, ran := seen[fmt.Sprint(r, " after ", steps)]; ran && !slices.Equal(one.Parameters.Values[0], want) {
			t.Errorf("replica %d: other weights than after step %d", r, steps)
		} else if !ran && steps > 0 {
			t.Errorf("replica %d: %d steps, which it was not seen to take", r, steps)
		}
	}
	if last := result.Curve.Steps[len(result.Curve.Steps)-1]; last > slices.Max(result.Steps) || last < slices.Max(result.Steps)-2 {
		t.Errorf("a curve up to step %d of runs of %v steps", last, result.Steps)
	}
	tr.Observe(nil)
	resumed := must(tr.Run(t.Context(), streams.Fixed("stopped")))(t)
	same(t, "resumed", resumed, whole)
	if !slices.Equal(resumed.Steps, []int{20, 20, 20}) {
		t.Errorf("steps %v of a run that ended", resumed.Steps)
	}
}

// The statement of a stopped run is about the steps that ran. If none ran there is none.
func TestStatementOfAStoppedRun(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(40, 6, 3)
	c := private()
	c.Steps = 30
	plan := c.Plan()
	a := rdp.NewAccountant()
	result, _ := stopped(t, trainer(t, m, d, plan, engine.Performance{}), plan, 8)
	ran := result.Model(0)
	if ran.Steps < 9 || ran.Steps >= 30 {
		t.Fatalf("%d steps ran, want about 9", ran.Steps)
	}
	s := must(ran.Statement(1e-5, "one row", a))(t)
	short := c
	short.Steps = ran.Steps
	want := must(short.Statement(m, 1e-5, "one row", a))(t)
	if s.Guarantee.Epsilon != want.Guarantee.Epsilon || s.Mechanism != want.Mechanism {
		t.Errorf("ε %v of %s, want %v of %s", s.Guarantee.Epsilon, s.Mechanism, want.Guarantee.Epsilon, want.Mechanism)
	}
	if assumption := fmt.Sprintf("the run was stopped after step %d of 30 at a moment that depends neither on the data", ran.Steps); !strings.Contains(s.Full(), assumption) {
		t.Errorf("the statement lacks %q:\n%s", assumption, s.Full())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	none, err := must(engine.NewTrainer(m, d, c))(t).Run(ctx, streams.Fixed("stopped"))
	if !errors.Is(err, context.Canceled) || none == nil || none.Steps != 0 {
		t.Fatalf("result %+v, error %v, want one of no steps", none, err)
	}
	s, err = none.Statement(1e-5, "one row", a)
	checkError(t, err, []string{"engine: Result.Steps 0: must be at least 1"})
	if !math.IsInf(s.Guarantee.Epsilon.Upper, 1) {
		t.Errorf("ε %v next to an error", s.Guarantee.Epsilon)
	}
	for _, steps := range []int{-1, 31} {
		s, err := dpsgd.Training{Config: c, Model: m, Steps: steps, Backend: "go"}.Statement(1e-5, "one row", a)
		checkError(t, err, []string{fmt.Sprintf("dpsgd: Training.Steps %d: must be in [0, 30]", steps)})
		if !math.IsInf(s.Guarantee.Epsilon.Upper, 1) {
			t.Errorf("ε %v next to an error", s.Guarantee.Epsilon)
		}
	}
}
