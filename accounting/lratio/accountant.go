package lratio

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/internal/certificate/splitlaw"
	"github.com/dplab/dplab/accounting/numeric"
)

// Accountant certifies ε and δ of compositions of RandomAllocation, PoissonSampled, Gaussian and
// ClippedSum events, and of Shuffled batches from above, as releases in a known order. What an
// allocation or a sample runs must be Gaussian or ClippedSum releases, and one ClippedSum under
// ReplaceOne. AddOrRemoveOne and ReplaceSpecial have equal prices. The zero value is ready for use.
type Accountant struct {
	Relation accounting.Neighboring // zero is AddOrRemoveOne
	Width    float64                // wanted width of ε, relative to its upper end; 0 is 2e-4

	options accounting.Options
}

var _ accounting.Optional = Accountant{}

// NewAccountant returns the accountant for AddOrRemoveOne.
func NewAccountant() Accountant { return Accountant{} }

// Name returns "lratio".
func (Accountant) Name() string { return "lratio" }

// Neighboring returns the relation.
func (a Accountant) Neighboring() accounting.Neighboring {
	if a.Relation == 0 {
		return accounting.AddOrRemoveOne
	}
	return a.Relation
}

// ErrWide is the warning of an interval without a narrow law. Its ends hold, and may be far apart.
var ErrWide = errors.New("lratio: wide interval")

// errContradiction reports a lower end above an upper end: a fault of this package.
var errContradiction = errors.New("lratio: its bounds contradict each other: a fault of this package")

const (
	coarseCells = 500  // of a first law for a list of δ
	pairCells   = 2000 // of laws of different pairs: more would not bring the ends nearer
	mostCells   = 8192 // of any law
	usualWidth  = 2e-4
	wideFrom    = 0.01 // relative widths above it are warned of
	// logCut is ln of what a tail may have of δ.
	logCut = -16
)

// Validate returns an error unless the settings are in their ranges.
func (a Accountant) Validate() error {
	if err := a.Neighboring().Validate(); err != nil {
		return fmt.Errorf("lratio: Accountant.Relation: %w", err)
	}
	return check.NotNegative.Of("lratio: Accountant.Width", a.Width)
}

// width is that of a question. An unchecked one is one of many.
func (a Accountant) width(q ask.Question) float64 {
	width := cmp.Or(a.Width, usualWidth)
	if q.Options().Unchecked {
		width = math.Max(width, sharedWidth)
	}
	return width
}

// program validates the settings and compiles an event.
func (a Accountant) program(q ask.Question) (program, error) {
	if err := errors.Join(a.Validate(), q.Under(a)); err != nil {
		return program{}, err
	}
	return compile(q)
}

// Knows returns nil if the accountant prices the event, and else the error of EpsilonAt.
func (a Accountant) Knows(q ask.Question) error {
	_, err := a.program(q)
	return err
}

// EpsilonAt returns a certified interval of ε, in nats, for event at delta in (0, 1). It computes
// both directions and returns the larger. The laws have as many cells as the wanted width needs, at
// most 8192. They are remembered, and answer further questions in milliseconds: see shared.go.
func (a Accountant) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	return ask.EpsilonAt(a, event, delta)
}

// EpsilonTo is EpsilonAt for a question.
func (a Accountant) EpsilonTo(q ask.Question, delta float64) (accounting.Guarantee, error) {
	p, err := a.program(q)
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	g, width := accounting.Guarantee{Delta: delta, Neighboring: q.Relation()}, a.width(q)
	if p.nonPrivate {
		g.Epsilon, g.Method = accounting.Exact(math.Inf(1)), "likelihood ratios, no noise"
		return g, nil
	}
	logDelta := numeric.Log(delta)
	if q.Options().Quick {
		upper, err := p.quickEpsilon(delta, width)
		g.Epsilon, g.Method = accounting.UpperBound(upper), "likelihood ratios, upper law"
		return g, err
	}
	ends, above, cells, err := p.ends(logDelta, width, !q.Options().Unchecked)
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	if below := p.attacked(delta); below > ends.lower {
		if ends, err = ends.and(span{below, math.Inf(1)}); err != nil {
			return accounting.NoGuarantee(), err
		}
	}
	revealed, err := gdp.EpsilonAt(p.shown(), delta)
	if err != nil {
		return accounting.NoGuarantee(), fmt.Errorf("lratio: %w", err)
	}
	g.Method = fmt.Sprintf("likelihood ratios on a grid of %d cells, larger of add and remove", cells)
	if revealed.Upper < ends.upper {
		ends.upper, g.Method = math.Max(ends.lower, revealed.Upper), "Gaussians of public steps"
	}
	if g.Epsilon = ends.interval(); ends.lower == 0 && ends.upper > 0 {
		g.Epsilon = accounting.UpperBound(ends.upper)
	}
	if ends.upper-ends.lower > wideFrom*ends.upper {
		g.Warnings = append(g.Warnings, fmt.Errorf("%w: [%g, %g]", ErrWide, ends.lower, ends.upper))
	}
	if q.Options().Unchecked {
		return g, nil
	}
	return attach.Of(g, p.check(above)), nil
}

// span is a lower and an upper end.
type span struct{ lower, upper float64 }

// and returns the numbers in both.
func (s span) and(t span) (span, error) {
	both := span{math.Max(s.lower, t.lower), math.Min(s.upper, t.upper)}
	if !(both.lower <= both.upper) {
		return span{}, fmt.Errorf("%w: [%g, %g] and [%g, %g]", errContradiction, s.lower, s.upper, t.lower, t.upper)
	}
	return both, nil
}

// interval returns the ends with an estimate. A split adds about twice the variance that a merge
// takes, so the truth is mostly a third of the way from the lower end.
func (s span) interval() accounting.Interval {
	return accounting.Certified(s.lower, s.lower+(s.upper-s.lower)/3, s.upper)
}

// mostEpsilon is the largest ε that is looked for in an upper law.
const mostEpsilon = 1200

// leastEpsilon returns an ε at which ln δ is at most logDelta by an upper law, about the least one;
// +Inf if the law shows none.
func leastEpsilon(above splitlaw.Curve, logDelta float64) float64 {
	return numeric.LeastTrue(1e-13, func(e float64) bool { return e <= mostEpsilon && above.LogDelta(e) <= logDelta-otherRounding })
}

// epsilon returns the ends of ε by laws of about n cells, with tails of mass e^logTail, and the
// curve of the upper one.
func (p program) epsilon(n int, logDelta, logTail float64) (ends span, above splitlaw.Curve, err error) {
	f, err := p.below(n, logTail)
	if err != nil {
		return span{}, above, err
	}
	if above, err = p.above(n, logTail); err != nil {
		return span{}, above, err
	}
	ends, err = span{0, leastEpsilon(above, logDelta)}.and(span{f.mostEpsilon(logDelta), math.Inf(1)})
	return ends, above, err
}
