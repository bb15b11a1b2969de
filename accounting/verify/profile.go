package verify

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/closed"
	"github.com/dplab/dplab/accounting/internal/certificate/gridlaw"
	"github.com/dplab/dplab/accounting/internal/certificate/laws"
	"github.com/dplab/dplab/accounting/internal/certificate/lineintegral"
	"github.com/dplab/dplab/accounting/internal/certificate/renyi"
	"github.com/dplab/dplab/accounting/internal/certificate/selected"
	"github.com/dplab/dplab/accounting/internal/certificate/splitlaw"
	"github.com/dplab/dplab/accounting/interval"
)

// profiler returns an upper bound of δ of an event at any ε >= 0, by a step. It is to be compared
// with delta.
type profiler func(c *checker, n node, s accounting.Step, delta float64) (func(epsilon float64) float64, error)

// profilers are those of events without selections.
var profilers = map[string]func(c *checker, event accounting.Node, s accounting.Step) (func(epsilon float64) float64, error){
	closed.Rule: func(c *checker, event accounting.Node, s accounting.Step) (func(float64) float64, error) {
		c.by("closed forms of a run")
		return func(epsilon float64) float64 { return closed.Delta(event, c.relation, epsilon) }, nil
	},
	renyi.RuleProfile: func(c *checker, event accounting.Node, s accounting.Step) (func(float64) float64, error) {
		var orders []float64
		err := witness(s, &orders)
		c.by("Rényi divergences of a run")
		return renyi.Profile(event, c.relation, orders), err
	},
	lineintegral.RuleProfile: func(c *checker, event accounting.Node, s accounting.Step) (func(float64) float64, error) {
		var anchors []lineintegral.Anchor
		if err := witness(s, &anchors); err != nil {
			return nil, err
		}
		program, err := phases(event, c.relation)
		c.by("line integrals of a run")
		return lineintegral.NewProfile(program, anchors).Delta, err
	},
}

func init() {
	profilers[gridlaw.Rule] = func(c *checker, event accounting.Node, s accounting.Step) (func(float64) float64, error) {
		var w []gridlaw.Grid
		if err := witness(s, &w); err != nil {
			return nil, err
		}
		c.by("laws on a grid of a run")
		return bounded(gridlaw.New(w...).Delta), grids(event, c.relation, w)
	}
	profilers[splitlaw.Rule] = func(c *checker, event accounting.Node, s accounting.Step) (func(float64) float64, error) {
		var w splitlaw.Grid
		if err := witness(s, &w); err != nil {
			return nil, err
		}
		curve, err := c.curve(event, w)
		c.by("a law of the likelihood ratio of a run", splitlaw.Given)
		return bounded(curve.Delta), err
	}
}

func (c *checker) curve(event accounting.Node, w splitlaw.Grid) (curve splitlaw.Curve, err error) {
	program, err := factors(event, c.relation)
	if err != nil {
		return curve, err
	}
	return splitlaw.CurveOf(program, w)
}

// bounded returns a bound of δ, 1 if there is none.
func bounded(delta func(epsilon float64) (float64, error)) func(epsilon float64) float64 {
	return func(epsilon float64) float64 {
		if upper, err := delta(epsilon); err == nil && upper < 1 {
			return upper
		}
		return 1
	}
}

// profile is a profiler by all rules.
func (c *checker) profile(n node, s accounting.Step, delta float64) (func(epsilon float64) float64, error) {
	c.path = append(c.path, s.Rule)
	defer func() { c.path = c.path[:len(c.path)-1] }()
	n, s, err := c.unformed(n, s)
	if err != nil {
		return nil, err
	}
	if made := rules[s.Rule].profile; made != nil {
		return made(c, n, s, delta)
	}
	made, known := profilers[s.Rule]
	if !known || len(s.Of) > 0 {
		return nil, errors.New("is not a rule of a profile in this version")
	}
	event, err := n.event()
	if err != nil {
		return nil, err
	}
	return made(c, event, s)
}

