package threshold

import (
	"fmt"
	"strings"

	"github.com/dplab/dplab/accounting/rdp"
)

// Noise says which law the noises of an [Event] have. A scale b is that of the density: Laplace noise has the standard deviation √2 b,
// exponential noise b. Exponential noise is drawn less its mean, which is public and so the same as another threshold.
//
// # Theorem
//
// The theorem of [Event] holds for exponential noise with (S, S') of ε1 in place of (B, B'), and (S, S') of ε2 in place of (J, J'):
//
//	(S, S') of ε   the loss is ε for certain under S; S' has e^-ε of its mass there, and the rest where S has none
//
// So all losses are m ε1 + c ε2, and δ(ε) = 1 - e^(ε - m ε1 - c ε2): the pure bound, in all but name. The parts between two threshold noises are pure
// too, and add up to less if there are many (PriceAt).
//
// Proof. That of [Event], which asks three things of a pair. The threshold's noise: ρ against ρ + Δ has the ratio e^ε1 wherever D's noise can be, and D' is
// where D cannot be with chance 1 - e^-ε1; so this is (S, S') itself. A comparison: a candidate that lacks z is above with chance
// e^(-max(0, z)/ScoreNoise), so that q <= p <= e^ε2 q; with p <= 1 this is the triangle with corners (0, 0), (1, 1) and (1, e^-ε2). At the last one D
// has a positive for certain, with the ratio e^ε2, and D' goes on with chance 1 - e^-ε2, where D never is and f(0) is all that can come: the mean of
// W_{m,j-1} over S', which is W_{m,j}. The ratios of S' have mean 1. ∎
//
// # What it is worth
//
// The standard deviation of a comparison, both noises together, in units of Δ, calibrated with [Once] to ε = 1 at δ = 1e-5 (TestNoisesBeside); and what an
// explicit search with exponential noise leaks (TestWhatExponentialNoiseLeaks), below which no bound can be:
//
//	positives at most      1      5      21     100
//	Laplace             5.89   18.9    54.8     135
//	exponential         4.16   13.4    47.3     209
//	leaks, of ε = 1     0.998  0.849   0.537   0.490
//
// Exponential noise pays for searches that end after a few positives, and costs what is proved here. For many positives the two sides are apart.
//
// The Laplace theorem is that of [Event]; the carrying over is ours.
type Noise int

// The zero value is Laplace.
const (
	Laplace     Noise = iota
	Exponential       // one-sided
)

// String returns "Laplace" or "exponential".
func (n Noise) String() string {
	switch n {
	case Laplace:
		return "Laplace"
	case Exponential:
		return "exponential"
	}
	return fmt.Sprintf("Noise(%d)", int(n))
}

func (n Noise) jsonName() string { return strings.ToLower(n.String()) }

// certain is the Rényi divergence of S from S': ln(e^-ε e^(αε))/(α-1) = ε at every order.
func certain(epsilon float64) rdp.Curve { return func(float64) float64 { return epsilon } }
