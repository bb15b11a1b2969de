package auto_test

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
)

// An analysis has returned a Rényi divergence at each of some orders, as the data-independent one
// of PATE does for its answered queries. A model is then trained by DP-SGD on the same data. The
// list is an event, and composes with the training.
func ExampleAccountant_EpsilonAt_renyiCurve() {
	var teachers accounting.RenyiBound
	teachers.Name = "PATE"
	for order := 2.0; order <= 256; order++ {
		// 500 queries answered with Gaussian noise of σ 200 in votes, of L2 sensitivity √2
		teachers.Orders = append(teachers.Orders, order)
		teachers.Divergences = append(teachers.Divergences, 500*order/(200*200))
	}
	training := accounting.SelfComposed{Count: 1000, Event: accounting.PoissonSampled{
		SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 1.5}}}
	price, err := auto.NewAccountant().PriceAt(accounting.Composed{Events: []accounting.Event{teachers, training}}, 1e-5)
	if err != nil {
		panic(err)
	}
	for _, b := range price.Bounds {
		fmt.Printf("ε <= %s by %s\n", accounting.FormatUpper(b.Epsilon), b.Name)
	}
	// Output:
	// ε <= 1.1648 by dominating pairs
	// ε <= 1.2083 by RDP
}

// A mechanism has a known bound on δ at each ε. It publishes a sum with Gaussian noise of σ 5, and
// with chance 1e-7 all of the data. It runs on hidden samples, 100 times.
func ExampleAccountant_EpsilonAt_profile() {
	own, err := accounting.NewProfileBound("noisy sum, may fail", func(epsilon float64) float64 {
		tail := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
		const mu, failure = 1. / 5, 1e-7
		noisy := tail(epsilon/mu-mu/2) - math.Exp(epsilon)*tail(epsilon/mu+mu/2) // Balle and Wang (2018), Theorem 8
		return failure + (1-failure)*math.Max(0, noisy)
	})
	if err != nil {
		panic(err)
	}
	event := accounting.SelfComposed{Count: 100, Event: accounting.PoissonSampled{SamplingRate: 0.05, Event: own}}
	g, err := auto.NewAccountant().EpsilonAt(event, 1e-5)
	if err != nil {
		panic(err)
	}
	fmt.Println("ε <=", accounting.FormatUpper(g.Epsilon.Upper))
	// Output: ε <= 0.3611
}