// run returns what the steps of a selection show of one run.
func (c *checker) run(n node, s accounting.Step, w selected.Witness, wanted float64) (selected.Run, error) {
	if len(s.Of) == 0 || len(w.Run) != len(s.Of) {
		return selected.Run{}, fmt.Errorf("%d profiles of a run: must be %d", len(w.Run), len(s.Of))
	}
	if run, known := c.runs[&s.Of[0]]; known {
		return run, nil
	}
	var all []selected.Known
	for i, step := range s.Of {
		delta, err := c.profile(n, step, wanted)
		if err != nil {
			return selected.Run{}, err
		}
		for _, epsilon := range slices.Backward(w.Run[i].Values()) { // the largest needs the most
			if !(epsilon >= 0) {
				return selected.Run{}, fmt.Errorf("ε %g of a run: must be >= 0", epsilon)
			}
			all = append(all, selected.Known{Epsilon: epsilon, Delta: delta(epsilon)})
		}
	}
	slices.SortFunc(all, func(a, b selected.Known) int {
		return cmp.Or(cmp.Compare(a.Epsilon, b.Epsilon), cmp.Compare(a.Delta, b.Delta))
	})
	run := selected.NewRun(all)
	c.runs[&s.Of[0]] = run
	return run, nil
}

// unformed replaces an event by its simplest form, if the step has one.
func (c *checker) unformed(n node, s accounting.Step) (node, accounting.Step, error) {
	if s.Rule != certificate.RuleForm || len(s.Of) != 1 {
		return n, s, nil
	}
	form, err := c.formed(n, s)
	return form, s.Of[0], err
}

// values returns what a step shows of a run: values of its profile.
func (c *checker) values(n node, s accounting.Step, delta float64) (selected.Run, error) {
	c.path = append(c.path, s.Rule)
	defer func() { c.path = c.path[:len(c.path)-1] }()
	var w selected.Witness
	if err := witness(s, &w); err != nil {
		return selected.Run{}, err
	}
	if s.Rule != selected.RuleValues {
		return selected.Run{}, fmt.Errorf("must be %q", selected.RuleValues)
	}
	return c.run(n, s, w, delta)
}

// mostWork bounds the work of all checks of an answer. A witness may ask for values of a profile
// that take a million steps each.
const mostWork = 1 << 24

// limited returns what a check shows at any ε, and 1 if the answer took too much work.
func (c *checker) limited(check selected.Check, slack float64) func(epsilon float64) float64 {
	return func(epsilon float64) float64 {
		if c.work > mostWork {
			return 1
		}
		out, work := check(epsilon, slack)
		c.work += min(work, selected.MostTerms)
		return out
	}
}

// fates shows a tuning on a Poisson sample, then a training.
func (c *checker) fates(n node, s accounting.Step, delta float64) (func(epsilon float64) float64, error) {
	rate, variant := n.numbers["tuning_rate"], n.words["variant"]
	if n.kind != "tune_then_train" || !(rate > 0 && rate <= 1) || variant != "all data" && variant != "rest of the data" || len(s.Of) != 2 {
		return nil, fmt.Errorf("is about a %s of rate %g on %q: must be a tune_then_train of a rate in (0, 1], with two steps", n.kind, rate, variant)
	}
	if err := witness(s, &selected.Witness{}); err != nil {
		return nil, err
	}
	tuning, err := c.values(n.children[0], s.Of[0], delta)
	if err != nil {
		return nil, err
	}
	training, err := c.values(n.children[1], s.Of[1], delta)
	c.by("the likelihood ratios of a tuning on a sample and a training (subsample, likelihood.go)")
	return c.limited(selected.Fates(tuning, training, rate, variant == "all data"), 0), err
}

