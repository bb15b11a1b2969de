package baserun

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/closed"
	"github.com/dplab/dplab/accounting/internal/intersected"
	"github.com/dplab/dplab/accounting/rdp"
)

// Run has all that is known of one run. New fills it from an event. A Run made by hand needs a
// Curve or a Profile.
type Run struct {
	Name        string                       // describes one run
	Curve       rdp.Curve                    // nil if not known
	Profiles    []Profile                    // tighter than Curve implies; may be empty
	Composed    func(count int) (Run, error) // count runs, all published; nil: from Curve only
	Neighboring accounting.Neighboring       // zero means AddOrRemoveOne

	event accounting.Event // nil if it is not known
	mu    float64          // > 0 if the run is a Gaussian release of parameter µ
	known *sources         // nil before Prepared

	warnings []error // why a profile is missing
}

// New returns what is known of one run of event under AddOrRemoveOne. The Rényi accountant gives
// the curve. Profiles come from the exact Gaussian profile, where it applies, and from the given
// accountants. If none is given, contour answers, or pld if contour does not support the event.
//
// They must be [Usable], and one of them must know the event. An accountant that does not support
// it adds nothing. One that fails adds a warning. To get only Rényi bounds, pass rdp's accountant.
// A run that holds selections needs package auto's accountant.
func New(event accounting.Event, accountants ...accounting.Accountant) (Run, error) {
	q, err := ask.Of("baserun", event, accounting.AddOrRemoveOne)
	if err != nil {
		return Run{}, err
	}
	return Of(q, accountants...)
}

// Of is New for a question. It must be about AddOrRemoveOne.
func Of(q ask.Question, accountants ...accounting.Accountant) (Run, error) {
	if q.Relation() != accounting.AddOrRemoveOne {
		return Run{}, accounting.RelationError("baserun", q.Event(), q.Relation(), accounting.AddOrRemoveOne)
	}
	if err := Usable(accountants...); err != nil {
		return Run{}, err
	}
	q = q.With(accounting.Options{Unchecked: true}) // a run is asked many times, and its answers are taken as given
	curve, noCurve := curves(accountants)(q)
	named, accountants := accountants, asked(accountants)
	if noCurve != nil && !(errors.Is(noCurve, accounting.ErrUnsupportedEvent) && len(accountants) > 0) {
		return Run{}, noCurve
	}
	base := Run{Name: q.String(), Neighboring: accounting.AddOrRemoveOne, event: q.Asked()}
	if curve != nil {
		base.Curve = rdp.Memoized(curve) // every question asks for many orders again
	}
	if mu, err := gdp.MuTo(q); err == nil {
		p := gaussianProfile(mu)
		p.prove = func(_, _ []float64) *accounting.Proof { return q.Formed(certificate.Proof(closed.Rule, nil)) }
		base.Profiles, base.mu = append(base.Profiles, p), mu
	}
	for _, a := range accountants {
		p, more, err := base.profileBy(intersected.Answerer(a), q)
		if err != nil && !errors.Is(err, accounting.ErrUnsupportedEvent) {
			base.warnings = append(base.warnings, fmt.Errorf("baserun: %s gave no profile: %w", a.Name(), err))
		} else if more {
			if prover, ok := intersected.Answerer(a).(ask.Prover); ok {
				p.prove = func(epsilons, deltas []float64) *accounting.Proof {
					return q.Formed(prover.ProveProfile(q, epsilons, deltas))
				}
			}
			base.Profiles = append(base.Profiles, p)
		}
	}
	if curve == nil && len(base.Profiles) == 0 {
		return Run{}, errors.Join(append([]error{noCurve}, base.warnings...)...)
	}
	if len(base.Profiles) == 0 && slices.ContainsFunc(accountants, certifies) {
		base.warnings = append(base.warnings, errNoProfile)
	}
	base.Composed = func(count int) (Run, error) {
		return New(accounting.SelfComposed{Event: q.Event(), Count: count}, named...)
	}
	return base, nil
}

