// Package ask makes the question that the accountants of this module answer: an event under
// one relation, in its simplest form. It is made once, where an event comes in. Below that place
// an accountant's number answers a Question, under the relation of both, and a certificate's check
// takes the node and the relation.
//
// Functions that take an event without a relation are about accounting.AddOrRemoveOne, and state
// that: gdp.Mu, rdp.FromEvent and baserun.New. Package certificate reads what a mechanism states,
// the noise of a Gaussian and the ε of a claim, which hold under the relation of the question.
package ask

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/internal/certificate"
)

// Question is an event in its simplest form under a relation. Only [Of] makes one from an event.
// The zero Question has no event, and no accountant answers it.
type Question struct {
	node     accounting.Node
	asked    accounting.Node
	event    accounting.Event // as it came in; nil of a part
	relation accounting.Neighboring
	above    bool // the event has shuffled batches, and may cost less than its price
	options  accounting.Options
}

// Of returns the question about event under a relation. An error begins with the name of the
// asker. Each ClippedSum is the event that it is under the relation (accounting.Node.Lowered),
// releases in a known order take the place of shuffled batches (shuffled.go), and alternatives that
// another one dominates are gone (simplify.go).
//
// An event that has no price under the relation is an error that wraps
// accounting.ErrUnsupportedEvent: see accounting.Node.CheckRelation.
func Of(asker string, event accounting.Event, relation accounting.Neighboring) (Question, error) {
	err := relation.Validate()
	if err != nil {
		return Question{}, check.Errorf("%s: %w", asker, err)
	}
	q := Question{event: event, relation: relation}
	if q.asked, err = accounting.Flatten(event); err != nil {
		return Question{}, check.Errorf("%s: %w", asker, err)
	}
	if err := q.asked.CheckRelation(asker, relation); err != nil { // before a Parallel is simplified away
		return Question{}, err
	}
	node, _, err := replaceShuffled(q.asked, relation)
	if err != nil {
		return Question{}, check.Errorf("%s: %w", asker, err)
	}
	q.node, q.above = simplified(node.Lowered(relation)), q.asked.Contains(isShuffled)
	return q, nil
}

// Part returns the question about n under the same relation. It trusts the caller, and checks
// nothing: n must be a part of the node, be made of its parts, or dominate one of these under the
// relation. An event from elsewhere needs [Of].
func (q Question) Part(n accounting.Node) Question {
	return Question{node: n, asked: n, relation: q.relation, options: q.options}
}

// Alone returns a part as a question that came in so. Proofs need one.
func (q Question) Alone() Question {
	q.event = q.node.Event
	return q
}

// With returns the question with other options.
func (q Question) With(o accounting.Options) Question {
	q.options = o
	return q
}

// Options returns what the answer may do without.
func (q Question) Options() accounting.Options { return q.options }

// Node returns the event in its simplest form.
func (q Question) Node() accounting.Node { return q.node }

// Event returns the event of the node.
func (q Question) Event() accounting.Event { return q.node.Event }

// Asked returns the event as it came in. It is nil of a part.
func (q Question) Asked() accounting.Event { return q.event }

// String returns the event as it was asked about.
func (q Question) String() string { return fmt.Sprint(q.asked.Event) }

// Relation returns the relation.
func (q Question) Relation() accounting.Neighboring { return q.relation }

// Parts returns the questions about the children of the node.
func (q Question) Parts() []Question {
	parts := make([]Question, len(q.node.Children))
	for i, child := range q.node.Children {
		parts[i] = q.Part(child)
	}
	return parts
}

// Shuffled reports whether the event has shuffled batches, at any depth. whole is the event if it
// is nothing else.
func (q Question) Shuffled() (whole accounting.Shuffled, is, inside bool) {
	whole, is = q.asked.Event.(accounting.Shuffled)
	return whole, is, q.above
}

func isShuffled(n accounting.Node) bool {
	_, is := n.Event.(accounting.Shuffled)
	return is
}

// Under returns an error unless the question is about the relation of an accountant, which is to
// answer it.
func (q Question) Under(a accounting.Accountant) error {
	if relation := a.Neighboring(); q.relation != relation {
		return fmt.Errorf("%s: a question about the relation %v: must be about %v, that of the accountant", strings.ToLower(a.Name()), q.relation, relation)
	}
	return nil
}

// Answerer is an accountant that answers questions.
type Answerer interface {
	accounting.Accountant
	// EpsilonTo returns bounds on ε at delta in (0, 1). DeltaTo returns bounds on δ at epsilon >= 0.
	// They are errors unless the question has the accountant's relation: see [Question.Under].
	EpsilonTo(q Question, delta float64) (accounting.Guarantee, error)
	DeltaTo(q Question, epsilon float64) (accounting.Interval, error)
}

// Other is an accountant that is asked about events, as an Answerer.
type Other struct{ accounting.Accountant }

// EpsilonTo returns the accountant's answer about the event in its simplest form.
func (o Other) EpsilonTo(q Question, delta float64) (accounting.Guarantee, error) {
	if err := q.Under(o); err != nil {
		return accounting.NoGuarantee(), err
	}
	return accounting.WithOptions(o.Accountant, q.options).EpsilonAt(q.Event(), delta)
}

// DeltaTo returns the accountant's answer about the event in its simplest form.
func (o Other) DeltaTo(q Question, epsilon float64) (accounting.Interval, error) {
	if err := q.Under(o); err != nil {
		return accounting.NoDelta(), err
	}
	return o.DeltaAt(q.Event(), epsilon)
}

// Many is an accountant that answers many questions about δ at once.
type Many interface {
	accounting.Accountant
	// DeltasAt returns bounds on δ at each of epsilons, which do not fall.
	DeltasAt(event accounting.Event, epsilons []float64) ([]accounting.Interval, error)
}

