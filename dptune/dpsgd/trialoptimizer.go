package dpsgd

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// tryOptimizer tries the plan's optimizer as it will run, if it is not this package's own.
func (t *Trainer) tryOptimizer() error {
	if ownCode(t.plan.Replicas[0].optimizer()) {
		return nil
	}
	first := t.plan.numbers(0, 0)
	for r, c := range t.plan.Replicas {
		for _, step := range []int{0, min(1, c.Steps-1), c.Steps - 1} {
			if err := t.plan.validateNumbers(t.plan.numbers(r, step), len(first), r, step); err != nil {
				return err
			}
		}
	}
	try := tryMoves[float32]
	if t.perf.Precision == Float64 {
		try = tryMoves[float64]
	}
	return eachName(t.plan, "Optimizer", func(c Config) fmt.Stringer { return c.optimizer() }, func(r int) error {
		return try(t.backend, t.plan, r, t.size)
	})
}

// tryMoves tries the optimizer of a replica beside the one whose program runs.
func tryMoves[T real](backend compute.Backend, plan Plan, replica, size int) error {
	own := plan.Replicas[replica]
	beside := own
	beside.Optimizer = plan.optimizer()
	plan.Replicas = []Config{beside, own}
	rng := rand.New(rand.NewPCG(0, 0x6d6f766573)) // "moves"
	start := drawMoves(rng, size, own.ExpectedBatchSize, 2)
	base, err := follow[T](backend, plan, start)
	if err != nil {
		return err
	}
	if !allFinite(base[1]) {
		return errors.New("weights or slots are not finite after a sum of zeros and some of random numbers: must be finite")
	}
	for row := range base {
		for _, other := range []float64{rng.NormFloat64(), math.NaN()} {
			changed := start.with(1-row, other)
			got, err := follow[T](backend, plan, changed)
			if err != nil {
				return err
			}
			if off, ok := within(got[row], base[row], sameRounding, tiny); !ok {
				return fmt.Errorf("a replica's weights and slots move by %.3g when another replica has numbers like %.2g: replicas must not mix, and equal numbers must give equal results", off, other)
			}
		}
	}
	plan.Replicas = plan.Replicas[1:]
	alone, err := follow[T](backend, plan, start.last())
	if err != nil {
		return err
	}
	if off, ok := within(base[1][:size], alone[0][:size], sameRounding, tiny); !ok {
		return fmt.Errorf("its weights are %.3g away from those of a run alone when %v is in another replica: Move must depend on its arguments only", off, beside.Optimizer)
	}
	return nil
}

// drawnMoves are weights [R][P], and sums [steps][R][P].
type drawnMoves struct {
	weights [][]float64
	sums    [][][]float64
}

// drawMoves draws weights, and sums: zeros, and such as have gradients of about 1, and of about 1e-3.
func drawMoves(rng *rand.Rand, size int, batch float64, replicas int) drawnMoves {
	rows := func(scale float64) [][]float64 {
		list := make([][]float64, replicas)
		for r := range list {
			list[r] = make([]float64, size)
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

// with returns them with a value added to all that is one replica's.
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

// last returns those of the last of two replicas alone.
func (d drawnMoves) last() drawnMoves {
	one := drawnMoves{weights: d.weights[1:]}
	for _, sum := range d.sums {
		one.sums = append(one.sums, sum[1:])
	}
	return one
}

// follow moves weights by sums, from step 0 on, and returns what each replica then has: its weights and slots.
func follow[T real](backend compute.Backend, plan Plan, d drawnMoves) (rows [][]float64, err error) {
	slots, replicas, size := plan.optimizer().Slots(), len(d.weights), len(d.weights[0])
	state := []*tensors.Tensor{stacked[T](d.weights, size)}
	for range slots {
		state = append(state, filled[T](nil, replicas, size))
	}
	defer func() { finalize(state...) }()
	for step, sum := range d.sums {
		numbers := make([][]float64, replicas)
		for r := range numbers {
			numbers[r] = plan.numbers(r, min(step, plan.Replicas[0].Steps-1))
		}
		own := []*tensors.Tensor{stacked[T](numbers, len(numbers[0])), stacked[T](sum, size)}
		out, err := buildAndCall(backend, slices.Concat(own, state), func(in []*graph.Node) []*graph.Node { return checkedMove(plan, in) })
		finalize(own...)
		if err != nil {
			return nil, err
		}
		finalize(state...)
		state = out
	}
	rows = make([][]float64, replicas)
	for _, array := range state {
		values, err := copied[T](array)
		if err != nil {
			return nil, err
		}
		for i, v := range values {
			rows[i/size] = append(rows[i/size], float64(v))
		}
	}
	return rows, nil
}

// checkedMove is Plan.move of numbers, a sum, weights and slots. It panics unless what it returns is of their shape and type.
func checkedMove(plan Plan, in []*graph.Node) []*graph.Node {
	weights, slots := in[2], in[3:]
	moved, kept := plan.move(weights, in[1], in[0], slots)
	if len(kept) != len(slots) {
		panic(fmt.Errorf("Move keeps %d arrays: must keep %d, as many as Slots", len(kept), len(slots)))
	}
	out := append([]*graph.Node{moved}, kept...)
	for i, x := range out {
		what := "what Move returns for the weights"
		if i > 0 {
			what = fmt.Sprintf("what Move returns for slot %d", i-1)
		}
		wantShape(what, x, weights.Shape().Dimensions)
		if x.DType() != weights.DType() {
			panic(fmt.Errorf("%s is of type %v: must be that of the weights before, %v", what, x.DType(), weights.DType()))
		}
		out[i] = graph.MulScalar(x, 1) // not a parameter, which an optimizer may hand on
	}
	return out
}
