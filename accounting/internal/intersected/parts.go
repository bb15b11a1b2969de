package intersected

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/internal/certificate/gridlaw"
	"github.com/dplab/dplab/accounting/internal/certificate/settle"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/verify"
)

// parts returns what prices an event from its parts, at most one. It is there for a sample, a
// Parallel or a WorstCase of any events, and a composition with an event that is not on the grid.
func (a Accountant) parts(q ask.Question) []ask.Profiler {
	if lemma, ok := lemmaOf(q); ok {
		return []ask.Profiler{byLemma{a, lemma}}
	}
	switch q.Node().Shape {
	case accounting.Either:
		return []ask.Profiler{byMembers{a}}
	case accounting.Sequence, accounting.Repetition:
		if a.Neighboring() != accounting.ReplaceOne && errors.Is(a.Grid.Knows(q), accounting.ErrUnsupportedEvent) {
			return []ask.Profiler{byPairs{a}}
		}
	}
	return nil
}

// theoremOf returns the theorem of a way.
func theoremOf(a accounting.Accountant) string {
	switch a.(type) {
	case byLemma:
		return SamplingTheorem
	case byPairs:
		return PairsTheorem
	}
	return ""
}

// byMembers prices a Parallel or a WorstCase as the costliest of its events. At each δ, and at each
// ε, its divergence is at most the largest of theirs, and equals that of one of them.
type byMembers struct{ Accountant }

func (byMembers) Name() string { return "costliest event" }

func (a byMembers) EpsilonTo(q ask.Question, delta float64) (accounting.Guarantee, error) {
	var worst accounting.Guarantee
	var certificates []*accounting.Certificate
	for i, member := range q.Parts() {
		g, err := a.Accountant.EpsilonTo(member, delta)
		if err != nil {
			return accounting.NoGuarantee(), err
		}
		if certificates = append(certificates, g.Certificate); i == 0 {
			worst = g
			continue
		}
		warnings, epsilon := append(append([]error{}, worst.Warnings...), g.Warnings...), larger(worst.Epsilon, g.Epsilon)
		if g.Epsilon.Upper > worst.Epsilon.Upper {
			worst = g
		}
		worst.Epsilon, worst.Warnings = epsilon, warnings
	}
	worst.Certificate = attach.Largest(certificates...)
	return worst, nil
}

func (a byMembers) DeltaTo(q ask.Question, epsilon float64) (accounting.Interval, error) {
	var worst accounting.Interval
	for i, member := range q.Parts() {
		d, err := a.Accountant.DeltaTo(member, epsilon)
		if err != nil {
			return accounting.NoDelta(), err
		}
		if i > 0 {
			d = larger(worst, d)
		}
		worst = d
	}
	return worst, nil
}

func (a byMembers) DeltasTo(q ask.Question, epsilons []float64) ([]accounting.Interval, error) {
	worst := make([]accounting.Interval, len(epsilons))
	for _, member := range q.Parts() {
		deltas, err := a.profile(member, epsilons)
		if err != nil {
			return nil, err
		}
		for i, d := range deltas {
			worst[i] = accounting.UpperBound(math.Max(worst[i].Upper, d.Upper))
		}
	}
	return worst, nil
}

// larger returns an interval of the larger of two numbers.
func larger(a, b accounting.Interval) accounting.Interval {
	upper := math.Max(a.Upper, b.Upper)
	if !a.HasLower && !b.HasLower {
		return accounting.UpperBound(upper)
	}
	estimate := upper
	if a.HasEstimate && b.HasEstimate {
		estimate = math.Max(a.Estimate, b.Estimate)
	}
	return accounting.Certified(math.Max(a.Lower, b.Lower), estimate, upper) // an unknown Lower is 0
}

// byPairs prices a composition on the grid. A pair of laws replaces each event that is not on the
// grid: see gridded. Only prices of an event with a random allocation have a lower end.
type byPairs struct{ Accountant }

// DominatingPairs and PairsTheorem name the bound and its source.
const (
	DominatingPairs = "dominating pairs"
	PairsTheorem    = "a pair of laws above the privacy profile of each event that is not on the grid (pld.PairAbove), and composition"
)

func (byPairs) Name() string { return DominatingPairs }

