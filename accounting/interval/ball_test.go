package interval

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// complexNumber has parts of 2,400 bits.
type complexNumber struct{ re, im *big.Float }

func (a complexNumber) add(b complexNumber) complexNumber {
	return complexNumber{bigOf(0).Add(a.re, b.re), bigOf(0).Add(a.im, b.im)}
}

func (a complexNumber) mul(b complexNumber) complexNumber {
	product := func(x, y *big.Float) *big.Float { return bigOf(0).Mul(x, y) }
	return complexNumber{bigOf(0).Sub(product(a.re, b.re), product(a.im, b.im)), bigOf(0).Add(product(a.re, b.im), product(a.im, b.re))}
}

// within reports whether a ball holds a number.
func (a complexNumber) within(b Ball) bool {
	x, y := bigOf(0).Sub(a.re, bigOf(b.Re)), bigOf(0).Sub(a.im, bigOf(b.Im))
	square := bigOf(0).Add(x.Mul(x, x), y.Mul(y, y))
	return square.Cmp(bigOf(0).Mul(bigOf(b.Rad), bigOf(b.Rad))) <= 0
}

// ballsHold compares drawn sums, products and powers of members with their balls. It returns the
// first that is outside of its ball.
func ballsHold(cases int) string {
	rng := rand.New(rand.NewPCG(34, 1))
	drawn := func() (Ball, complexNumber) {
		size := math.Exp(8 * rng.NormFloat64())
		b := Ball{size * rng.NormFloat64(), size * rng.NormFloat64(), 0}
		x := complexNumber{bigOf(b.Re), bigOf(b.Im)}
		if rng.IntN(2) == 0 {
			b.Rad = size * math.Exp(-40*rng.Float64())
			off := rng.Float64() // of a member at the edge: 0.6² + 0.8² = 1, scaled down
			x = x.add(complexNumber{bigOf(0.6 * off * b.Rad), bigOf(-0.8 * off * b.Rad)})
		}
		return b, x
	}
	for range cases {
		a, x := drawn()
		b, y := drawn()
		n := 1 + rng.IntN(9)
		power := x
		for range n - 1 {
			power = power.mul(x)
		}
		for what, c := range map[string]struct {
			ball Ball
			want complexNumber
		}{
			"sum":                      {a.Add(b), x.add(y)},
			"product":                  {a.Mul(b), x.mul(y)},
			fmt.Sprintf("power %d", n): {a.Pow(int64(n)), power},
		} {
			if !c.want.within(c.ball) {
				return fmt.Sprintf("%s of %v and %v is %v, without a member", what, a, b, c.ball)
			}
			if most := bigOf(c.ball.Most()); c.want.mul(complexNumber{c.want.re, bigOf(0).Neg(c.want.im)}).re.Cmp(most.Mul(most, most)) > 0 {
				return fmt.Sprintf("%s of %v and %v is larger than %g", what, a, b, c.ball.Most())
			}
		}
	}
	return ""
}

func TestBalls(t *testing.T) {
	if wrong := ballsHold(2000); wrong != "" {
		t.Error(wrong)
	}
	if wide := (Ball{1, 0, 0.1}).Mul(Ball{0, 1, 0.2}); math.Abs(wide.Rad-0.32) > 1e-9 {
		t.Errorf("radius of a product %g, want 0.1 + 0.2 + 0.02", wide.Rad)
	}
	if b := BallOf(I{1, 3}, I{-1, 0}); b.Re != 2 || b.Im != -0.5 || !(b.Rad >= math.Hypot(1, 0.5)) || b.Rad > 1.5001 {
		t.Errorf("ball of [1, 3] + i [-1, 0]: %v", b)
	}
}
