package selected

import (
	"github.com/dplab/dplab/accounting/interval"
)

// leastMass is g(s), the least mass that Q' can give to outputs of mass s under Q. It is the
// largest of 0 and of the lines
//
//	(s - δ(e)) e^-e,    1 - δ(e) - e^e (1-s)
//
// over a list of e.
type leastMass struct {
	lines []massLine // slopes rise
	rises []rise
}

// massLine is one line of g.
type massLine struct {
	delta float64
	slope I
	steep bool // of the second form
}

// rise is a part of a function below g. It is linear there with at least this slope, and from one
// part to the next it jumps up or not at all.
type rise struct{ from, to, slope float64 }

func (l massLine) at(s float64) I {
	if l.steep {
		return one.Sub(interval.Of(l.delta)).Sub(l.slope.Mul(one.Sub(interval.Of(s))))
	}
	return interval.Of(s).Sub(interval.Of(l.delta)).Mul(l.slope)
}

func leastMassOf(known []Known) leastMass {
	var g leastMass
	for i := len(known) - 1; i >= 0; i-- {
		g.lines = append(g.lines, massLine{known[i].Delta, interval.Of(known[i].Epsilon).Neg().Exp(), false})
	}
	for _, k := range known {
		g.lines = append(g.lines, massLine{k.Delta, interval.Of(k.Epsilon).Exp(), true})
	}
	g.rises = risesOf(envelope(g.lines))
	return g
}

// most returns an upper bound on g(s): no line is above it.
func (g leastMass) most(s float64) float64 {
	most := 0.0
	for _, l := range g.lines {
		var v float64
		if l.steep {
			v = interval.Up(interval.Up(1-l.delta) - interval.Down(l.slope.Lo*max(0, interval.Down(1-s))))
		} else {
			v = interval.Up(interval.Up(s-l.delta) * l.slope.Hi)
		}
		most = max(most, v)
	}
	return min(1, most)
}

// envelope returns the lines that are the largest somewhere, about, and where each begins. The
// choice needs no care: see risesOf.
func envelope(lines []massLine) (kept []massLine, begin []float64) {
	// cross is where b overtakes a. Between steep lines it is computed from 1-s.
	cross := func(a, b massLine) float64 {
		if a.steep && b.steep {
			return 1 - (b.delta-a.delta)/(a.slope.Hi-b.slope.Hi)
		}
		at0 := func(l massLine) float64 {
			if l.steep {
				return 1 - l.delta - l.slope.Hi
			}
			return -l.delta * l.slope.Hi
		}
		return (at0(a) - at0(b)) / (b.slope.Hi - a.slope.Hi)
	}
	for _, l := range lines {
		zero := l.delta
		if l.steep {
			zero = 1 - (1-l.delta)/l.slope.Hi
		}
		at := zero
		for len(kept) > 0 {
			at = cross(kept[len(kept)-1], l)
			if at > begin[len(begin)-1] {
				break
			}
			kept, begin = kept[:len(kept)-1], begin[:len(begin)-1]
			at = zero
		}
		if at < 1 { // not NaN, as of equal slopes
			kept, begin = append(kept, l), append(begin, max(0, at))
		}
	}
	return kept, begin
}

// risesOf returns parts that cover [0, 1]. A line takes over from the one before at a place where
// it is shown not to be below it. A line without such a place nearby is left out.
func risesOf(lines []massLine, begin []float64) []rise {
	rises := []rise{{0, 1, 0}}
	var last *massLine
	for i := range lines {
		l := &lines[i]
		s := max(begin[i], rises[len(rises)-1].from)
		for late := 0x1p-46; late < 1e-6; late *= 4 {
			if s = max(interval.Up(s), s+late*min(max(s, 1e-280), max(1-s, 1e-16))); s >= 1 {
				break
			}
			below := 0.0
			if last != nil {
				below = max(0, last.at(s).Hi)
			}
			if l.at(s).Lo >= below {
				rises[len(rises)-1].to = s
				rises, last = append(rises, rise{s, 1, l.slope.Lo}), l
				break
			}
		}
	}
	return rises
}
