package onerun

import (
	"math"
	"sort"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/internal/tails"
)

// firstAlarm returns the least number of right guesses at which a bound exceeds the truth, or
// r+1. All bounds grow with it.
func firstAlarm(m, r int, exceeds func(Guesses) bool) int {
	return sort.Search(r+1, func(v int) bool { return exceeds(Guesses{m, r, v}) })
}

// False alarms of the bounds for one run on honest mechanisms, whose laws of right guesses are
// known: no simulation, no tolerance. Where nothing is lost on the way the rate comes near to
// the significance.
func TestBoundsHoldExactly(t *testing.T) {
	const alpha = 0.05
	bounds := map[string]func(Guesses, audit.Config) (audit.Bound, error){"one-run": Bound, "one-run-max": Max}

	// Randomized response on every bit: the right guesses are Bin(r, p), p = e^ε/(1+e^ε).
	for name, bound := range bounds {
		for _, c := range []struct {
			m       int
			epsilon float64
		}{{20, 0}, {100, 0.5}, {100, 2}, {1000, 1}, {1000, 4}} {
			v := firstAlarm(c.m, c.m, func(g Guesses) bool { return must(bound(g, audit.Config{})).Epsilon > c.epsilon })
			rate := tails.BinomialUpper(v, c.m, tails.Logistic(c.epsilon))
			if rate > alpha || c.epsilon < 4 && rate < alpha/4 {
				t.Errorf("%s, %d bits by randomized response, ε = %g: false alarms %.4f, want at most 0.05 and not far below", name, c.m, c.epsilon, rate)
			}
		}
	}

	// Two ways to spend δ: all bits at once with chance δ, and each bit by itself, where the
	// auditor guesses the bits that leaked first and the others by randomized response.
	for name, bound := range bounds {
		for _, c := range []struct {
			m, r           int
			epsilon, delta float64
		}{{100, 100, 1, 1e-3}, {200, 200, 2, 1e-3}, {1000, 50, 1, 1e-4}, {1000, 30, 0, 2e-4}, {2000, 20, 1, 2e-5}, {5000, 100, 0.5, 2e-5}, {50, 12, 0, 2e-3}} {
			v := firstAlarm(c.m, c.r, func(g Guesses) bool { return must(bound(g, audit.Config{Delta: c.delta})).Epsilon > c.epsilon })
			if v > c.r {
				t.Errorf("%s, %+v: no number of right guesses gives an alarm: the case says nothing", name, c)
				continue
			}
			p := tails.Logistic(c.epsilon)
			atOnce := (1-c.delta)*tails.BinomialUpper(v, c.r, p) + c.delta
			var each float64
			for leaked := range c.m + 1 {
				l := min(leaked, c.r)
				each += tails.BinomialPMF(leaked, c.m, c.delta) * tails.BinomialUpper(v-l, c.r-l, p)
			}
			if atOnce > alpha || each > alpha {
				t.Errorf("%s, %+v: false alarms %.4f where δ leaks all at once, %.4f bit by bit, want at most 0.05", name, c, atOnce, each)
			}
		}
	}

	// Gaussian noise on every bit, all guessed: Bin(m, Φ(µ/2)).
	for _, c := range []struct {
		m  int
		mu float64
	}{{20, 0.5}, {100, 1}, {1000, 1}, {1000, 3}} {
		v := firstAlarm(c.m, c.m, func(g Guesses) bool { return must(FDP(g, audit.Config{Delta: 1e-5})).Mu > c.mu })
		if rate := tails.BinomialUpper(v, c.m, numeric.NormalCDF(c.mu/2)); rate > alpha || math.IsNaN(rate) {
			t.Errorf("one-run-fdp, %d bits with Gaussian noise, µ = %g: false alarms %.4f, want at most 0.05", c.m, c.mu, rate)
		}
	}
}
