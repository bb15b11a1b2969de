package job

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd/internal/program"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/internal/kernel"
	"github.com/dplab/dplab/dptune/streams"
)

const (
	replicas, steps = 3, 4
	width, classes  = 3, 2
	size            = width*classes + classes
	rate            = 0.1
)

// counter is a meter of model-steps.
type counter struct {
	mu   sync.Mutex
	done int
}

func (c *counter) Add(modelSteps, _ int) { c.mu.Lock(); c.done += modelSteps; c.mu.Unlock() }
func (c *counter) Skip(int, int)         {}
func (c *counter) Warn(error)            {}

// rowsOf are the batches of all replicas at a step: of no row, one microbatch of two, and several.
func rowsOf(replica, step int) []int32 {
	return [][]int32{{}, {4, 1}, {0, 1, 2, 3, 4, 5, 6}, {2, 2, 5}}[(replica+step)%4]
}

// softmaxJob trains softmax regressions without noise or clipping in float64.
func softmaxJob(t *testing.T, change func(*Job)) *Job {
	t.Helper()
	backend, err := gobackend.New("ops_sequential")
	if err != nil {
		t.Fatal(err)
	}
	train := data.Dataset{Name: "rows", Shape: []int{width}, Classes: classes}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 7 {
		for range width {
			train.Features = append(train.Features, float32(rng.NormFloat64()))
		}
		train.Labels = append(train.Labels, int32(i%classes))
	}
	j := &Job{
		Program: program.Step{
			Model: nn.Model{Name: "softmax", Input: []int{width}, Layers: []nn.Layer{nn.Dense(width, classes)}, Loss: nn.SoftmaxCrossEntropy()},
			Size:  size, Examples: train.Len(), StepsPerCall: 1,
			Move: func(weights, noisy, numbers *graph.Node, slots []*graph.Node) (*graph.Node, []*graph.Node) {
				return graph.Sub(weights, graph.Mul(program.Like(kernel.Column(numbers, 0), noisy), noisy)), slots
			},
		},
		Train: train, Steps: steps, Backend: backend, Compiled: func() {}, Microbatch: 2, GroupSize: 1, Goroutines: 1, ParallelMicrobatches: 1,
		StdDev: func(int, int) float64 { return 0 },
		Initial: func(replica int, _ streams.Root) []float64 {
			weights := make([]float64, size)
			for i := range weights {
				weights[i] = math.Sin(float64(replica*size + i))
			}
			return weights
		},
		Coefficients: func(int, int) ([]float64, error) { return []float64{rate}, nil },
		Batch:        func(_ streams.Root, replica, step int) ([]int32, error) { return rowsOf(replica, step), nil },
		Due:          func(int) bool { return false }, Stops: func(int) bool { return false }, Observes: func(int) bool { return false },
		CraftedRows: func(streams.Root, int, int) ([]int32, error) { return nil, nil },
		Meter:       new(counter),
	}
	for range replicas {
		j.Clip, j.Out.Weights = append(j.Clip, []float64{1}), append(j.Out.Weights, make([]float64, size))
	}
	j.Out.Excluded, j.Out.Steps = make([]int, replicas), make([]int, replicas)
	if change != nil {
		change(j)
	}
	if j.Programs, err = Compile(j.Backend, j.Program); err != nil {
		t.Fatal(err)
	}
	return j
}

func roots() (list []streams.Root) {
	for _, name := range []string{"a", "b", "c"} {
		list = append(list, streams.Fixed(name))
	}
	return list
}

// twin trains one softmax regression example by example: weights [classes, width], then biases.
func twin(j *Job, replica, steps int) []float64 {
	w := j.Initial(replica, streams.Root{})
	for step := range steps {
		sum := make([]float64, size)
		for _, row := range rowsOf(replica, step) {
			x, p, total := j.Train.Row(int(row)), make([]float64, classes), 0.0
			for c := range classes {
				z := w[width*classes+c]
				for i, v := range x {
					z += float64(v) * w[c*width+i]
				}
				p[c] = math.Exp(z)
				total += p[c]
			}
			for c := range classes {
				g := p[c] / total
				if int(j.Train.Labels[row]) == c {
					g--
				}
				for i, v := range x {
					sum[c*width+i] += g * float64(v)
				}
				sum[width*classes+c] += g
			}
		}
		for i := range w {
			w[i] -= rate * sum[i]
		}
	}
	return w
}

