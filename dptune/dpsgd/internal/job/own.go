package job

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/dpsgd/internal/noise"
	"github.com/dplab/dplab/dptune/streams"
)

// Now is the state of all replicas before a step of the caller's own, and what it can ask for.
type Now struct {
	Step    int
	Weights func() ([][]float64, error)
	// Sums returns the sums of clipped gradients [R][P] over batches, with the numbers of the
	// clipping rule [R][K], and the norms before clipping in the order of each batch.
	Sums func(batches [][]int32, clip [][]float64) (sums, norms [][]float64, err error)
	// Normals returns the standard normals of a replica and step.
	Normals func(replica, step int) []float64
}

// RunOwn is Run with steps of the caller's own. noisy returns the sums that move the weights,
// [R][P]. All replicas are one group.
func RunOwn[T arrays.Real](ctx context.Context, j *Job, roots []streams.Root, noisy func(Now) ([][]float64, error)) error {
	table, err := newTrainTable[T](j)
	defer table.device.finalize()
	if err != nil {
		return err
	}
	g := replicaGroup[T]{
		Job: j, mutex: new(sync.Mutex),
		feeder: feeder[T]{Job: j, table: table, roots: roots, sources: noiseSources(roots), shared: roots[0]},
	}
	s, t, err := g.resume()
	defer func() { s.finalize() }()
	if err != nil {
		return err
	}
	saved := t
	err = g.measure(ctx, &s, t)
	for ; err == nil && t < g.Steps; t++ {
		if ctx.Err() != nil {
			err = stopped(ctx, t, g.Steps)
			break
		}
		kept := cloned(g.Out.State)
		if err = g.ownStep(ctx, &s, t, noisy); err != nil {
			for r := range kept { // the state after whole steps
				copy(g.Out.State[r], kept[r])
			}
			break
		}
		g.Programs.ran.Do(g.Compiled)
		g.Meter.Add(len(roots), t+1)
		if err = g.measure(ctx, &s, t+1); err == nil && g.Due(t+1) {
			g.save(s, t+1)
			saved = t + 1
		}
	}
	if err != nil && !errors.Is(err, ErrStopped) {
		return err
	}
	if err != nil && t > saved {
		g.save(s, t)
	}
	if unread := g.read(s, t); unread != nil {
		return unread
	}
	return err
}

func cloned(rows [][]float64) [][]float64 {
	list := make([][]float64, len(rows))
	for r, row := range rows {
		list[r] = append([]float64(nil), row...)
	}
	return list
}

// ownStep is step number t. If it returns an error, the state is that before the step.
func (g replicaGroup[T]) ownStep(ctx context.Context, s *state[T], t int, noisy func(Now) ([][]float64, error)) error {
	excluded, err := arrays.Copied[float64](s.excluded)
	if err != nil {
		return fmt.Errorf("engine: reading the counts: %w", err)
	}
	calls := 0
	values, err := noisy(Now{
		Step: t, Weights: func() ([][]float64, error) { return g.weights(*s) }, Normals: g.feeder.standardNormals,
		Sums: func(batches [][]int32, clip [][]float64) (sums, norms [][]float64, err error) {
			label := stepLabel(t)
			if calls++; calls > 1 {
				label = fmt.Sprintf("%s, sums %d", label, calls)
			}
			ordered, places := g.inRandomOrder(batches, label)
			sums, norms, err = g.sumsAndNorms(ctx, s, ordered, clip, newCoins(g.Program.Coins, g.feeder.roots, t))
			return sums, inGivenOrder(norms, places), err
		},
	})
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		arrays.Finalize(s.excluded) // it has the counts of the sums that were done
		s.excluded = arrays.Filled(func(out []float64) { copy(out, excluded) }, len(excluded))
		return stopped(ctx, t, g.Steps)
	}
	if err != nil {
		return fmt.Errorf("engine: step %d: %w", t, err)
	}
	if err := g.validateSums(values, t); err != nil {
		return err
	}
	host := step[T]{count: 1}
	if err := g.feeder.numbers(&host, t); err != nil {
		return err
	}
	defer arrays.Finalize(host.numbers)
	sum := arrays.Stacked[float64](values, g.Program.Size)
	args := append([]any{g.donate(s.weights), g.donate(sum)}, g.updateInputs(s, host, t)...)
	out, err := g.Programs.call(g.Programs.update, "updating the weights", args...)
	if err != nil {
		return err
	}
	return g.moved(s, host, out, t)
}

// inRandomOrder returns the batches in the order of a run by the configs: see shuffle. places are
// those in the given batches, nil for a batch in the given order. Each label has its own order.
func (g replicaGroup[T]) inRandomOrder(batches [][]int32, label string) (ordered, places [][]int32) {
	ordered, places = slices.Clone(batches), make([][]int32, len(batches))
	for r, batch := range batches {
		if len(batch) <= g.Microbatch {
			continue
		}
		places[r], ordered[r] = make([]int32, len(batch)), make([]int32, len(batch))
		for i := range batch {
			places[r][i] = int32(i)
		}
		shuffle(g.feeder.roots[r].Child("order").Rand(label), places[r])
		for i, place := range places[r] {
			ordered[r][i] = batch[place]
		}
	}
	return ordered, places
}

