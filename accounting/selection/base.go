package selection

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/internal/certified"
	"github.com/dplab/dplab/accounting/rdp"
)

// Base is what is known of one run. NewBase fills it from an event; a Base made by hand
// needs a Curve or a Profile.
type Base struct {
	Name        string                        // describes one run
	Curve       rdp.Curve                     // nil if not known
	Profiles    []Profile                     // tighter than what follows from Curve; may be empty
	Composed    func(count int) (Base, error) // count runs, all published; nil: from Curve alone
	Neighboring accounting.Neighboring        // zero means AddOrRemoveOne

	mu    float64  // > 0 if the run is a Gaussian release of parameter µ
	known *sources // nil before Prepared

	warnings []error // why a profile is missing
}

// NewBase returns what the Rényi accountant, the exact Gaussian profile where it applies,
// and the given accountants know of event; without any given, those that certify most: contour,
// or pld where the event is not for it. One of them must know it. An accountant that does not
// support it adds nothing, one that fails a warning; what the Rényi accountant says is in the
// curve. To get Rényi bounds only, name rdp's accountant. A run that holds selections is known to
// package auto's accountant only.
func NewBase(event accounting.Event, accountants ...accounting.Accountant) (Base, error) {
	if err := check.Given(event != nil, "selection: event", "must be an event"); err != nil {
		return Base{}, err
	}
	if err := event.Validate(); err != nil {
		return Base{}, err
	}
	curveOf := curves(accountants)
	curve, noCurve := curveOf(event)
	named, accountants := accountants, asked(accountants)
	if noCurve != nil && !(errors.Is(noCurve, accounting.ErrUnsupportedEvent) && len(accountants) > 0) {
		return Base{}, noCurve
	}
	base := Base{Name: event.String(), Neighboring: accounting.AddOrRemoveOne}
	if curve != nil {
		base.Curve = rdp.Memoized(curve) // of which every question wants many orders again
	}
	if mu, err := gdp.Mu(event); err == nil {
		base.mu = mu
		base.Profiles = append(base.Profiles, gaussianProfile(mu))
	}
	for _, a := range accountants {
		if a.Neighboring() != base.Neighboring {
			return Base{}, fmt.Errorf("selection: accountant %s is about %v: must be about %v", a.Name(), a.Neighboring(), base.Neighboring)
		}
		p, known, err := base.profileBy(a, event)
		if err != nil && !errors.Is(err, accounting.ErrUnsupportedEvent) {
			base.warnings = append(base.warnings, fmt.Errorf("selection: %s gave no profile: %w", a.Name(), err))
		} else if known {
			base.Profiles = append(base.Profiles, p)
		}
	}
	if curve == nil && len(base.Profiles) == 0 {
		return Base{}, errors.Join(append([]error{noCurve}, base.warnings...)...)
	}
	if len(base.Profiles) == 0 && slices.ContainsFunc(accountants, certifies) {
		base.warnings = append(base.warnings, errNoProfile)
	}
	base.Composed = func(count int) (Base, error) {
		return NewBase(accounting.SelfComposed{Event: event, Count: count}, named...)
	}
	return base, nil
}

// errNoProfile says which bounds are not what they are elsewhere.
var errNoProfile = errors.New("selection: no profile of one run is certified: pointwise and profile bounds of certified profiles could not be asked, those that follow from its Rényi curve were")

// certifies reports whether an accountant may know more than the Rényi curve: who names rdp's alone
// wants no more.
func certifies(a accounting.Accountant) bool {
	_, curves := a.(rdp.Accountant)
	return !curves
}

// profileBy returns the profile by one accountant, and whether it says more than is known.
func (b Base) profileBy(a accounting.Accountant, event accounting.Event) (Profile, bool, error) {
	switch a := a.(type) {
	case rdp.Accountant:
		if b.Curve != nil {
			return Profile{}, false, nil // it is in the curve
		}
	case certified.Accountant:
		if b.mu > 0 {
			return Profile{}, false, nil // the exact profile is there
		}
		p, certain, err := certifiedProfile(a, event)
		return p, err == nil && (certain || b.Curve == nil), err
	}
	p, err := profileOf(a, event)
	return p, err == nil, err
}

// Validate returns an error unless the base has a curve or a profile.
func (b Base) Validate() error {
	if b.Curve == nil && len(b.Profiles) == 0 {
		return errors.New("selection: Base has neither Curve nor Profiles: must have one of them")
	}
	for i, p := range b.Profiles {
		if p.DeltaAt == nil {
			return fmt.Errorf("selection: Base.Profiles[%d].DeltaAt is nil: must be a function", i)
		}
	}
	if b.Neighboring != 0 {
		return b.Neighboring.Validate()
	}
	return nil
}

