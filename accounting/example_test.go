package accounting_test

import (
	"encoding/json"
	"fmt"
	"log"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/rdp"
)

// What 5,000 steps of DP-SGD cost.
func Example() {
	event := accounting.SelfComposed{
		Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 2}},
		Count: 5000,
	}
	guarantee, err := rdp.NewAccountant().EpsilonAt(event, 1e-5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(guarantee.Epsilon)
	fmt.Println(guarantee.Neighboring)
	// Output:
	// <= 1.61306
	// add-or-remove-one
}

// How much noise 5,000 steps need for ε = 3.
func ExampleCalibration_NoiseMultiplier() {
	sgd := func(noiseMultiplier float64) accounting.Event {
		return accounting.SelfComposed{
			Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: noiseMultiplier}},
			Count: 5000,
		}
	}
	sigma, err := accounting.Calibration{
		Accountant: rdp.NewAccountant(), Event: sgd, Target: accounting.Target{Epsilon: 3, Delta: 1e-5},
	}.NoiseMultiplier()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", sigma)
	// Output: 1.2783
}

// How much of the data a step may look at.
func ExampleCalibration_Most() {
	rate, err := accounting.Calibration{
		Accountant: rdp.NewAccountant(),
		Event: func(rate float64) accounting.Event {
			return accounting.SelfComposed{
				Event: accounting.PoissonSampled{SamplingRate: rate, Event: accounting.Gaussian{NoiseMultiplier: 1}},
				Count: 1000,
			}
		},
		Target: accounting.Target{Epsilon: 2, Delta: 1e-5}, Low: 1e-6, High: 1,
	}.Most()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", rate)
	// Output: 0.0095
}

func ExampleStatement() {
	guarantee, err := gdp.NewAccountant().EpsilonAt(accounting.Gaussian{NoiseMultiplier: 4}, 1e-5)
	if err != nil {
		log.Fatal(err)
	}
	s := accounting.Statement{
		Guarantee:   guarantee,
		Subject:     "the mean height",
		Unit:        "one person",
		Mechanism:   accounting.Gaussian{NoiseMultiplier: 4}.String(),
		Assumptions: []string{"heights were clipped to a public range", "the number of people is public"},
	}
	fmt.Println(s)
	fmt.Println()
	fmt.Print(s.Full())
	// Output:
	// Releasing the mean height is (ε, δ)-differentially private with ε ≤ 0.927 and δ = 1e-5, under adding or removing one person.
	//
	// Releasing the mean height is (ε, δ)-differentially private with ε ≤ 0.927 and δ = 1e-5, under adding or removing one person.
	//
	// Mechanism: Gaussian(σ=4)
	// Bound: ε ≤ 0.9264 (add-or-remove-one), exact Gaussian (Balle and Wang 2018, Theorem 8), µ = 0.25
	// Check: the bound was checked in outward-rounded arithmetic, by the closed form of the Gaussian (Balle and Wang 2018, Theorem 8)
	// Proof: dpcost verify FILE checks this answer from its JSON; fingerprint 712c15dd7c6d
	//
	// Assumptions:
	// - heights were clipped to a public range
	// - the number of people is public
}

func ExampleGuarantee_MarshalJSON() {
	guarantee, err := rdp.NewAccountant().EpsilonAt(accounting.NonPrivate{}, 1e-5)
	if err != nil {
		log.Fatal(err)
	}
	text, err := json.MarshalIndent(guarantee, "", "  ")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
	// Output:
	// {
	//   "epsilon": {
	//     "lower": null,
	//     "estimate": null,
	//     "upper": "Infinity"
	//   },
	//   "delta": 0.00001,
	//   "neighboring": "add-or-remove-one",
	//   "method": "RDP, no finite bound at any order, conversion of Canonne, Kamath, Steinke 2020"
	// }
}

// A Rényi curve as an event. Each of 500 answers is 0.02-private, and has α/200² by its noise. Both
// hold for every pair of neighbors, so the lesser does.
func ExampleNewRenyiBound() {
	answers, err := accounting.NewRenyiBound("500 answers", func(order float64) float64 {
		return 500 * math.Min(0.02, order/(200*200)) // in nats
	})
	if err != nil {
		panic(err)
	}
	g, err := auto.NewAccountant().EpsilonAt(accounting.Composed{Events: []accounting.Event{answers, accounting.Gaussian{NoiseMultiplier: 2}}}, 1e-5)
	if err != nil {
		panic(err)
	}
	fmt.Println("ε <=", accounting.FormatUpper(g.Epsilon.Upper))
	// Output: ε <= 2.1596
}