// errNoProfile is the warning that bounds of certified profiles are missing.
var errNoProfile = errors.New("baserun: no certified profile of one run: bounds come from its Rényi curve only")

// Validate returns an error unless the run has a curve or a profile.
func (b Run) Validate() error {
	if b.Curve == nil && len(b.Profiles) == 0 {
		return errors.New("baserun: Run has neither Curve nor Profiles: must have one of them")
	}
	for i, p := range b.Profiles {
		if p.DeltaAt == nil {
			return fmt.Errorf("baserun: Run.Profiles[%d].DeltaAt is nil: must be a function", i)
		}
	}
	if b.Neighboring != 0 {
		return b.Neighboring.Validate()
	}
	return nil
}

// Warnings returns why a profile is missing or looser than it might be, as found by the questions
// asked so far.
func (b Run) Warnings() []error {
	all := append([]error{}, b.warnings...)
	for _, p := range b.Profiles {
		if p.warning == nil {
			continue
		}
		if err := p.warning(); err != nil {
			all = append(all, err)
		}
	}
	return all
}

// Relation returns Neighboring, AddOrRemoveOne if it is zero.
func (b Run) Relation() accounting.Neighboring {
	if b.Neighboring == 0 {
		return accounting.AddOrRemoveOne
	}
	return b.Neighboring
}

// Composition returns what is known of count runs, all published.
func (b Run) Composition(count int) (Run, error) {
	switch {
	case count == 1:
		return b, nil
	case b.Composed != nil:
		return b.Composed(count)
	case b.Curve != nil:
		return Run{Name: fmt.Sprintf("%d x %s", count, b.Name), Curve: rdp.Scale(b.Curve, count), Neighboring: b.Neighboring}, nil
	}
	return Run{}, errors.New("baserun: Run.Composed and Run.Curve are nil: one is needed to price a fixed number of runs")
}

// Prepared returns the run with a cache: each question about it is computed once. The prices of
// package selection prepare the run that they are given. To share the cache among prices, prepare
// the Run first.
func (b Run) Prepared() Run {
	if b.known != nil {
		return b
	}
	if b.Curve != nil {
		b.Curve = rdp.Memoized(b.Curve)
	}
	b.known = &sources{}
	var near func(odds float64) float64
	if b.Curve != nil {
		near = rdp.Memoized(curveSource(b.Curve).Crossing)
	}
	for _, p := range b.Profiles {
		p.near = near
		s := profileSource(p)
		b.known.all = append(b.known.all, s)
		if p.quick {
			b.known.fast = append(b.known.fast, s)
		}
	}
	if b.Curve != nil {
		s := curveSource(b.Curve)
		s.prove = b.proveCurve
		b.known.all = append(b.known.all, s)
		if b.mu == 0 { // else the exact profile is there, and is never above
			b.known.fast = append(b.known.fast, s)
		}
	}
	return b
}

// sources are the sources of the profile of one run. The fast ones may be asked thousands of times.
type sources struct{ all, fast []Source }

// Sources returns one source for each profile. The last is that of the curve, if there is one.
func (b Run) Sources() []Source { return b.Prepared().known.all }

// FastSources returns the sources that may be asked thousands of times.
func (b Run) FastSources() []Source { return b.Prepared().known.fast }

// Guarantee returns the least ε of one run, over all sources.
func (b Run) Guarantee(delta float64) accounting.Guarantee {
	g := accounting.Guarantee{Epsilon: accounting.UpperBound(math.Inf(1)), Delta: delta, Neighboring: b.Relation(), Method: "no finite bound"}
	for _, s := range b.Sources() {
		if epsilon := s.EpsilonAt(delta); epsilon < g.Epsilon.Upper {
			g.Epsilon, g.Method = accounting.UpperBound(epsilon), s.Name
		}
	}
	return g
}
