//go:build planted

// Package planted chooses one of the faults that dptune/dpsgd/testdata/planted.patch puts into the
// engine, for tests of audits. Only .ci/planted builds it, as if this file were no test.
package planted

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/dpsgd/internal/noise"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/internal/kernel"
	"github.com/dplab/dplab/dptune/streams"
)

// Bug is a fault that Plant puts into the engine. Noise is spoiled only on the go backend, where
// the host makes it.
type Bug string

// The bugs.
const (
	NoBug              Bug = ""
	SilentLayer        Bug = "no noise on the last layer"
	SilentCoordinate   Bug = "no noise on one coordinate"
	SharedNormals      Bug = "second layer with the normals of the first"
	StepIgnored        Bug = "same noise at every step"
	OneNoiseForAll     Bug = "one noise for all runs and steps"
	RootIgnored        Bug = "same noise in every run"
	SignNoise          Bug = "noise of one size, plus or minus"
	UniformNoise       Bug = "uniform noise of the same variance"
	NoiseCutAt2        Bug = "noise cut at 2σ"
	NoiseCutAt3        Bug = "noise cut at 3σ"
	QuietLayer         Bug = "last layer with σ/4, the others with more"
	TenPercentLess     Bug = "noise 10 % low"
	RootHalfNoise      Bug = "noise with σ/√2"
	HalfNoise          Bug = "noise with σ/2"
	RateTooHigh        Bug = "sampling rate 1.5 q"
	DividedByBatch     Bug = "sum divided by the drawn batch"
	LastLayerUnclipped Bug = "last layer unclipped"
	ClippedAtTwice     Bug = "clipped at 2 C"
	ClippedByMean      Bug = "clipped by the batch's mean norm"
	WeightsUnnoised    Bug = "weights moved by the sum without its noise"
	PlacesKept         Bug = "one place in all periods"
	EqualSizes         Bug = "places by shuffling, in batches of equal size"
	TwoPlaces          Bug = "two places in a period"
	PlacesOfCutPeriod  Bug = "places of a half period, drawn among its steps only"
	PlacesEachStep     Bug = "places drawn from the stream of the step"
	FirstKept          Bug = "first examples kept of a batch that is too large"
)

// Bugs returns all of them.
func Bugs() []Bug {
	return []Bug{SilentLayer, SilentCoordinate, SharedNormals, StepIgnored, OneNoiseForAll, RootIgnored, SignNoise, UniformNoise, NoiseCutAt2, NoiseCutAt3,
		QuietLayer, TenPercentLess, RootHalfNoise, HalfNoise, RateTooHigh, DividedByBatch, LastLayerUnclipped, ClippedAtTwice, ClippedByMean, WeightsUnnoised,
		PlacesKept, EqualSizes, TwoPlaces, PlacesOfCutPeriod, PlacesEachStep, FirstKept}
}

var bug Bug

// Plant puts a bug into all trainers that are made afterwards. It replaces the bug of the last
// call. It must not be called while a trainer runs.
func Plant(b Bug) { bug = b }

// InStream returns the source and the step of the noise.
func InStream(source noise.Source, step int) (noise.Source, int) {
	switch bug {
	case StepIgnored:
		return source, 0
	case OneNoiseForAll:
		return noise.From(streams.Fixed("planted")), 0
	case RootIgnored:
		return noise.From(streams.Fixed("planted")), step
	}
	return source, step
}

// InRate returns the sampling rate of batches.
func InRate(rate float64) float64 {
	if bug == RateTooHigh {
		return min(1, 1.5*rate)
	}
	return rate
}

