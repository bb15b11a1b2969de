package ledger_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/ledger"
)

// Releases are chosen by the answers so far, and a filter bounds what they cost together.
func Example() {
	folder, err := os.MkdirTemp("", "ledger")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "survey.ledger")
	head, err := ledger.NewHead("survey 2026", accounting.AddOrRemoveOne, accounting.Target{Epsilon: 3, Delta: 1e-6}, ledger.Renyi, 0)
	if err := errors.Join(err, ledger.New(path, head)); err != nil {
		log.Fatal(err)
	}
	for _, event := range []accounting.Event{
		accounting.Laplace{NoiseMultiplier: 4},
		accounting.SelfComposed{Count: 2000, Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.ClippedSum{NoiseMultiplier: 1.5}}},
		accounting.Gaussian{NoiseMultiplier: 2},
	} {
		_, err := ledger.Add(path, ledger.Release{Date: "2026-11-29", Delta: 1e-6, Event: event}, false)
		fmt.Println(err == nil, errors.Is(err, ledger.ErrOver))
	}
	l, err := ledger.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	share, err := l.Share()
	fmt.Printf("%d releases took %.0f%% of Rényi divergence %.3f at order %.3f (%v)\n", len(l.Releases), 100*share, l.Constant, l.Order, err)
	// Output:
	// true false
	// true false
	// false true
	// 2 releases took 42% of Rényi divergence 1.652 at order 8.926 (<nil>)
}
