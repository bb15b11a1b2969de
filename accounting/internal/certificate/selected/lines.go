package selected

import (
	"slices"

	"github.com/dplab/dplab/accounting/interval"
)

// line is offset + slope p, which is above P(p) for all p in [0, 1]. P(p) is the largest mass that
// Q' can give to outputs of mass p under Q:
//
//	P(p) <= δ(e) + e^e p,    P(p) <= 1 - (1-δ(e)) e^-e + e^-e p
type line struct{ offset, slope float64 }

func (l line) at(p float64) I {
	return interval.Of(l.offset).Add(interval.Of(l.slope).Mul(interval.Of(p)))
}

// linesOf returns lines of known, rounded up, from the steepest to the flattest. It leaves out
// lines that are nowhere the least. Any choice is valid.
func linesOf(known []Known) []line {
	var all []line
	for _, k := range known {
		e, delta := interval.Of(k.Epsilon), interval.Of(k.Delta)
		flat := e.Neg().Exp()
		all = append(all, line{k.Delta, e.Exp().Hi}, line{e.Neg().Expm1().Neg().Add(flat.Mul(delta)).Hi, flat.Hi})
	}
	slices.SortFunc(all, func(a, b line) int {
		switch {
		case a.slope > b.slope:
			return -1
		case a.slope < b.slope:
			return 1
		}
		return 0
	})
	var kept []line
	for _, l := range all {
		for len(kept) > 0 && kept[len(kept)-1].offset >= l.offset {
			kept = kept[:len(kept)-1]
		}
		for len(kept) > 1 {
			u, v := kept[len(kept)-2], kept[len(kept)-1]
			if (l.offset-v.offset)/(v.slope-l.slope) > (v.offset-u.offset)/(u.slope-v.slope) {
				break
			}
			kept = kept[:len(kept)-1]
		}
		if len(kept) == 0 || l.slope < kept[len(kept)-1].slope*(1-1e-14) {
			kept = append(kept, l)
		}
	}
	return kept
}

// least returns the index of a line that is nearly the lowest at p, from a start. Any is valid.
func least(lines []line, p float64, from int) int {
	at := func(i int) float64 { return lines[i].offset + lines[i].slope*p }
	for from+1 < len(lines) && at(from+1) <= at(from) {
		from++
	}
	for from > 0 && at(from-1) < at(from) {
		from--
	}
	return from
}
