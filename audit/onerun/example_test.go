package onerun_test

import (
	"fmt"

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