// Training is that of the twin, whatever runs at the same time, to the same bits; weights are handed out after the steps that were asked for,
// and every step is counted once.
func TestRunIsTheTwin(t *testing.T) {
	var first [][]float64
	for name, change := range map[string]func(*Job){
		"one at a time":       nil,
		"in parallel":         func(j *Job) { j.ParallelMicrobatches = 3 },
		"goroutines":          func(j *Job) { j.Goroutines = 3 },
		"groups of two":       func(j *Job) { j.GroupSize, j.Goroutines, j.ParallelMicrobatches = 2, 2, 2 },
		"all in one group":    func(j *Job) { j.GroupSize = replicas },
		"larger microbatches": func(j *Job) { j.Microbatch = 7 },
	} {
		seen := map[int]int{}
		j := softmaxJob(t, change)
		j.Observes = func(step int) bool { return step == 1 }
		j.Weights = func(step, replica int, weights []float64) {
			seen[replica]++
			for i, want := range twin(j, replica, 2) {
				if step != 1 || math.Abs(weights[i]-want) > 1e-12 {
					t.Errorf("%s: replica %d after step %d: weight %d is %.15g, want %.15g", name, replica, step, i, weights[i], want)
				}
			}
		}
		if err := Run[float64](t.Context(), j, roots()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for r, weights := range j.Out.Weights {
			for i, want := range twin(j, r, steps) {
				if math.Abs(weights[i]-want) > 1e-12 { // some ten roundings of numbers of the order of 1
					t.Errorf("%s: replica %d: weight %d is %.15g, want %.15g", name, r, i, weights[i], want)
				}
			}
		}
		if len(seen) != replicas || seen[0] != 1 {
			t.Errorf("%s: weights of %v: want each replica's once", name, seen)
		}
		if done := j.Meter.(*counter).done; done != replicas*steps {
			t.Errorf("%s: %d model-steps counted, want %d", name, done, replicas*steps)
		}
		if j.Microbatch == 7 {
			continue // other sums
		}
		if first == nil {
			first = j.Out.Weights
		} else if !reflect.DeepEqual(first, j.Out.Weights) {
			t.Errorf("%s: other bits than the rest", name)
		}
	}
}

// A context that is done stops a run before its end, by name; a fault of what a step needs ends it.
func TestRunStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	j := softmaxJob(t, nil)
	j.Observes = func(int) bool { return true }
	j.Weights = func(step, _ int, _ []float64) {
		if step == 1 {
			cancel()
		}
	}
	if err := Run[float64](ctx, j, roots()); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "of 4") {
		t.Errorf("cancelled: error %v", err)
	}
	fault := errors.New("no number")
	j = softmaxJob(t, func(j *Job) {
		j.Coefficients = func(_, step int) ([]float64, error) {
			if step == 2 {
				return nil, fault
			}
			return []float64{rate}, nil
		}
	})
	if err := Run[float64](t.Context(), j, roots()); !errors.Is(err, fault) {
		t.Errorf("a fault at step 2: error %v", err)
	}
	// A batch that was not drawn is not an empty batch: the run ends, in a call of several steps
	// too.
	for name, several := range map[string]int{"one step at a time": 1, "several steps in a call": 3} {
		fault := errors.New("no batch")
		for what, change := range map[string]func(j *Job){
			"rows": func(j *Job) {
				j.Batch = func(_ streams.Root, replica, step int) ([]int32, error) {
					if step == 2 {
						return nil, fault
					}
					return rowsOf(replica, step), nil
				}
			},
			"crafted rows": func(j *Job) {
				j.CraftedRows = func(_ streams.Root, _, step int) ([]int32, error) {
					if step == 2 {
						return nil, fault
					}
					return nil, nil
				}
			},
		} {
			j := softmaxJob(t, func(j *Job) {
				j.Program.StepsPerCall, j.Microbatch = several, 8
				change(j)
			})
			if err := Run[float64](t.Context(), j, roots()); !errors.Is(err, fault) {
				t.Errorf("%s, %s that cannot be drawn at step 2: error %v, want one", name, what, err)
			}
		}
	}
}
