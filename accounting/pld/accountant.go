package pld

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/numeric"
)

// ErrWide is the warning, wrapped, of an interval wider than requested: the largest grid allowed
// does not give a narrower one. Its ends are certified all the same.
var ErrWide = errors.New("pld: interval wider than asked for")

// ErrContradiction, wrapped, reports a lower end above the upper one. One of them is false, by a
// fault of this package. It is a warning, or the error of a method without warnings. Please report
// it.
var ErrContradiction = errors.New("pld: lower end above the upper one")

const (
	// defaultWidth is the width of the intervals in ε, in nats.
	defaultWidth = 0.01
	// defaultMaxGrid is the largest number of grid points.
	defaultMaxGrid = 1 << 18
)

// Accountant certifies ε and δ of compositions by privacy loss distributions on a grid.
// The zero value is ready for use. Shuffled batches are priced from above, as releases in a known
// order.
//
// The upper end of ε is checked in outward-rounded intervals (certify.go). DeltaAt and its variants
// are not checked.
type Accountant struct {
	Width    float64                // wanted width of the interval of ε, in nats; 0 is 0.01
	MaxGrid  int                    // largest number of grid points, from 2^12 to 2^24; 0 is 2^18
	Relation accounting.Neighboring // 0 is AddOrRemoveOne

	options accounting.Options
}

var _ accounting.Optional = Accountant{}

// NewAccountant returns the accountant with the default width.
func NewAccountant() Accountant { return Accountant{} }

// Options returns the options of its answers.
func (a Accountant) Options() accounting.Options { return a.options }

// WithOptions returns the accountant with other options.
func (a Accountant) WithOptions(o accounting.Options) accounting.Accountant {
	a.options.Unchecked = o.Unchecked
	return a
}

// Name returns "PLD".
func (Accountant) Name() string { return "PLD" }

// Neighboring returns the relation. The default is AddOrRemoveOne.
func (a Accountant) Neighboring() accounting.Neighboring {
	if a.Relation == 0 {
		return accounting.AddOrRemoveOne
	}
	return a.Relation
}

// Validate returns an error unless width and grid are 0 or in their ranges.
func (a Accountant) Validate() error {
	f := check.In("pld: Accountant.")
	if a.Width != 0 {
		f.Number("Width", a.Width, check.Between(1e-9, 1e3).With(fmt.Sprintf("or 0 for %g", defaultWidth)))
	}
	f.Below("Relation", a.Neighboring().Validate())
	f.That(a.MaxGrid == 0 || a.MaxGrid >= 1<<12 && a.MaxGrid <= 1<<24, "MaxGrid", a.MaxGrid,
		fmt.Sprintf("must be in [%d, %d], or 0 for %d", 1<<12, 1<<24, defaultMaxGrid))
	return f.Err()
}

// EpsilonAt returns a certified interval of ε, in nats, for event at delta in (0, 1).
// Both directions are computed and the larger is reported.
func (a Accountant) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	return ask.EpsilonAt(a, event, delta)
}

// EpsilonTo is EpsilonAt for a question.
func (a Accountant) EpsilonTo(asked ask.Question, delta float64) (accounting.Guarantee, error) {
	programs, err := a.programs(asked)
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	g := accounting.Guarantee{Delta: delta, Neighboring: asked.Relation()}
	var checks []certificate.Check
	for i, p := range programs {
		epsilon, method, warning, grids, err := a.epsilon(p, delta)
		if err != nil {
			return accounting.NoGuarantee(), err
		}
		if i == 0 || epsilon.Upper > g.Epsilon.Upper {
			g.Method = method
		}
		if i > 0 {
			epsilon = larger(g.Epsilon, epsilon)
		}
		g.Epsilon = epsilon
		if warning != nil {
			g.Warnings = append(g.Warnings, warning)
		}
		checks = append(checks, a.check(p, grids))
	}
	if asked.Options().Unchecked {
		return g, nil
	}
	return attach.Of(g, attach.Worst(checks)), nil
}

// DeltaAt returns a certified interval of δ, in [0, 1], at epsilon >= 0.
func (a Accountant) DeltaAt(event accounting.Event, epsilon float64) (accounting.Interval, error) {
	return ask.DeltaAt(a, event, epsilon)
}

