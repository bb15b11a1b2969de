package monotone_test

import (
	"fmt"
	"log"

	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/monotone"
)

// Tuning one Gaussian release with a monotone score, K = 1 with chance 0.01 and 100
// otherwise: the exact ε, and what Rényi divergences can show, each direction by itself and
// by Algorithm 3 of Xiang et al.
func ExampleGaussian() {
	game := monotone.Gaussian{Law: law.TwoPoint{Runs: 100, Single: 0.01}, Mu: 0.86}
	exact, err := game.EpsilonAt(1e-5)
	if err != nil {
		log.Fatal(err)
	}
	renyi, _, err := game.RDPEpsilon(rdp.CanonneKamathSteinke, 1e-5)
	if err != nil {
		log.Fatal(err)
	}
	printed, _, err := game.Algorithm3Epsilon(rdp.CanonneKamathSteinke, 1e-5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("exact %.3f, Rényi %.3f, Algorithm 3 %.3f\n", exact.Upper, renyi.Upper, printed.Upper)
	// Output: exact 5.873, Rényi 6.223, Algorithm 3 6.263
}

// An approximation has a type of its own, so that it is not taken for a bound.
func ExampleApproximateMu() {
	mu, err := monotone.CentralLimitMu(0.1, 3, 500) // q, σ, steps
	if err != nil {
		log.Fatal(err)
	}
	epsilon, err := mu.TuningEpsilon(law.TNB{Eta: 0, Gamma: 0.01}, rdp.CanonneKamathSteinke, 1e-5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("µ ≈ %.3f (%s), ε ≈ %.2f\n", mu.Mu, mu.Method, epsilon)
	// Output: µ ≈ 0.861 (central limit theorem), ε ≈ 4.54
}
