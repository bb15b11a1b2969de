package gdp_test

import (
	"fmt"
	"log"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/gdp"
)

func ExampleEpsilonAt() {
	epsilon, err := gdp.EpsilonAt(1, 1e-5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f\n", epsilon.Upper)
	// Output: 4.377178
}

func ExampleDeltaAt() {
	delta, err := gdp.DeltaAt(1, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f\n", delta.Upper)
	// Output: 0.126937
}

// The noise multiplier that (1, 1e-5)-differential privacy needs.
func ExampleMuAt() {
	mu, err := gdp.MuAt(accounting.Target{Epsilon: 1, Delta: 1e-5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f\n", 1/mu)
	// Output: 3.730632
}

// What the best attack on 1-GDP reaches: its misses and its hits at 10 % false alarms, and its
// advantage.
func ExampleAdvantage() {
	missed, err1 := gdp.TypeII(1, 0.1)
	hit, err2 := gdp.TPR(1, 0.1)
	advantage, err3 := gdp.Advantage(1)
	fmt.Printf("%.4f %.4f %.4f %v %v %v\n", missed, hit, advantage, err1, err2, err3)
	// Output:
	// 0.6109 0.3891 0.3829 <nil> <nil> <nil>
}

// The central limit approximation of DP-SGD is no bound.
func ExampleCLT() {
	poisson, err := gdp.PoissonCLT(256./60000, 0.7, 10547)
	if err != nil {
		log.Fatal(err)
	}
	fixed, err := gdp.FixedSizeCLT(256./60000, 0.7, 10547) // samples of fixed size, one record replaced
	if err != nil {
		log.Fatal(err)
	}
	epsilon, _ := poisson.ApproximateEpsilon(1e-5)
	delta, _ := poisson.ApproximateDelta(epsilon)
	fmt.Printf("µ %.3f, ε about %.3f at δ about %.3g; fixed size µ %.3f\n", poisson.Mu, epsilon, delta, fixed.Mu)
	event := accounting.SelfComposed{
		Event: accounting.PoissonSampled{SamplingRate: 256. / 60000, Event: accounting.Gaussian{NoiseMultiplier: 0.7}},
		Count: 10547,
	}
	certified, err := contour.NewAccountant().EpsilonAt(event, 1e-5)
	fmt.Printf("certified: %.3f %v\n", certified.Epsilon.Estimate, err)
	// Output:
	// µ 1.134, ε about 5.066 at δ about 1e-05; fixed size µ 1.554
	// certified: 5.640 <nil>
}

// The µ whose attacks are at least as strong as those on DP-SGD, at all false positive rates of
// interest.
func ExampleTradeOff() {
	event := accounting.SelfComposed{
		Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 1}},
		Count: 1000,
	}
	curve, err := gdp.NewTradeOff(event, contour.NewAccountant())
	if err != nil {
		log.Fatal(err)
	}
	mu, err := curve.MuOnTypeI(1e-3, 0.5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("µ <= %.2f, advantage %.3f\n", mu.Upper, curve.Advantage().Estimate)
	// Output:
	// µ <= 0.44, advantage 0.161
}
