package audits

import (
	"context"
	"fmt"
	"reflect"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/figures/xiang2024/internal/base"
)

// network is a perceptron, and how one run of both experiments trains it.
type network struct {
	hidden, examples, steps int
	learningRate, clipNorm  float64
	delta                   float64
}

// images are the data of an experiment.
type images struct {
	train, validation data.Dataset // as one row of numbers
	foreign           dpsgd.Example
}

// game returns the game of tuning at a base ε, without data and z. The scores are minus the losses
// of the validation data and of the foreign z, and the first coordinate.
func (n network) game(k law.Law, on images, epsilon float64, env experiments.Env) (g game.Tuning, err error) {
	if g.Model, err = models.MLP(on.train.Width(), n.hidden, on.train.Classes); err != nil {
		return g, err
	}
	run, err := base.Calibrated(epsilon, 1, n.steps, n.delta)
	if err != nil {
		return g, err
	}
	g.Law, g.Performance = k, env.Performance
	g.Config = dpsgd.Config{
		ClipNorm: n.clipNorm, NoiseMultiplier: run.NoiseMultiplier, Steps: n.steps, ExpectedBatchSize: float64(n.examples),
		LearningRate: n.learningRate, Sampling: dpsgd.FullBatch{},
	}
	g.Proxies = []game.Proxy{perceptronGradient(on.foreign, n.hidden, on.train.Classes, n.clipNorm), diracGradient(n.clipNorm)}
	alone := on.train.Subset("foreign", []int{0})
	alone.Features, alone.Labels = on.foreign.Features, []int32{on.foreign.Label}
	for _, examples := range []data.Dataset{on.validation, alone} {
		score, err := lossScore(g.Model, examples, env)
		if err != nil {
			return g, err
		}
		g.Scores = append(g.Scores, score)
	}
	g.Scores = append(g.Scores, firstCoordinate)
	return g, nil
}

// play plays count games of each world from the first on: with X and the foreign z, with X and the
// Dirac gradient, whose games without z are those before, and with an empty X and the foreign z.
// part names their roots.
func play(ctx context.Context, g game.Tuning, on images, first, count int, root streams.Root, part string, env experiments.Env) (played [3]game.TuningResult, err error) {
	foreign, dirac := dpsgd.Canary{Example: &on.foreign}, dpsgd.Canary{Gradient: make([]float64, g.Model.Size())}
	dirac.Gradient[0] = g.Config.ClipNorm
	g.First, g.Members = first, count
	for i, of := range []struct {
		data    data.Dataset
		canary  dpsgd.Canary
		without int // games without z
	}{{on.train, foreign, count}, {on.train, dirac, 0}, {on.train.Subset("nobody", nil), foreign, count}} {
		g.Data, g.Canary, g.NonMembers = of.data, of.canary, of.without
		g.Progress = func(done, total int) { env.Report(i*total+done, len(played)*total, "") }
		if played[i], err = g.Run(ctx, root.Child(fmt.Sprintf("%s %d", part, i))); err != nil {
			return played, err
		}
	}
	return played, nil
}

// diracGradient returns the proxy of the Dirac gradient.
func diracGradient(clip float64) game.Proxy {
	return func(_, gradient []float64) {
		clear(gradient)
		gradient[0] = clip
	}
}

// lossScore returns the score of minus the mean loss of some examples. (The paper prints a sum.)
func lossScore(model dpsgd.Model, examples data.Dataset, env experiments.Env) (game.Score, error) {
	evaluator, err := engine.NewEvaluator(model, examples, env.Performance)
	return func(ctx context.Context, _, final [][]float64) ([]float64, error) {
		losses, err := evaluator.Losses(ctx, dpsgd.Parameters{Tensors: model.Tensors(), Values: final})
		out := make([]float64, len(losses))
		for r, each := range losses {
			for _, loss := range each {
				out[r] -= loss / float64(len(each))
			}
		}
		return out, err
	}, err
}

func firstCoordinate(_ context.Context, initial, final [][]float64) ([]float64, error) {
	out := make([]float64, len(final))
	for r := range out {
		out[r] = initial[r][0] - final[r][0]
	}
	return out, nil
}

// lists returns the lists of numbers in a struct and in the structs within it, in their order.
func lists[T any](of *T) []*experiments.Floats { return listsIn(reflect.ValueOf(of).Elem()) }

func listsIn(v reflect.Value) (all []*experiments.Floats) {
	if list, ok := v.Addr().Interface().(*experiments.Floats); ok {
		return []*experiments.Floats{list}
	}
	for i := 0; v.Kind() == reflect.Struct && i < v.NumField(); i++ {
		all = append(all, listsIn(v.Field(i))...)
	}
	return all
}

// join appends each list of more to that of to.
func join[T any](to *T, more T) {
	from := lists(&more)
	for i, list := range lists(to) {
		*list = append(*list, *from[i]...)
	}
}

// part returns size numbers of each list from the first on. An empty list stays empty.
func part[T any](of T, first, size int) T {
	for _, list := range lists(&of) {
		if len(*list) > 0 {
			*list = (*list)[first : first+size]
		}
	}
	return of
}