// selection is a rule of the best of K runs, or of the first above a threshold.
func selection(kind, claim string, check func(l selected.Law, run selected.Run, w selected.Witness, delta float64) selected.Check) rule {
	return everywhere(-1, func(c *checker, n node, s accounting.Step, delta float64) (func(epsilon float64) float64, error) {
		if n.kind != kind {
			return nil, fmt.Errorf("is about a %s: must be a %s", n.kind, kind)
		}
		var w selected.Witness
		if err := witness(s, &w); err != nil {
			return nil, err
		}
		l, err := laws.Of(n.law)
		if err != nil {
			return nil, err
		}
		run, err := c.run(n.children[0], s, w, delta)
		if err != nil {
			return nil, err
		}
		if !(w.Slack >= 0 && w.Slack <= 1e-2) || len(w.Slopes) != len(w.Weights) {
			return nil, errors.New("witness: slack must be at most 0.01, and slopes as many as weights")
		}
		c.by(claim)
		return c.limited(check(l, run, w, delta), w.Slack), nil
	})
}

// divergence is a rule with the Rényi divergence of one run at an order.
func divergence(kind, claim string, check func(l selected.Law, run selected.Run, order, divergence float64) selected.Check) rule {
	return everywhere(-1, func(c *checker, n node, s accounting.Step, delta float64) (func(epsilon float64) float64, error) {
		var w selected.Witness
		if err := witness(s, &w); err != nil {
			return nil, err
		}
		if len(s.Of) < 2 || len(n.children) != 1 {
			return nil, errors.New("needs a step for the divergence, and one for a profile")
		}
		d, err := c.divergence(n.children[0], s.Of[0], float64(w.Order))
		if err != nil {
			return nil, err
		}
		s.Of = s.Of[1:]
		return selection(kind, claim, func(l selected.Law, run selected.Run, w selected.Witness, _ float64) selected.Check {
			return check(l, run, float64(w.Order), d)
		}).profile(c, n, s, delta)
	})
}

// divergence returns the Rényi divergence of an event at an order.
func (c *checker) divergence(n node, s accounting.Step, order float64) (float64, error) {
	n, s, err := c.unformed(n, s)
	if err != nil {
		return 0, err
	}
	event, err := n.event()
	if err != nil {
		return 0, err
	}
	if s.Rule != renyi.Rule || len(s.Of) > 0 {
		return 0, fmt.Errorf("%s: is not a rule of a divergence", s.Rule)
	}
	return renyi.Divergence(event, c.relation, order)
}

// bestOf shows a search for the first above a threshold as a post-processing of the best of K runs.
func (c *checker) bestOf(n node, s accounting.Step, epsilon, delta float64) (float64, error) {
	if n.kind != "first_above" {
		return 1, fmt.Errorf("is about a %s: must be a first_above", n.kind)
	}
	c.by("a post-processing of the best of K runs (firstabove.PriceAt)")
	n.kind = "selection"
	return c.shows(n, s.Of[0], epsilon, delta)
}

// published shows the best of K as a post-processing of all runs, with K public. Each step is about
// so many runs, and serves for fewer.
func (c *checker) published(n node, s accounting.Step, epsilon, delta float64) (float64, error) {
	var w selected.Witness
	if err := witness(s, &w); err != nil {
		return 1, err
	}
	if n.kind != "selection" || len(s.Of) == 0 || len(w.Counts) != len(s.Of) || n.children[0].source == nil {
		return 1, fmt.Errorf("is about a %s with %d counts: must be a selection of events, with a step for each count", n.kind, len(w.Counts))
	}
	l, err := laws.Of(n.law)
	if err != nil {
		return 1, err
	}
	c.by("the convexity of the privacy profile in the pair of laws (selection, composition.go)")
	shown, all, from := interval.I{}, l.Chances(0)[0], 1 // no run has no δ
	for i, count := range w.Counts {
		if count < from || count > mostPublished {
			return 1, fmt.Errorf("counts: %d: must rise to at most %d", count, mostPublished)
		}
		runs := repeated(n.children[0], float64(count))
		runs.source = accounting.SelfComposed{Count: count, Event: n.children[0].source}
		profile, err := c.profile(runs, s.Of[i], delta)
		if err != nil {
			return 1, err
		}
		one := interval.Of(profile(epsilon))
		for _, p := range l.Chances(count)[from:] {
			all, shown = all.Add(p), shown.Add(p.Mul(one))
		}
		from = count + 1
	}
	return shown.Add(interval.Of(1).Sub(all).Positive()).Hi, nil
}