// OtherMany is a Many that is asked about events, as a Profiler.
type OtherMany struct {
	Other
	Many Many
}

// DeltasTo returns the accountant's answers about the event in its simplest form.
func (o OtherMany) DeltasTo(q Question, epsilons []float64) ([]accounting.Interval, error) {
	if err := q.Under(o); err != nil {
		return nil, err
	}
	return o.Many.DeltasAt(q.Event(), epsilons)
}

// EpsilonAt is the EpsilonAt of an Answerer.
func EpsilonAt(a Answerer, event accounting.Event, delta float64) (accounting.Guarantee, error) {
	q, err := Asked(a, event, accounting.ValidateDelta(delta))
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	g, err := a.EpsilonTo(q, delta)
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	return q.Guarantee(g), nil
}

// DeltaAt is the DeltaAt of an Answerer.
func DeltaAt(a Answerer, event accounting.Event, epsilon float64) (accounting.Interval, error) {
	q, err := Asked(a, event, accounting.ValidateEpsilon(epsilon))
	if err != nil {
		return accounting.NoDelta(), err
	}
	delta, err := a.DeltaTo(q, epsilon)
	if err != nil {
		return accounting.NoDelta(), err
	}
	return q.Interval(delta), nil
}

// Profiler is an Answerer of many questions at once, in little more time than of one.
type Profiler interface {
	Answerer
	// DeltasTo returns an upper end of δ at each of epsilons, which do not fall.
	DeltasTo(q Question, epsilons []float64) ([]accounting.Interval, error)
}

// DeltasAt is the DeltasAt of a Profiler.
func DeltasAt(a Profiler, event accounting.Event, epsilons []float64) ([]accounting.Interval, error) {
	q, err := Asked(a, event, accounting.ValidateEpsilons(epsilons))
	if err != nil {
		return nil, err
	}
	deltas, err := a.DeltasTo(q, epsilons)
	if err != nil {
		return nil, err
	}
	for i, d := range deltas {
		deltas[i] = q.Interval(d)
	}
	return deltas, nil
}

// Asked returns the question about event under the relation of an accountant and with its options,
// or the error of an argument.
func Asked(a accounting.Accountant, event accounting.Event, arguments ...error) (Question, error) {
	name := strings.ToLower(a.Name())
	q, err := Of(name, event, a.Neighboring())
	if err != nil {
		return Question{}, err
	}
	if err := errors.Join(arguments...); err != nil {
		return Question{}, fmt.Errorf("%s: %w", name, err)
	}
	return q.With(accounting.OptionsOf(a)), nil
}

// errKnownOrder is the warning of a price of shuffled batches.
var errKnownOrder = fmt.Errorf("shuffled batches are priced as if the order were known: %w", accounting.ErrUnknownAmplification)

// Guarantee returns the guarantee of the event from that of its simplest form. A lower end is not
// checked if that form may cost more by rounding of its noise. If the event has shuffled batches,
// it has no lower end, and a warning that wraps accounting.ErrUnknownAmplification.
func (q Question) Guarantee(g accounting.Guarantee) accounting.Guarantee {
	if g.Certificate != nil {
		g.Certificate = q.proved(*g.Certificate)
	}
	g.Epsilon = q.Interval(g.Epsilon)
	if q.above {
		g.Warnings = append(append([]error{}, g.Warnings...), errKnownOrder)
	}
	return g
}

// Formed returns a proof about the simplest form as one about the event.
func (q Question) Formed(p *accounting.Proof) *accounting.Proof {
	if p == nil {
		return nil
	}
	_, formed := q.formed(*p)
	return formed
}

func (q Question) formed(p accounting.Proof) (event []byte, formed *accounting.Proof) {
	asked, err := eventjson.Marshal(q.event)
	form, errForm := eventjson.Marshal(q.Event())
	switch {
	case errors.Join(err, errForm) != nil:
		return nil, nil
	case bytes.Equal(asked, form):
		return asked, &p
	}
	return asked, certificate.Proof(certificate.RuleForm, certificate.Form{Event: form}, &p)
}

// Prover is an accountant that shows a privacy profile.
type Prover interface {
	// ProveProfile returns what shows a profile of the question's simplest form whose values at
	// epsilons, which rise, are about deltas. It is nil without such a proof.
	ProveProfile(q Question, epsilons, deltas []float64) *accounting.Proof
}

// proved returns a certificate of the simplest form as one of the event, with both in its proof. An
// event without a JSON form has no proof.
func (q Question) proved(c accounting.Certificate) *accounting.Certificate {
	if q.above {
		c.Given = append(slices.Clone(c.Given), GivenOrder)
	}
	if c.Proof == nil || c.Proof.Rule == certificate.RulePairs {
		c.Proof = nil
		return &c
	}
	event, proof := q.formed(*c.Proof)
	if c.Proof = nil; proof != nil {
		c.Proof = &accounting.Proof{Version: accounting.ProofVersion, Event: event, Step: proof.Step}
	}
	return &c
}

// Interval is Guarantee for an ε or a δ.
func (q Question) Interval(i accounting.Interval) accounting.Interval {
	if q.above {
		return accounting.UpperBound(i.Upper)
	}
	i.LowerChecked = i.LowerChecked && !q.asked.Contains(isRounded)
	return i
}

// isRounded reports whether the Gaussian that an event is has a rounded noise multiplier.
func isRounded(n accounting.Node) bool {
	switch n.Event.(type) {
	case accounting.MixtureOfGaussians, accounting.SampledWithReplacement:
		return true
	}
	return false
}
