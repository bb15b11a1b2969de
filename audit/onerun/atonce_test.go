package onerun

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/internal/tails"
)

// leastFavorable is the channel of atonce.go that attains its (3): it releases which r coins are guessed, and how, every release with k right guesses with
// the same chance, such that only the step to v right guesses uses δ.
func leastFavorable(g Guesses, epsilon, delta float64) channel {
	q := make([]float64, g.Guessed+1)
	p := tails.Logistic(epsilon)
	f, at := tails.BinomialUpper(g.Correct, g.Guessed, p), tails.BinomialPMF(g.Correct, g.Guessed, p)
	excess := math.Min(float64(g.Canaries)*delta, float64(g.Correct)*at/f)
	share := 1 - excess*f/(float64(g.Correct)*at) // of the binomial law
	for k := range q {
		b := tails.BinomialPMF(k, g.Guessed, p)
		q[k] = share * b
		if k >= g.Correct {
			q[k] += excess * b / (float64(g.Correct) * at)
		}
	}
	c := channel{coins: g.Canaries}
	for s := range 1 << g.Canaries {
		var chances []float64
		for which := range 1 << g.Canaries {
			if ones(which) != g.Guessed {
				continue
			}
			for guess := range 1 << g.Canaries {
				if guess&^which != 0 {
					continue
				}
				k := ones(which &^ (s ^ guess))
				chances = append(chances, q[k]/math.Exp(lchoose(g.Canaries, g.Guessed)+lchoose(g.Guessed, k)))
			}
		}
		c.chances = append(c.chances, chances)
	}
	return c
}

// The bound on the chance of so many right guesses is that of a mechanism: of one whose δ at ε is counted out over all coins and neighbors, and whose best guesses are
// found by looking at all. So there is none below it, and none of the published bounds is below it either.
func TestAtOnceIsAttained(t *testing.T) {
	for m := 1; m <= 4; m++ {
		for r := 1; r <= m; r++ {
			for v := 1; v <= r; v++ {
				for _, epsilon := range []float64{0, 0.4, 1, 3} {
					for _, delta := range []float64{1e-6, 0.003, 0.05, 0.3} {
						g := Guesses{m, r, v}
						c := leastFavorable(g, epsilon, delta)
						if got := c.delta(epsilon); got > delta+1e-13 {
							t.Fatalf("%+v, ε = %g: the channel has δ = %g, want %g at most", g, epsilon, got, delta)
						}
						attained, want := c.bestAtOnce(r, v), atOnceP(g, epsilon, delta)
						if math.Abs(attained-want) > 1e-12 {
							t.Errorf("%+v, ε = %g, δ = %g: right with chance %.15g, the bound is %.15g", g, epsilon, delta, attained, want)
						}
						if p := steinkeP(g, epsilon, delta); p < attained-1e-12 {
							t.Errorf("%+v, ε = %g, δ = %g: right with chance %g, one-run says at most %g", g, epsilon, delta, attained, p)
						}
						if refuted(g, audit.EpsilonDelta{Epsilon: epsilon, Delta: delta}, attained-1e-9) {
							t.Errorf("%+v, ε = %g, δ = %g: right with chance %g, which the f-DP recursion refutes", g, epsilon, delta, attained)
						}
					}
				}
			}
		}
	}
}

// Larger numbers of guesses: the bound on the chance is not above the published ones, grows with ε, and is what the worst factor of all c_i in the proof gives.
func TestAtOnceIsBelowThePublishedBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 1))
	for range 2000 {
		m := 1 + rng.IntN(400)
		r := 1 + rng.IntN(m)
		g := Guesses{m, r, 1 + rng.IntN(r)}
		epsilon, delta := 4*rng.Float64(), math.Pow(10, -1-6*rng.Float64())
		p := atOnceP(g, epsilon, delta)
		if inTurnP := inTurn(g, epsilon, delta); p > inTurnP*(1+1e-12) {
			t.Errorf("%+v, ε = %g, δ = %g: p %g at once, %g in turn, which may not be less", g, epsilon, delta, p, inTurnP)
		}
		if next := atOnceP(g, epsilon+0.01, delta); next < p*(1-1e-12) {
			t.Errorf("%+v, δ = %g: p falls from %g to %g at ε = %g", g, delta, p, next, epsilon)
		}
		if refuted(g, audit.EpsilonDelta{Epsilon: epsilon, Delta: delta}, p*(1-1e-9)) {
			t.Errorf("%+v, ε = %g, δ = %g: the f-DP recursion refutes at %g, which is attained", g, epsilon, delta, p)
		}
		f := func(v int) float64 { return tails.BinomialUpper(v, r, tails.Logistic(epsilon)) }
		worst := 0.0
		for i := 1; i <= r; i++ {
			if at := tails.BinomialPMF(i, r, tails.Logistic(epsilon)); at > 1e-250 {
				worst = math.Max(worst, (f(max(i, g.Correct))-f(i)*f(g.Correct))/(float64(i)*at))
			}
		}
		if want := math.Min(1, f(g.Correct)+float64(m)*delta*worst); f(g.Correct) > 1e-250 && f(g.Correct) < 0.999 && math.Abs(p-want) > 1e-9*want {
			t.Errorf("%+v, ε = %g, δ = %g: p = %g, want %g by all factors", g, epsilon, delta, p, want)
		}
	}
}

// The bound is above the published ones, whose largest it was before, wherever δ counts.
func TestMaxIsAboveThePublishedBounds(t *testing.T) {
	for _, g := range []Guesses{{1000, 200, 190}, {10000, 1000, 950}, {20000, 11000, 10900}, {100000, 1510, 1439}} {
		for _, delta := range []float64{1e-6, 1e-5, 1e-4} {
			level := audit.Config{Delta: delta, Confidence: 0.95}
			published, b := max(steinke(g, level), curveBound(g, level)), must(Max(g, level))
			t.Logf("%+v, δ = %g: %.4f, published %.4f", g, delta, b.Epsilon, published)
			if !(b.Epsilon > published && b.Epsilon <= b.Ceiling) {
				t.Errorf("%+v, δ = %g: %v, want more than the published %g", g, delta, b, published)
			}
		}
	}
}

// Two coins at ε = 1: Theorem 5.2 has f(1) + 4 δ (1-f(1)), less than a mechanism's chance of one right guess. Both numbers are by hand: 1-f(1) = 1/(1+e)², and
// the mechanism is wrong twice with chance (1 - (2+e) δ)/(1+e)².
func TestSteinkesTermIsTooSmallNearOne(t *testing.T) {
	const delta = 0.04
	g, none := Guesses{2, 2, 1}, 1/((1+math.E)*(1+math.E))
	want := 1 - (1-(2+math.E)*delta)*none
	if theorem := 1 - none + 4*delta*none; !(want > theorem+0.001) {
		t.Fatalf("right with chance %g, the theorem allows %g: the case says nothing", want, theorem)
	}
	near(t, "chance", leastFavorable(g, 1, delta).bestAtOnce(2, 1), want, 1e-14, "by hand")
	near(t, "δ", leastFavorable(g, 1, delta).delta(1), delta, 1e-14, "by hand")
	near(t, "p of one-run", steinkeP(g, 1, delta), want, 1e-14, "by hand")
}
