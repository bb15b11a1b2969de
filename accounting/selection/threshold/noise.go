package threshold

import (
	"fmt"
	"strings"

	"github.com/dplab/dplab/accounting/rdp"
)

// Noise is the law of the noises of an [Event]. A scale b is that of the density: Laplace noise has
// the standard deviation √2 b, exponential noise b. The mean is subtracted from exponential noise.
// It is public, so subtracting it only moves the threshold.
//
// # Theorem
//
// The theorem of [Event] holds for exponential noise with (S, S') of ε1 in place of (B, B'), and
// (S, S') of ε2 in place of (J, J'):
//
//	(S, S') of ε   the loss is always ε under S; S' has e^-ε of its mass there,
//	               and the rest where S has none
//
// So all losses are m ε1 + c ε2, and δ(ε) = 1 - e^(ε - m ε1 - c ε2), nearly the pure bound. The
// parts between two threshold noises are pure too, and many of them compose to less (PriceAt).
//
// Proof. It is that of [Event], which needs three properties of the pairs. First, the threshold's
// noise: ρ against ρ + Δ has the ratio e^ε1 wherever D's noise can be. With chance 1 - e^-ε1 the
// noise of D' is where that of D cannot be. So this is (S, S') itself.
//
// Second, a comparison: a candidate at distance z below is above with chance e^(-max(0,
// z)/ScoreNoise), so q <= p <= e^ε2 q. With p <= 1 this is the triangle with corners (0, 0), (1, 1)
// and (1, e^-ε2). At the last corner D has a positive for certain, with the ratio e^ε2. D' goes on
// with chance 1 - e^-ε2, where D never is, and contributes f(0). That is the mean of W_{m,j-1} over
// S', which is W_{m,j}. Third, the ratios of S' have mean 1. ∎
//
// # What it is worth
//
// The table has the standard deviation of a comparison, both noises together, in units of Δ
// (TestNoisesBeside). It is calibrated with [Once] to ε = 1 at δ = 1e-5. The last line is the leak
// of an explicit search with exponential noise, a lower limit on every bound
// (TestWhatExponentialNoiseLeaks):
//
//	positives at most      1      5      21     100
//	Laplace             5.89   18.9    54.8     135
//	exponential         4.16   13.4    47.3     209
//	leaks, of ε = 1     0.998  0.849   0.537   0.490
//
// Exponential noise is better for searches that end after a few positives, and the leak is then
// close to the bound. For many positives leak and bound are a factor of two apart.
//
// The Laplace theorem is that of [Event]. Its extension to exponential noise is ours.
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

// certain returns the Rényi divergence of S from S': ln(e^-ε e^(αε))/(α-1) = ε at every order.
func certain(epsilon float64) rdp.Curve { return func(float64) float64 { return epsilon } }
