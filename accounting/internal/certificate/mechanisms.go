package certificate

import (
	"math"
	"math/big"

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

// NearestMu is Mu with the float64 numbers next to µ as its ends, which are equal if µ is one of
// them. It is Mu itself for more than 64 different runs.
func NearestMu(event accounting.Node) (mu interval.I, ok bool) {
	mu, ok = Mu(event)
	runs := 64
	square := muSquared(event, &runs)
	if !ok || runs < 0 {
		return mu, ok
	}
	compare := func(x float64) int { return new(big.Rat).Mul(rational(x), rational(x)).Cmp(square) }
	for next := math.Nextafter(mu.Lo, mu.Hi); mu.Lo < mu.Hi && compare(next) <= 0; next = math.Nextafter(next, mu.Hi) {
		mu.Lo = next
	}
	for next := math.Nextafter(mu.Hi, mu.Lo); mu.Lo < mu.Hi && compare(next) >= 0; next = math.Nextafter(next, mu.Lo) {
		mu.Hi = next
	}
	return mu, ok
}

// muSquared returns µ² of an event that Mu knows. It stops where runs falls below 0.
func muSquared(event accounting.Node, runs *int) *big.Rat {
	most := new(big.Rat)
	if event.Shape == accounting.Either {
		for _, child := range event.Children {
			if square := muSquared(child, runs); square.Cmp(most) > 0 {
				most = square
			}
		}
		return most
	}
	for run, times := range event.Runs() {
		if *runs--; *runs < 0 {
			return most
		}
		square := new(big.Rat)
		if gaussian, ok := run.Event.(accounting.Gaussian); ok {
			square.Inv(rational(gaussian.NoiseMultiplier))
			square.Mul(square, square)
		} else if run.Shape == accounting.Either {
			square = muSquared(run, runs)
		}
		most.Add(most, square.Mul(square, rational(times)))
	}
	return most
}

func rational(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
