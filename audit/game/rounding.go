package game

import (
	"math"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
)

// void reports whether a canary along one weight leaves no trace. That is so if the largest
// possible move of the weight in a step,
//
//	η/B C (examples + 1 + 6σ)
//
// is less than half of the distance from the weight to the next number: then the weight does not
// change. The move has the gradients of so many examples, the canary's, and six standard deviations
// of noise. void covers only plain SGD, whose steps are in proportion to C.
func void(config dpsgd.Config, precision engine.Precision, weight float64, examples int) bool {
	if config.Optimizer != nil && config.Optimizer != (dpsgd.SGD{}) {
		return false
	}
	most := config.LearningRate / config.ExpectedBatchSize * config.ClipNorm * (float64(examples) + 1 + 6*config.NoiseMultiplier)
	return most < spacing(math.Abs(weight), precision)/2
}

// spacing returns the distance from a weight >= 0 to the next larger number, or to the next smaller
// one if that is nearer.
func spacing(weight float64, precision engine.Precision) float64 {
	if precision == engine.Float64 {
		return min(math.Nextafter(weight, math.Inf(1))-weight, weight-math.Nextafter(weight, math.Inf(-1)))
	}
	w, up, down := float32(weight), float32(math.Inf(1)), float32(math.Inf(-1))
	return min(float64(math.Nextafter32(w, up))-float64(w), float64(w)-float64(math.Nextafter32(w, down)))
}
