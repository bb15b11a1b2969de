package simulated_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/simulated"
)

// A statistic of one's own: how many members are among the ten highest scores.
func topTen(order simulated.Order) (members float64) {
	for _, member := range order[:min(10, len(order))] {
		if member {
			members++
		}
	}
	return members
}

func ExampleBound() {
	rng := rand.New(rand.NewPCG(1, 2))
	var scores audit.Scores
	for range 200 {
		scores.Member = append(scores.Member, rng.NormFloat64()+2)
		scores.NonMember = append(scores.NonMember, rng.NormFloat64())
	}
	b, err := simulated.Bound(scores, "members among the ten highest", topTen, 999, audit.Config{Delta: 1e-5}, rng)
	fmt.Println("ε >=", audit.FormatLower(b.Epsilon), "of at most", audit.FormatLower(b.Ceiling), err)

	p, err := simulated.P(scores, audit.EpsilonDelta{Epsilon: 0.5, Delta: 1e-5}, topTen, 999, rng)
	fmt.Println("ε = 0.5 has p =", p, err)

	// The statistics that package audit has exact laws of.
	order := simulated.Order{true, true, false, true, false, false}
	fmt.Printf("%.3f %g\n", simulated.AUC(order), simulated.TwoTail(0)(order))
	// Output:
	// ε >= 1.0449 of at most 1.0449 <nil>
	// ε = 0.5 has p = 0.012 <nil>
	// 0.889 4
}
