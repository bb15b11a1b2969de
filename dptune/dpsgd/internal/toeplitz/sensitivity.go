package toeplitz

import "math"

// Norm returns an upper bound of ‖c‖, at most a few roundings above it.
func Norm(c []float64) float64 {
	sum := 0.0
	for _, v := range c {
		sum += v * v
	}
	return rootUp(sum, len(c))
}

// Periodic returns the sensitivity s of n steps for an example that takes part in every k-th one,
// rounded up. n is at least 1 and k at least 1.
func Periodic(c []float64, n, k int) float64 {
	v := absolute(c, n)
	for t := k; t < n; t++ {
		v[t] += v[t-k]
	}
	s := Norm(v) * (1 + float64(n)*0x1p-52)
	if len(c) <= k {
		return min(s, math.Nextafter(math.Sqrt(float64((n-1)/k+1))*max(1, Norm(c)), math.Inf(1)))
	}
	return s
}

// Chosen returns the sensitivity of n steps for an example that takes part in the given ones,
// rounded up.
func Chosen(c []float64, n int, steps []int) float64 {
	return Norm(shifted(c, n, steps)) * (1 + float64(len(steps))*0x1p-52)
}

// shifted returns v, the sum of |c| moved to each of some steps.
func shifted(c []float64, n int, steps []int) []float64 {
	column, v := absolute(c, n), make([]float64, n)
	for _, i := range steps {
		for t := i; t < n && t-i < len(c); t++ {
			v[t] += column[t-i]
		}
	}
	return v
}

// Largest returns the largest v_t of n steps for an example that takes part in every k-th one: how
// far it moves a single row of C G. It is rounded up.
func Largest(c []float64, n, k int) float64 {
	v, most := absolute(c, n), 0.0
	for t := range v {
		if t >= k {
			v[t] += v[t-k]
		}
		most = max(most, v[t])
	}
	return most * (1 + float64(n)*0x1p-52)
}

// absolute returns the n first |c_j|, with zeros at the end.
func absolute(c []float64, n int) []float64 {
	v := make([]float64, n)
	for j := range min(n, len(c)) {
		v[j] = math.Abs(c[j])
	}
	return v
}

// rootUp returns the root of a sum of n squares, rounded up: the sum is at most n roundings too
// small, the root one.
func rootUp(sum float64, n int) float64 {
	return math.Sqrt(sum) * (1 + float64(n+4)*0x1p-53)
}