// mostPublished bounds the number of runs that are published.
const mostPublished = 10_000

// mostChoice is the largest range of a choice that comes first. e to it must be far from overflow.
const mostChoice = 150

// choice shows a choice by the exponential mechanism, followed by events with a privacy profile.
func (c *checker) choice(n node, s accounting.Step, epsilon, delta float64) (float64, error) {
	events := n.sequence()
	reach := events[0].numbers["epsilon"]
	if c.relation != accounting.AddOrRemoveOne || events[0].kind != "exponential_mechanism" || len(events) < 2 || !(reach <= mostChoice) {
		return 1, fmt.Errorf("must begin with an exponential_mechanism of ε at most %d, and others after it, under %v", mostChoice, accounting.AddOrRemoveOne)
	}
	var w selected.Witness
	if err := witness(s, &w); err != nil {
		return 1, err
	}
	rest, err := composed(events[1:])
	if err != nil {
		return 1, err
	}
	run, err := c.run(rest, s, w, delta)
	c.by("the two outputs of an exponential mechanism that comes first (auto, choice.go)")
	if err != nil {
		return 1, err
	}
	return c.limited(selected.Choice(reach, run, delta), 0)(epsilon), nil
}

// composed returns the composition of events.
func composed(events []node) (node, error) {
	var source accounting.Composed
	for _, e := range events {
		if e.source == nil {
			return e, fmt.Errorf("has a %s: only its own rules take it", e.kind)
		}
		source.Events = append(source.Events, e.source)
	}
	if len(events) == 1 {
		return events[0], nil
	}
	if len(events) == 0 {
		return node{}, errors.New("steps are about no event")
	}
	return node{kind: "composed", source: source, children: events}, nil
}

// mostTests is the largest number of tests of a search (threshold.Event).
const mostTests = 10_000

// search shows a search by threshold tests, or a composition that has one. Steps show the profile
// of the other events.
func (c *checker) search(n node, s accounting.Step, delta float64) (func(epsilon float64) float64, error) {
	var w selected.Witness
	if err := witness(s, &w); err != nil {
		return nil, err
	}
	events := n.sequence()
	at := slices.IndexFunc(events, func(e node) bool { return e.kind == "above_threshold" })
	if at < 0 {
		return nil, fmt.Errorf("is about a %s: must be an above_threshold, or a composition with one", n.kind)
	}
	after := selected.Nothing()
	n = events[at]
	if others := slices.Delete(events, at, at+1); len(others)+len(s.Of)+len(w.Run) > 0 {
		rest, err := composed(others)
		if err == nil {
			after, err = c.run(rest, s, w, delta)
		}
		if err != nil {
			return nil, err
		}
	}
	tests, positives := n.numbers["max_tests"], n.numbers["max_positives"]
	search := selected.Search{
		Sensitivity: n.numbers["sensitivity"], ThresholdNoise: n.numbers["threshold_noise"], ScoreNoise: n.numbers["score_noise"],
		Positives: int(positives), Thresholds: 1, Once: true, Exponential: n.words["noise"] == "exponential",
	}
	switch n.words["refresh"] {
	case "each test":
		search.Thresholds, search.Once = int(tests), false
	case "each positive":
		search.Thresholds, search.Once = int(positives), false
	case "once":
	default:
		return nil, fmt.Errorf("refresh %q: is not known", n.words["refresh"])
	}
	if noise := n.words["noise"]; noise != "" && noise != "laplace" && noise != "exponential" {
		return nil, fmt.Errorf("noise %q: must be laplace or exponential", noise)
	}
	if !(search.Sensitivity > 0 && search.ThresholdNoise > 0 && search.ScoreNoise > 0 && positives >= 1 && positives <= tests && tests <= mostTests) {
		return nil, errors.New("a number of the search is out of its range")
	}
	check := search.By(w, after, delta)
	if check == nil {
		return nil, fmt.Errorf("by %q: is not known, or has too many terms", w.By)
	}
	c.by("the dominating pair of a search by threshold tests (threshold.Event)")
	return c.limited(check, 0), nil
}
