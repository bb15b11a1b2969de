// Package job runs the steps of DP-SGD: it draws batches and noise while the step before runs, calls the programs of
// package program, adds microbatches up in float64, and writes checkpoints. Replicas that run in one call are a group.
//
// It is handed numbers and functions in a [Job], and knows no rules: what is drawn, how much noise there is and
// how weights move is what package dpsgd says.
package job

import (
	"fmt"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"

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
	OwnMemory  bool   // the backend is a device with memory of its own
	Compiled   func() // is called when the programs have run for the first time
	Microbatch int
	GroupSize  int // replicas of one call
	Goroutines int // groups that run at the same time

	ParallelMicrobatches int // microbatches of a group that do

	ChaCha20      bool        // makes the words of the noise
	SharedBatches bool        // all replicas see the batches of the first root
	StdDev        []float64   // [R], of the noise
	Clip          [][]float64 // [R][K], what the rule of clipping needs
	Probes        [][]float64 // directions

	// Initial returns a replica's first weights.
	Initial func(replica int, root streams.Root) []float64
	// Coefficients returns what moves a replica's weights at a step, as many numbers each time.
	Coefficients func(replica, step int) ([]float64, error)
	// Batch draws the rows of a replica's batch from streams of coins.
	Batch func(coins streams.Root, replica, step int) ([]int32, error)

	// CraftedRows returns the crafted examples that join a replica's batch, where batches are not shared.
	CraftedRows func(root streams.Root, replica, step int) ([]int32, error)
	// Joins reports whether a replica has the one canary at a step, or the sum of many.
	Joins func(root streams.Root, replica, step int) (bool, error)
	// Gradient writes what crafted gradients add at a step into a row of zeros, if that moves.
	Gradient func(root streams.Root, replica, step int, row []float64) error
	// CraftedSums returns what they add to the sums of some replicas if it does not: [1, P] for all, or [R, P].
	CraftedSums func(first, replicas int) [][]float64

	Store    *checkpoint.Store                          // of checkpoints; nil for none
	Due      func(done int) bool                        // whether one is due after so many steps
	Stops    func(done int) bool                        // whether a call must end there
	Observes func(step int) bool                        // whether Weights is called after a step
	Weights  func(step, replica int, weights []float64) // is handed the weights; calls do not overlap
	Meter    interface {                                // is told how far the run is
		Add(modelSteps, steps int) // a call of some replicas has ended, with so many model-steps; their steps are so many now
		Skip(replicas, steps int)  // steps that a checkpoint had done
		Warn(error)                // a checkpoint could not be written
	}

	Out Output // what the run gives
}

// Output is what a run gives, in arrays that are there before.
type Output struct {
	Weights  [][]float64   // [R][P]
	Excluded []int         // [R], gradients that were not finite
	Probes   [][][]float64 // [R][Steps][K], products of the noisy sums with the probes; nil for none
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

// Programs are those of a run, which are compiled when they are first called.
type Programs struct {
	addMicrobatch, addSums, update *graph.Exec
	oneStep, nSteps, allSteps      *graph.Exec // one, n or StepsPerCall steps of a single microbatch each
	ran                            sync.Once   // after the first step
}

// Compile builds the programs on a backend.
func Compile(backend compute.Backend, p program.Step) (programs *Programs, err error) {
	programs = new(Programs)
	defer arrays.RecoverAs(&err, "building the programs")
	for _, each := range []struct {
		exec  **graph.Exec
		build func([]*graph.Node) []*graph.Node
	}{
		{&programs.addMicrobatch, p.AddMicrobatch}, {&programs.addSums, program.AddSums}, {&programs.update, p.Update},
		{&programs.oneStep, p.OneStep}, {&programs.nSteps, p.NSteps}, {&programs.allSteps, p.AllSteps},
	} {
		if *each.exec, err = graph.NewExec(backend, each.build); err != nil {
			return nil, fmt.Errorf("dpsgd: building the programs: %w", err)
		}
	}
	return programs, nil
}
