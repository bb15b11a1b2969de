package onerun_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/onerun"
)

func ExampleBound() {
	// 100,000 canaries in one run; 1,510 guessed, 1,439 of the guesses right.
	b, err := onerun.Bound(onerun.Guesses{Canaries: 100000, Guessed: 1510, Correct: 1439}, audit.Config{Delta: 1e-5})
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
	level := audit.Config{Delta: 1e-5}
	for _, bound := range []func(onerun.Guesses, audit.Config) (audit.Bound, error){onerun.Bound, onerun.Max, onerun.FDP} {
		b, err := bound(guesses, level)
		fmt.Println(b.Name, audit.FormatLower(b.Epsilon), b.Assumption, err)
	}
	// Output:
	// 199 of 200 are right
	// one-run 3.6947 one-run <nil>
	// one-run-max 3.7264 one-run <nil>
	// one-run-fdp 5.7905 one-run+gdp <nil>
}

// Canaries that leave a trace in some high scores alone: guesses in turn learn that low scores say nothing.
func ExampleGuessInTurn() {
	rng := rand.New(rand.NewPCG(3, 4))
	var scores audit.Scores
	for range 2000 {
		in, score := rng.Uint64()&1 == 1, rng.Float64()
		if in && rng.Float64() < 0.2 {
			score++
		}
		if in {
			scores.Member = append(scores.Member, score)
		} else {
			scores.NonMember = append(scores.NonMember, score)
		}
	}
	level := audit.Config{Delta: 1e-6}
	atOnce, err := onerun.Guess(scores, 200)
	if err != nil {
		fmt.Println(err)
		return
	}
	inTurn, err := onerun.GuessInTurn(scores, 200, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	before, err := onerun.Max(atOnce, level)
	fmt.Println(atOnce.Correct, "right at once, ε >=", audit.FormatLower(before.Epsilon), err)
	adaptive, err := onerun.InTurn(inTurn, level)
	fmt.Println(inTurn.Correct, "right in turn, ε >=", audit.FormatLower(adaptive.Epsilon), err)
	// Output:
	// 156 right at once, ε >= 0.9760 <nil>
	// 197 right in turn, ε >= 3.2226 <nil>
}
