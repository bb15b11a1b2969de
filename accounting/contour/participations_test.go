package contour

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/numeric"
)

// manyParticipations are log δ of small noise, from testdata/participations.py: the sum over the
// numbers of participations of the Gaussian profile at each, 40 digits. There a participation's
// loss is log q + v, and any other's log(1-q), but for outputs of probability below 1e-8 in all,
// which move log δ by less than 1e-6.
var manyParticipations = []struct {
	phases  []transform.Phase
	mu      float64
	epsilon float64
	want    float64
}{
	{[]transform.Phase{{Q: .0087, Sigma: .05, Count: 74469}}, 0, 125000, -0.5694931437516},
	{[]transform.Phase{{Q: .0087, Sigma: .05, Count: 74469}}, 0, 160000, -24.54574817815},
	{[]transform.Phase{{Q: 1.5e-4, Sigma: .04, Count: 948749}}, 0, 90000, -66.624752170301},
	{[]transform.Phase{{Q: .01, Sigma: .03, Count: 1000}}, 0, 9000, -3.5806616136707},
	{[]transform.Phase{{Q: .01, Sigma: .03, Count: 1000}}, 0, 500, -9.3629233029117e-5},
	{[]transform.Phase{{Q: .9, Sigma: .02, Count: 100000}}, 0, 112000000, -5.1131394068089e-5},
	{[]transform.Phase{{Q: .01, Sigma: .05, Count: 1000}, {Q: .002, Sigma: .04, Count: 2000}}, 3, 4500, -2.6554397659246},
	{[]transform.Phase{{Q: .01, Sigma: .05, Count: 1000}, {Q: .002, Sigma: .04, Count: 2000}}, 3, 9000, -17.407489575383},
	{[]transform.Phase{{Q: 1e-8, Sigma: .03, Count: 1e9}}, 0, 20000, -24.650616469607},
}

// TestManyParticipations holds the floor against the truth: not above it, and close below for one
// phase; phases are bounded together by their chains.
func TestManyParticipations(t *testing.T) {
	for _, c := range manyParticipations {
		p := program{phases: c.phases, mu: c.mu}
		got := newFloor(p.problems()[transform.Remove], c.want).logDelta(c.epsilon)
		near := 0.05
		if len(c.phases) > 1 {
			near = 3
		}
		if got > c.want+1e-6 || got < c.want-near {
			t.Errorf("%+v: log δ(%g) is at least %.12g, want %.12g, at most %g above", c.phases, c.epsilon, got, c.want, near)
		}
	}
}

// TestSmallNoise asks where many participations decide and the lower end was [94.4, ...] and
// [709.4, ...]: it now is within 5 % of the upper one.
func TestSmallNoise(t *testing.T) {
	for i, c := range []drawn{
		{.0087, .088, 74469, numeric.Log(.3)},
		{1.5e-4, .052, 948749, numeric.Log(4) - 211*math.Ln10},
		{.01, .001, 1000, numeric.Log(1e-10)},
	} {
		if testing.Short() && i != 1 {
			continue
		}
		g, err := search.EpsilonAtLogDelta(c.event(), c.logDelta)
		if err != nil || !(g.Epsilon.Lower > 0.94*g.Epsilon.Upper) {
			t.Errorf("%+v: %v, %v: want a lower end of 0.94 of the upper one and more", c, g.Epsilon, err)
		}
	}
	d, err := NewAccountant().LogDeltaAt(accounting.Composed{Events: []accounting.Event{sgd(.0087, .05, 74469)}}, 125000)
	if want := -0.5694931437516; err != nil || d.Lower > want+1e-6 || d.Upper < want-1e-6 || d.Lower < want-0.05 {
		t.Errorf("log δ in [%g, %g], %v, want %g inside and near the lower end", d.Lower, d.Upper, err, want)
	}
}

// TestBinomialTail compares with sums of chances, by recurrence from P[N=0], and with 1 where
// nothing is rare.
func TestBinomialTail(t *testing.T) {
	for _, c := range []struct{ count, q float64 }{{1, 0.3}, {10, 0.01}, {1000, 0.5}, {500, 0.999}, {20000, 0.1}} {
		odds := c.q / (1 - c.q)
		log := c.count * math.Log1p(-c.q)
		chances := []float64{log}
		for n := 0.0; n < c.count; n++ {
			log += numeric.Log((c.count - n) / (n + 1) * odds)
			chances = append(chances, log)
		}
		for i := len(chances) - 2; i >= 0; i-- { // tails
			chances[i] = transform.LogAdd(chances[i], chances[i+1])
		}
		points := binomialTail(c.count, c.q, -500)
		for _, p := range points {
			if want := chances[int(p.n)]; p.logP > want+1e-9 || p.logP < want-2e-3 && want > -450 {
				t.Errorf("Bin(%g, %g): log P[N >= %g] is at least %.12g, want %.12g", c.count, c.q, p.n, p.logP, want)
			}
		}
		if len(points) < 2 {
			t.Errorf("Bin(%g, %g): %d points", c.count, c.q, len(points))
		}
	}
}
