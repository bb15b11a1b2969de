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

// Delta returns an upper bound of δ at epsilon: the least of those by the two nearest anchors. It is
// 1 if nothing is known.
func (f *Profile) Delta(epsilon float64) float64 {
	least := min(1, f.program.totalVariation())
	at := sort.Search(len(f.anchors), func(i int) bool { return f.anchors[i].Epsilon >= epsilon })
	for i := max(0, at-1); i <= at && i < len(f.anchors); i++ {
		worst := 0.0
		for d := range f.program.directions() {
			worst = max(worst, f.at(i, d)(epsilon))
		}
		least = min(least, worst)
	}
	return least
}

// relativeError is that of δ at an anchor.
const relativeError = 1e-8

func (f *Profile) at(i int, d direction) func(epsilon float64) float64 {
	if f.sums[i][d] == nil {
		f.sums[i][d] = func(float64) float64 { return 1 }
		a := f.anchors[i]
		if l, ok := f.program.prepare(d, a.Lines[d]); ok && a.Delta > 0 && a.Epsilon >= 0 && a.Epsilon < math.MaxFloat64 {
			if sampled, err := l.within(a.Delta*relativeError, a.Epsilon, fairWork); err == nil {
				f.sums[i][d] = sampled.delta
			}
		}
	}
	return f.sums[i][d]
}
