package threshold

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/internal/certificate/selected"
	"github.com/dplab/dplab/accounting/internal/certificate/settle"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
)

// PriceAt returns the ε at delta of search by every bound that applies. If training is not nil, it
// includes a training after the search, which may depend on all that the search released:
//
//	basic per test     T or c times the pure ε1 + ε2 of one threshold's tests (published)
//	basic              the pure m ε1 + c ε2
//	RDP per test       the Rényi curves of the same (ε1 + ε2)-private parts
//	RDP                the Rényi curve of the dominating pair (Event.Curve)
//	PLD per test, NAME exact composition of the same parts with a profile of the training
//	PLD per test       their composition on a grid, if that is less by more than 1e-4 of itself
//	PLD, NAME          exact composition of the dominating pair with a profile of the training
//
// The Rényi accountant or one of the given ones must know the training. Those given add profiles of
// it. A price takes some tens of milliseconds, plus 256 profile values for each accountant.
func PriceAt(search Event, training accounting.Event, delta float64, accountants ...accounting.Accountant) (accounting.Price, error) {
	if err := search.Validate(); err != nil {
		return accounting.NoPrice(), err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return accounting.NoPrice(), fmt.Errorf("threshold: %w", err)
	}
	if err := baserun.Usable(accountants...); err != nil {
		return accounting.NoPrice(), err
	}
	s := pricer{search: search, training: training, delta: delta}
	if training != nil {
		base, err := baserun.New(training, accountants...)
		if err != nil {
			return accounting.NoPrice(), err
		}
		s.base = base.Prepared()
	}
	bounds := slices.Concat(s.basic(), s.renyi(), s.exact())
	if training != nil {
		least := slices.MinFunc(bounds, func(a, b settle.Candidate) int { return cmp.Compare(a.Epsilon, b.Epsilon) })
		for _, b := range s.grid() {
			if b.Epsilon*(1+gridAbove) < least.Epsilon { // it has no proof
				bounds = append(bounds, b)
			}
		}
	}
	for _, b := range bounds {
		if !(b.Epsilon >= 0) {
			return accounting.NoPrice(), fmt.Errorf("threshold: bound %q came out as %g: must be >= 0", b.Name, b.Epsilon)
		}
	}
	choose := settle.Settle
	if !attach.Wanted(accountants...) {
		choose = settle.Sorted
	}
	event := accounting.Event(search)
	if training != nil {
		event = accounting.Composed{Events: []accounting.Event{search, training}}
	}
	shown := choose(bounds, delta, baserun.ShowsOf(event, accounting.AddOrRemoveOne))
	return accounting.Price{Bounds: shown.Bounds, OneRun: s.ofTraining(), Guarantee: accounting.Guarantee{
		Epsilon:     accounting.UpperBound(shown.Bounds[0].Epsilon),
		Delta:       delta,
		Neighboring: accounting.AddOrRemoveOne,
		Method:      shown.Bounds[0].Method,
		Warnings:    slices.Concat(s.base.Warnings(), shown.Bounds[0].Warnings, shown.Warnings),
		Certificate: settle.About(shown.Certificate, event),
	}}, nil
}

// gridAbove limits how far a bound with a proof may be above that of a grid, as a share, to be in
// its place.
const gridAbove = 1e-4

// pricer holds what the bounds share.
type pricer struct {
	search   Event
	training accounting.Event // nil if there is none
	base     baserun.Run
	delta    float64
}

// ofTraining returns the guarantee of the training.
func (s pricer) ofTraining() accounting.Guarantee {
	if s.training == nil {
		return accounting.Guarantee{Epsilon: accounting.UpperBound(0), Delta: s.delta, Neighboring: accounting.AddOrRemoveOne, Method: "no training"}
	}
	return s.base.Guarantee(s.delta)
}

// parts returns the number of pure mechanisms of ε1 + ε2 that make up the search: one for each
// test, or one for each positive. With Once it is a single mechanism, of m ε1 + c ε2.
func (s pricer) parts() (count int, epsilon float64, theorem string) {
	e := s.search
	each := up(e.ThresholdEpsilon() + e.PositiveEpsilon())
	switch e.Refresh {
	case EachTest:
		return e.MaxTests, each, s.pureTheorem("Theorem 3.23 of Dwork and Roth (2014) for each test")
	case EachPositive:
		return e.MaxPositives, each, s.pureTheorem("Theorem 3.23 of Dwork and Roth (2014) for each positive")
	}
	return 1, e.PureEpsilon(), s.pureTheorem("Algorithm 1 of Lyu, Su and Li (PVLDB 2017)")
}

