package gdp

import (
	"math"
	"math/big"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/interval"
)

// nearestMu is certificate.Mu with the float64 numbers next to µ as its ends. They are equal if µ
// is one of them. It is Mu itself for more than 64 different runs.
func nearestMu(event accounting.Node) (mu interval.I, ok bool) {
	mu, ok = certificate.Mu(event)
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

// muSquared returns µ² of an event that certificate.Mu knows. It stops where runs falls below 0.
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
