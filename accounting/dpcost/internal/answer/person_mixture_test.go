package answer

import (
	"math"
	"math/big"
	"testing"
)

// TestJoined compares the tails with exact binomial ones. They are at least as large, and larger by
// 1e-9 at most, apart from the numbers that are rounded up.
func TestJoined(t *testing.T) {
	for _, c := range []struct {
		n int
		q float64
	}{{1, 0.3}, {4, 0.01}, {16, 0.5}, {64, 0.005}, {300, 0.2}, {1000, 1e-6}, {5, 1}} {
		numbers, chances := joined(c.n, c.q)
		above := func(k int) (sum float64) {
			for i, j := range numbers {
				if j > float64(k) {
					sum += chances[i]
				}
			}
			return sum
		}
		total, exact := 0.0, new(big.Float).SetPrec(200)
		for _, w := range chances {
			total += w
		}
		if math.Abs(total-1) > 1e-12 {
			t.Errorf("%+v: chances sum to %.17g", c, total)
		}
		q := new(big.Float).SetPrec(200).SetFloat64(c.q)
		p := new(big.Float).SetPrec(200).Sub(big.NewFloat(1).SetPrec(200), q)
		for k := c.n - 1; k >= 0; k-- { // the chance of more than k
			term := new(big.Float).SetPrec(200).SetInt(new(big.Int).Binomial(int64(c.n), int64(k+1)))
			for range k + 1 {
				term.Mul(term, q)
			}
			for range c.n - k - 1 {
				term.Mul(term, p)
			}
			exact.Add(exact, term)
			want, _ := exact.Float64()
			if got := above(k); got < want*(1-1e-15) || k < exactUpTo && got > want*(1+1e-9)+1e-290 {
				t.Errorf("%+v: more than %d with chance %.17g, want %.17g", c, k, got, want)
			}
		}
	}
}
