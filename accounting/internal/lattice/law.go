package lattice

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dplab/dplab/accounting/interval"
)

// unit bounds the relative error of one rounded operation. It is twice 2^-53.
const unit = 0x1p-52

// law is the law of an integer. The chance of the value first+i is at least mass[i](1-relative),
// and at most mass[i](1+relative) + missing. A value that is not listed has a chance of at most
// missing.
type law struct {
	first             int
	mass              []float64
	relative, missing float64
}

// worst is the largest relative error of a chance that is listed.
const worst = 1e-6

// newLaw returns the law of the values from first on with these chances. A chance with a large
// relative error is not listed.
func newLaw(first int, chances []interval.I) law {
	l := law{first: first, mass: make([]float64, len(chances))}
	for i, c := range chances {
		middle := c.Lo + (c.Hi-c.Lo)/2
		relative := (c.Hi - c.Lo) / middle * (0.5 + 1e-3)
		switch {
		case c.Hi <= 0:
		case middle > least && relative <= worst:
			l.mass[i], l.relative = middle, math.Max(l.relative, relative)
		default:
			l.missing += c.Hi * (1 + unit)
		}
	}
	l.missing *= 1 + float64(len(chances))*unit
	return l
}

// least is far above the numbers that lose digits because they are subnormal.
const least = 1e-290

// plus returns the law of the sum of two independent integers.
//
// Its chances are sums of at most n products of positive numbers, for n listed values of the
// shorter law. Let A be the true chances of one law, A' the part of them that is listed, and B of
// the other. Then A*B - A'*B' = (A-A')*B + A'*(B-B'), so the chances that are not listed add.
func (a law) plus(b law) law {
	if len(a.mass) > len(b.mass) {
		a, b = b, a
	}
	out := law{
		first: a.first + b.first, mass: convolved(a.mass, b.mass),
		relative: grown(a.relative, b.relative, len(a.mass)), missing: (a.missing + b.missing + least) * (1 + 4*unit),
	}
	return out
}

// grown returns the relative error of a sum of n products of numbers with relative errors a and b.
func grown(a, b float64, n int) float64 {
	return (a + b + a*b + float64(n+2)*unit*(1+a)*(1+b)) * (1 + 8*unit)
}

// convolved returns Σ a[i] b[k-i]. a is the shorter one.
func convolved(a, b []float64) []float64 {
	out := make([]float64, len(a)+len(b)-1)
	for i, x := range a {
		if x != 0 {
			floats.AddScaled(out[i:i+len(b)], x, b)
		}
	}
	return out
}

// trimmed leaves out values at both ends with a chance of at most drop on each side.
func (a law) trimmed(drop float64) law {
	from, to, lost := 0, len(a.mass), 0.0
	for sum := 0.0; to-from > 1; from++ {
		if sum += a.mass[from]; sum > drop {
			break
		}
		lost += a.mass[from]
	}
	for sum := 0.0; to-from > 1; to-- {
		if sum += a.mass[to-1]; sum > drop {
			break
		}
		lost += a.mass[to-1]
	}
	a.missing = (a.missing + lost*(1+a.relative)) * (1 + float64(len(a.mass)+4)*unit)
	a.first, a.mass = a.first+from, a.mass[from:to]
	return a
}

// times returns the law of the sum of n >= 1 independent integers with this law.
func (a law) times(n int, drop float64) law {
	var out law
	for first := true; ; a = a.plus(a).trimmed(drop) {
		if n&1 == 1 {
			if first {
				out, first = a, false
			} else {
				out = out.plus(a).trimmed(drop)
			}
		}
		if n >>= 1; n == 0 {
			return out
		}
	}
}