// inGivenOrder moves norms to the places of their examples in the given batches.
func inGivenOrder(norms [][]float64, places [][]int32) [][]float64 {
	for r, list := range norms {
		if places[r] == nil {
			continue
		}
		norms[r] = make([]float64, len(list))
		for i, place := range places[r] {
			norms[r][place] = list[i]
		}
	}
	return norms
}

// validateSums checks what a step of the caller's own returns.
func (g replicaGroup[T]) validateSums(values [][]float64, t int) error {
	if len(values) != len(g.feeder.roots) {
		return fmt.Errorf("engine: step %d returns %d sums: must return %d, one for each replica", t, len(values), len(g.feeder.roots))
	}
	for r, row := range values {
		if len(row) != g.Program.Size {
			return fmt.Errorf("engine: step %d: the sum of replica %d has length %d: must be %d, the number of parameters", t, r, len(row), g.Program.Size)
		}
		for i, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("engine: step %d: number %d in the sum of replica %d is %g: must be finite", t, i, r, v)
			}
		}
	}
	return nil
}

// standardNormals returns the normals of the noise of a step, in float64.
func (f feeder[T]) standardNormals(replica, step int) []float64 {
	values, words := make([]float64, f.Program.Size), make([]uint32, noise.WordsPerPair*noise.Pairs(f.Program.Size))
	f.fill(f.sources[replica], step, words)
	noise.Fill(words, 1, values)
	return values
}

// sumsAndNorms returns the sums over batches of all replicas, and the norms before clipping, with
// coins for layers that draw. The state counts the examples that are excluded.
func (g replicaGroup[T]) sumsAndNorms(ctx context.Context, s *state[T], batches [][]int32, clip [][]float64, drawn coins) (sums, norms [][]float64, err error) {
	if s.zeros == nil {
		s.zeros = arrays.Filled[float64](nil, s.weights.Shape().Dimensions...)
	}
	rule := arrays.Stacked[T](clip, len(clip[0]))
	m := microbatches[T]{table: g.feeder.table, batches: batches, microbatch: g.Microbatch, coins: drawn}
	micro := make(chan []*tensors.Tensor)
	sending, cancel := context.WithCancel(ctx)
	go m.send(sending, 0, micro, g.feeder.gather)
	defer func() {
		cancel()
		step[T]{micro: micro}.finalize()
		arrays.Finalize(rule)
	}()
	sum, excluded := s.zeros, s.excluded
	free := func() {
		if sum != s.zeros {
			arrays.Finalize(sum)
		}
		if excluded != s.excluded {
			arrays.Finalize(excluded)
		}
	}
	norms = make([][]float64, len(batches))
	for inputs := range micro {
		out, err := g.Programs.call(g.Programs.addWithNorms, "summing the gradients", g.withBatch([]any{s.weights, sum, excluded, rule}, inputs)...)
		arrays.Finalize(inputs...)
		if err != nil {
			free()
			return nil, nil, err
		}
		free()
		sum, excluded = out[0], out[1]
		err = appendNorms(out[2], batches, g.Microbatch, norms)
		arrays.Finalize(out[2])
		if err != nil {
			free()
			return nil, nil, err
		}
	}
	if ctx.Err() != nil {
		free()
		return nil, nil, ctx.Err()
	}
	sums = arrays.Zeros(len(batches), g.Program.Size)
	if err = arrays.ReadRows[float64](sum, sums); err != nil {
		free()
		return nil, nil, fmt.Errorf("engine: reading the sums: %w", err)
	}
	old := s.excluded
	arrays.Finalize(sum)
	if s.excluded = excluded; old != excluded {
		arrays.Finalize(old)
	}
	return sums, norms, nil
}

// appendNorms appends the norms of a microbatch, [R, B], to those of each batch, without padding.
func appendNorms(of *tensors.Tensor, batches [][]int32, microbatch int, norms [][]float64) error {
	return tensors.ConstFlatData(of, func(flat []float64) {
		for r, batch := range batches {
			count := min(microbatch, len(batch)-len(norms[r]))
			norms[r] = append(norms[r], flat[r*microbatch:r*microbatch+count]...)
		}
	})
}

// Norms returns the norms of the gradients of batches before clipping, at given weights, with the
// coins of ClippedSums.
func Norms[T arrays.Real](ctx context.Context, j *Job, weights [][]float64, batches [][]int32) (norms [][]float64, err error) {
	table, err := newTrainTable[T](j)
	defer table.device.finalize()
	if err != nil {
		return nil, err
	}
	for _, first := range j.Groups() {
		last := min(first+j.GroupSize, len(batches))
		g := replicaGroup[T]{Job: j, feeder: feeder[T]{Job: j, table: table}}
		s := g.given(first, weights[first:last])
		_, some, err := g.sumsAndNorms(ctx, &s, batches[first:last], j.Clip[first:last], fixedCoins(j.Program.Coins, last-first))
		s.finalize()
		if err != nil {
			return nil, fmt.Errorf("engine: norms of replica %d: %w", first, err)
		}
		norms = append(norms, some...)
	}
	return norms, nil
}
