package audit

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

// Few, tied, unbalanced and extreme scores at extreme levels: an error, or a report whose
// bounds lie between 0 and their ceilings and which can be written as JSON.
func TestOddInputs(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 43))
	sizes := []int{1, 2, 3, 5, 12, 60}
	draws := []func() float64{
		func() float64 { return float64(rng.IntN(2)) },
		func() float64 { return math.Trunc(4 * rng.NormFloat64()) },
		rng.NormFloat64,
		func() float64 { return math.MaxFloat64 * (2*rng.Float64() - 1) },
		func() float64 { return 5e-324 * float64(rng.IntN(3)) },
	}
	levels := []Config{{Delta: 0, Confidence: 0.95}, {Delta: 1e-12, Confidence: 0.5}, {Delta: 1e-5, Confidence: 0.95}, {Delta: 0.3, Confidence: 0.9}, {Delta: 0.999, Confidence: 0.99}, {Delta: 1e-5, Confidence: 0.6}, {Delta: 1e-5, Confidence: 1 - 1e-9}}
	cases := 50
	if testing.Short() {
		cases = 6
	}
	for range cases {
		shift := []float64{0, 1, 50}[rng.IntN(3)]
		draw := draws[rng.IntN(len(draws))]
		scores := Scores{make([]float64, sizes[rng.IntN(len(sizes))]), make([]float64, sizes[rng.IntN(len(sizes))])}
		for i := range scores.Member {
			scores.Member[i] = math.Min(math.MaxFloat64, draw()+shift)
		}
		for i := range scores.NonMember {
			scores.NonMember[i] = draw()
		}
		level := levels[rng.IntN(len(levels))]
		cfg := Config{Seed: 1, Delta: level.Delta, Confidence: level.Confidence, ExpectedMu: []float64{0, 0.1, 30}[rng.IntN(3)]}
		report, err := Bounds(scores, cfg)
		if err != nil {
			continue
		}
		if _, err := json.Marshal(report); err != nil {
			t.Errorf("%v %+v: %v", scores, cfg, err)
		}
		for _, b := range report.Ordered() {
			if !(b.Epsilon >= 0 && b.Epsilon <= b.Ceiling+1e-9 && !math.IsInf(b.Ceiling, 0) && b.Mu >= 0) {
				t.Errorf("%v %+v: %v (µ %g)", scores, cfg, b, b.Mu)
			}
		}
	}
}
