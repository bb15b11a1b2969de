package auditbounds

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/onerun"
)

// SharedChannel is a mechanism that draws L ~ N(1/2, 1), publishes |L|, and passes every bit
// through randomized response with error 1/(1+e^|L|). It is exactly 1-GDP for each bit, since
// L and -L are the log-likelihood ratios of N(1,1) against N(0,1); but all bits meet the same |L|.
type SharedChannel struct {
	Canaries int

	// The shares of runs in which the true claim µ = 1 is rejected when all canaries are guessed, by the
	// test for independent channels and by f-DP. Exact.
	Independent, FDP float64

	Reference float64 // the first by simulation, by other code
}

// compute fills in the shares at a confidence. Both tests reject up to some number of wrong guesses.
func (s *SharedChannel) compute(confidence float64) (err error) {
	m := s.Canaries
	independent := sort.Search(m, func(wrong int) bool { return binomialLower(wrong, m, phi(-0.5)) > 1-confidence })
	fdp := sort.Search(m, func(wrong int) bool {
		v, e := onerun.TestClaim(onerun.Guesses{Canaries: m, Guessed: m, Correct: m - wrong}, audit.GDP{Mu: 1}, audit.Config{Confidence: confidence})
		if e != nil {
			err = e
		}
		return !v.Contradicted
	})
	s.Independent, s.FDP = s.wrongBelow(independent), s.wrongBelow(fdp)
	return err
}

// wrongBelow returns the chance of less than so many wrong guesses,
//
//	∫_0^∞ P[Bin(m, 1/(1+e^a)) < wrong] (φ(a-1/2) + φ(a+1/2)) da,
//
// to about 1e-6. Beyond 12 is a mass below 1e-30.
func (s SharedChannel) wrongBelow(wrong int) float64 {
	if wrong == 0 {
		return 0
	}
	density := func(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
	return quad.Fixed(func(a float64) float64 {
		return binomialLower(wrong-1, s.Canaries, 1/(1+math.Exp(a))) * (density(a-0.5) + density(a+0.5))
	}, 0, 12, 1000, nil, 0)
}

// binomialLower returns P[Bin(n, p) <= k] for 0 <= k < n.
func binomialLower(k, n int, p float64) float64 {
	return mathext.RegIncBeta(float64(n-k), float64(k+1), 1-p)
}
