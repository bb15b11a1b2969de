package exact

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
)

// Coordinate is the game on one coordinate of the final weights that only noise and canary move.
// The canary is a gradient of norm C along it, and takes part in every k-th of T steps of plain
// SGD. Known is only that the initial weight is uniform in an interval of half-width a. In units of
// ηC/B, with U uniform in [-a, a], the coordinate has moved from its middle by
//
//	U + σ√T Z          without the canary
//	U + T/k + σ√T Z    with it,  Z ~ N(0, 1)
//
// A coordinate that the data move too may have another law.
//
// Reference: Cebere, Bellet, Papernot (2024), arXiv:2405.14457, Algorithm 4; Appendix G for the
// unknown initial weights.
type Coordinate struct {
	NoiseMultiplier float64 // σ
	Steps           int     // T
	Every           int     // k, divides T
	Initial         float64 // a, of an unknown initial weight; 0 if it is known
}

// Validate returns an error that names every field out of range.
func (c Coordinate) Validate() error {
	f := check.In("exact: Coordinate.")
	f.Number("NoiseMultiplier", c.NoiseMultiplier, noiseRule)
	f.Number("Steps", float64(c.Steps), check.Between(1, 1e9))
	f.That(c.Every >= 1 && c.Steps%max(c.Every, 1) == 0, "Every", c.Every, fmt.Sprintf("must be >= 1 and divide the %d steps", c.Steps))
	f.Number("Initial", c.Initial, check.NotNegative)
	if f.Err() == nil {
		panels, most := c.panels(), maxNodes/nodesPerPanel
		f.That(panels <= float64(most), "Initial", c.Initial, fmt.Sprintf("must be at most %d σ√T", most))
	}
	return f.Err()
}

// Mu returns the µ of a known initial weight, (T/k)/(σ√T) = √T/(kσ). The final coordinate is
// exactly µ-GDP then. With n = T/k participations it is n/(σ√(kn)).
func (c Coordinate) Mu() (float64, error) {
	if err := c.Validate(); err != nil {
		return math.Inf(1), err
	}
	return c.shift() / c.noise(), nil
}

// Law returns the exact law. The density of U is replaced by a Gauss-Legendre rule on panels of
// half-width at most σ√T. By the bound of quadratureError, with one Gaussian factor and ρ = 2√n,
// it is off by less than 1e-25 in total variation on any number of panels that is accepted. The
// likelihood ratio is monotone, as U + σ√T Z has a log-concave density. So the best test is a
// threshold.
func (c Coordinate) Law() (Law, error) {
	if err := c.Validate(); err != nil {
		return Law{}, err
	}
	middle, a := -c.shift()/2, c.Initial
	means, weights := []float64{middle}, []float64{1}
	if a > 0 {
		panels := int(c.panels())
		means, weights = nil, nil
		for i := range panels {
			for j, x := range legendreNodes {
				means = append(means, middle+a*((2*float64(i)+1+x)/float64(panels)-1))
				weights = append(weights, legendreWeights[j]/(2*float64(panels)))
			}
		}
	}
	return Law{
		steps: c.Steps, center: c.shift() / 2, stdDev: c.noise(),
		halves: [2]half{newHalf(means, weights), newHalf(nil, nil)},
		relErr: finalRounding + 0x1p-53*float64(1000+len(means)),
		absErr: 4*numeric.NormalCDF(-band) + 1e-25,
		reach:  c.shift()/2 + a + band*c.noise(),
	}, nil
}

func (c Coordinate) shift() float64  { return float64(c.Steps / c.Every) }
func (c Coordinate) noise() float64  { return c.NoiseMultiplier * math.Sqrt(float64(c.Steps)) }
func (c Coordinate) panels() float64 { return math.Ceil(c.Initial / c.noise()) }
