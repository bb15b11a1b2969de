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
)

// Clipping is a clipping rule in a program of two replicas. The rule of the first replica makes the
// program, and the second replica is checked.
type Clipping struct {
	Backend      compute.Backend
	Layers       int     // with weights
	ClipNorm     float64 // of the checked replica
	First        any     // the rule of the first, for errors
	Coefficients [2][]float64

	// Pair and Single return the factors of squared norms [R, B], one for each layer, with numbers
	// [R, 1]. Pair is the first replica's program for both replicas, and Single the second
	// replica's program by itself.
	Pair, Single func(squares, numbers []*graph.Node) []*graph.Node
}

// Check returns the first thing found wrong with the rule.
func (c Clipping) Check(double bool) error {
	if double {
		return checkClipping[float64](c)
	}
	return checkClipping[float32](c)
}

func checkClipping[T arrays.Real](c Clipping) error {
	rng := rand.New(rand.NewPCG(0, 0x636c6970)) // "clip"
	norms := arrays.Zeros(2*batchRows, c.Layers)
	for i := range norms {
		for l := range norms[i] {
			norms[i][l] = c.ClipNorm * math.Exp(3*rng.NormFloat64())
		}
	}
	pair, err := c.compile(c.Pair)
	if err != nil {
		return err
	}
	defer pair.finalize()
	base, err := factors[T](c, pair, c.Coefficients[:], norms)
	if err != nil {
		return err
	}
	if !allFinite(slices.Concat(base...)) {
		return errors.New("a factor of an example with finite norms is not finite: must be finite")
	}
	for changed := range norms {
		for _, value := range []float64{c.ClipNorm * rng.Float64(), math.NaN()} {
			other := slices.Clone(norms)
			other[changed] = slices.Repeat([]float64{value}, c.Layers)
			got, err := factors[T](c, pair, c.Coefficients[:], other)
			if err != nil {
				return err
			}
			for i := range got {
				if off, ok := within(got[i], base[i], sameRounding, tiny); !ok && i != changed {
					return fmt.Errorf("an example's factors, %.3g, move by %.3g when another example has norms of %.3g: %s", base[i], off, value, rowsMix)
				}
			}
		}
	}
	single, err := c.compile(c.Single)
	if err != nil {
		return err
	}
	defer single.finalize()
	alone, err := factors[T](c, single, c.Coefficients[1:], norms[batchRows:])
	if err != nil {
		return err
	}
	for i, want := range alone {
		if off, ok := within(base[batchRows+i], want, sameRounding, tiny); !ok {
			return fmt.Errorf("its factors, %.3g, change by %.3g when %v is in another replica: Factors must depend on its arguments only", want, off, c.First)
		}
	}
	return nil
}

// compile returns the program of a rule's factors.
func (c Clipping) compile(of func(squares, numbers []*graph.Node) []*graph.Node) (*compiled, error) {
	return compile(c.Backend, func(in []*graph.Node) []*graph.Node {
		columns := make([]*graph.Node, in[0].Shape().Dim(1))
		for i := range columns {
			columns[i] = graph.Slice(in[0], graph.AxisRange(), graph.AxisRange(i, i+1))
		}
		list := of(in[1:], columns)
		for l, factor := range list {
			list[l] = graph.MulScalar(factor, 1) // one node may be the factor of several layers
		}
		return list
	})
}

// factors returns the factors of examples with norms [R·B][L], as [R·B][L].
func factors[T arrays.Real](c Clipping, of *compiled, numbers, norms [][]float64) (rows [][]float64, err error) {
	args := []*tensors.Tensor{arrays.Stacked[T](numbers, len(numbers[0]))}
	defer func() { arrays.Finalize(args...) }()
	for l := range c.Layers {
		args = append(args, arrays.Filled(func(out []T) {
			for i, row := range norms {
				out[i] = T(row[l] * row[l])
			}
		}, len(numbers), batchRows))
	}
	out, err := of.call(args)
	defer arrays.Finalize(out...)
	if err != nil {
		return nil, err
	}
	rows = make([][]float64, len(norms))
	for _, factor := range out {
		values, err := arrays.Copied[T](factor)
		if err != nil {
			return nil, err
		}
		for i, v := range values {
			rows[i] = append(rows[i], float64(v))
		}
	}
	return rows, nil
}
