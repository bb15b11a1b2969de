// Package auditbounds has the experiments of the notebook audit-bounds. They measure how tight the
// lower bounds of package audit are, how often each is wrong if its null hypothesis is reached, and
// how many games it needs. Counterexamples show what goes wrong if an assumption does not hold.
//
// Scores are simulated, so the truth is known. Everything is drawn from a fixed root.
//
// It promises nothing to other modules.
package auditbounds

import (
	"sync"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/streams"
)

// Config sizes the simulations.
type Config struct {
	Delta      float64 // δ of the bounds on Gaussian scores
	Confidence float64
	Audits     int // simulated audits behind each mean of the ranking, >= 2
	Alarms     int // simulated audits behind each false alarm rate, >= 1
	Games      int // games of each class in the audits behind a false alarm rate, >= 20
	Root       string
}

// Defaults returns the setting of a profile, "quick" or "full", which differ in the numbers of
// audits.
func Defaults(profile string) Config {
	c := Config{Delta: 1e-5, Confidence: 0.95, Audits: 200, Alarms: 400, Games: 200, Root: "audit bounds"}
	if profile == "full" {
		c.Audits, c.Alarms, c.Games = 1000, 10000, 1000
	}
	return c
}

// Validate returns every fault, joined.
func (c Config) Validate() error {
	f := check.In("auditbounds: ")
	f.Number("Delta", c.Delta, check.OpenUnit)
	f.Number("Confidence", c.Confidence, check.OpenUnit)
	f.That(c.Audits >= 2, "Audits", c.Audits, "must be >= 2, to have a standard error")
	f.Count("Alarms", c.Alarms, 1)
	f.Count("Games", c.Games, 20)
	return f.Err()
}

func (c Config) root() streams.Root { return streams.Fixed(c.Root) }

// tally counts audits that are done, from several goroutines.
type tally struct {
	mu       sync.Mutex
	done, of int
	report   func(done, of int) // nil for none
}

func (t *tally) add() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done++; t.report != nil {
		t.report(t.done, t.of)
	}
}
