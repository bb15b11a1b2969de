package lastiterate

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/check"
)

// Training is a run of noisy gradient descent that releases only its last model. Exactly one of
// Batches and SamplingRate is given.
type Training struct {
	Steps           int     // T, from 1 to 1e6
	Batches         int     // batches of an epoch in a fixed order, an example in one of them; 1 if each step has all
	SamplingRate    float64 // q in (0, 1), if each example joins each step by its own coin
	NoiseMultiplier float64 // σ > 0: standard deviation of the noise of a sum over C
	ClipNorm        float64 // C > 0: largest L2 norm of the gradient of one example
	Divisor         float64 // B > 0, public: the number that sums are divided by
	LearningRate    float64 // η > 0, at most 2/M
	StrongConvexity float64 // m of every F, in [0, M]; 0 is convex
	Smoothness      float64 // M > 0 of every F, for every batch that may be drawn
	Diameter        float64 // D > 0 of the set that models are projected on; 0 if they are not
}

// mostWork bounds Steps x Batches of a fixed order.
const mostWork = 1e8

// Validate returns every fault, joined.
func (t Training) Validate() error {
	f := check.In("lastiterate: Training.")
	f.Count("Steps", t.Steps, 1)
	f.That(t.Steps <= 1e6, "Steps", t.Steps, "must be at most 1e6")
	switch {
	case t.Batches == 0 && t.SamplingRate == 0:
		f.That(false, "Batches", 0, "must be given, or SamplingRate")
	case t.Batches == 0:
		f.Number("SamplingRate", t.SamplingRate, check.OpenUnit)
	default:
		f.Count("Batches", t.Batches, 1)
		f.That(t.SamplingRate == 0, "SamplingRate", t.SamplingRate, "must not be given with Batches")
		f.That(float64(min(t.Batches, t.Steps))*float64(t.Steps) <= mostWork, "Batches", t.Batches, fmt.Sprintf("must be at most %g over Steps", mostWork))
	}
	for _, n := range []struct {
		name string
		x    float64
	}{
		{"NoiseMultiplier", t.NoiseMultiplier}, {"ClipNorm", t.ClipNorm}, {"Divisor", t.Divisor}, {"LearningRate", t.LearningRate}, {"Smoothness", t.Smoothness},
	} {
		f.Number(n.name, n.x, check.Positive)
	}
	f.Number("StrongConvexity", t.StrongConvexity, check.NotNegative)
	f.That(!(t.StrongConvexity > t.Smoothness), "StrongConvexity", t.StrongConvexity, "must be at most Smoothness")
	f.That(!(math.FMA(t.LearningRate, t.Smoothness, -2) > 0), "LearningRate", t.LearningRate, fmt.Sprintf("must be at most 2/Smoothness = %.3g: a larger step moves models apart", 2/t.Smoothness))
	f.Number("Diameter", t.Diameter, check.NotNegative)
	return f.Err()
}

// contraction returns c, rounded up.
func (t Training) contraction() float64 {
	c := math.Max(math.Abs(1-t.LearningRate*t.StrongConvexity), math.Abs(1-t.LearningRate*t.Smoothness))
	return math.Min(1, c+0x1p-51) // each 1-x, with x in [0, 2], errs by at most 2^-52
}

// diameter returns D in units of u, the move ηC/B of an example, rounded up, or +Inf.
func (t Training) diameter() float64 {
	if t.Diameter == 0 {
		return math.Inf(1)
	}
	d, a := math.Frexp(t.Diameter) // by parts: a quotient may be too small for a float64
	b, e := math.Frexp(t.Divisor)
	rate, f := math.Frexp(t.LearningRate)
	norm, g := math.Frexp(t.ClipNorm)
	return math.Max(math.Ldexp(d*b/rate/norm*(1+0x1p-49), a+e-f-g), check.LeastNormal)
}
