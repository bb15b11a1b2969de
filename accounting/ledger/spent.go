package ledger

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/numeric"
)

// Event returns what all releases cost at most. It is nil if nothing was released under a fixed
// plan. Under a filter it is Whole, which later releases do not raise; if the constant is exceeded,
// or the filter does not know a release, it is NonPrivate.
func (l *Ledger) Event() accounting.Event {
	events := l.events()
	switch {
	case l.Filter != Fixed:
		if share, err := l.Share(); err != nil || share > 1 {
			return accounting.NonPrivate{}
		}
		return l.Whole()
	case len(events) == 0:
		return nil
	case len(events) == 1:
		return events[0]
	}
	return accounting.Composed{Events: events}
}

func (l *Ledger) events() []accounting.Event {
	events := make([]accounting.Event, len(l.Releases))
	for i, r := range l.Releases {
		events[i] = r.Event
	}
	return events
}

// Share returns the share of a filter's constant that the releases took, rounded up.
func (l *Ledger) Share() (float64, error) {
	m, err := l.meter(0)
	if err != nil {
		return math.Inf(1), err
	}
	return l.share(m.taken), nil
}

// meter returns the accountant of the filter for one more release, which takes delta.
func (l *Ledger) meter(delta float64) (meter, error) {
	m := meter{head: l.Head, delta: delta}
	for i, r := range l.Releases {
		p, err := l.take(r.Event, r.Delta)
		if err != nil {
			return m, fmt.Errorf("release %d: %w", i+1, err)
		}
		m.taken = m.taken.plus(p, 1)
	}
	return m, nil
}

// Accountant returns the accountant that is asked whether one more release fits. It does if ε of
// [Ledger.Then] is at most that of the budget. Under a fixed plan that is the ε of all releases.
// Under a filter it is the ε of the budget times the share of the constant. delta is what the
// release takes under ZCDP.
func (l *Ledger) Accountant(delta float64) (accounting.Accountant, error) {
	if l.Filter != Fixed {
		return l.meter(delta)
	}
	return auto.NewAccountantFor(l.Neighboring)
}

// Then returns the event that Accountant is asked about, for one more release.
func (l *Ledger) Then(event accounting.Event) accounting.Event {
	if events := l.events(); l.Filter == Fixed && len(events) > 0 {
		return accounting.Composed{Events: append(events, event)}
	}
	return event
}

// EpsilonWith returns the ε of Accountant for one more release. It is +Inf with an error.
func (l *Ledger) EpsilonWith(event accounting.Event, delta float64) (float64, error) {
	a, err := l.Accountant(delta)
	if err != nil {
		return math.Inf(1), err
	}
	g, err := a.EpsilonAt(l.Then(event), l.Budget.Delta)
	return g.Epsilon.Upper, err
}

// Would describes an ε of EpsilonWith next to the budget.
func (l *Ledger) Would(epsilon float64) string {
	if l.Filter == Fixed {
		return fmt.Sprintf("all releases would cost ε %s, and the budget is %v", accounting.FormatUpper(epsilon), l.Budget)
	}
	return fmt.Sprintf("the releases would take %s%% of the constant of the filter %s for %v", numeric.Significant(100*epsilon/l.Budget.Epsilon, 4, 1), l.Filter, l.Budget)
}
