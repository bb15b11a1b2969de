package xiang2024

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/monotone"
	"github.com/dplab/dplab/notebooks/figures/xiang2024/internal/base"
)

// The paper prints neither σ nor how Algorithm 3 integrates. This reading gives 87 of the 90
// printed values of Table 4 to the last digit, and the others within 0.01. The constants were found
// by a search against these values. [Table4Result.Readings] shows how sharply the values determine
// them.
const (
	printedLeft  = -6.5 // of the integral; the mean of K runs' largest is near 0 to 3
	printedRight = 7.5
	printedTop   = 128 // of the orders 2, 3, ...
)

// A bisection on [0, 100] halves until ε is this near to ε_B. The nine σ that the values imply are
// 90.625, 45.3125, 9.375, 48.4375, 24.21875, 4.8828125, 25.78125, 13.0859375 and 2.734375, each
// 100 k/2^m. The bisection finds all of them if it stops at a distance between 0.0305 and 0.0369.
// The first is the largest that one of them has, the second the least of a σ that it passed.
const (
	bisectedTo   = 100.0
	bisectedNear = 1.0 / 32
)

var errBisected = errors.New("no σ up to")

// bisected returns the run with the σ at which that bisection stops.
func bisected(baseEpsilon, samplingRate float64, steps int, delta float64) (base.Run, error) {
	low, high := 0.0, bisectedTo
	for {
		sigma := (low + high) / 2
		run, err := base.NewRun(samplingRate, sigma, steps)
		if err != nil {
			return run, err
		}
		curve := rdp.SampledGaussian(samplingRate, sigma)
		best := math.Inf(1)
		for order := 2.0; order <= printedTop; order++ {
			best = math.Min(best, convert(order, float64(steps)*curve(order), delta))
		}
		switch {
		case math.Abs(best-baseEpsilon) <= bisectedNear:
			return run, nil
		case sigma == low || sigma == high:
			return run, fmt.Errorf("xiang2024: base ε %g at τ = %g: %w %g costs as little", baseEpsilon, samplingRate, errBisected, bisectedTo)
		case best > baseEpsilon:
			low = sigma
		default:
			high = sigma
		}
	}
}

// searched are orders up to more than printedTop, to show what the top decides.
const searched = 150

// cut holds the two Rényi divergences of a game at the orders 2 to searched, integrated over a part
// of the line only. The mass of the integral of order α lies around (1-α)µ, or αµ on the way back.
// What lies outside of the part is missing, so high orders look ever cheaper, and no ε from it is a
// bound.
type cut [2][]float64

// cutTo integrates from left to right by the trapezoid rule.
func cutTo(left, right float64, m monotone.Gaussian) (out cut) {
	const step = 0.007 // a quarter of it gives the same last digits
	points := int(math.Round((right-left)/step)) + 1
	width := (right - left) / float64(points-1)
	var logs [2][]float64 // of the densities of the two worlds
	runs := m.Law.Distribution()
	for side, shift := range [2]float64{0, m.Mu} {
		for i := range points {
			y := left + width*float64(i) - shift
			logs[side] = append(logs[side], runs.LogPGFDerivative(0.5*math.Erfc(-y/math.Sqrt2))-y*y/2-math.Log(2*math.Pi)/2)
		}
	}
	for order := 2.0; order <= searched; order++ {
		for side := range out {
			out[side] = append(out[side], logTrapezoid(logs[side], logs[1-side], order, width)/(order-1))
		}
	}
	return out
}

// logTrapezoid returns log ∫ p^order q^(1-order) from log p and log q at equal distances.
func logTrapezoid(p, q []float64, order, width float64) float64 {
	at := func(i int) float64 { return order*p[i] + (1-order)*q[i] }
	most := at(0)
	for i := range p {
		if x := at(i); x > most {
			most = x
		}
	}
	last := len(p) - 1
	sum := -(math.Exp(at(0)-most) + math.Exp(at(last)-most)) / 2
	for i := range p {
		if x := at(i) - most; x > -40 { // smaller ones do not move the sum
			sum += math.Exp(x)
		}
	}
	return most + math.Log(sum*width)
}

// epsilon returns the ε at delta with orders up to top. Each direction has its own best order.
func (c cut) epsilon(delta float64, top int) float64 {
	best := math.Inf(-1)
	for side := range c {
		least := math.Inf(1)
		for i, d := range c[side][:top-1] {
			least = math.Min(least, convert(float64(i+2), d, delta))
		}
		best = math.Max(best, least)
	}
	return best
}

// read returns the ε of the best of K runs, each a Gaussian of mu, by the reading.
func read(k law.Law, mu monotone.ApproximateMu, delta float64) float64 {
	return cutTo(printedLeft, printedRight, monotone.Gaussian{Law: k, Mu: mu.Mu}).epsilon(delta, printedTop)
}

// line4 returns the ε at delta with the larger divergence at each order up to printedTop.
func (c cut) line4(delta float64) float64 {
	least := math.Inf(1)
	for i, d := range c[0][:printedTop-1] {
		least = math.Min(least, convert(float64(i+2), math.Max(d, c[1][i]), delta))
	}
	return least
}

// convert is Theorem 6 of the paper. A cut divergence may be negative, which
// rdp.Conversion refuses.
func convert(order, divergence, delta float64) float64 {
	return divergence + math.Log1p(-1/order) - math.Log(delta*order)/(order-1)
}
