// Package auditbounds has the experiments of the notebook audit-bounds. They measure how tight the
// lower bounds of package audit are, how often each is wrong if its null hypothesis is reached, and
// how many games it needs. Counterexamples show what goes wrong if an assumption does not hold.
//
// Scores are simulated, so the truth is known. Everything is drawn from a fixed root.
//
// It promises nothing to other modules.
package auditbounds

import (
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
)

// Config sizes the simulations.
type Config struct {
	Delta      float64 `rule:"in (0, 1)"` // δ of the bounds on Gaussian scores
	Confidence float64 `rule:"in (0, 1)"`
	Audits     int     `rule:">= 2"`  // simulated audits behind each mean of the ranking, >= 2
	Alarms     int     `rule:">= 1"`  // simulated audits behind each false alarm rate, >= 1
	Games      int     `rule:">= 20"` // games of each class in the audits behind a false alarm rate, >= 20
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
func (c Config) Validate() error { return figures.Faults(c).Err() }

func (c Config) root() streams.Root { return streams.Fixed(c.Root) }