// pureTheorem names the theorem of a part's pure ε: the published one for Laplace noise, ours
// otherwise.
func (s pricer) pureTheorem(laplace string) string {
	if s.search.Noise == Laplace {
		return laplace
	}
	return "the pure bound of " + dominance
}

// asked returns what is asked about a bound. given is what is taken of the training, if any, and
// prove is what shows values of its profile, if known.
func (s pricer) asked(claim, given string, w selected.Witness, prove func() (selected.Epsilons, *accounting.Proof), check func(e selected.Search) selected.Check) func() settle.Question {
	return func() settle.Question {
		e := s.search
		q := settle.Question{Claim: claim + " (threshold.Event)", Check: check(selected.Search{
			Sensitivity: e.Sensitivity, ThresholdNoise: e.ThresholdNoise, ScoreNoise: e.ScoreNoise,
			Thresholds: e.Thresholds(), Positives: e.MaxPositives, Once: e.Refresh == Once, Exponential: e.Noise == Exponential,
		})}
		if s.training == nil {
			q.Proof = certificate.Proof(selected.RuleSearch, w)
			return q
		}
		q.Given = []string{given}
		if prove != nil {
			q.Prove = func() (string, selected.Witness, []*accounting.Proof) {
				epsilons, shown := prove()
				w.Run = []selected.Epsilons{epsilons}
				return selected.RuleSearch, w, []*accounting.Proof{shown}
			}
		}
		return q
	}
}

// proving returns what shows values of a profile.
func (s pricer) proving(profile baserun.Source, known []baserun.Point) func() (selected.Epsilons, *accounting.Proof) {
	return func() (selected.Epsilons, *accounting.Proof) { return profile.Proof(known) }
}

const dominance = "the dominating pair of an above-threshold search (threshold.Event)"

// basic adds pure prices and the ε of the training.
func (s pricer) basic() []settle.Candidate {
	count, epsilon, theorem := s.parts()
	rest := s.ofTraining().Epsilon.Upper
	after, prove := selected.Nothing(), s.proving(baserun.Source{}, nil)
	if s.training != nil {
		after = selected.NewRun([]selected.Known{{Epsilon: rest, Delta: s.delta}})
	}
	for _, profile := range s.base.Sources() {
		if profile.EpsilonAt(s.delta) == rest {
			var points []baserun.Point
			for _, r := range selected.Raises {
				points = append(points, baserun.Point{E: rest * (1 + r.Share), Delta: s.delta})
			}
			prove = s.proving(profile, points)
		}
	}
	check := s.asked("the sums of all pure ε", "ε of the training", selected.Witness{By: "pure"}, prove, func(e selected.Search) selected.Check { return e.Pure(after) })
	return []settle.Candidate{{Ask: check, Bound: accounting.Bound{
		Name: "basic per test", Theorem: theorem + ", and basic composition", Published: s.search.Noise == Laplace,
		Method:  fmt.Sprintf("%d times ε = %.6g, added", count, epsilon),
		Epsilon: up(float64(count)*epsilon + rest),
	}}, {Ask: check, Bound: accounting.Bound{
		Name: "basic", Theorem: "the least constant of " + dominance,
		Method:    fmt.Sprintf("%d times ε1 = %.6g for thresholds and %d times ε2 = %.6g for positives, added", s.search.Thresholds(), s.search.ThresholdEpsilon(), s.search.MaxPositives, s.search.PositiveEpsilon()),
		Epsilon:   up(s.search.PureEpsilon() + rest),
		Published: s.search.Refresh == Once && s.search.Noise == Laplace,
	}}}
}

// renyi adds Rényi curves. A training without a curve gives no bound.
func (s pricer) renyi() []settle.Candidate {
	if s.training != nil && s.base.Curve == nil {
		return nil
	}
	count, epsilon, theorem := s.parts()
	bound := func(curve rdp.Curve, b accounting.Bound) settle.Candidate {
		training := func(float64) float64 { return 0 }
		if s.training != nil {
			training = s.base.Curve
			curve = rdp.Sum(curve, training)
		}
		order := rdp.CanonneKamathSteinke.Best(curve, s.delta).Order
		return settle.Candidate{Bound: selection.RDPBound(curve, s.delta, b), Ask: s.asked("the Rényi divergence of a search, converted", fmt.Sprintf("the Rényi divergence of the training at order %.6g", order), selected.Witness{By: "Rényi", Order: accounting.Number(order)}, nil, func(e selected.Search) selected.Check {
			return e.Renyi(order, training(order))
		})}
	}
	return []settle.Candidate{
		bound(rdp.Scale(rdp.PureDP(epsilon), count), accounting.Bound{Name: "RDP per test", Theorem: theorem + ", and Rényi composition", Published: s.search.Noise == Laplace}),
		bound(s.search.Curve(), accounting.Bound{Name: "RDP", Theorem: dominance + ", and Rényi composition"}),
	}
}

