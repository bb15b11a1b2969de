package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/closed"
	"github.com/dplab/dplab/accounting/internal/certificate/gridlaw"
	"github.com/dplab/dplab/accounting/internal/certificate/lineintegral"
	"github.com/dplab/dplab/accounting/internal/certificate/renyi"
	"github.com/dplab/dplab/accounting/internal/certificate/selected"
	"github.com/dplab/dplab/accounting/internal/certificate/splitlaw"
	"github.com/dplab/dplab/accounting/interval"
)

// checker walks down a proof.
type checker struct {
	relation        accounting.Neighboring
	path            []string // the rules down to the step that failed
	rules, believed []string
	runs            map[*accounting.Step]selected.Run // what is known of a run, by its first step
	work            int
}

// shows returns an upper bound of δ of an event at epsilon, by a step. delta is what is to be
// shown. It only decides how much work is done.
func (c *checker) shows(n node, s accounting.Step, epsilon, delta float64) (float64, error) {
	c.path = append(c.path, s.Rule)
	rule, known := rules[s.Rule]
	if !known {
		return 1, errors.New("is not a rule of this version")
	}
	if rule.parts >= 0 && len(s.Of) != rule.parts {
		return 1, fmt.Errorf("has %d steps: must have %d", len(s.Of), rule.parts)
	}
	if !(epsilon >= 0 && epsilon <= math.MaxFloat64) || !(delta > 0) {
		return 1, fmt.Errorf("ε %g, δ %g: must be >= 0 and above 0", epsilon, delta)
	}
	out, err := rule.shows(c, n, s, epsilon, delta)
	if err != nil {
		return 1, err
	}
	if math.IsNaN(out) || out < 0 {
		return 1, fmt.Errorf("shows a δ of %g", out)
	}
	c.path = c.path[:len(c.path)-1]
	return out, nil
}

// rule is how a step is checked. A negative number of parts is any number.
type rule struct {
	parts   int
	shows   func(c *checker, n node, s accounting.Step, epsilon, delta float64) (float64, error)
	profile profiler // nil if the rule is about one ε
}

// everywhere is a rule that shows δ at any ε.
func everywhere(parts int, p profiler) rule {
	return rule{parts, func(c *checker, n node, s accounting.Step, epsilon, delta float64) (float64, error) {
		bound, err := p(c, n, s, delta)
		if err != nil {
			return 1, err
		}
		return bound(epsilon), nil
	}, p}
}

var rules map[string]rule