// Warnings returns why a profile is missing, or says less than it might, after what was asked so
// far.
func (b Base) Warnings() []error {
	all := append([]error{}, b.warnings...)
	for _, p := range b.Profiles {
		if p.doubt == nil {
			continue
		}
		if err := p.doubt(); err != nil {
			all = append(all, err)
		}
	}
	return all
}

func (b Base) neighboring() accounting.Neighboring {
	if b.Neighboring == 0 {
		return accounting.AddOrRemoveOne
	}
	return b.Neighboring
}

// composed returns the base of count runs that are all published.
func (b Base) composed(count int) (Base, error) {
	switch {
	case count == 1:
		return b, nil
	case b.Composed != nil:
		return b.Composed(count)
	case b.Curve != nil:
		return Base{Name: fmt.Sprintf("%d x %s", count, b.Name), Curve: rdp.Scale(b.Curve, count), Neighboring: b.Neighboring}, nil
	}
	return Base{}, errors.New("selection: Base.Composed and Base.Curve are nil: one is needed to price a fixed number of runs")
}

// Prepared returns the base with a memory: a question about the run is asked once. The functions of
// this package prepare what they are given; prepare a Base before to share its memory among them.
func (b Base) Prepared() Base {
	if b.known != nil {
		return b
	}
	if b.Curve != nil {
		b.Curve = rdp.Memoized(b.Curve)
	}
	b.known = &sources{}
	var near func(odds float64) float64
	if b.Curve != nil {
		near = rdp.Memoized(curveSource(b.Curve).crossing)
	}
	for _, p := range b.Profiles {
		p.near = near
		s := profileSource(p)
		b.known.all = append(b.known.all, s)
		if p.quick {
			b.known.quick = append(b.known.quick, s)
		}
	}
	if b.Curve != nil {
		s := curveSource(b.Curve)
		b.known.all = append(b.known.all, s)
		if b.mu == 0 { // else the exact profile is there, and never above
			b.known.quick = append(b.known.quick, s)
		}
	}
	return b
}

// sources are the ways to know the profile of one run; the quick ones may be asked
// thousands of times.
type sources struct{ all, quick []source }

// sources returns the profiles, and the one that follows from the curve as the last.
func (b Base) sources() []source { return b.Prepared().known.all }

// KnownProfiles returns the profiles of one run, and the one that follows from the curve as the
// last, with values in [0, 1] and EpsilonAt set. Asked of a Base that is Prepared they share its
// memory.
func (b Base) KnownProfiles() []Profile {
	var profiles []Profile
	for _, s := range b.sources() {
		profiles = append(profiles, Profile{Name: s.name, DeltaAt: s.deltaAt, EpsilonAt: s.epsilonAt})
	}
	return profiles
}

// quickSources returns the sources that may be asked thousands of times.
func (b Base) quickSources() []source { return b.Prepared().known.quick }

// AllEvents is an accountant that prices selections too: package auto's. One run of a selection is
// known by the accountants that it is made of, and by the Rényi curves of the selections inside.
type AllEvents interface {
	accounting.Accountant
	// BaseAccountants returns the accountants that are asked about one run.
	BaseAccountants() []accounting.Accountant
	// CurveOf returns the Rényi curve of event, in nats.
	CurveOf(event accounting.Event) (rdp.Curve, error)
}

// asked returns the accountants that are asked about one run: those that are named, or the
// certified ones if none is; nil is none. An accountant of all events stands for its own.
func asked(named []accounting.Accountant) []accounting.Accountant {
	named = slices.DeleteFunc(slices.Clone(named), func(a accounting.Accountant) bool { return a == nil })
	if len(named) == 0 {
		return []accounting.Accountant{certified.NewAccountant()}
	}
	var all []accounting.Accountant
	for _, a := range named {
		if whole, ok := a.(AllEvents); ok {
			all = append(all, asked(whole.BaseAccountants())...)
		} else {
			all = append(all, a)
		}
	}
	return all
}

// curves returns what knows the Rényi curve of a run: an accountant of all events, or package rdp
// if none is named.
func curves(named []accounting.Accountant) func(event accounting.Event) (rdp.Curve, error) {
	for _, a := range named {
		if whole, ok := a.(AllEvents); ok {
			return whole.CurveOf
		}
	}
	return rdp.FromEvent
}
