package leak

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"gonum.org/v1/gonum/floats"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/notebooks/figures"
)

// svm is a linear classifier sign(w·x + b).
type svm struct {
	w []float64
	b float64
}

// errNotConverged is returned when the solver's budget of steps is used up.
var errNotConverged = errors.New("papernot2022: support vector machine: not converged")

const (
	svmTolerance = 1e-9    // of the largest violation of the optimality conditions, in units of the margin
	svmMaxSteps  = 200_000 // the figure's problems take a few hundred
)

// trainSVM minimizes the soft-margin objective of Section 2, the mean over the n examples of
//
//	‖w‖² + hinge · max(0, 1 - y (w·x + b)),   y in {-1, +1},
//
// exactly, by its dual: w = ½ Σ aᵢ yᵢ xᵢ with 0 <= aᵢ <= hinge/n, Σ aᵢ yᵢ = 0. Pairs of
// variables that violate optimality the most are optimized in turn, until no pair
// violates it by more than svmTolerance. b then minimizes the objective for that w; where
// an interval of b does, its middle is taken.
//
// Label 0 is y = -1 and label 1 is y = +1.
//
// Reference: Fan, Chen, Lin, "Working set selection using second order information for
// training support vector machines", JMLR 6 (2005), Section 2 (the maximal violating pair).
func trainSVM(d data.Dataset, hinge float64) (svm, error) {
	p := newSVMProblem(d, hinge)
	for range svmMaxSteps {
		up, low, violation := p.worstPair()
		if violation <= svmTolerance {
			return svm{w: p.weights, b: p.bias()}, nil
		}
		p.optimize(up, low)
	}
	return svm{}, fmt.Errorf("%w after %d steps at hinge weight %g", errNotConverged, svmMaxSteps, hinge)
}

type svmProblem struct {
	x       [][]float64
	y       []float64 // -1 or +1
	a       []float64 // dual variables
	limit   float64   // of each dual variable
	weights []float64 // ½ Σ aᵢ yᵢ xᵢ
}

func newSVMProblem(d data.Dataset, hinge float64) *svmProblem {
	n := d.Len()
	p := &svmProblem{a: make([]float64, n), limit: hinge / float64(n), weights: make([]float64, d.Width())}
	for i := range n {
		row := make([]float64, d.Width())
		for j, v := range d.Row(i) {
			row[j] = float64(v)
		}
		p.x = append(p.x, row)
		p.y = append(p.y, float64(2*d.Labels[i]-1))
	}
	return p
}

// worstPair returns the variable whose yᵢ aᵢ should grow the most and the one whose yⱼ aⱼ should
// shrink the most, by the dual's gradient yᵢ - w·xᵢ. violation is the difference of the two
// gradients.
func (p *svmProblem) worstPair() (up, low int, violation float64) {
	highest, lowest := math.Inf(-1), math.Inf(1)
	for i, y := range p.y {
		g := y - floats.Dot(p.weights, p.x[i])
		mayGrow, mayShrink := p.a[i] < p.limit, p.a[i] > 0
		if y < 0 {
			mayGrow, mayShrink = mayShrink, mayGrow
		}
		if mayGrow && g > highest {
			up, highest = i, g
		}
		if mayShrink && g < lowest {
			low, lowest = i, g
		}
	}
	return up, low, highest - lowest
}

// optimize moves y_up a_up up and y_low a_low down by the step that is best for the dual,
// or as far as the limits allow. Along that direction the dual's slope is the pair's
// violation and its curvature -½‖x_up - x_low‖². Two equal points have no curvature; their
// violation is then their labels' difference, and the limits end the step.
func (p *svmProblem) optimize(up, low int) {
	var slope, squared float64
	slope = p.y[up] - p.y[low]
	for j := range p.weights {
		diff := p.x[up][j] - p.x[low][j]
		slope -= p.weights[j] * diff
		squared += diff * diff
	}
	step := math.Min(p.room(up, p.y[up]), p.room(low, -p.y[low]))
	step = math.Min(step, slope/(squared/2))
	p.move(up, p.y[up]*step)
	p.move(low, -p.y[low]*step)
	for j := range p.weights {
		p.weights[j] += step * (p.x[up][j] - p.x[low][j]) / 2
	}
}

// room returns how far a dual variable can move in a direction, +1 or -1.
func (p *svmProblem) room(i int, direction float64) float64 {
	if direction > 0 {
		return p.limit - p.a[i]
	}
	return p.a[i]
}

// move changes a dual variable and keeps rounding from leaving its limits.
func (p *svmProblem) move(i int, by float64) {
	p.a[i] = math.Max(0, math.Min(p.limit, p.a[i]+by))
}

// bias returns the middle of the interval of b that minimizes Σ max(0, 1 - yᵢ(w·xᵢ + b)). The sum
// is convex and piecewise linear. It has a kink at each yᵢ - w·xᵢ, where its slope grows by 1. Left
// of all kinks the slope is minus the number of positive examples.
func (p *svmProblem) bias() float64 {
	kinks := make([]float64, len(p.y))
	positives := 0
	for i, y := range p.y {
		kinks[i] = y - floats.Dot(p.weights, p.x[i])
		if y > 0 {
			positives++
		}
	}
	sort.Float64s(kinks)
	switch positives {
	case 0:
		return kinks[0]
	case len(kinks):
		return kinks[len(kinks)-1]
	}
	return (kinks[positives-1] + kinks[positives]) / 2 // the slope is 0 between the two
}

// score returns w·x + b.
func (m svm) score(x []float32) float64 {
	score := m.b
	for j, v := range x {
		score += m.w[j] * float64(v)
	}
	return score
}

// accuracy returns the share of examples on the right side of the boundary.
func (m svm) accuracy(d data.Dataset) float64 {
	right := 0
	for i, label := range d.Labels {
		if (m.score(d.Row(i)) > 0) == (label == 1) {
			right++
		}
	}
	return float64(right) / float64(d.Len())
}

// SGD is how the support vector machine is trained by stochastic gradient descent: from
// zero, one example a step, a new random order in each pass, a constant learning rate.
type SGD struct {
	LearningRate float64 `rule:"> 0"`
	Passes       int     `rule:">= 1"` // over the data
}

// Validate returns every fault, joined.
func (c SGD) Validate() error { return figures.Faults(c).Err() }

// train follows the gradients of ‖w‖² + hinge · max(0, 1 - y(w·x + b)), the loss of one
// example in Section 2. The mean of these losses is the objective of trainSVM.
func (c SGD) train(d data.Dataset, hinge float64, rng *rand.Rand) svm {
	m := svm{w: make([]float64, d.Width())}
	p := newSVMProblem(d, hinge) // for its copies of the data
	shrink := 1 - 2*c.LearningRate
	step := c.LearningRate * hinge
	order := make([]int, d.Len())
	for i := range order {
		order[i] = i
	}
	for range c.Passes {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			x, y := p.x[i], p.y[i]
			pull := 0.0
			if y*(floats.Dot(m.w, x)+m.b) < 1 {
				pull = step * y
			}
			for j := range m.w {
				m.w[j] = shrink*m.w[j] + pull*x[j]
			}
			m.b += pull
		}
	}
	return m
}
