package ding2023

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/selection/threshold"
	"github.com/dplab/dplab/dptune/streams"
)

// Search is one search by threshold tests: Algorithm 1 as printed with the zero MaxTests and
// EachTest, or with a cap and other noises, as dptune.ThresholdSearch runs it.
type Search struct {
	Start       float64 // u0
	Granularity float64 // g > 0

	ThresholdNoise, ScoreNoise float64 // Laplace scales; 0 means no noise (Definition 5)
	Refresh                    threshold.Refresh
	MaxTests                   int // 0: no cap
}

// Algorithm1 returns the search as printed: noise 2/(kε) on thresholds, new for each test,
// and 4/(kε) on scores. kε = +Inf is the non-randomized world.
func Algorithm1(kEpsilon, start, granularity float64) Search {
	return Search{Start: start, Granularity: granularity, ThresholdNoise: 2 / kEpsilon, ScoreNoise: 4 / kEpsilon, Refresh: threshold.EachTest}
}

// Iteration is the state after one test.
type Iteration struct {
	Level  float64 // u
	Step   float64 // for the next test; 0 at the end
	Winner int     // s*, or -1
	Passed bool
}

// Trace is one run.
type Trace struct {
	Iterations []Iteration
	AtCap      bool // it could no longer end within MaxTests, or was cut off at cutOff
}

// cutOff ends a run of Algorithm 1, which need not end by itself.
const cutOff = 100_000

// Winner returns the last winner, or -1.
func (t Trace) Winner() int {
	if len(t.Iterations) == 0 {
		return -1
	}
	return t.Iterations[len(t.Iterations)-1].Winner
}

// Run runs the search on the scores.
func (s Search) Run(scores []float64, rng *rand.Rand) Trace {
	var trace Trace
	now := Iteration{Level: s.Start, Step: 1, Winner: -1}
	positives, fresh, noise := 0, true, 0.0
	for now.Step >= 1 && len(trace.Iterations) < cutOff && !trace.AtCap {
		level := now.Level + now.Step*s.Granularity
		now.Passed = false
		if fresh || s.Refresh == threshold.EachTest {
			noise, fresh = laplace(s.ThresholdNoise, rng), false
		}
		for i, score := range scores {
			if score+laplace(s.ScoreNoise, rng) >= level+noise {
				now.Winner, now.Level, now.Passed = i, level, true
				fresh = s.Refresh == threshold.EachPositive
				break
			}
		}
		if now.Passed {
			positives++
			now.Step *= 2
			trace.AtCap = s.MaxTests > 0 && positives == threshold.DoublingPositives(s.MaxTests)
		} else {
			now.Step = math.Floor(now.Step / 2)
		}
		trace.Iterations = append(trace.Iterations, now)
	}
	trace.AtCap = trace.AtCap || len(trace.Iterations) == cutOff
	return trace
}

// laplace returns a draw of density e^(-|x|/b)/(2b), from a sign and a uniform.
func laplace(scale float64, rng *rand.Rand) float64 {
	if scale == 0 {
		return 0
	}
	bits := rng.Uint64()
	magnitude := -scale * math.Log((float64(bits>>12)+0.5)*0x1p-52)
	if bits&1 == 1 {
		return -magnitude
	}
	return magnitude
}

// overRuns returns f of so many runs, each with uniform scores and its own stream. The label is a
// part of the streams' names.
func overRuns(runs, candidates int, root streams.Root, label string, f func(scores []float64, rng *rand.Rand) float64) []float64 {
	values := make([]float64, runs)
	for i := range values {
		rng := root.Rand(fmt.Sprintf("%srun %d", label, i))
		values[i] = f(uniformScores(candidates, rng), rng)
	}
	return values
}

// uniformScores returns count scores, each uniform in (0, 1).
func uniformScores(count int, rng *rand.Rand) []float64 {
	scores := make([]float64, count)
	for i := range scores {
		scores[i] = rng.Float64()
	}
	return scores
}
