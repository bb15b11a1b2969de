package record

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
)

// checkDeclaredNoise says how the noise of a query is not what its spend is about; "" if
// it is.
func checkDeclaredNoise(q Query) string {
	const tolerance = 1e-9 // relative: products of the same numbers in another order
	sigma, ok := noiseMultiplier(q.Spend)
	if !ok {
		return fmt.Sprintf("Spend %v: not an event whose noise can be checked: must be Gaussian, or sampled and Gaussian", q.Spend)
	}
	if want := sigma * q.Sensitivity; math.Abs(q.NoiseStdDev-want) > tolerance*want {
		return fmt.Sprintf("NoiseStdDev %.6g: must be %.6g = %g x Sensitivity %g, as Spend says", q.NoiseStdDev, want, sigma, q.Sensitivity)
	}
	return ""
}

// noiseMultiplier returns σ of a Gaussian event, sampled or not.
func noiseMultiplier(e accounting.Event) (float64, bool) {
	switch e := e.(type) {
	case accounting.Gaussian:
		return e.NoiseMultiplier, true
	case accounting.PoissonSampled:
		return noiseMultiplier(e.Event)
	}
	return 0, false
}

// draws are the noises of a run in units of their declared standard deviations, which should
// be independent standard normals.
type draws struct {
	z       []float64 // of all queries, one after the other
	queries []Query
}

// draws returns the noises of the run, none if any is not finite, which is reported elsewhere.
func (s *Session) draws() draws {
	d := draws{queries: s.queries}
	for _, q := range s.queries {
		for i, v := range q.Released {
			d.z = append(d.z, (v-q.Value[i])/q.NoiseStdDev)
		}
	}
	for _, z := range d.z {
		if square := z * z; math.IsNaN(square) || math.IsInf(square, 0) {
			return draws{}
		}
	}
	return d
}

// noiseTests are the families of tests of a run's noise. Each has the same share of the
// run's level.
var noiseTests = []func(d draws, level float64) family{allMoments, queryMoments, coordinateMoments, lags, distance, tailCounts}

// checkDrawnNoise tests the noise of all releases of a run.
func (s *Session) checkDrawnNoise() {
	d := s.draws()
	if len(d.z) == 0 {
		return
	}
	for _, test := range noiseTests {
		s.accuse(test(d, s.noiseLevel/float64(len(noiseTests))))
	}
}
