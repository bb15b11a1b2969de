package auc

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestFineRanks(t *testing.T) {
	for _, n := range []int{1, 2, 3, 50, 63, 64, 65, 1000, 20001, 1000000} {
		ranks := fineRanks(n)
		if ranks[0] != 0 || ranks[len(ranks)-1] != n-1 || len(ranks) > 400 {
			t.Errorf("%d scores: %d ranks from %d to %d", n, len(ranks), ranks[0], ranks[len(ranks)-1])
		}
		for i, k := range ranks[1:] {
			end := min(ranks[i], n-1-k)                                    // distance of the gap to the nearer end
			if gap := k - ranks[i]; gap < 1 || gap > max(1, (end+gap)/8) { // twice 1/16 in the middle
				t.Fatalf("%d scores: a gap of %d at rank %d", n, gap, ranks[i])
			}
		}
		if n <= 64 && len(ranks) != n {
			t.Errorf("%d scores: %d ranks, want all", n, len(ranks))
		}
	}
}

// movedWins counts wins pair by pair after each score was moved to its place on the grid.
func movedWins(in, out []float64, shift float64) int {
	move := func(sorted []float64, up bool) []float64 {
		ranks := fineRanks(len(sorted))
		moved := make([]float64, len(sorted))
		for i := range sorted {
			j, found := slices.BinarySearch(ranks, i)
			if !found && !up {
				j--
			}
			moved[i] = sorted[ranks[j]]
		}
		return moved
	}
	wins := 0
	for _, x := range move(in, false) {
		for _, y := range move(out, true) {
			if y < x+shift {
				wins++
			}
		}
	}
	return wins
}

func normals(rng *rand.Rand, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = rng.NormFloat64()
	}
	slices.Sort(xs)
	return xs
}

// Wins and the least shift with so many of them, against all pairs in turn.
func TestWinsAgainstAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range [][2]int{{1, 1}, {7, 9}, {1, 400}, {300, 5}, {90, 110}} {
		in, out := normals(rng, n[0]), normals(rng, n[1])
		law := NewLaw(n[0], n[1])
		all := n[0] * n[1]
		if got, want := law.Observe(in, out), movedWins(in, out, 0); got != want {
			t.Errorf("%v games: %d wins, want %d (pair by pair)", n, got, want)
		}
		if max(n[0], n[1]) <= 64 && law.Observe(in, out) != Wins(in, out) {
			t.Errorf("%v games: %d wins, want all %d", n, law.Observe(in, out), Wins(in, out))
		}
		hi := out[n[1]-1] - in[0] + 1e-9
		for w := 1; w <= all; w += 1 + all/50 {
			mu := law.leastMu(w, hi)
			before, after := movedWins(in, out, mu), movedWins(in, out, mu+2e-8)
			if before >= w || after < w {
				t.Errorf("%v games: %d wins from %g on, which has %d, and %d just after", n, w, mu, before, after)
			}
		}
	}
}

func TestSmallest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	xs := normals(rng, 1000)
	for _, keep := range []int{1, 7, 500, 1000} {
		kept := newSmallest(keep)
		for _, i := range rng.Perm(len(xs)) {
			if xs[i] <= kept.cut {
				kept.add(xs[i])
			}
		}
		near(t, "the largest of the least", kept.last(), xs[keep-1], 0, "sorting")
	}
}

// Order statistics at the grid's ranks have the mean (r+1)/(n+1) and variance of a Beta(r+1, n-r);
// 5.6 standard errors a mean, and 20 % of a variance of 4,000 draws (9 standard errors of
// √(2/4000)): chance 2e-8 each.
func TestOrderStatisticsAtRanks(t *testing.T) {
	const draws, n = 4000, 5000
	rng := rand.New(rand.NewPCG(7, 8))
	ranks := fineRanks(n)
	xs := make([]float64, len(ranks))
	sum, square := make([]float64, len(ranks)), make([]float64, len(ranks))
	for range draws {
		orderStatistics(xs, ranks, n, rng)
		for i, x := range xs {
			sum[i] += x
			square[i] += x * x
		}
	}
	for i, r := range ranks {
		mean := float64(r+1) / (n + 1)
		variance := mean * (1 - mean) / (n + 2)
		got := sum[i] / draws
		near(t, "mean", got, mean, 5.6*math.Sqrt(variance/draws), "Beta law")
		near(t, "variance / its value", (square[i]/draws-got*got)/variance, 1, 0.2, "Beta law")
	}
}

// The bound exceeds µ where the p-value of µ, counted over the same audits with members drawn at
// µ, is at most the significance; the ceiling likewise at all wins.
func TestLargestMuInvertsThePValue(t *testing.T) {
	const n1, n0, mu, significance = 20, 90, 0.8, 0.05
	var wins []int
	law, rng := NewLaw(n1, n0), rand.New(rand.NewPCG(9, 10))
	for range Simulations {
		law.drawUniform(rng)
		normal(law.in)
		normal(law.out)
		wins = append(wins, law.wins(mu))
	}
	slices.Sort(wins)
	// At most 937 of 19,999 audits have as many as this and one more: 938 + 2 √938 = 999.3 of 20,000.
	critical := wins[Simulations-938] + 1
	for w, above := range map[int]bool{critical: true, critical - 1: false} {
		bound, ceiling := law.LargestMu(w, significance, rand.New(rand.NewPCG(9, 10)))
		if (bound > mu) != above || ceiling < bound {
			t.Errorf("%d wins: µ >= %.9g with ceiling %g, want above %g: %v", w, bound, ceiling, mu, above)
		}
	}
	perfect, ceiling := law.LargestMu(n1*n0, significance, rand.New(rand.NewPCG(9, 10)))
	near(t, "µ of perfect scores", perfect, ceiling, 2e-8, "the ceiling")
	if none, _ := law.LargestMu(0, significance, rand.New(rand.NewPCG(9, 10))); none > 0 {
		t.Errorf("no wins give µ >= %g", none)
	}
}

// noLeak is the claim of ε = 0 and δ = 0.
func noLeak(t float64) float64 { return t }

// Without a leak and without ties the AUC's p-value of perfect scores of 4 + 4 games is 1/70.
func TestAUCPValueSeam(t *testing.T) {
	law, want := NewLaw(4, 4), 1./70
	noise := math.Sqrt(want * (1 - want) / Simulations)
	near(t, "p", law.P(noLeak, 16, rand.New(rand.NewPCG(1, 3))), want+2*noise, 5.6*noise, "1/C(8, 4) and two standard errors")
	if p := law.P(noLeak, 0, rand.New(rand.NewPCG(1, 3))); p != 1 {
		t.Errorf("p of no wins = %g, want 1", p)
	}
}
