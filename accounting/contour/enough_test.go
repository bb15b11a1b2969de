package contour

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour/internal/transform"
)

// Where one direction is certainly below the other, it is only bounded, and nothing changes: the
// answer is that of both directions in full, to the last digit, and its check still holds.
func TestEnoughOfADirection(t *testing.T) {
	left, asked := 0, 0
	for _, q := range []float64{1e-4, 0.01, 0.1, 0.5} {
		for _, sigma := range []float64{0.6, 1, 3} {
			p, err := compiled(sgd(q, sigma, 300))
			if err != nil {
				t.Fatal(err)
			}
			for _, logDelta := range []float64{-3, -11.5, -40} {
				both := p.problems()
				r := both[transform.Remove].epsilonAt(logDelta, math.Inf(-1))
				a := both[transform.Add].epsilonAt(logDelta, math.Inf(-1))
				short := p.problems()[transform.Add].epsilonAt(logDelta, r.out.lower)
				if asked++; short.best == nil && a.best != nil {
					left++
					if !(a.out.upper <= short.out.upper && short.out.upper < r.out.lower) {
						t.Errorf("q %g, σ %g, ln δ %g: %v is left at %v, with %v in the other direction", q, sigma, logDelta, a.out, short.out, r.out)
					}
				}
				if full, got := largerOf(r.out, a.out), largerOf(r.out, short.out); got != full {
					t.Errorf("q %g, σ %g, ln δ %g: %v, in full %v", q, sigma, logDelta, got, full)
				}
			}
		}
	}
	if left < asked/4 {
		t.Errorf("%d of %d questions are left early", left, asked)
	}
	for _, delta := range []float64{0.05, 1e-5, 1e-17} {
		g, err := NewAccountant().EpsilonAt(sgd(0.01, 0.6, 300), delta)
		if err != nil || g.Certificate == nil {
			t.Errorf("δ %g: %v, certificate %v, error %v", delta, g, g.Certificate, err)
		}
	}
}

// At ε = 0 both directions have the total variation distance, so their intervals meet.
func TestDirectionsMeetAtZero(t *testing.T) {
	for _, q := range []float64{1e-5, 0.01, 0.5} {
		for _, sigma := range []float64{0.6, 1, 4} {
			event := sgd(q, sigma, 50)
			p, err := compiled(event)
			if err != nil {
				t.Fatal(err)
			}
			both := p.problems()
			r, a := both[transform.Remove].logDeltaAt(0, math.Inf(-1)).out, both[transform.Add].logDeltaAt(0, math.Inf(-1)).out
			if r.lower > a.upper || a.lower > r.upper || r.upper-r.lower > 1e-6 && a.upper-a.lower > 1e-6 {
				t.Errorf("q %g, σ %g: remove [%v, %v], add [%v, %v]", q, sigma, r.lower, r.upper, a.lower, a.upper)
			}
			got, err := NewAccountant().LogDeltaAt(event, 0)
			if err != nil || got.Lower > math.Min(r.upper, a.upper) || got.Upper < math.Max(r.lower, a.lower) {
				t.Errorf("q %g, σ %g: [%v, %v], error %v", q, sigma, got.Lower, got.Upper, err)
			}
		}
	}
}

// The direction that is left may have its ε far below. Its line must not be chosen for the ε that
// is checked, where the best a is 1e5 and more.
func TestCheckOfADirectionFarBelow(t *testing.T) {
	event := accounting.Composed{Events: []accounting.Event{sgd(0.004, 0.85, 17), sgd(3.9e-5, 6.1, 175_000)}}
	g, err := NewAccountant().EpsilonAt(event, 2e-8)
	if err != nil || g.Certificate == nil || len(g.Warnings) > 0 {
		t.Errorf("%v, certificate %v, error %v", g, g.Certificate, err)
	}
}
