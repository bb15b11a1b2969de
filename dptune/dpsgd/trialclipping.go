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

// tryClipping tries the plan's clipping as it will run, if it is not this package's own.
func (t *Trainer) tryClipping() error {
	if !t.plan.Replicas[0].clips() || ownCode(t.plan.Replicas[0].clipping()) {
		return nil
	}
	try := tryFactors[float32]
	if t.perf.Precision == Float64 {
		try = tryFactors[float64]
	}
	return eachName(t.plan, "Clipping", func(c Config) fmt.Stringer { return c.clipping() }, func(r int) error { return try(t, r) })
}

// eachName tries the replicas whose clipping or optimizer has a name of its own.
func eachName(p Plan, field string, of func(Config) fmt.Stringer, try func(replica int) error) error {
	const most = 16 // programs of their own
	seen := map[string]bool{}
	for r, c := range p.Replicas {
		name := of(c).String()
		if seen[name] || len(seen) == most {
			continue
		}
		seen[name] = true
		if err := try(r); err != nil {
			return fmt.Errorf("dpsgd: Plan.Replicas[%d].%s %s: tried on random numbers: %w", r, field, name, err)
		}
	}
	return nil
}

// tryFactors tries the clipping of a replica beside that of the first, whose program runs.
func tryFactors[T real](t *Trainer, replica int) error {
	configs := []Config{t.plan.Replicas[0], t.plan.Replicas[replica]}
	rng := rand.New(rand.NewPCG(0, 0x636c6970)) // "clip"
	norms := make([][]float64, len(configs)*trialRows)
	for i := range norms {
		norms[i] = make([]float64, len(t.model.LayerSizes()))
		for l := range norms[i] {
			norms[i][l] = configs[i/trialRows].ClipNorm * math.Exp(3*rng.NormFloat64())
		}
	}
	base, err := factorsOf[T](t, configs, norms)
	if err != nil {
		return err
	}
	if !allFinite(slices.Concat(base...)) {
		return errors.New("a factor of an example with finite norms is not finite: must be finite")
	}
	for changed := range norms {
		for _, value := range []float64{configs[0].ClipNorm * rng.Float64(), math.NaN()} {
			other := slices.Clone(norms)
			other[changed] = slices.Repeat([]float64{value}, len(norms[changed]))
			got, err := factorsOf[T](t, configs, other)
			if err != nil {
				return err
			}
			for i := range got {
				if off, ok := within(got[i], base[i], sameRounding, tiny); !ok && i != changed {
					return fmt.Errorf("an example's factors, %.3g, move by %.3g when another example has norms of %.3g: %s, or clipping bounds nothing", base[i], off, value, rowsMix)
				}
			}
		}
	}
	alone, err := factorsOf[T](t, configs[1:], norms[trialRows:])
	if err != nil {
		return err
	}
	for i, want := range alone {
		if off, ok := within(base[trialRows+i], want, sameRounding, tiny); !ok {
			return fmt.Errorf("its factors, %.3g, are %.3g away from those of a run alone when %v is in another replica: Factors must depend on its arguments only", want, off, configs[0].clipping())
		}
	}
	return nil
}

// factorsOf returns the factors of examples with norms [R·B][L], as [R·B][L].
func factorsOf[T real](t *Trainer, configs []Config, norms [][]float64) (rows [][]float64, err error) {
	layers := len(norms[0])
	numbers := make([][]float64, len(configs))
	for r, c := range configs {
		numbers[r] = c.clipNumbers(layers, 1)
	}
	args := []*tensors.Tensor{stacked[T](numbers, len(numbers[0]))}
	defer func() { finalize(args...) }()
	for l := range layers {
		args = append(args, filled(func(out []T) {
			for i, row := range norms {
				out[i] = T(row[l] * row[l])
			}
		}, len(configs), trialRows))
	}
	out, err := buildAndCall(t.backend, args, func(in []*graph.Node) []*graph.Node {
		columns := make([]*graph.Node, in[0].Shape().Dim(1))
		for i := range columns {
			columns[i] = graph.Slice(in[0], graph.AxisRange(), graph.AxisRange(i, i+1))
		}
		factors, _ := t.capped(configs[0].clipping(), Norms{in[1:], t.root}, columns, graph.IsFinite(in[1]))
		for l, factor := range factors {
			factors[l] = graph.MulScalar(factor, 1) // one node may be the factor of several layers
		}
		return factors
	})
	defer finalize(out...)
	if err != nil {
		return nil, err
	}
	rows = make([][]float64, len(norms))
	for _, factor := range out {
		values, err := copied[T](factor)
		if err != nil {
			return nil, err
		}
		for i, v := range values {
			rows[i] = append(rows[i], float64(v))
		}
	}
	return rows, nil
}

// buildAndCall runs a program once. What its code panics with is the error.
func buildAndCall(backend compute.Backend, inputs []*tensors.Tensor, program func(in []*graph.Node) []*graph.Node) (out []*tensors.Tensor, err error) {
	var failed error
	defer func() {
		if p := recover(); p != nil {
			err = asError(p)
		}
		if failed != nil {
			err = failed
		}
	}()
	exec, err := graph.NewExec(backend, func(in []*graph.Node) []*graph.Node {
		defer func() {
			if p := recover(); p != nil { // GoMLX v0.28.3 adds its own names, and of what is no error keeps a lock
				failed = asError(p)
				panic(failed)
			}
		}()
		return program(in)
	})
	if err != nil {
		return nil, err
	}
	defer exec.Finalize()
	args := make([]any, len(inputs))
	for i, input := range inputs {
		args[i] = input
	}
	return exec.Call(args...)
}