// DeltaTo is DeltaAt for a question.
func (a Accountant) DeltaTo(asked ask.Question, epsilon float64) (accounting.Interval, error) {
	logs, err := a.logDeltaOf(asked, epsilon)
	if err != nil {
		return accounting.NoDelta(), err
	}
	upper := upperDelta(logs.Upper)
	if !logs.HasLower {
		return accounting.UpperBound(upper), nil
	}
	return between01(lowerDelta(logs.Lower), math.Exp(logs.Estimate), upper), nil
}

// LogDeltaAt returns a certified interval of log δ at epsilon >= 0; an end may be -Inf.
func (a Accountant) LogDeltaAt(event accounting.Event, epsilon float64) (accounting.Interval, error) {
	asked, err := ask.Asked(a, event, accounting.ValidateEpsilon(epsilon))
	if err != nil {
		return accounting.Interval{}, err
	}
	logs, err := a.logDeltaOf(asked, epsilon)
	return asked.Interval(logs), err
}

func (a Accountant) logDeltaOf(asked ask.Question, epsilon float64) (accounting.Interval, error) {
	programs, err := a.programs(asked)
	if err != nil {
		return accounting.Interval{}, err
	}
	var worst accounting.Interval
	for i, p := range programs {
		logs, err := a.logDelta(p, epsilon)
		if err != nil {
			return accounting.Interval{}, err
		}
		if i > 0 {
			logs = larger(worst, logs)
		}
		worst = logs
	}
	return worst, nil
}

// programs returns one program, or one for each alternative of a Parallel or WorstCase at the top.
// The costliest alternative decides at each δ and ε.
func (a Accountant) programs(asked ask.Question) ([]program, error) {
	if err := errors.Join(a.Validate(), asked.Under(a)); err != nil {
		return nil, err
	}
	alternatives := []ask.Question{asked}
	if asked.Node().Shape == accounting.Either {
		alternatives = asked.Parts()
	}
	var programs []program
	for _, inner := range alternatives {
		p, err := compile(inner)
		if err != nil {
			return nil, err
		}
		p.event = inner.Node()
		programs = append(programs, p)
	}
	return programs, nil
}

// epsilon returns the interval, its method, a warning, and the grids of both directions.
func (a Accountant) epsilon(p program, delta float64) (accounting.Interval, string, error, []*grid, error) {
	switch {
	case p.nonPrivate:
		return accounting.Exact(math.Inf(1)), "PLD, no noise", nil, nil, nil
	case len(p.mechanisms) == 0:
		exact, err := gdp.EpsilonAt(p.mu, delta)
		return exact, "PLD, closed form of the Gaussian", nil, nil, err
	}
	if pair, ok := p.once(); ok {
		return accounting.UpperBound(pair.epsilonAt(delta)), "PLD, the profile of one run", nil, nil, nil
	}
	q := question{logDelta: numeric.Log(delta)}
	got, grids := a.solve(p, q)
	interval := a.withAttacks(p, q, &got)
	lower := math.Max(got.lower, interval.Lower) // an attack may be nearer than the program's own law
	warning := got.contradiction()
	if wide := got.upper-lower > a.width()*(1+1e-9); warning == nil && wide && p.upperOnly {
		warning = fmt.Errorf("%w: %d grid points, up to %g", ErrWide, got.n, got.upper)
	} else if warning == nil && wide {
		warning = fmt.Errorf("%w: [%g, %g], %d grid points", ErrWide, lower, got.upper, got.n)
	}
	method := fmt.Sprintf("PLD, tilted FFT on %d points, larger of add and remove", got.n)
	if got.n == 0 {
		method = "PLD, largest loss, larger of add and remove"
	}
	return p.attainable(interval), method, warning, grids, nil
}

func (a Accountant) logDelta(p program, epsilon float64) (accounting.Interval, error) {
	switch {
	case p.nonPrivate:
		return accounting.Exact(0), nil
	case len(p.mechanisms) == 0:
		return gdp.LogDeltaAt(p.mu, epsilon)
	}
	if pair, ok := p.once(); ok {
		return accounting.UpperBound(numeric.Log(pair.deltaAt(epsilon))), nil
	}
	q := question{epsilon: epsilon, forDelta: true}
	got, _ := a.solve(p, q)
	interval := a.withAttacks(p, q, &got)
	return p.attainable(interval), got.contradiction()
}

