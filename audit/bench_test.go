package audit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func gaussianScores(n int, mu float64) Scores {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	return fill(rng, n, func() float64 { return rng.NormFloat64() + mu }, rng.NormFloat64)
}

// All bounds together: at most 100 ms for 5,000 + 5,000 scores, 2 s for half a million each.
func BenchmarkBounds(b *testing.B) {
	for _, n := range []int{1000, 5000, 500000} {
		scores := gaussianScores(n, 1)
		b.Run(fmt.Sprint(2*n), func(b *testing.B) {
			for b.Loop() {
				must(Bounds(scores, Config{Delta: 1e-5}))
			}
		})
	}
}

// A p-value from 2,000 simulated audits of 1,000 + 1,000 games: at most 1 s.
func BenchmarkSimulatedP(b *testing.B) {
	scores := gaussianScores(1000, 1)
	rng := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		must(SimulatedP(scores, GDP{1}, AUCStatistic, 2000, rng))
	}
}

func BenchmarkReadRows(b *testing.B) {
	var text strings.Builder
	text.WriteString("score,member\n")
	for i, x := range gaussianScores(50000, 1).Member {
		fmt.Fprintf(&text, "%v,%d\n", x, i%2)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		must(ReadRows(strings.NewReader(text.String())))
	}
}