// InPlaces returns the batch of a step of a random allocation, if a bug draws the places.
func InPlaces(coins streams.Root, step, period, n int) (batch []int32, spoiled bool) {
	label, choices := fmt.Sprintf("period %d", step/period), period
	switch bug {
	case PlacesKept:
		label = "period 0"
	case PlacesEachStep:
		label = fmt.Sprintf("step %d", step)
	case PlacesOfCutPeriod: // the second period, if the run ends in its middle
		if step/period == 1 {
			choices = (period + 1) / 2
		}
	case EqualSizes, TwoPlaces:
	default:
		return nil, false
	}
	rng, orders, place := coins.Rand(label), coins.Rand(label+" order"), step%period
	order := make([]int, n)
	for i := range order { // example i takes a random place, and the one there moves to the end
		j := orders.IntN(i + 1)
		order[i], order[j] = order[j], i
	}
	for i := range n {
		first, second := rng.IntN(choices), rng.IntN(choices)
		joins := first == place || bug == TwoPlaces && second == place
		if bug == EqualSizes {
			joins = order[i]%period == place
		}
		if joins {
			batch = append(batch, int32(i))
		}
	}
	return batch, true
}

// InCut reports whether a bug keeps the first examples of a batch that is too large.
func InCut() bool { return bug == FirstKept }

// InNoise spoils one replica's noise at one step.
func InNoise[T arrays.Real](model nn.Model, noise []T, std float64) {
	first, last := ends(model)
	switch bug {
	case NoBug:
	case SilentLayer:
		clear(noise[last:])
	case SilentCoordinate:
		noise[len(noise)/2] = 0
	case SharedNormals:
		copy(noise[first:], noise[:first])
	case QuietLayer:
		const quiet = 0.25
		loud := float64(last) / float64(len(noise)) // share of the others
		more := math.Sqrt((1 - (1-loud)*quiet*quiet) / loud)
		for i := range noise[:last] {
			noise[i] *= T(more)
		}
		for i := range noise[last:] {
			noise[last+i] *= quiet
		}
	default:
		for i, v := range noise {
			noise[i] = T(std * spoiled(float64(v)/std))
		}
	}
}

// spoiled returns the spoiled value of a standard normal.
func spoiled(z float64) float64 {
	switch bug {
	case SignNoise:
		return math.Copysign(1, z)
	case UniformNoise:
		return math.Sqrt(3) * math.Erf(z/math.Sqrt2)
	case NoiseCutAt2:
		return max(-2, min(2, z))
	case NoiseCutAt3:
		return max(-3, min(3, z))
	case TenPercentLess:
		return 0.9 * z
	case RootHalfNoise:
		return z / math.Sqrt2
	case HalfNoise:
		return z / 2
	}
	return z
}

// ends returns the end of the first layer with weights and the start of the last one.
func ends(model nn.Model) (first, last int) {
	sizes := model.LayerSizes()
	return sizes[0], model.Size() - sizes[len(sizes)-1]
}

// InFactors returns the factors of the gradients. divisor is the expected batch size.
func InFactors(layers []nn.LayerGradients, factors []*graph.Node, mask, clip *graph.Node, divisor float64) []*graph.Node {
	batch := graph.MaxScalar(graph.ReduceAndKeep(mask, graph.ReduceSum, -1), 1)
	spoil := func(f *graph.Node) *graph.Node { return f }
	switch bug {
	case LastLayerUnclipped:
		factors[len(factors)-1] = mask
	case ClippedAtTwice:
		spoil = func(f *graph.Node) *graph.Node { return graph.MulScalar(f, 2) }
	case DividedByBatch:
		spoil = func(f *graph.Node) *graph.Node {
			return graph.Div(graph.MulScalar(f, divisor), batch)
		}
	case ClippedByMean:
		total := graph.ZerosLike(mask)
		for _, layer := range layers {
			total = graph.Add(total, layer.SquaredNorms())
		}
		norms := graph.Where(graph.IsFinite(total), graph.Mul(mask, graph.Sqrt(total)), graph.ZerosLike(mask))
		mean := graph.Div(graph.ReduceAndKeep(norms, graph.ReduceSum, -1), batch)
		spoil = func(*graph.Node) *graph.Node {
			return graph.Mul(mask, graph.MinScalar(graph.Div(kernel.Column(clip, 0), mean), 1))
		}
	}
	for i, f := range factors {
		factors[i] = spoil(f)
	}
	return factors
}

// InMove returns the sum that moves the weights.
func InMove(noisy, sum *graph.Node) *graph.Node {
	if bug == WeightsUnnoised {
		return graph.ConvertDType(sum, noisy.DType())
	}
	return noisy
}