func (a Accountant) width() float64 {
	if a.Width == 0 {
		return defaultWidth
	}
	return a.Width
}

func (a Accountant) maxGrid() int {
	if a.MaxGrid == 0 {
		return defaultMaxGrid
	}
	return a.MaxGrid
}

// solve answers both directions and combines them: the truth is the larger of two numbers
// that lie in the two intervals.
func (a Accountant) solve(p program, q question) (answer, []*grid) {
	g := newGrid(p.mechanisms, remove, a.width(), a.maxGrid(), q)
	first := g.solve(math.Inf(-1))
	if p.symmetric() {
		return first, []*grid{g}
	}
	other := newGrid(p.mechanisms, add, a.width(), a.maxGrid(), q)
	second := other.solve(first.enough())
	return answer{
		lower: math.Max(first.lower, second.lower), upper: math.Max(first.upper, second.upper),
		n: max(first.n, second.n), crossed: first.crossed || second.crossed,
	}, []*grid{g, other}
}

// contradiction returns an error if the ends of a direction crossed.
func (a answer) contradiction() error {
	if !a.crossed {
		return nil
	}
	return fmt.Errorf("%w: %g and %g, on %d grid points", ErrContradiction, a.lower, a.upper, a.n)
}

// enough returns a level for the second direction's upper end: below it, that direction does not
// matter. It is the middle of the first direction's interval, or -Inf if that has no lower end.
func (a answer) enough() float64 {
	if math.IsInf(a.lower, -1) {
		return a.lower
	}
	return a.lower + (a.upper-a.lower)/2
}

// symmetric reports whether both directions have the same losses, or only one is requested.
func (p program) symmetric() bool {
	if p.removeOnly {
		return true
	}
	for _, f := range p.mechanisms {
		if f.fixedSize {
			continue
		}
		switch b := f.base.(type) {
		case whole:
			if b.mirrored() {
				continue
			}
			return false
		case attackBase:
			return false
		}
		if _, discrete := f.base.(discreteBase); f.rate < 1 || discrete && !f.swaps() {
			return false
		}
	}
	return true
}

// swaps reports whether the points come in pairs with swapped masses, like those of randomized
// response.
func (f mechanism) swaps() bool {
	atoms := f.base.points()
	for i := 0; i < len(atoms); i += 2 {
		if i+1 == len(atoms) || atoms[i].p != atoms[i+1].q || atoms[i].q != atoms[i+1].p {
			return false
		}
	}
	return true
}

// ends turns an answer into an interval. The estimate is a third of the way up, as spreading adds
// twice the variance that merging removes. Ends that crossed are exchanged: rounding may cross
// them, and contradiction reports larger crossings.
func ends(a answer) accounting.Interval {
	lower, upper := math.Min(a.lower, a.upper), math.Max(a.lower, a.upper)
	estimate := lower + (upper-lower)/3
	if math.IsNaN(estimate) || math.IsInf(estimate, 0) {
		estimate = upper
	}
	return between01(lower, estimate, upper)
}

// between01 returns accounting.Certified with the estimate moved into the interval.
func between01(lower, estimate, upper float64) accounting.Interval {
	lower = math.Min(lower, upper)
	return accounting.Certified(lower, math.Min(math.Max(lower, estimate), upper), upper)
}

// larger returns an interval of the larger of two numbers. A number without a lower end may be
// anything below its upper one.
func larger(a, b accounting.Interval) accounting.Interval {
	upper := math.Max(a.Upper, b.Upper)
	switch {
	case !a.HasLower && !b.HasLower:
		return accounting.UpperBound(upper)
	case !a.HasLower:
		return between01(b.Lower, b.Estimate, upper)
	case !b.HasLower:
		return between01(a.Lower, a.Estimate, upper)
	}
	return accounting.Certified(math.Max(a.Lower, b.Lower), math.Max(a.Estimate, b.Estimate), upper)
}