func init() {
	rules = map[string]rule{
		certificate.RuleForm:    {1, (*checker).form, nil},
		certificate.RuleReserve: {1, (*checker).reserve, nil},
		certificate.RuleWorst:   {-1, (*checker).worst, nil},
		certificate.RuleSample:  {1, (*checker).sample, nil},
		certificate.RuleFalls:   {1, (*checker).falls, nil},
		certificate.RuleSum:     {-1, (*checker).sum, nil},
		selected.RuleFirstBest:  {1, (*checker).bestOf, nil},
		selected.RuleChoice:     {-1, (*checker).choice, nil},
		selected.RulePublished:  {-1, (*checker).published, nil},
		selected.RuleSearch:     everywhere(-1, (*checker).search),
		selected.RuleFates:      everywhere(2, (*checker).fates),

		selected.RulePointwise: selection("selection", "the ranks that a privacy profile allows, one by one (selection.PointwiseAt)", func(l selected.Law, run selected.Run, w selected.Witness, delta float64) selected.Check {
			return selected.Pointwise(l, run, run, selected.Claim{Slopes: w.Slopes, Weights: w.Weights}, delta)
		}),
		selected.RuleInterleaved: selection("selection", "the ranks that a privacy profile allows and the distinguishing outputs take (selection.PointwiseAt)", func(l selected.Law, run selected.Run, w selected.Witness, delta float64) selected.Check {
			return selected.Interleaved(l, run, w.Masses, delta)
		}),
		selected.RuleProfile: selection("selection", "a privacy profile, moved by the largest ratio of f' (Koskela, Redberg and Wang 2024)", func(l selected.Law, run selected.Run, _ selected.Witness, _ float64) selected.Check {
			return selected.Profile(l, run)
		}),
		selected.RuleRenyi:      divergence("selection", "the Rényi divergence of the best of K runs, converted (selection, rdpbounds.go)", selected.Renyi),
		selected.RuleFirstRenyi: divergence("first_above", "the Rényi divergence of the search, converted (firstabove.Curve)", selected.FirstAboveRenyi),
		selected.RuleFirstAbove: selection("first_above", "the shares of good outputs that a privacy profile allows (firstabove.Bound)", func(l selected.Law, run selected.Run, _ selected.Witness, delta float64) selected.Check {
			return selected.FirstAbove(l, run, delta)
		}),

		certificate.RulePublic: leaf(func(c *checker, event accounting.Node, _ node, w none, _, _ float64) (certificate.Check, error) {
			mu, err := public(event, c.relation)
			return func(epsilon, delta float64) (accounting.Certificate, error) {
				shown := certificate.Within(closed.LogGaussian(mu, interval.Of(epsilon)), delta)
				return certificate.Made("Gaussians, as if each example's steps were public (joint convexity)", epsilon, shown), nil
			}, err
		}),
		closed.Rule: leaf(func(c *checker, event accounting.Node, n node, w none, _, _ float64) (certificate.Check, error) {
			return closed.Check(event, c.relation), nil
		}),
		renyi.Rule: leaf(func(c *checker, event accounting.Node, n node, w renyi.Witness, _, _ float64) (certificate.Check, error) {
			return renyi.Check(event, c.relation, w), nil
		}),
		lineintegral.Rule: leaf(func(c *checker, event accounting.Node, _ node, w [2]lineintegral.Witness, epsilon, delta float64) (certificate.Check, error) {
			program, err := phases(event, c.relation)
			return func(epsilon, delta float64) (accounting.Certificate, error) {
				from := epsilon
				if w[0].From > 0 && w[0].From < epsilon {
					from = w[0].From
				}
				return lineintegral.New(program, w, from, delta).At(epsilon)
			}, err
		}),
		gridlaw.Rule: byValues(leaf(func(c *checker, event accounting.Node, _ node, w []gridlaw.Grid, _, _ float64) (certificate.Check, error) {
			return gridlaw.New(w...).Check, grids(event, c.relation, w)
		})),
		splitlaw.Rule: leaf(func(c *checker, event accounting.Node, _ node, w splitlaw.Grid, _, _ float64) (certificate.Check, error) {
			curve, err := c.curve(event, w)
			return curve.Check, err
		}),
	}
}

type none struct{}

// leaf is a rule without parts, by a check of the event in intervals. It has the witness W.
func leaf[W any](check func(c *checker, event accounting.Node, n node, w W, epsilon, delta float64) (certificate.Check, error)) rule {
	return rule{0, func(c *checker, n node, s accounting.Step, epsilon, delta float64) (float64, error) {
		var w W
		if err := witness(s, &w); err != nil {
			return 1, err
		}
		event, err := n.event()
		if err != nil {
			return 1, err
		}
		made, err := check(c, event, n, w, epsilon, delta)
		if err != nil {
			return 1, err
		}
		shown, err := made(epsilon, delta)
		if err != nil {
			return 1, err
		}
		c.by(shown.Claim, shown.Given...)
		return shown.DeltaUpper, nil
	}, nil}
}

// by notes what shows a δ.
func (c *checker) by(claim string, believed ...string) {
	if !slices.Contains(c.rules, claim) {
		c.rules = append(c.rules, claim)
	}
	for _, b := range believed {
		if !slices.Contains(c.believed, b) {
			c.believed = append(c.believed, b)
		}
	}
}

