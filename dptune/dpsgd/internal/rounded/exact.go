package rounded

import (
	"math"
	"math/big"

	"gonum.org/v1/gonum/mathext"
)

// exact returns the value of a word's bits, and of as many words of more as it needs.
func exact(word uint64, s float64, more func() uint64) float64 {
	digits := new(big.Int).SetUint64(word & (1<<63 - 1))
	for count := 63; ; count += 64 {
		if decided, ok := decide(digits, count, s, guess(digits, count, s)); ok {
			return math.Copysign(float64(decided), sign(word))
		}
		digits.Lsh(digits, 64).Or(digits, new(big.Int).SetUint64(more()))
	}
}

// guess returns a whole number near the value of the digits, to start from.
func guess(digits *big.Int, count int, s float64) int64 {
	middle := new(big.Int).Lsh(digits, 1)
	middle.Add(middle, big.NewInt(1))
	tail, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(middle), -count-2).Float64()
	return int64(math.Round(math.Max(0, -s*mathext.NormalQuantile(tail))))
}

// decide returns the k >= 0 whose interval of tails holds all numbers that begin with these digits,
// searched from a first guess. ok is false if no interval holds all of them.
func decide(digits *big.Int, count int, s float64, k int64) (value int64, ok bool) {
	precision := uint(count + 64)
	half := func(n *big.Int) *big.Float { // V/2 for V = n 2^-count, exactly
		return new(big.Float).SetMantExp(new(big.Float).SetPrec(precision).SetInt(n), -count-1)
	}
	low, high := half(digits), half(new(big.Int).Add(digits, big.NewInt(1)))
	for {
		// The tails from Q((k+½)/s) to Q((k-½)/s) have the value k; all up to ½ if k is 0.
		if bottom := upperTail(k, s, precision); high.Cmp(bottom.lo) <= 0 {
			k++
			continue
		} else if low.Cmp(bottom.hi) < 0 {
			return 0, false
		}
		if k == 0 {
			return 0, true
		}
		top := upperTail(k-1, s, precision)
		if low.Cmp(top.hi) >= 0 {
			k--
			continue
		}
		return k, high.Cmp(top.lo) <= 0
	}
}

// enclosure has a lower and an upper bound on a number.
type enclosure struct{ lo, hi *big.Float }

// upperTail encloses Q((k+½)/s), the chance that a standard normal is above. Its bounds differ by
// at most 2^(1-precision).
//
// With z = (k+½)/s,
//
//	½ - Q(z) = e^{-z²/2}/√(2π) Σ_n z^{2n+1}/(1·3·5···(2n+1)),
//
// Abramowitz and Stegun (1964), formula 26.2.11. All terms are positive. Each of the operations has
// a relative error of at most 2^(-work). There are fewer than 2^20 of them one after the other, so
// the relative error of the whole is at most 2^(20-work). work is precision + 32.
func upperTail(k int64, s float64, precision uint) enclosure {
	work := precision + 32
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(work).SetFloat64(x) }
	z := number(float64(k) + 0.5)
	z.Quo(z, number(s))
	square := number(0).Mul(z, z)
	sum, term := number(0), number(0).Set(z)
	for n := int64(1); ; n++ {
		sum.Add(sum, term)
		term.Mul(term, square).Quo(term, number(float64(2*n+1)))
		// When terms have fallen below half of the ones before, the rest is at most one more term.
		if below, _ := square.Float64(); float64(2*n+3) > 2*below && term.MantExp(nil) < sum.MantExp(nil)-int(work) {
			break
		}
	}
	density := exponential(number(0).Quo(square, number(2)), work) // e^{z²/2}
	density.Mul(density, number(0).Sqrt(number(0).Mul(number(2), pi(work))))
	half := number(0.5)
	tail := number(0).Sub(half, sum.Quo(sum, density))
	slack := new(big.Float).SetMantExp(big.NewFloat(1), -int(precision))
	return enclosure{number(0).Sub(tail, slack), number(0).Add(tail, slack)}
}

// exponential returns e^x for x >= 0, by its series.
func exponential(x *big.Float, work uint) *big.Float {
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(work).SetFloat64(x) }
	sum, term := number(0), number(1)
	size, _ := x.Float64()
	for n := 1; ; n++ {
		sum.Add(sum, term)
		term.Mul(term, x).Quo(term, number(float64(n)))
		if float64(n) > 2*size && term.MantExp(nil) < sum.MantExp(nil)-int(work) {
			return sum
		}
	}
}

// pi returns π = 16 arctan(1/5) - 4 arctan(1/239), the formula of Machin.
func pi(work uint) *big.Float {
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(work + 16).SetFloat64(x) }
	arctan := func(inverse float64) *big.Float {
		sum, power := number(0), number(0).Quo(number(1), number(inverse))
		for n := 0; power.MantExp(nil) > -int(work)-16; n++ {
			term := number(0).Quo(power, number(float64(2*n+1)))
			if n%2 == 1 {
				term.Neg(term)
			}
			sum.Add(sum, term)
			power.Quo(power, number(inverse*inverse))
		}
		return sum
	}
	first := arctan(5)
	first.Mul(first, number(16))
	second := arctan(239)
	second.Mul(second, number(4))
	return first.Sub(first, second)
}
