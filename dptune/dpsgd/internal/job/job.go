// Package job runs the steps of DP-SGD. It draws batches and noise while the step before runs,
// calls the programs of package program, adds microbatches in float64, and writes checkpoints.
// Replicas that run in one call are a group.
//
// A [Job] has its numbers and functions. The rules are package dpsgd's: what is drawn, how much
// noise there is and how weights move.
package job

import (
	"fmt"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/dpsgd/internal/checkpoint"
	"github.com/dplab/dplab/dptune/dpsgd/internal/program"
	"github.com/dplab/dplab/dptune/streams"
)

// Job is one run of R replicas, counted from 0.
type Job struct {
	Program  program.Step
	Programs *Programs    // compiled from Program
	Train    data.Dataset // with the rows of crafted examples
	Steps    int

	Backend    compute.Backend
	OwnMemory  bool   // the backend is a device with its own memory
	Compiled   func() // called when the programs have run for the first time
	Microbatch int
	GroupSize  int // replicas of one call
	Goroutines int // groups that run at the same time

	ParallelMicrobatches int // microbatches of a group that run at the same time

	ChaCha20      bool        // whether ChaCha20 makes the words of the noise
	SharedBatches bool        // all replicas use the batches of the first root
	Past          [][]float64 // [R][B], factors of the noise of the last B steps, the last one first; B = 0 for independent noise
	PastFresh     bool        // the noise of the last steps is what they drew
	Clip          [][]float64 // [R][K], numbers of the clipping rule
	Probes        [][]float64 // directions

	// Initial returns a replica's first weights.
	Initial func(replica int, root streams.Root) []float64
	// Coefficients returns the numbers that move a replica's weights at a step, equally many each
	// time.
	Coefficients func(replica, step int) ([]float64, error)
	// StdDev returns the standard deviation of the noise that a replica draws at a step.
	StdDev func(replica, step int) float64
	// Batch draws the rows of a replica's batch from streams of coins.
	Batch func(coins streams.Root, replica, step int) ([]int32, error)

	// CraftedRows returns the crafted examples that join a replica's batch. It is used only if
	// batches are not shared.
	CraftedRows func(root streams.Root, replica, step int) ([]int32, error)
	// Joins reports whether a replica has the canary, or the sum of many, at a step.
	Joins func(root streams.Root, replica, step int) (bool, error)
	// Gradient writes the sum of crafted gradients at a step into a row of zeros. It is used if
	// that sum changes from step to step.
	Gradient func(root streams.Root, replica, step int, row []float64) error
	// CraftedSums returns the sums of crafted gradients of some replicas if they do not change: [1,
	// P] for all, or [R, P].
	CraftedSums func(first, replicas int) [][]float64

	Store     *checkpoint.Store                          // of checkpoints; nil for none
	Due       func(done int) bool                        // whether one is due after done steps
	Stops     func(done int) bool                        // whether a call must end there
	Observes  func(step int) bool                        // whether Weights is called after a step
	Weights   func(step, replica int, weights []float64) // receives the weights; calls do not overlap
	Evaluator *Evaluator                                 // measures the models on public data; nil for none
	Points    []int                                      // numbers of steps after which it measures, ascending
	// Measured is called after each point of a group. Out then has all points so far. Calls do not
	// overlap.
	Measured func()

	Meter interface { // receives the progress of the run
		Add(modelSteps, steps int) // after a call of some replicas: model-steps of the call, and their steps in all
		Skip(replicas, steps int)  // steps that a checkpoint had done
		Warn(error)                // a checkpoint could not be written
	}

	Out Output // the results of the run
}

// Output has the arrays for the results of a run. The caller allocates them.
type Output struct {
	Weights  [][]float64   // [R][P]
	Excluded []int         // [R], gradients that were not finite
	Probes   [][][]float64 // [R][Steps][K], products of the noisy sums with the probes; nil for none
	Slots    [][][]float64 // [S][R][P], nil for slots that are not wanted
	Steps    []int         // [R], steps that ran
	State    [][]float64   // [R][S], numbers of the caller's own steps; nil for none

	Accuracy, Loss [][]float64 // [R][S], of the evaluator at the points; nil for none
}

// Groups returns the first replica of each group.
func (j *Job) Groups() []int {
	var firsts []int
	for first := 0; first < len(j.Clip); first += j.GroupSize {
		firsts = append(firsts, first)
	}
	return firsts
}

// probesAt returns the rows of the probes of some replicas at a step.
func (j *Job) probesAt(first, replicas, step int) [][]float64 {
	rows := make([][]float64, replicas)
	for i := range rows {
		rows[i] = j.Out.Probes[first+i][step]
	}
	return rows
}

// Programs are the programs of a run. Each is compiled at its first call.
type Programs struct {
	addMicrobatch, addSums, update *graph.Exec
	addWithNorms                   *graph.Exec // addMicrobatch, and the norms before clipping
	oneStep, nSteps, allSteps      *graph.Exec // one, n or StepsPerCall steps of a single microbatch each
	ran                            sync.Once   // after the first step

	BeforeCall func() // called before each call, also by several goroutines at once; nil for nothing
}

// call runs one of the programs.
func (p *Programs) call(exec *graph.Exec, what string, args ...any) ([]*tensors.Tensor, error) {
	if p.BeforeCall != nil {
		p.BeforeCall()
	}
	return arrays.Call(exec, what, args...)
}

// Compile builds the programs on a backend.
func Compile(backend compute.Backend, p program.Step) (programs *Programs, err error) {
	programs = new(Programs)
	defer arrays.RecoverAs(&err, "building the programs")
	for _, each := range []struct {
		exec  **graph.Exec
		build func([]*graph.Node) []*graph.Node
	}{
		{&programs.addMicrobatch, p.AddMicrobatch}, {&programs.addWithNorms, p.AddWithNorms}, {&programs.addSums, program.AddSums}, {&programs.update, p.Update},
		{&programs.oneStep, p.OneStep}, {&programs.nSteps, p.NSteps}, {&programs.allSteps, p.AllSteps},
	} {
		if *each.exec, err = graph.NewExec(backend, each.build); err != nil {
			return nil, fmt.Errorf("engine: building the programs: %w", err)
		}
	}
	return programs, nil
}
