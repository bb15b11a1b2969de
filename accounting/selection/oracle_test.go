package selection_test

import (
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/worstorder"
)

// adversarialDelta is a lower bound on the worst δ at ε over all orders of the outputs of N(0,1) against N(µ,1): that of the
// worst interleaved order of 200 cells.
func adversarialDelta(l law.Law, mu, epsilon float64) float64 {
	delta, err := worstorder.DeltaAt(l, worstorder.Gaussian(mu, 200), epsilon)
	if err != nil {
		panic(err)
	}
	return delta
}

type discrete = enumerate.Pair

// knownOf returns what is known of one run: its exact divergence and profile.
func knownOf(d discrete) baserun.Run {
	return baserun.Run{
		Name:     "discrete pair",
		Curve:    d.Divergence,
		Profiles: []baserun.Profile{{Name: "exact", DeltaAt: d.Delta}},
	}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }
