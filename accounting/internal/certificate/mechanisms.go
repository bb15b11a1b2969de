package certificate

import (
	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/interval"
)

func of(x float64) interval.I { return interval.Of(x) }

var one = of(1)

// RateRounding bounds the share that accounting.Flatten and accounting.Node.Lowered add to a
// sampling rate of at least LeastRate: 2^-52 for each of at most 32 samples inside each other, and
// for a ratio of numbers of records.
const RateRounding, LeastRate = 0x1p-46, 0x1p-800

// Private returns the ε and δ of a mechanism that is (ε, δ)-private.
func Private(event accounting.Event) (epsilon interval.I, delta float64, ok bool) {
	switch e := event.(type) {
	case accounting.Laplace:
		return one.Div(of(e.NoiseMultiplier)), 0, true
	case accounting.RandomizedResponse: // ln(p/(1-p))
		return of(e.Truth).Div(one.Sub(of(e.Truth))).Log().Positive(), 0, true
	case accounting.PureDP:
		return of(e.Epsilon), 0, true
	case accounting.ExponentialMechanism:
		return of(e.Epsilon), 0, true
	case accounting.PermuteAndFlip:
		return of(e.Epsilon), 0, true
	case accounting.ApproxDP:
		return of(e.Epsilon), e.Delta, true
	}
	return interval.I{}, 0, false
}

// Mu returns µ of a composition of Gaussians, the root of the sum of squares of 1/σ. A Parallel
// or a WorstCase of such compositions has the largest µ.
func Mu(event accounting.Node) (mu interval.I, ok bool) {
	if event.Shape == accounting.Either {
		for i, child := range event.Children {
			one, ok := Mu(child)
			if !ok {
				return interval.I{}, false
			}
			if i == 0 {
				mu = one
			}
			mu = interval.I{Lo: max(mu.Lo, one.Lo), Hi: max(mu.Hi, one.Hi)}
		}
		return mu, true
	}
	var squares interval.Sum
	for run, times := range event.Runs() {
		gaussian, ok := run.Event.(accounting.Gaussian)
		mu := one.Div(of(gaussian.NoiseMultiplier))
		if run.Shape == accounting.Either {
			mu, ok = Mu(run)
		}
		if !ok || !(mu.Lo > 1e-140 && mu.Hi < 1e140) { // the square is far from underflow and overflow
			return interval.I{}, false
		}
		squares.Add(mu.Mul(mu).Mul(of(times)))
	}
	return squares.I().Sqrt(), true
}
