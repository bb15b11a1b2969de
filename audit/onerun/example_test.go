package onerun_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/onerun"
)

func ExampleBound() {
	// 100,000 canaries in one run; 1,510 guessed, 1,439 of the guesses right.
	b, err := onerun.Bound(onerun.Guesses{Canaries: 100000, Guessed: 1510, Correct: 1439}, audit.Level{Delta: 1e-5})
	fmt.Printf("ε >= %s (%s) %v\n", audit.FormatLower(b.Epsilon), b.Reference, err)
	// Output:
	// ε >= 2.6758 (Steinke, Nasr, Jagielski (2023), arXiv:2305.08846v1, Theorem 5.2, with its δ term) <nil>
}

// One training run with 2,000 canaries, each included by a fair coin: the scores of which 200 are guessed.
func ExampleGuess() {
	rng := rand.New(rand.NewPCG(1, 2))
	var scores audit.Scores
	for range 2000 {
		if rng.Uint64()&1 == 1 {
			scores.Member = append(scores.Member, rng.NormFloat64()+2)
		} else {
			scores.NonMember = append(scores.NonMember, rng.NormFloat64())
		}
	}
	guesses, err := onerun.Guess(scores, 200)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(guesses.Correct, "of", guesses.Guessed, "are right")
	level := audit.Level{Delta: 1e-5}
	for _, bound := range []func(onerun.Guesses, audit.Level) (audit.Bound, error){onerun.Bound, onerun.Max, onerun.FDP} {
		b, err := bound(guesses, level)
		fmt.Println(b.Name, audit.FormatLower(b.Epsilon), b.Assumption, err)
	}
	// Output:
	// 199 of 200 are right
	// one-run 3.6947 one-run <nil>
	// one-run-max 3.7262 one-run <nil>
	// one-run-fdp 5.7905 one-run+gdp <nil>
}
