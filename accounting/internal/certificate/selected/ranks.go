package selected

import (
	"math"

	"github.com/dplab/dplab/accounting/interval"
)

// pair is a bound on one output of mass p of better ones: a >= f'(1-p), b <= f'(1-P(p)). Where logs
// is set, both are logarithms.
type pair struct{ a, b float64 }

// A measure grows with a and falls with b. The pairs at which it is at most v form a convex set,
// for every v. So on a segment of pairs it is largest at an end.
type measure func(pair) float64

// parts bounds a measure of f'(1-p) and f'(1-P(p)) over all p in [0, 1].
type parts struct {
	law   Law
	lines []line
	of    measure
	// logs asks for logarithms of f', which must be convex: they need fewer parts.
	logs bool
	// enough is a value that needs no proof. If grows is set, it rises to tolerance above the
	// values that are met.
	enough, tolerance float64
	grows             bool

	line int
	left int // parts that may still be looked at
}

// place is p with f'(1-p) from above.
type place struct{ p, a float64 }

func (s *parts) place(p float64) place { return place{p, s.first(interval.Of(p)).Hi} }

// first returns f', or its logarithm.
func (s *parts) first(p I) I {
	if s.logs {
		return s.law.Log.First(p)
	}
	return s.law.First(p)
}

// lowest is a lower bound on all f', or on their logarithms.
func (s *parts) lowest() float64 {
	if s.logs {
		return math.Inf(-1)
	}
	return 0
}

// most returns an upper bound on the measure over all p in [0, 1].
func (s *parts) most() float64 {
	if len(s.lines) == 0 { // nothing is known: P = 1
		return s.of(pair{s.first(I{}).Hi, s.first(one).Lo})
	}
	most, near := math.Inf(-1), s.place(0)
	for p := 0x1p-60; p <= 1; p *= 4 {
		far := s.place(p)
		most = max(most, s.part(near, far, 60))
		near = far
		if rest := s.of(pair{near.a, s.lowest()}); rest <= s.enough || s.left < 0 {
			most = max(most, rest)
			break
		}
	}
	if s.left < 0 {
		return math.Inf(1)
	}
	return most
}

// part returns an upper bound between two places, or any value up to enough if it is at most that.
//
// f'(1-p) is convex in p, as its logarithm must be, so it is below its chord. P is below a line,
// and f'(1-line) is convex in p and so above a tangent. The pairs of chord and tangent are a
// segment, and the measure is largest at its ends.
func (s *parts) part(near, far place, depth int) float64 {
	s.left--
	if v := s.of(pair{near.a, s.lowest()}); v <= s.enough {
		return v
	}
	middle := near.p + (far.p-near.p)/2
	if near.p > 0 && far.p > 2*near.p {
		middle = math.Sqrt(near.p) * math.Sqrt(far.p)
	}
	s.line = least(s.lines, middle, s.line)
	l := s.lines[s.line]
	tangent := s.tangent(l, middle)
	v := max(s.of(pair{near.a, tangent(near.p)}), s.of(pair{far.a, tangent(far.p)}))
	if v <= s.enough || s.left < 0 {
		return v
	}
	if depth == 0 || !(middle > near.p && middle < far.p) {
		return min(v, s.of(pair{near.a, s.first(l.at(far.p)).Lo}))
	}
	if s.grows {
		// tangent(middle) is f' at the middle, so v cannot fall below this value.
		met := s.of(pair{s.place(middle).a, tangent(middle)})
		if s.enough = max(s.enough, met+s.tolerance); v <= s.enough {
			return v
		}
	}
	m := s.place(middle)
	return max(s.part(near, m, depth-1), s.part(m, far, depth-1))
}

// tangent returns a lower bound on f'(1-P(p)) as a function of p: the tangent of f'(1-l) at middle.
// It may be negative. Where the line is above 1, P is at most 1.
func (s *parts) tangent(l line, middle float64) func(p float64) float64 {
	y := l.at(middle).Hi
	if y >= 1 {
		end := s.first(one).Lo
		return func(float64) float64 { return end }
	}
	at := interval.Of(y)
	value, slope := s.first(at), I{}
	if s.logs {
		slope = s.law.Log.Rate(at)
	} else {
		slope = s.law.Second(at)
	}
	return func(p float64) float64 {
		return value.Sub(slope.Mul(l.at(p).Sub(at))).Lo
	}
}
