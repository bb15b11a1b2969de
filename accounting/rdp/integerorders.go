package rdp

import (
	"math"
	"sync"

	"github.com/dplab/dplab/accounting/numeric"
)

// MaxIntegerOrder is the largest order of the binomial sums. The sum at order n evaluates a curve
// at 2..n, so the cost of a price grows with it.
const MaxIntegerOrder = 512

// AtIntegers turns a bound at integer orders into a curve. exponent(n) bounds
//
//	(n-1) D_n    for n = 2..MaxIntegerOrder, both directions.
//
// otherwise is a bound at all real orders. It is used above MaxIntegerOrder, below 2, and where
// exponent is +Inf.
//
// (α-1) D_α is convex in α (it is the logarithm of a moment), so the chord between two integers
// bounds it. D_α does not fall with α, so D_2 bounds the orders below 2.
func AtIntegers(exponent func(n int) float64, otherwise Curve) Curve {
	exponent = memoizedInteger(exponent)
	return func(order float64) float64 {
		if !(order > 1) {
			return math.Inf(1)
		}
		value := math.Inf(1)
		switch {
		case order <= 2:
			value = exponent(2)
		case order <= MaxIntegerOrder:
			value = chord(exponent, order) / (order - 1)
		}
		if order < 2 || math.IsInf(value, 1) || math.IsNaN(value) {
			value = numeric.Lesser(otherwise(order), value)
		}
		if value == 0 && exponent(2) > 0 {
			return math.SmallestNonzeroFloat64 // a cost that underflows is rounded up
		}
		return value
	}
}

// chord interpolates f between the integers around x.
func chord(f func(int) float64, x float64) float64 {
	n := int(math.Floor(x))
	t := x - float64(n)
	if t == 0 {
		return f(n)
	}
	return (1-t)*f(n) + t*f(n+1)
}

// memoizedInteger returns f with a memory of its values. It is safe for concurrent use.
func memoizedInteger(f func(n int) float64) func(n int) float64 {
	var lock sync.Mutex
	memory := make(map[int]float64)
	return func(n int) float64 {
		lock.Lock()
		value, ok := memory[n]
		lock.Unlock()
		if ok {
			return value
		}
		value = f(n)
		lock.Lock()
		defer lock.Unlock()
		memory[n] = value
		return value
	}
}

// logMoment returns k -> ln of the bound on the k-th moment E_P[(P'/P)^k] that a curve
// implies: (k-1) ε(k), and 0 for k = 0 and 1.
func logMoment(curve Curve) func(k int) float64 {
	curve = Memoized(curve)
	return memoizedInteger(func(k int) float64 {
		if k < 2 {
			return 0
		}
		return float64(k-1) * curve(float64(k))
	})
}

// Memoized returns the curve, or ε as a function of δ, with a memory of its values. It is safe for
// concurrent use. NaN becomes +Inf.
func Memoized(curve Curve) Curve {
	const limit = 10_000 // orders remembered, some hundred kilobytes
	var lock sync.Mutex
	memory := make(map[float64]float64)
	return func(order float64) float64 {
		lock.Lock()
		value, ok := memory[order]
		lock.Unlock()
		if ok {
			return value
		}
		if value = curve(order); math.IsNaN(value) {
			value = math.Inf(1)
		}
		lock.Lock()
		defer lock.Unlock()
		if len(memory) < limit {
			memory[order] = value
		}
		return value
	}
}
