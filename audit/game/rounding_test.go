package game

import (
	"math"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
)

// What is called void is void: the furthest step in either direction leaves the weight as it is, in its own precision, and steps twice as
// far as what is just no longer void move it.
func TestVoidCanaries(t *testing.T) {
	for _, weight := range []float64{0.3, -0.3, 1, 0.25, -7.5, 1e-3, 0} {
		for _, precision := range []engine.Precision{engine.Float32, engine.Float64} {
			config := dpsgd.Config{NoiseMultiplier: 4, LearningRate: 0.1, ExpectedBatchSize: 128}
			const examples = 20
			step := func(clipNorm float64) float64 { return 0.1 / 128 * clipNorm * (examples + 1 + 6*4) }
			isVoid := func(clipNorm float64) bool {
				config.ClipNorm = clipNorm
				return void(config, precision, weight, examples)
			}
			low, high := 1e-320, 1.0 // what is void below a norm and not above
			if weight == 0 {
				if isVoid(1e-30) {
					t.Error("a weight of 0 moves by whatever there is")
				}
				continue
			}
			for range 2000 {
				if mid := math.Sqrt(low) * math.Sqrt(high); isVoid(mid) {
					low = mid
				} else {
					high = mid
				}
			}
			stays := func(move float64) bool {
				if precision == engine.Float32 {
					w := float32(weight)
					return float32(float64(w)+move) == w && float32(float64(w)-move) == w
				}
				return weight+move == weight && weight-move == weight
			}
			// At half of the distance a tie goes either way: a little less does not move the weight, twice as much does.
			if less, twice := step(low)*(1-1e-6), 2*step(high); !stays(less) || stays(twice) {
				t.Errorf("weight %g, precision %d: void up to the clip norm %g: a step of %g leaves the weight: %v, one of %g: %v", weight, precision, low, less, stays(less), twice, stays(twice))
			}
		}
	}
	config := dpsgd.Config{ClipNorm: 1e-12, NoiseMultiplier: 1, LearningRate: 0.1, ExpectedBatchSize: 10, Optimizer: dpsgd.Adam{}}
	if void(config, engine.Float32, 1, 10) {
		t.Error("steps of Adam do not depend on the clip norm")
	}
}
