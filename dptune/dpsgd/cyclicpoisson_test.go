package dpsgd

import (
	"math"
	"slices"
	"testing"

	"github.com/dplab/dplab/dptune/streams"
)

// Each example joins only the steps of its group, at the rate, and independently of the others: how
// often each one joins, and each pair of one group, is within 5.6 standard deviations of independent
// coins (chance 2e-8 each, 61 of them).
func TestCyclicPoissonIsItsLaw(t *testing.T) {
	const n, rounds = 13, 4000
	p := CyclicPoisson{Period: 3, Rate: 0.3}
	coins := streams.Fixed("cyclic")
	var alone [n]int
	var pairs [n][n]int
	for step := range rounds * p.Period {
		batch, err := p.Batch(coins, step, n)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range batch {
			if int(i)%p.Period != step%p.Period {
				t.Fatalf("step %d: example %d of another group", step, i)
			}
			alone[i]++
			for _, j := range batch {
				pairs[i][j]++
			}
		}
	}
	within := func(what string, got int, chance float64, of int) {
		if off := math.Abs(float64(got) - chance*float64(of)); off > 5.6*math.Sqrt(float64(of)*chance*(1-chance)) {
			t.Errorf("%s: %d of %d, want the share %g", what, got, of, chance)
		}
	}
	for i := range n {
		within("an example", alone[i], 0.3, rounds)
		for j := i + p.Period; j < n; j += p.Period {
			within("a pair", pairs[i][j], 0.09, rounds)
		}
	}
}

// A canary is drawn in the turns of its place after the data, by its own coin.
func TestCyclicPoissonDrawsCanariesInTheirGroup(t *testing.T) {
	p := CyclicPoisson{Period: 4, Rate: 0.5}
	coins := streams.Fixed("cyclic canaries")
	for step := range 200 {
		many, err := p.Canaries(coins, step, 7, 9)
		if err != nil {
			t.Fatal(err)
		}
		one, err := p.Canaries(coins, step, 7, 1)
		if err != nil || slices.Contains(many, 0) != (len(one) == 1) {
			t.Fatalf("step %d: canary 0 joins alone %v, with others %v, %v", step, one, many, err)
		}
		for _, i := range many {
			if (7+int(i))%4 != step%4 {
				t.Fatalf("step %d: canary %d is of another group", step, i)
			}
		}
	}
}