// grid composes the pure parts and the training on a grid. An event that the grid does not
// know gives no bound.
func (s pricer) grid() []settle.Candidate {
	count, epsilon, theorem := s.parts()
	parts := accounting.SelfComposed{Event: accounting.PureDP{Epsilon: epsilon}, Count: count}
	g, err := pld.NewAccountant().EpsilonAt(accounting.Composed{Events: []accounting.Event{parts, s.training}}, s.delta)
	if err != nil {
		return nil
	}
	g = attach.Given(g, fmt.Sprintf("that the search is %d mechanisms of pure ε = %.6g", count, epsilon))
	return []settle.Candidate{{Shown: g.Certificate, Bound: accounting.Bound{Name: "PLD per test", Theorem: theorem + ", and composition of privacy loss distributions", Method: g.Method,
		Epsilon: g.Epsilon.Upper, Published: s.search.Noise == Laplace, Warnings: g.Warnings}}}
}

// exact composes the dominating pair of the search, and that of its pure parts, with each profile
// of the training.
func (s pricer) exact() (bounds []settle.Candidate) {
	count, epsilon, theorem := s.parts()
	bounds = s.summed("PLD per test", theorem+", and composition of privacy losses", "tests", responses(count, epsilon), func(e selected.Search, after selected.Run) selected.Check { return e.Tests(after) })
	if losses, ok := s.search.losses(s.delta / 1e4); ok {
		bounds = append(bounds, s.summed("PLD", dominance, "losses", losses, func(e selected.Search, after selected.Run) selected.Check { return e.Losses(after, s.delta) })...)
	}
	return bounds
}

// summed adds up the losses of a search with each profile of the training.
func (s pricer) summed(name, theorem, by string, losses lossLaw, check func(e selected.Search, after selected.Run) selected.Check) (bounds []settle.Candidate) {
	bound := func(name string, hockeyStick func(float64) float64, after selected.Run, prove func() (selected.Epsilons, *accounting.Proof)) {
		bounds = append(bounds, settle.Candidate{
			Bound: accounting.Bound{Name: name, Theorem: theorem, Method: fmt.Sprintf("%s, %d losses, no grid", name, len(losses.loss)),
				Epsilon: numeric.LeastTrue(1e-9, func(epsilon float64) bool { return losses.delta(epsilon, hockeyStick) <= s.delta })},
			Ask: s.asked("the losses of a search, summed", "the privacy profile of the training", selected.Witness{By: by}, prove, func(e selected.Search) selected.Check { return check(e, after) }),
		})
	}
	if s.training == nil {
		bound(name, noTraining, selected.Nothing(), nil)
		return bounds
	}
	if len(losses.loss) > maxLossesBesideTraining {
		return nil
	}
	for _, profile := range s.base.Sources() {
		last := profile.EpsilonAt(s.delta / 1e4)
		if math.IsInf(last, 1) || last > 700 {
			continue
		}
		hockeyStick, points := hockeyStickOf(profile, last)
		var known []selected.Known
		for _, p := range points {
			known = append(known, selected.Known{Epsilon: p.E, Delta: p.Delta})
		}
		bound(name+", "+profile.Name, hockeyStick, selected.NewRun(known), s.proving(profile, points))
	}
	return bounds
}

// maxLossesBesideTraining is the largest number of losses that are summed at every question.
const maxLossesBesideTraining = 50_000

// DominatingPair returns a pair of laws on finitely many outcomes that dominates a search, in both
// directions of the neighboring relation. Package pld composes the pair with trainings and other
// selections. It is finest for prices at delta. See selection.DominatingPair.
func DominatingPair(search Event, delta float64) (pld.DiscretePair, error) {
	if err := search.Validate(); err != nil {
		return pld.DiscretePair{}, err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return pld.DiscretePair{}, fmt.Errorf("threshold: %w", err)
	}
	bounds := []func(epsilon float64) float64{baserun.Run{Curve: search.Curve()}.LeastDelta()}
	count, each, _ := pricer{search: search}.parts()
	laws := []lossLaw{responses(count, each)} // pure parts are dominated by randomized responses
	if losses, ok := search.losses(delta * selection.PairTail / 10); ok && len(losses.loss) <= maxLossesBesideTraining {
		laws = append(laws, losses)
	}
	for _, l := range laws {
		bounds = append(bounds, func(epsilon float64) float64 { return l.delta(epsilon, noTraining) })
	}
	return selection.PairOf(delta, bounds...)
}
