package intersected

import (
	"encoding/json"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/closed"
	"github.com/dplab/dplab/accounting/internal/certificate/gridlaw"
	"github.com/dplab/dplab/accounting/internal/certificate/splitlaw"
)

// ProveProfile returns what shows a privacy profile whose values at epsilons are about deltas, by
// the accountant that DeltasTo asks. It is nil without such a proof.
func (a Accountant) ProveProfile(q ask.Question, epsilons, deltas []float64) *accounting.Proof {
	if len(a.Named) > 0 || len(deltas) == 0 {
		return nil
	}
	if exact(q, epsilons, deltas) {
		return certificate.Proof(closed.Rule, nil)
	}
	if p := a.lines().ProveProfile(q, epsilons, deltas); p != nil {
		return p
	}
	// A grid is made for one δ. That of most questions is in the second half of the multiples of the
	// step, from 0 on. A tuning asks all of those above it too.
	last := 0
	for i, e := range epsilons {
		if math.Abs(e-epsilons[min(1, len(epsilons)-1)]*float64(i)) <= 1e-9*e {
			last = i
		}
	}
	least := 0.5
	for _, d := range deltas[:last*7/10+1] {
		if d > 0 {
			least = math.Min(least, d)
		}
	}
	if ratios, ok := a.ratios(q); ok {
		return proofAt(ratios, q, least)
	}
	all := []*accounting.Proof{proofAt(a.Grid, q, least)}
	for delta := deltas[0] / 3; delta > 3*least && len(all) < mostGrids; delta /= math.Max(10, math.Pow(deltas[0]/least, 1.0/mostGrids)) {
		all = append(all, proofAt(a.Grid, q, delta))
	}
	var grids []json.RawMessage
	for _, p := range all {
		var more []json.RawMessage
		if p == nil || p.Rule != gridlaw.Rule || json.Unmarshal(p.Witness, &more) != nil {
			return all[0]
		}
		grids = append(grids, more...)
	}
	return certificate.Proof(gridlaw.Rule, grids)
}

// mostGrids bounds the δ that grids of one profile are made for.
const mostGrids = 8

// proofAt returns the proof of a price by laws at delta, or nil.
func proofAt(a ask.Answerer, q ask.Question, delta float64) *accounting.Proof {
	g, err := a.EpsilonTo(q.With(accounting.Options{}), delta)
	if err != nil || g.Certificate == nil || g.Certificate.Proof == nil {
		return nil
	}
	if rule := g.Certificate.Proof.Rule; rule != gridlaw.Rule && rule != splitlaw.Rule {
		return nil
	}
	return g.Certificate.Proof
}

// exact reports whether closed forms have about these values of a profile.
func exact(q ask.Question, epsilons, deltas []float64) bool {
	for i, e := range epsilons {
		if !(closed.Delta(q.Node(), q.Relation(), e) <= deltas[i]*(1+1e-9)+1e-15) {
			return false
		}
	}
	return true
}
