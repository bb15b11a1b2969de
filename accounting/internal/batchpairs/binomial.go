package batchpairs

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/interval"
)

type I = interval.I

var one = interval.Of(1)

const (
	// A sum of chances ends where the rest is at most negligible times the sum.
	negligible = 0x1p-100
	// mostChances bounds the terms of a sum.
	mostChances = 2_000_000
	// leastChance is where chances would lose digits, relative to the largest.
	leastChance = 1e-280
)

// tailOf returns P[Bin(n, q) >= k] for q in (0, 1) and k in [1, n], rounded outward.
//
// All chances are relative to the one at the mode. The ratio
//
//	chance(m+1)/chance(m) = (n-m)/(m+1) q/(1-q)
//
// falls in m. So the rest of a sum is at most a geometric series.
func tailOf(n int, q I, k int) (I, error) {
	odds := q.Div(one.Sub(q))
	mode := min(n, int(float64(n+1)*q.Lo))
	up := func(m int) I { // chance(m+1)/chance(m)
		return interval.Of(float64(n - m)).Div(interval.Of(float64(m + 1))).Mul(odds)
	}
	var low, high interval.Sum // chances below k, and from k on
	steps := 0
	walk := func(m, step int, chance I) error {
		for ; m >= 0 && m <= n; m += step {
			if steps++; steps > mostChances {
				return fmt.Errorf("batchpairs: chances of Bin(%d, %g) up to %d: must be at most %d", n, q.Lo, k, mostChances)
			}
			part := &low
			if m >= k {
				part = &high
			}
			part.Add(chance)
			var ratio I
			if step > 0 {
				ratio = up(m)
			} else if m > 0 {
				ratio = one.Div(up(m - 1))
			}
			if alone := m >= k == (step > 0); (alone || chance.Hi < leastChance) && ratio.Hi < 1 {
				rest := chance.Mul(ratio).Div(one.Sub(ratio)).Hi
				if rest <= negligible*part.I().Hi || chance.Hi < leastChance {
					if step > 0 {
						part = &high
					}
					part.Add(I{Hi: rest})
					return nil
				}
			}
			chance = chance.Mul(ratio)
		}
		return nil
	}
	if err := walk(mode, 1, one); err != nil {
		return I{}, err
	}
	if mode > 0 {
		if err := walk(mode-1, -1, one.Div(up(mode-1))); err != nil {
			return I{}, err
		}
	}
	above, whole := high.I(), high.I().Add(low.I())
	return I{Lo: math.Max(0, above.Div(whole).Lo), Hi: math.Min(1, above.Div(whole).Hi)}, nil
}

// chancesOf returns C(b,j) q^j (1-q)^{b-j} for j = 0, 1, .., rounded outward, and a bound on the
// sum of the rest. The rest is so improbable that no price notices it.
func chancesOf(b int, q I) (chances []I, rest float64, err error) {
	const enough = 1e-40
	odds := q.Div(one.Sub(q))
	chance := interval.Of(float64(b)).Mul(q.Neg().Log1p()).Exp()
	for j := 0; j <= b; j++ {
		chances = append(chances, chance)
		ratio := interval.Of(float64(b - j)).Div(interval.Of(float64(j + 1))).Mul(odds)
		if ratio.Hi < 0.5 && chance.Hi < enough {
			return chances, 2 * chance.Hi, nil
		}
		if len(chances) > mostRepeats {
			return nil, 1, fmt.Errorf("batchpairs: %d draws with chance %g each: must repeat a record at most %d times with any chance above %g", b, q.Lo, mostRepeats, enough)
		}
		chance = chance.Mul(ratio)
	}
	return chances, 0, nil
}

// mostRepeats bounds how often a record is among draws with replacement.
const mostRepeats = 200
