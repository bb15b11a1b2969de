package gridlaw

import (
	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/splitlaw"
)

// Rule is the rule of a proof by this package. It has a list of Witness.
const Rule = "laws on a grid"

// GivenPair is what the check of batches takes as given.
const GivenPair = "that the pair of laws of package batchpairs, the search's too, dominates one run"

// Witness is what a proof takes for one direction: a Grid, and for each mechanism, in the order of
// the event, where its law lies.
type Witness struct {
	Add    bool         `json:"add"`
	Step   float64      `json:"step"`
	Tilt   float64      `json:"tilt"`
	Beyond float64      `json:"beyond"`
	First  int          `json:"first"`
	Points int          `json:"points"`
	Laws   []LawWitness `json:"laws"`
}

// LawWitness is where the law of a mechanism lies.
type LawWitness struct {
	First  int            `json:"first"`
	Points int            `json:"points"`
	Runs   float64        `json:"runs,omitempty"`  // above 1: so many as one
	Ratio  *splitlaw.Grid `json:"ratio,omitempty"` // of a random allocation
}

// proof returns the proof of the grids. It is nil if one has a list of outcomes, which no event
// has.
func (b *Bound) proof() *accounting.Proof {
	var all []Witness
	for _, g := range b.grids {
		w := Witness{Step: g.Step, Tilt: g.Tilt, Beyond: g.Beyond, First: g.First, Points: g.Points}
		for _, l := range g.Laws {
			if l.Kind == Outcomes {
				return nil
			}
			one := LawWitness{First: l.First, Points: l.Points, Runs: l.Runs}
			if l.Ratio != nil {
				grid := l.Ratio.Grid()
				one.Ratio = &grid
			}
			w.Add, w.Laws = l.Add, append(w.Laws, one)
		}
		all = append(all, w)
	}
	return certificate.Proof(Rule, all)
}
