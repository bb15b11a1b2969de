package ranks

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/dplab/dplab/accounting/selection/baserun"
)

// rankLines is P(p), the largest mass p' that one law of a run can give to outputs of mass p under
// the other. It is the least of rising lines, in the order in which they decide as p grows.
type rankLines struct{ slope, offset []float64 }

// newRankLines takes both lines of each e, and keeps those that decide somewhere in [0, 1].
func newRankLines(known []baserun.Point) rankLines {
	type straight struct{ slope, offset float64 }
	all := make([]straight, 0, 2*len(known))
	for _, l := range slices.Backward(known) { // slopes fall
		all = append(all, straight{l.X, l.Delta})
	}
	for _, l := range known {
		// 1 - (1-δ) e^-e, without cancellation, which would lose a small δ.
		all = append(all, straight{1 / l.X, -math.Expm1(-l.E) + l.Delta/l.X})
	}
	slices.SortFunc(all, func(a, b straight) int { // of one slope, the least offset first
		return cmp.Or(cmp.Compare(b.slope, a.slope), cmp.Compare(a.offset, b.offset))
	})
	kept := all[:0] // it is never ahead of s
	for _, s := range all {
		if len(kept) > 0 && kept[len(kept)-1].slope == s.slope {
			continue
		}
		for len(kept) > 0 && kept[len(kept)-1].offset >= s.offset { // flatter and lower at 0: the last kept line never decides
			kept = kept[:len(kept)-1]
		}
		for len(kept) > 1 {
			u, v := kept[len(kept)-2], kept[len(kept)-1]
			// v decides between its crossing with u and that with s.
			if (s.offset-v.offset)*(u.slope-v.slope) > (v.offset-u.offset)*(v.slope-s.slope) {
				break
			}
			kept = kept[:len(kept)-1]
		}
		kept = append(kept, s)
	}
	r := rankLines{make([]float64, 0, len(kept)), make([]float64, 0, len(kept))}
	for _, s := range kept {
		r.slope, r.offset = append(r.slope, s.slope), append(r.offset, s.offset)
	}
	return r
}

// piece is the range where one line decides, up to rounding. Any line is above P everywhere.
type piece struct{ slope, offset, from, to float64 }

// pieces covers [0, p*], with p* the least p where P is 1, from there down to 0. There are none if
// no line is known.
func (r rankLines) pieces() []piece {
	pieces := make([]piece, 0, len(r.slope))
	from := 0.0
	for i, s := range r.slope {
		end := (1 - r.offset[i]) / s // where the line is 1
		to := end
		if i+1 < len(r.slope) {
			to = math.Min(end, (r.offset[i+1]-r.offset[i])/(s-r.slope[i+1]))
		}
		if to = math.Min(1, to); to >= from {
			pieces = append(pieces, piece{s, r.offset[i], from, to})
			from = to
		}
		if to == end || from >= 1 {
			break
		}
	}
	slices.Reverse(pieces)
	return pieces
}

// at returns the line's value at p in [0, 1], rounded up, and rounded down.
func (l piece) at(p float64) (up, down float64) {
	v := l.offset + l.slope*p
	return math.Min(1, v*(1+6*0x1p-53)), math.Min(1, v*(1-6*0x1p-53))
}

// at returns P(p), rounded up. The lines' values fall up to the line that decides, then rise. Any
// of them is above P.
func (r rankLines) at(p float64) float64 {
	value := func(i int) float64 { return r.offset[i] + r.slope[i]*p }
	if len(r.slope) == 0 {
		return 1
	}
	i := sort.Search(len(r.slope)-1, func(i int) bool { return value(i+1) >= value(i) })
	up, _ := piece{slope: r.slope[i], offset: r.offset[i]}.at(p)
	return up
}
