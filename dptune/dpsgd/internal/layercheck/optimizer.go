package layercheck

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Optimizer is the optimizer of a replica. It runs by itself, and in a pair with another optimizer,
// which makes the program.
type Optimizer struct {
	Backend      compute.Backend
	Size, Steps  int
	Batch        float64 // the size of a batch, the scale of sums
	Other        any     // the other one, for errors
	Pair, Single Moves   // the replica is the last of the pair
}

// Moves is the update rule of some replicas.
type Moves struct {
	Slots        int
	Coefficients func(replica, step int) []float64
	Move         func(weights, sum, numbers *graph.Node, slots []*graph.Node) (moved *graph.Node, kept []*graph.Node)
}

// Check returns the first thing found wrong with the optimizer.
func (o Optimizer) Check(double bool) error {
	if double {
		return checkOptimizer[float64](o)
	}
	return checkOptimizer[float32](o)
}

func checkOptimizer[T arrays.Real](o Optimizer) error {
	rng := rand.New(rand.NewPCG(0, 0x6d6f766573)) // "moves"
	start := drawMoves(rng, o.Size, o.Batch, 2)
	pair, err := compile(o.Backend, o.Pair.checked)
	if err != nil {
		return err
	}
	defer pair.finalize()
	base, err := follow[T](o, o.Pair, pair, start)
	if err != nil {
		return err
	}
	if !allFinite(base[1]) {
		return errors.New("weights or slots are not finite after sums of zeros and of random numbers: must be finite")
	}
	for row := range base {
		for _, other := range []float64{rng.NormFloat64(), math.NaN()} {
			got, err := follow[T](o, o.Pair, pair, start.with(1-row, other))
			if err != nil {
				return err
			}
			if off, ok := within(got[row], base[row], sameRounding, tiny); !ok {
				return fmt.Errorf("weights and slots move by %.3g when another replica has numbers like %.2g: replicas must not mix, and equal numbers must give equal results", off, other)
			}
		}
	}
	single, err := compile(o.Backend, o.Single.checked)
	if err != nil {
		return err
	}
	defer single.finalize()
	alone, err := follow[T](o, o.Single, single, start.last())
	if err != nil {
		return err
	}
	if off, ok := within(base[1][:o.Size], alone[0][:o.Size], sameRounding, tiny); !ok {
		return fmt.Errorf("its weights change by %.3g when %v is in another replica: Move must depend on its arguments only", off, o.Other)
	}
	return nil
}

// drawnMoves are weights [R][P], and sums [steps][R][P].
type drawnMoves struct {
	weights [][]float64
	sums    [][][]float64
}

// drawMoves draws weights and sums. Sums are zeros, or those of gradients of about 1 or about 1e-3.
func drawMoves(rng *rand.Rand, size int, batch float64, replicas int) drawnMoves {
	rows := func(scale float64) [][]float64 {
		list := arrays.Zeros(replicas, size)
		for r := range list {
			for i := range list[r] {
				list[r][i] = scale * rng.NormFloat64()
			}
		}
		return list
	}
	d := drawnMoves{weights: rows(1)}
	for _, scale := range []float64{0, batch, batch / 1024} {
		d.sums = append(d.sums, rows(scale))
	}
	return d
}

// with returns a copy with a value added to all numbers of one replica.
func (d drawnMoves) with(replica int, value float64) drawnMoves {
	change := func(rows [][]float64) [][]float64 {
		rows = slices.Clone(rows)
		rows[replica] = slices.Clone(rows[replica])
		for i := range rows[replica] {
			rows[replica][i] += value
		}
		return rows
	}
	changed := drawnMoves{weights: change(d.weights)}
	for _, sum := range d.sums {
		changed.sums = append(changed.sums, change(sum))
	}
	return changed
}

// last returns the numbers of the last of two replicas only.
func (d drawnMoves) last() drawnMoves {
	one := drawnMoves{weights: d.weights[1:]}
	for _, sum := range d.sums {
		one.sums = append(one.sums, sum[1:])
	}
	return one
}

// follow moves weights by sums, from step 0 on, and returns the weights and slots of each replica.
func follow[T arrays.Real](o Optimizer, m Moves, program *compiled, d drawnMoves) (rows [][]float64, err error) {
	replicas := len(d.weights)
	state := []*tensors.Tensor{arrays.Stacked[T](d.weights, o.Size)}
	for range m.Slots {
		state = append(state, arrays.Filled[T](nil, replicas, o.Size))
	}
	defer func() { arrays.Finalize(state...) }()
	for step, sum := range d.sums {
		numbers := make([][]float64, replicas)
		for r := range numbers {
			numbers[r] = m.Coefficients(r, min(step, o.Steps-1))
		}
		own := []*tensors.Tensor{arrays.Stacked[T](numbers, len(numbers[0])), arrays.Stacked[T](sum, o.Size)}
		out, err := program.call(slices.Concat(own, state))
		arrays.Finalize(own...)
		if err != nil {
			return nil, err
		}
		arrays.Finalize(state...)
		state = out
	}
	rows = make([][]float64, replicas)
	for _, array := range state {
		values, err := arrays.Copied[T](array)
		if err != nil {
			return nil, err
		}
		for i, v := range values {
			rows[i/o.Size] = append(rows[i/o.Size], float64(v))
		}
	}
	return rows, nil
}

// checked is Move of numbers, a sum, weights and slots. It panics unless the results have the right
// shape and type.
func (m Moves) checked(in []*graph.Node) []*graph.Node {
	weights, slots := in[2], in[3:]
	moved, kept := m.Move(weights, in[1], in[0], slots)
	if len(kept) != len(slots) {
		panic(fmt.Errorf("Move keeps %d arrays: must keep %d, as many as Slots", len(kept), len(slots)))
	}
	out := append([]*graph.Node{moved}, kept...)
	for i, x := range out {
		what := "what Move returns for the weights"
		if i > 0 {
			what = fmt.Sprintf("what Move returns for slot %d", i-1)
		}
		kernel.WantShape(what, x, weights.Shape().Dimensions)
		if x.DType() != weights.DType() {
			panic(fmt.Errorf("%s is of type %v: must be that of the weights before, %v", what, x.DType(), weights.DType()))
		}
		out[i] = graph.MulScalar(x, 1) // not a parameter, which an optimizer may hand on
	}
	return out
}
