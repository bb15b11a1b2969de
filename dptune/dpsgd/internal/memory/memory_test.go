package memory

import "testing"

// small is a run of two models of 10 weights on the go backend, side by side, each with batches of two microbatches.
func small() Run {
	return Run{
		Number: 4, Size: 10, Width: 3, Values: 5, Examples: 7, LargestBatch: 8,
		Replicas: 2, Steps: 6, Probes: 1, Slots: 1, Microbatch: 4, GroupSize: 1, Goroutines: 2, StepsPerCall: 1,
		ParallelMicrobatches: func(int) int { return 1 }, OnGo: true, Noise: true,
	}
}

// Counted by hand, in numbers of 4 bytes, or of 8 where float64 is noted.
func TestEstimateOfASmallRun(t *testing.T) {
	want := Estimate{
		Data:        7 * 4,                                     // a squared norm for each row
		State:       2*10*(3*4+2*8) + 8*2*10 + 8*2*6,           // weights before and after, a slot, sums before and after in float64; the result and its probes
		Noise:       2 * 2 * 10 * 4,                            // of this step and the next
		Activations: 8 * (3*3 + 5) * 4,                         // 8 rows at once, and those of two microbatches on their way
		Garbage:     28 + 2*10*28 + 8*2*10 + 8*2*6 + 160 + 448, // as much again
	}
	if got := small().Estimate(); got != want || got.Total() != 2*want.Garbage {
		t.Errorf("%+v in all %d, want %+v in all %d", got, got.Total(), want, 2*want.Garbage)
	}
}

// Goroutines without a microbatch take no memory. A batch of one microbatch takes the rows of one,
// and a batch of two the rows of two.
func TestIdleMicrobatchesTakeNothing(t *testing.T) {
	run := small()
	run.Replicas, run.Formed, run.LargestBatch = 1, run.Size, 4
	alone := run.Estimate()
	run.ParallelMicrobatches = func(groups int) int { return 16 / groups }
	if got := run.Estimate(); got != alone {
		t.Errorf("one microbatch and 16 in parallel: %+v, want %+v as with one", got, alone)
	}
	run.LargestBatch = 8
	two := run.Estimate()
	if two.Activations != 2*alone.Activations || two.Gradients != 2*alone.Gradients || two.State != alone.State+8*10 {
		t.Errorf("two microbatches and 16 in parallel: %+v, want rows and gradients twice those of %+v, and one more sum", two, alone)
	}
}

// On XLA's heap two further blocks of temporary arrays stay. A device's own allocator keeps none.
func TestHeapOfXLAKeepsBlocks(t *testing.T) {
	run := small()
	run.OnGo = false
	e := run.Estimate()
	if want := int64(8*2*10+8*2*6) + 2*e.Activations; e.Garbage != want || e.Activations == 0 {
		t.Errorf("%+v: garbage %d, want the result and twice the activations, %d", e, e.Garbage, want)
	}
	run.Device = true
	if e := run.Estimate(); e.Garbage != 0 {
		t.Errorf("%+v: want no garbage on a device", e)
	}
}

// Evaluation counts with the activations if it takes more of them.
func TestEvaluationCountsIfItIsMore(t *testing.T) {
	run := small()
	run.Evaluated, run.OfEvaluated = 8, 5 // as many rows and values as in training
	if got, want := run.Estimate(), small().Estimate(); got != want {
		t.Errorf("%+v, want %+v as without an evaluation", got, want)
	}
	run.Evaluated, run.OfEvaluated = 20, 7
	if got, want := run.Estimate().Activations, int64(20*(3*3+7)*4); got != want {
		t.Errorf("activations %d, want %d", got, want)
	}
}

// The rows to evaluate are copied in float64, and stay on a device.
func TestEvaluatedRowsCount(t *testing.T) {
	for _, c := range []struct {
		number       int64
		onGo, device bool
		want         int64
	}{{4, true, false, 20 * 4}, {8, true, false, 20 * (3 + 1) * 8}, {8, false, false, 20 * (3 + 1) * 8}, {4, false, true, 20 * (3 + 1) * 4}, {8, false, true, 20 * (3 + 1) * 8}} {
		run := small()
		run.Number, run.OnGo, run.Device = c.number, c.onGo, c.device
		without := run.Estimate().Data
		run.EvaluatedRows = 20
		if got := run.Estimate().Data - without; got != c.want {
			t.Errorf("%+v: 20 rows take %d bytes", c, got)
		}
	}
}

// More of anything never takes less.
func TestMoreTakesNoLess(t *testing.T) {
	for _, base := range []Run{small(), {
		Number: 4, Size: 10, Width: 3, Values: 5, Examples: 7, LargestBatch: 8, Replicas: 6, Steps: 6, Microbatch: 4, GroupSize: 2, Goroutines: 2,
		StepsPerCall: 2, ParallelMicrobatches: func(int) int { return 1 }, Device: true, Noise: true, Formed: 10, Crafted: true, Moving: true,
	}} {
		for name, change := range map[string]func(*Run){
			"Number": func(r *Run) { r.Number = 8 }, "Size": func(r *Run) { r.Size++ }, "Width": func(r *Run) { r.Width++ },
			"Values": func(r *Run) { r.Values += 3 }, "Examples": func(r *Run) { r.Examples++ }, "LargestBatch": func(r *Run) { r.LargestBatch += 4 },
			"Replicas": func(r *Run) { r.Replicas++ }, "Steps": func(r *Run) { r.Steps++ }, "Probes": func(r *Run) { r.Probes++ },
			"Slots": func(r *Run) { r.Slots++ }, "Microbatch": func(r *Run) { r.Microbatch++ }, "GroupSize": func(r *Run) { r.GroupSize++ },
			"Goroutines": func(r *Run) { r.Goroutines++ }, "StepsPerCall": func(r *Run) { r.StepsPerCall++ },
			"Noise": func(r *Run) { r.Noise = true }, "Formed": func(r *Run) { r.Formed++ },
			"EvaluatedRows": func(r *Run) { r.EvaluatedRows++ }, "Evaluated": func(r *Run) { r.Evaluated++; r.OfEvaluated += 3 }, "CraftedOwn": func(r *Run) { r.Crafted = true; r.CraftedOwn++ },
		} {
			more := base
			change(&more)
			a, b := base.Estimate(), more.Estimate()
			if b.Total() < a.Total() || b.Host < a.Host {
				t.Errorf("more of %s: %+v, less than %+v", name, b, a)
			}
		}
	}
}

// Sizes that no machine holds do not come out small, nor do sums of them.
func TestSaturated(t *testing.T) {
	if got := Saturated(3, 5, 7); got != 105 {
		t.Errorf("3 · 5 · 7 is %d", got)
	}
	if got := Saturated(1<<40, 1<<40); got != 1<<58 {
		t.Errorf("2^80 is %d, want 2^58", got)
	}
	run := small()
	run.Size, run.Replicas, run.GroupSize, run.Formed, run.Microbatch = 1<<50, 1<<40, 1<<40, 1<<50, 1<<40
	if got := run.Estimate().Total(); got < 1<<58 {
		t.Errorf("a run of 2^90 weights takes %d bytes", got)
	}
}