// witness reads the witness of a step. Unknown fields are errors.
func witness(s accounting.Step, w any) error {
	text := s.Witness
	if text == nil {
		text = []byte("{}")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(w); err != nil {
		return fmt.Errorf("witness: %w", err)
	}
	return nil
}

// event returns the event of a node as the checks take it.
func (n node) event() (accounting.Node, error) {
	if n.source == nil {
		return accounting.Node{}, fmt.Errorf("is about a %s: only its own rules take it", n.kind)
	}
	return accounting.Flatten(n.source)
}

// form replaces the event by its simplest form, which the step has.
func (c *checker) form(n node, s accounting.Step, epsilon, delta float64) (float64, error) {
	form, err := c.formed(n, s)
	if err != nil {
		return 1, err
	}
	return c.shows(form, s.Of[0], epsilon, delta)
}

func (c *checker) formed(n node, s accounting.Step) (form node, err error) {
	var w certificate.Form
	if err := witness(s, &w); err != nil {
		return n, err
	}
	if form, err = read(w.Event); err != nil {
		return n, err
	}
	exact, changed, err := n.inForm(c.relation)
	if err != nil {
		return n, err
	}
	for _, name := range changed {
		c.by(name)
	}
	return form, form.above(exact, rounding)
}

// reserve keeps a part of δ for what the event does not describe.
func (c *checker) reserve(n node, s accounting.Step, epsilon, delta float64) (float64, error) {
	var w certificate.Reserve
	if err := witness(s, &w); err != nil {
		return 1, err
	}
	if !(w.Delta > 0 && w.Delta < delta) {
		return 1, fmt.Errorf("a reserve of %g: must be in (0, %g)", w.Delta, delta)
	}
	c.by(fmt.Sprintf("a reserve of %g of δ", w.Delta), "that the reserve is enough for what the event does not describe")
	event, err := c.shows(n, s.Of[0], epsilon, delta-w.Delta)
	return interval.Of(event).Add(interval.Of(w.Delta)).Hi, err
}

// worst shows each part of a Parallel or a WorstCase.
func (c *checker) worst(n node, s accounting.Step, epsilon, delta float64) (float64, error) {
	if !n.is("parallel", "worst_case") || len(s.Of) != len(n.children) {
		return 1, fmt.Errorf("%d steps for a %s of %d", len(s.Of), n.kind, len(n.children))
	}
	c.by("the worst of several events")
	worst := 0.0
	for i, child := range n.children {
		one, err := c.shows(child, s.Of[i], epsilon, delta)
		if err != nil {
			return 1, err
		}
		worst = max(worst, one)
	}
	return worst, nil
}

// sample is the sampling lemma: q δ of what runs on the sample, at a larger ε if the sample is
// hidden.
func (c *checker) sample(n node, s accounting.Step, epsilon, delta float64) (float64, error) {
	fixed := n.kind == "sampled_without_replacement"
	if !(n.kind == "poisson_sampled" || fixed && c.relation == accounting.ReplaceOne && !n.children[0].is(n.kind)) {
		return 1, fmt.Errorf("%s under %v: has no sampling lemma", n.kind, c.relation)
	}
	rate := upper(n)
	c.by("the sampling lemma (Balle, Barthe and Gaboardi 2018, Theorem 8)")
	at := epsilon
	if fixed || c.relation != accounting.ReplaceOne {
		at = closed.Unsampled(rate, interval.Of(epsilon)).Lo
	}
	inner, err := c.shows(n.children[0], s.Of[0], at, min(1, delta/rate))
	return interval.Of(rate).Mul(interval.Of(inner)).Hi, err
}

// falls shows δ at a smaller ε.
func (c *checker) falls(n node, s accounting.Step, epsilon, delta float64) (float64, error) {
	var w certificate.At
	if err := witness(s, &w); err != nil {
		return 1, err
	}
	if !(w.Epsilon <= epsilon) {
		return 1, fmt.Errorf("ε %g: must be at most %g", w.Epsilon, epsilon)
	}
	return c.shows(n, s.Of[0], w.Epsilon, delta)
}

// sum adds ε and δ of the events of a composition.
func (c *checker) sum(n node, s accounting.Step, epsilon, delta float64) (float64, error) {
	var w certificate.Parts
	if err := witness(s, &w); err != nil {
		return 1, err
	}
	events := n.sequence()
	if len(w.Epsilons) != len(events) || len(s.Of) != len(events) {
		return 1, fmt.Errorf("%d ε and %d steps for %d events", len(w.Epsilons), len(s.Of), len(events))
	}
	var epsilons, deltas interval.Sum
	c.by("basic composition")
	for i, event := range events {
		one, err := c.shows(event, s.Of[i], w.Epsilons[i], delta/float64(len(events)))
		if err != nil {
			return 1, err
		}
		epsilons.Add(interval.Of(w.Epsilons[i]))
		deltas.Add(interval.Of(one))
	}
	if !(epsilons.I().Hi <= epsilon) {
		return 1, fmt.Errorf("the sum of all ε is %g: must be at most %g", epsilons.I().Hi, epsilon)
	}
	return deltas.I().Hi, nil
}

// sequence returns the events of nested compositions.
func (n node) sequence() (all []node) {
	if n.kind != "composed" {
		return []node{n}
	}
	for _, child := range n.children {
		all = append(all, child.sequence()...)
	}
	return all
}

// upper returns the rate of a sample, rounded up.
func upper(n node) float64 {
	rate, exact := n.rate.Float64()
	if !exact {
		rate = min(1, interval.Up(rate))
	}
	return rate
}
