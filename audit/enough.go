package audit

import (
	"fmt"
	"math"
)

// GamesNeeded returns the least n such that n member and n non-member games can give a bound
// above 0 at the given confidence: without a leak, all members come above all non-members
// with probability 1/C(2n, n), no test of ranks is more extreme than that, and it must be below
// 1 - confidence. It returns 0, no number will do, unless confidence is in (0, 1).
func GamesNeeded(confidence float64) int {
	if !(confidence > 0 && confidence < 1) {
		return 0
	}
	n := 1
	for ; !canRefute(n, n, 1-confidence); n++ {
	}
	return n
}

// canRefute tells whether perfect scores refute some ε > 0. Where their p-value without a leak
// equals the significance, as at 3 + 3 games and 0.05, the bound is 0; the margin is for rounding.
func canRefute(n1, n0 int, significance float64) bool {
	return logPerfect(n1, n0) < math.Log(significance)-1e-9
}

// logPerfect returns ln(1/C(n1+n0, n1)), the chance of a perfect separation without a leak.
func logPerfect(n1, n0 int) float64 {
	all, _ := math.Lgamma(float64(n1 + n0 + 1))
	in, _ := math.Lgamma(float64(n1 + 1))
	out, _ := math.Lgamma(float64(n0 + 1))
	return in + out - all
}

func checkEnough(n1, n0 int, level Level) error {
	if !canRefute(n1, n0, level.significance()) {
		return fmt.Errorf("audit: %d member and %d non-member scores: even a perfect separation would not show an ε above 0 at confidence %g; %d of each would do",
			n1, n0, level.withDefaults().Confidence, GamesNeeded(level.withDefaults().Confidence))
	}
	return nil
}
