package simulated

import (
	"cmp"
	"math/rand/v2"

	"github.com/dplab/dplab/audit"
)

// simulation holds the draws of one audit, to be ranked under any claim. The uniforms are made in
// ascending order, which saves sorting: a claim's G^-1 keeps the order.
type simulation struct {
	member, nonMember []float64
	out               Order
}

func newSimulation(n1, n0 int) *simulation {
	return &simulation{make([]float64, n1), make([]float64, n0), make(Order, 0, n1+n0)}
}

func (s *simulation) draw(rng *rand.Rand) {
	ascendingUniforms(s.member, rng)
	ascendingUniforms(s.nonMember, rng)
}

// ascendingUniforms fills xs with uniform order statistics: ratios of sums of exponentials.
func ascendingUniforms(xs []float64, rng *rand.Rand) {
	var sum float64
	for i := range xs {
		sum += rng.ExpFloat64()
		xs[i] = sum
	}
	sum += rng.ExpFloat64()
	for i := range xs {
		xs[i] /= sum
	}
}

// order merges the draws, smallest u first. Members that the claim puts above every non-member have
// u = 0. Equal u rank members first, as the least favorable pair does.
func (s *simulation) order(claim audit.Curve) Order {
	s.out = s.out[:0]
	j := 0
	for _, t := range s.member {
		u := claim.FPR(t)
		for j < len(s.nonMember) && cmp.Less(s.nonMember[j], u) {
			s.out = append(s.out, false)
			j++
		}
		s.out = append(s.out, true)
	}
	for ; j < len(s.nonMember); j++ {
		s.out = append(s.out, false)
	}
	return s.out
}