func (a byPairs) EpsilonTo(q ask.Question, delta float64) (accounting.Guarantee, error) {
	gridding := gridding{a.Accountant, q, &[]madePair{}}
	gridded, err := gridding.event(q.Node(), delta)
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	g, err := a.Grid.EpsilonTo(q.Part(gridded), delta)
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	g = gridding.proven(g)
	upper := g.Epsilon.Upper
	g.Epsilon = accounting.UpperBound(upper)
	if lower := a.below(q, delta); lower > 0 && lower <= upper {
		g.Epsilon = accounting.Certified(lower, upper, upper)
	}
	g.Method = "dominating pairs of laws for events that are not on the grid; " + g.Method
	return g, nil
}

func (a byPairs) DeltaTo(q ask.Question, epsilon float64) (accounting.Interval, error) {
	gridded, err := a.gridded(q, a.roughly(q, epsilon))
	if err != nil {
		return accounting.NoDelta(), err
	}
	delta, err := a.Grid.DeltaTo(gridded, epsilon)
	if err != nil {
		return accounting.NoDelta(), err
	}
	return accounting.UpperBound(delta.Upper), nil
}

func (a byPairs) DeltasTo(q ask.Question, epsilons []float64) ([]accounting.Interval, error) {
	last := 0.0
	if len(epsilons) > 0 {
		last = epsilons[len(epsilons)-1]
	}
	gridded, err := a.gridded(q, a.roughly(q, last))
	if err != nil {
		return nil, err
	}
	return a.Grid.DeltasTo(gridded, epsilons)
}

// roughly returns a δ for the pairs if the question is δ at epsilon. It is somewhat below a Rényi
// bound.
func (a Accountant) roughly(q ask.Question, epsilon float64) float64 {
	const most, least = 1e-3, 1e-30
	delta, err := rdp.Accountant{Relation: a.Neighboring()}.DeltaTo(q, epsilon)
	if err != nil {
		return 1e-12
	}
	return math.Max(least, math.Min(most, delta.Upper/100))
}

// fewPairs bounds the different pairs made for one composition, each from some hundred values of a
// profile.
const fewPairs = 16

// gridded returns a composition, in its simplest form, that package pld supports as a whole. A pair
// of laws replaces each event that pld does not support. The pair dominates the event, and is made
// of its privacy profile for a question about delta.
//
// ZCDP has the profile that its Rényi curve implies. A Parallel or a WorstCase has, at each ε, the
// largest of its events' profiles. A pair above that profile is above each event, even if the
// choice among them depends on earlier outputs. The event on a sample becomes a pair, which is
// sampled. See pld.PairAbove.
func (a Accountant) gridded(q ask.Question, delta float64) (ask.Question, error) {
	g := gridding{a, q, &[]madePair{}}
	gridded, err := g.event(q.Node(), delta)
	return q.Part(gridded), err
}

// ForMany returns a replacement of an event for many questions, about δ from 1e-12 on. The pairs of
// a composition are then made once.
func (a Accountant) ForMany(q ask.Question) ask.Question {
	if len(a.Named) > 0 {
		return q
	}
	for _, way := range a.parts(q) {
		if _, pairs := way.(byPairs); pairs {
			if gridded, err := a.gridded(q, 1e-12); err == nil {
				return gridded
			}
		}
	}
	return q
}

type gridding struct {
	a     Accountant
	asked ask.Question
	made  *[]madePair
}

type madePair struct {
	event accounting.Event
	delta float64
	pair  accounting.Node
}

func (g gridding) event(event accounting.Node, delta float64) (accounting.Node, error) {
	if err := g.a.Grid.Knows(g.asked.Part(event)); err == nil || !errors.Is(err, accounting.ErrUnsupportedEvent) {
		return event, err
	}
	switch event.Shape {
	case accounting.Repetition:
		inner, err := g.event(event.Children[0], delta/float64(event.Count))
		return event.With(inner), err
	case accounting.Sequence:
		return g.composed(event, delta)
	case accounting.PoissonSample:
		inner, err := g.pair(event.Children[0], math.Min(0.5, delta/event.Rate))
		return event.With(inner), err
	}
	return g.pair(event, delta)
}

