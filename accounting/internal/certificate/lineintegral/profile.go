package lineintegral

import (
	"math"
	"sort"
)

// Anchor is the witness of a profile near one ε: a line for each direction. Delta is a guess of δ
// there, which decides how much work is done.
type Anchor struct {
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta"`
	Lines   [2]Line `json:"lines"` // remove, add
}

// Profile bounds δ of a program at many ε. Each line is sampled once.
type Profile struct {
	program Program
	anchors []Anchor
	sums    [][2]func(epsilon float64) float64 // nil until they are wanted
}

// NewProfile takes anchors by rising ε.
func NewProfile(p Program, anchors []Anchor) *Profile {
	return &Profile{p, anchors, make([][2]func(float64) float64, len(anchors))}
}

// Delta returns an upper bound of δ at epsilon: the least of that by the next anchor, and of that
// by the last one below whose sum is known. It is 1 if nothing is known.
func (f *Profile) Delta(epsilon float64) float64 {
	least := min(1, f.program.totalVariation())
	at := sort.Search(len(f.anchors), func(i int) bool { return f.anchors[i].Epsilon >= epsilon })
	if at < len(f.anchors) {
		least = min(least, f.by(at, epsilon))
	}
	for i := at - 1; i >= 0; i-- {
		if below := f.by(i, epsilon); below < 1 {
			return min(least, below)
		}
	}
	return least
}

// by returns the bound by one anchor.
func (f *Profile) by(i int, epsilon float64) (worst float64) {
	for d := range f.program.directions() {
		if worst = max(worst, f.at(i, d)(epsilon)); worst >= 1 {
			return 1
		}
	}
	return worst
}

// relativeErrors are those of δ at an anchor, from the best on. The first possible one is taken.
// Without one Chernoff's bound is enough if the other direction has the larger δ.
var relativeErrors = [...]float64{1e-9, 1e-6, 1e-3}

func (f *Profile) at(i int, d direction) func(epsilon float64) float64 {
	if f.sums[i][d] == nil {
		a := f.anchors[i]
		l, ok := f.program.prepare(d, a.Lines[d])
		f.sums[i][d] = func(epsilon float64) float64 { return l.chernoff(f.program, epsilon) }
		if !ok {
			f.sums[i][d] = func(float64) float64 { return 1 }
		} else if a.Delta > 0 && a.Epsilon >= 0 && a.Epsilon < math.MaxFloat64 {
			for _, r := range l.real {
				l.shifted = append(l.shifted, newShifted(r))
			}
			for _, relative := range relativeErrors {
				if sampled, err := l.within(a.Delta*relative, a.Epsilon, fairWork); err == nil {
					f.sums[i][d] = sampled.delta
					break
				}
			}
		}
	}
	return f.sums[i][d]
}
