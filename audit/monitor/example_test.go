package monitor_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/dplab/dplab/audit/monitor"
)

func ExampleMonitor() {
	m, err := monitor.New(monitor.Config{Delta: 1e-5, Upper: 3, Lower: 0})
	if err != nil {
		fmt.Println(err)
		return
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 { // scores N(3,1) with the canary, N(0,1) without
		m.Observe(rng.NormFloat64()+3, true)
		m.Observe(rng.NormFloat64(), false)
		if eps, pairs := m.EpsilonLower(); eps > 2 { // looking and stopping cost nothing
			fmt.Printf("ε > 2 shown after %d pairs\n", pairs)
			break
		}
	}
	// Output:
	// ε > 2 shown after 123 pairs
}

// Thresholds may follow what was seen, for the games to come.
func ExampleMonitor_SetThresholds() {
	m, err := monitor.New(monitor.Config{Delta: 1e-5, Upper: 3, Lower: 0})
	if err != nil {
		fmt.Println(err)
		return
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 1000 {
		if i == 200 { // the attack is weaker than was thought
			if err := m.SetThresholds(0.5, 2); err != nil {
				fmt.Println(err)
			}
		}
		m.Observe(rng.NormFloat64()+2, true)
		m.Observe(rng.NormFloat64(), false)
	}
	eps, pairs := m.EpsilonLower()
	fmt.Printf("ε > %.2f after %d pairs, warnings %v\n", eps, pairs, m.Warnings())
	// Output:
	// ε > 2.44 after 1000 pairs, warnings []
}
