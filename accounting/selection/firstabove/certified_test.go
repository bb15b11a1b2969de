package firstabove

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/enumerate"
)

// The check of a threshold bound shows it, at the same ε or at most 1e-4 above. At an ε where it
// shows a δ, no set of good outputs leaks more. Prices are shown or marked.
func TestCertified(t *testing.T) {
	n := 60
	if testing.Short() {
		n = 8
	}
	rng := rand.New(rand.NewPCG(33, 4))
	asked, shown, priced := 0, 0, 0
	var spent time.Duration
	for range n {
		l, delta := drawnLaw(rng), math.Exp(-20*rng.Float64()-0.5)
		pair := enumerate.DrawnPair(rng, 2+rng.IntN(3), math.Exp(rng.NormFloat64()))
		k, err := validated(l, knownOf(pair))
		if err != nil {
			t.Fatal(err)
		}
		worst := func(epsilon float64) (delta float64) {
			for set := range 1 << len(pair.P) {
				good := func(output int) bool { return set>>output&1 == 1 }
				delta = math.Max(delta, enumerate.Of(stopped(l, pair.P, good), stopped(l, pair.Q, good)).Delta(epsilon))
			}
			return delta
		}
		for _, b := range profileBounds(k, knownOf(pair).Prepared(), delta) {
			start := time.Now()
			c := b.Ask().Certify(b.Epsilon, delta, nil)
			spent += time.Since(start)
			if asked++; c != nil {
				shown++
			} else {
				t.Logf("%v, %v: ε %g at δ %g is not shown", l, pair, b.Epsilon, delta)
			}
			epsilon := b.Epsilon * (1.5*rng.Float64() + 0.1)
			if got, _ := b.Ask().Check(epsilon, 1e-6); got < 1 {
				if leak := worst(epsilon); leak > got*(1+1e-9)+1e-13*math.Exp(epsilon) {
					t.Errorf("%v, %v: δ(%g) <= %g is shown, but a set leaks %g", l, pair, epsilon, got, leak)
				}
			}
		}
		price, err := priceAt(l, knownOf(pair), delta)
		if err != nil {
			t.Fatal(err)
		}
		g := price.Guarantee
		if math.IsInf(g.Epsilon.Upper, 1) {
			continue
		}
		marked := false
		for _, w := range g.Warnings {
			marked = marked || errors.Is(w, accounting.ErrUncertified)
		}
		switch {
		case g.Certificate != nil:
			if priced++; g.Certificate.Epsilon != g.Epsilon.Upper || !(g.Certificate.DeltaUpper <= delta) {
				t.Errorf("%v, %v: %v, %v", l, pair, g, g.Certificate)
			}
		case !marked:
			t.Errorf("%v, %v: %v is neither shown nor marked", l, pair, g)
		}
	}
	t.Logf("%d of %d threshold bounds and %d of %d prices are shown, %v for a check", shown, asked, priced, n, spent/time.Duration(asked))
	if float64(shown) < 0.9*float64(asked) || float64(priced) < 0.9*float64(n) {
		t.Errorf("%d of %d bounds and %d of %d prices are shown", shown, asked, priced, n)
	}
}
