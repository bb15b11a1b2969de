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