// composed joins equal events into one that is repeated, because the grid does not recognize equal
// pairs.
func (g gridding) composed(event accounting.Node, delta float64) (accounting.Node, error) {
	var different []accounting.Node
	var counts []int
next:
	for _, e := range event.Children {
		for i, known := range different {
			if reflect.DeepEqual(e.Event, known.Event) {
				counts[i]++
				continue next
			}
		}
		different, counts = append(different, e), append(counts, 1)
	}
	out := make([]accounting.Node, len(different))
	for i, e := range different {
		inner, err := g.event(e, delta/float64(counts[i]))
		if err != nil {
			return accounting.Node{}, err
		}
		out[i] = accounting.Node{Shape: accounting.Repetition, Count: counts[i]}.With(inner)
	}
	return event.With(out...), nil
}

// pair returns the pair of an event.
func (g gridding) pair(event accounting.Node, delta float64) (accounting.Node, error) {
	for _, m := range *g.made {
		if m.delta == delta && reflect.DeepEqual(m.event, event.Event) {
			return m.pair, nil
		}
	}
	if len(*g.made) >= fewPairs {
		return accounting.Node{}, fmt.Errorf("intersected: more than %d different events that are not on the grid: %w", fewPairs, accounting.ErrUnsupportedEvent)
	}
	var failed error
	pair, err := pld.PairAbove(delta, func(epsilons []float64) []float64 {
		uppers := slices.Repeat([]float64{1}, len(epsilons))
		deltas, err := g.a.profile(g.asked.Part(event), epsilons)
		if err != nil {
			failed = err
			return uppers
		}
		for i, d := range deltas {
			uppers[i] = d.Upper
		}
		return uppers
	})
	if failed != nil {
		err = failed
	}
	if err != nil {
		return accounting.Node{}, err
	}
	made := madePair{event.Event, delta, accounting.Node{Event: pair, Count: 1}}
	*g.made = append(*g.made, made)
	return made.pair, nil
}

// proven returns the guarantee with a proof, if that shows its ε raised by a little. Otherwise its
// certificate takes the pairs as given.
func (g gridding) proven(by accounting.Guarantee) accounting.Guarantee {
	if c := by.Certificate; c != nil && c.Proof != nil && c.Proof.Rule == certificate.RulePairs {
		proof := certificate.Proof(gridlaw.Rule, c.Proof.Witness, g.shown(g.asked.Node())...)
		if text, err := eventjson.Marshal(g.asked.Event()); err == nil && proof != nil {
			if checker, err := verify.NewChecker(text, g.asked.Relation()); err == nil {
				if shown, ok := settle.Proven(by, proof, checker.Shows); ok {
					return shown
				}
			}
		}
	}
	return attach.Given(by, "that each pair of laws dominates its event (pld.PairAbove)")
}

// shown returns what shows the events that pairs were made of by their Rényi divergences, in the
// order of an event.
func (g gridding) shown(event accounting.Node) (all []*accounting.Proof) {
	for _, m := range *g.made {
		if pair, ok := m.pair.Event.(pld.DiscretePair); ok && reflect.DeepEqual(m.event, event.Event) {
			curve := rdp.Accountant{Relation: g.asked.Relation()}
			orders := curve.ProveProfile(g.asked.Part(event), settle.Ratios(pair.With, pair.Without), nil)
			return []*accounting.Proof{settle.Values(pair.With, pair.Without, orders)}
		}
	}
	for _, inner := range event.Children {
		all = append(all, g.shown(inner)...)
	}
	return all
}

// profile returns an upper bound on δ at each of epsilons, which must not fall. It is certified if
// possible; otherwise the Rényi curve implies it.
func (a Accountant) profile(q ask.Question, epsilons []float64) ([]accounting.Interval, error) {
	deltas, err := a.DeltasTo(q, epsilons)
	if err == nil || !errors.Is(err, accounting.ErrUnsupportedEvent) {
		return deltas, err
	}
	curve := rdp.Accountant{Relation: a.Neighboring()}
	deltas = make([]accounting.Interval, len(epsilons))
	for i, e := range epsilons {
		d, curveErr := curve.DeltaTo(q, e)
		if curveErr != nil {
			return nil, errors.Join(err, curveErr)
		}
		deltas[i] = d
	}
	return deltas, nil
}
