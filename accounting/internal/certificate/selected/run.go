package selected

import (
	"math"
	"sort"

	"github.com/dplab/dplab/accounting/internal/certificate/laws"
	"github.com/dplab/dplab/accounting/interval"
)

// I is an interval.
type I = interval.I

var one = interval.Of(1)

// Law is a law of K in intervals.
type Law = laws.Law

// Known is given: δ of one run at Epsilon is at most Delta, in both directions.
type Known struct{ Epsilon, Delta float64 }

// Run is what is given of one run.
type Run struct {
	known []Known // Epsilon rises
	far   []Known // Epsilon is at least MostOfRun; only Profile asks them
	lines []line  // above P
	stick stick
}

// NewRun takes values of one privacy profile. It leaves out what is not a value of a profile.
func NewRun(known []Known) Run {
	var r Run
	for _, k := range known {
		rises := len(r.known) == 0 || k.Epsilon > r.known[len(r.known)-1].Epsilon
		switch ok := k.Epsilon >= 0 && k.Delta >= 0 && k.Delta <= 1; {
		case ok && k.Epsilon >= MostOfRun:
			r.far = append(r.far, k)
		case ok && rises:
			r.known = append(r.known, k)
		}
	}
	r.lines, r.stick = linesOf(r.known), stickOf(r.known)
	return r
}

// MostOfRun is above every ε whose e^ε is computed.
const MostOfRun = 700

// Delta returns an upper bound on δ(ε) at any number that is at least epsilon.
func (r Run) Delta(epsilon I) float64 {
	least := r.Excess(max(0, epsilon.Exp().Lo))
	for _, k := range r.far {
		if k.Epsilon <= epsilon.Lo {
			least = min(least, k.Delta)
		}
	}
	return least
}

// Excess returns an upper bound on H(t) = ∫ (Q - t Q')₊ at any number that is at least t.
func (r Run) Excess(t float64) float64 { return r.stick.at(t) }

// stick bounds H from above: H(t) = δ(ln t) for t >= 1, and H(t) <= 1 - t +
// t δ(-ln t) below. H is convex and does not rise.
type stick struct {
	t []I
	h []float64
}

func stickOf(known []Known) stick {
	s := stick{[]I{{}}, []float64{1}}
	add := func(t I, h float64) {
		last := len(s.t) - 1
		if h = max(0, min(h, s.h[last])); t.Lo > s.t[last].Hi {
			s.t, s.h = append(s.t, t), append(s.h, h)
		}
	}
	for i := len(known) - 1; i >= 0; i-- {
		e := interval.Of(known[i].Epsilon).Neg()
		t := e.Exp()
		add(t, e.Expm1().Neg().Add(t.Mul(interval.Of(known[i].Delta))).Hi)
	}
	for _, k := range known {
		add(interval.Of(k.Epsilon).Exp(), k.Delta)
	}
	return s
}

// at returns an upper bound on H at any number that is at least t.
func (s stick) at(t float64) float64 {
	i := sort.Search(len(s.t), func(i int) bool { return s.t[i].Hi > t }) // the first behind t
	switch {
	case i == 0 || math.IsNaN(t):
		return 1
	case i == len(s.t):
		return s.h[i-1]
	}
	// On the chord. A smaller share is further up.
	share := interval.Of(t).Sub(s.t[i-1]).Div(s.t[i].Sub(s.t[i-1])).Lo
	share = max(0, min(1, share))
	down := max(0, interval.Down(share*interval.Down(s.h[i-1]-s.h[i])))
	return min(s.h[i-1], interval.Up(s.h[i-1]-down))
}
