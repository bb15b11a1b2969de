package baserun

import (
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/closed"
	"github.com/dplab/dplab/accounting/internal/certificate/renyi"
	"github.com/dplab/dplab/accounting/internal/certificate/selected"
	"github.com/dplab/dplab/accounting/internal/certificate/settle"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/verify"
)

// This file has what shows the values of a run, for proofs of prices.

// Event returns the event of one run. It is nil if the run was made by hand.
func (b Run) Event() accounting.Event { return b.event }

// WithoutProof returns the run without its event. Prices of it have no proof, which takes less
// time.
func (b Run) WithoutProof() Run {
	b.event = nil
	return b
}

// Shows returns the checker of proofs about an event that holds the run. It is nil if one of the
// two has no JSON form.
func (b Run) Shows(event accounting.Event) settle.Shows {
	if b.event == nil {
		return nil
	}
	return ShowsOf(event, b.Relation())
}

// ShowsOf returns the checker of proofs about an event, or nil if it has no JSON form.
func ShowsOf(event accounting.Event, relation accounting.Neighboring) settle.Shows {
	text, err := eventjson.Marshal(event)
	if err != nil {
		return nil
	}
	c, err := verify.NewChecker(text, relation)
	if err != nil {
		return nil
	}
	return c.Shows
}

// ProveDivergence returns what shows the divergence of one run at an order, or nil.
func (b Run) ProveDivergence(order float64) *accounting.Proof {
	return b.prove(func(q ask.Question) *accounting.Proof {
		return certificate.Proof(renyi.Rule, renyi.Witness{Order: accounting.Number(order)})
	})
}

// ProveRuns returns what shows the profile of count runs at an ε by closed forms or Rényi
// divergences, or nil.
func (b Run) ProveRuns(count int, epsilon float64) *accounting.Proof {
	if b.event == nil {
		return nil
	}
	q, err := ask.Of("baserun", accounting.SelfComposed{Event: b.event, Count: count}, b.Relation())
	if err != nil {
		return nil
	}
	if b.mu > 0 {
		return q.Formed(certificate.Proof(closed.Rule, nil))
	}
	return q.Formed(rdp.Accountant{Relation: b.Relation()}.ProveProfile(q, []float64{epsilon}, nil))
}

// ProveLargestLoss returns what shows that the run has no loss above that of its curve, or nil.
func (b Run) ProveLargestLoss() *accounting.Proof {
	if b.Curve == nil || math.IsInf(b.Curve(math.Inf(1)), 1) {
		return nil
	}
	return b.prove(func(q ask.Question) *accounting.Proof { return certificate.Proof(closed.Rule, nil) })
}

// proveCurve returns what shows values of the profile that the Rényi curve implies.
func (b Run) proveCurve(epsilons, _ []float64) *accounting.Proof {
	return b.prove(func(q ask.Question) *accounting.Proof {
		return rdp.Accountant{Relation: b.Relation()}.ProveProfile(q, epsilons, nil)
	})
}

// prove returns a proof about the event from one about its simplest form.
func (b Run) prove(shown func(q ask.Question) *accounting.Proof) *accounting.Proof {
	if b.event == nil {
		return nil
	}
	q, err := ask.Of("baserun", b.event, b.Relation())
	if err != nil {
		return nil
	}
	return q.Formed(shown(q))
}

// Proof returns what shows the values of the profile at some ε: those of a list of Around, or any
// others that rise.
func (s Source) Proof(known []Point) (selected.Epsilons, *accounting.Proof) {
	var spec selected.Epsilons
	epsilons, deltas := make([]float64, len(known)), make([]float64, len(known))
	for i, k := range known {
		epsilons[i], deltas[i] = k.E, k.Delta
	}
	if steps, far := s.density(); len(known) > 1 {
		spec = selected.Epsilons{Step: known[1].E, End: 2 * steps, Far: far, Count: len(known)}
	}
	if !slices.Equal(spec.Values(), epsilons) {
		spec = selected.Epsilons{List: epsilons}
	}
	if s.prove == nil {
		return spec, nil
	}
	return spec, s.prove(epsilons, deltas)
}
