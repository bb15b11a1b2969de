package gdp

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

const (
	// defaultQuestions is the largest number of questions to the accountant for one answer.
	defaultQuestions = 60
	// An answer is refined until its relative width is below tradeOffWidth.
	tradeOffWidth = 1e-6
	// leastDelta is the least δ of a question.
	leastDelta = 1e-300
	// largestEpsilon bounds the ε of lines: e^ε must be finite.
	largestEpsilon = 690

	unit = 0x1p-53
)

// TradeOff is the trade-off function f of an event. A test that distinguishes two neighbors has a
// type I error α (false positives) and a type II error (false negatives). f(α) is the least type II
// error that the privacy profile allows:
//
//	f(α) = sup_{ε>=0} max{0, 1 - δ(ε) - e^ε α, e^{-ε} (1 - δ(ε) - α)}.
//
// If the accountant is an [Accountant] of this package, the closed form of µ-GDP gives the rates.
// Another accountant may price more than the event, such as accounting.WithDeltaReserve. Its rates
// follow from its answers only: f lies above the lines of finitely many (ε, δ), and δ(ε), which is
// convex in e^ε, above the extended chords between them. Lines are added while an answer is wide.
// The relation is the accountant's. A TradeOff is not for concurrent use.
//
// Reference: Wasserman and Zhou (2010), arXiv:0811.2501v3, Theorem 2.4 (one line); Dong, Roth, Su
// (2019), arXiv:1905.02383v3, Propositions 2.5 (symmetry) and 2.12 (all lines).
type TradeOff struct {
	Questions int // most questions to the accountant for one answer; 0 is 60

	accountant accounting.Accountant
	checked    accounting.Accountant // gives the same answers, with certificates
	failure    error                 // of the first check that an answer lacks
	event      accounting.Event
	mu         interval.I // if the accountant is that of this package
	exact      bool
	muChecked  bool
	oneSided   bool        // the accountant has no lower bounds
	known      []knowledge // by increasing ε
}

// knowledge is the answer to one question: δ(upEpsilon) <= upDelta and δ(lowEpsilon) >= lowDelta.
type knowledge struct {
	upEpsilon, upDelta   float64
	lowEpsilon, lowDelta float64
	cover, below         float64 // the µ that the first requires, and the µ that the second rules out
	checked              bool    // a check was made, and TradeOff.failure is set if it failed
}

// NewTradeOff returns the trade-off function of event, from accountant's prices. An [Accountant] of
// this package is exact for the events that it knows; auto.NewAccountant() is the choice for all
// others. If the accountant has no lower bounds of ε, only the lower ends of f and the upper ends
// of rates carry information.
func NewTradeOff(event accounting.Event, accountant accounting.Accountant) (*TradeOff, error) {
	f := check.In("gdp: ")
	f.That(event != nil, "event", "is nil", "must be an event")
	f.That(accountant != nil, "accountant", "is nil", "must be an accountant")
	if err := f.Err(); err != nil {
		return nil, err
	}
	zero, err := accountant.DeltaAt(event, 0)
	if err != nil {
		return nil, check.Errorf("gdp: trade-off of %v: %w", event, err)
	}
	c := &TradeOff{accountant: accounting.Unchecked(accountant), checked: accountant, event: event}
	if own, ok := accountant.(*Accountant); ok && own != nil {
		accountant = *own
	}
	if own, ok := accountant.(Accountant); ok {
		c.exact = true
		if c.mu, c.muChecked, err = own.muIn(event); err != nil {
			return nil, err
		}
	}
	c.known = []knowledge{knowledge{upDelta: zero.Upper, lowDelta: zero.Lower}.withMu()}
	return c, nil
}

func (c *TradeOff) questions() int {
	if c.Questions <= 0 {
		return defaultQuestions
	}
	return c.Questions
}

// ask adds the accountant's answer at delta. It returns false if delta was asked before or is too
// small.
func (c *TradeOff) ask(delta float64) (bool, error) {
	if !(delta >= leastDelta && delta < 1) || c.index(delta) >= 0 {
		return false, nil
	}
	g, err := c.accountant.EpsilonAt(c.event, delta)
	if err != nil {
		return false, fmt.Errorf("gdp: trade-off of %v: %w", c.event, err)
	}
	if g.Epsilon.Upper == 0 { // the profile at ε = 0 is known
		return false, nil
	}
	k := knowledge{upEpsilon: g.Epsilon.Upper, upDelta: delta}
	c.oneSided = c.oneSided || !g.Epsilon.HasLower
	if g.Epsilon.HasLower && g.Epsilon.Lower > 0 {
		k.lowEpsilon, k.lowDelta = g.Epsilon.Lower, delta
	}
	c.known = append(c.known, k.withMu())
	slices.SortStableFunc(c.known[1:], func(a, b knowledge) int {
		switch {
		case a.upDelta > b.upDelta:
			return -1
		case a.upDelta < b.upDelta:
			return 1
		}
		return 0
	})
	return true, nil
}

// index returns the index of the answer at delta, or -1.
func (c *TradeOff) index(delta float64) int {
	for i := 1; i < len(c.known); i++ {
		if math.Abs(c.known[i].upDelta-delta) <= 1e-9*delta {
			return i
		}
	}
	return -1
}

// between asks for the δ in the middle of known[i] and known[i+1], or beyond the last known point.
func (c *TradeOff) between(i int) (bool, error) {
	high := math.Min(c.known[i].upDelta, 1-unit)
	if i+1 >= len(c.known) {
		return c.ask(math.Max(leastDelta, high*math.Min(0.01, high)))
	}
	low := c.known[i+1].upDelta
	if low > 0.5*high {
		return c.ask(low + (high-low)/2)
	}
	return c.ask(math.Sqrt(low) * math.Sqrt(high))
}

// TPRAt returns the largest true positive rate, 1 - f(α), of a test with false positive rate fpr.
// The upper end holds for every attack.
func (c *TradeOff) TPRAt(fpr float64) (accounting.Interval, error) {
	if err := check.OpenUnit.Of("gdp: false positive rate", fpr); err != nil {
		return accounting.NoDelta(), err
	}
	if c.exact {
		return c.exactRate(fpr, false), nil
	}
	if err := c.refine(fpr); err != nil {
		return accounting.NoDelta(), err
	}
	upper, err := c.settle(func() (float64, int) { return c.upperTPR(fpr) })
	if err != nil {
		return accounting.NoDelta(), err
	}
	lower, _ := c.lowerTPR(fpr)
	lower = math.Min(lower, upper)
	return accounting.Certified(lower, lower+(upper-lower)/2, upper), nil
}

// TypeIIAt returns f(α) at type I error alpha. The lower end holds for every attack.
func (c *TradeOff) TypeIIAt(alpha float64) (accounting.Interval, error) {
	if err := check.OpenUnit.Of("gdp: type I error", alpha); err != nil {
		return accounting.NoDelta(), err
	}
	if c.exact {
		return c.exactRate(alpha, true), nil
	}
	if err := c.refine(alpha); err != nil {
		return accounting.NoDelta(), err
	}
	lower, err := c.settle(func() (float64, int) { return c.lowerTypeII(alpha) })
	if err != nil {
		return accounting.NoDelta(), err
	}
	upper, _ := c.upperTypeII(alpha)
	upper = math.Max(lower, upper)
	out := accounting.Certified(lower, lower+(upper-lower)/2, upper)
	out.LowerChecked = c.failure == nil
	return out, nil
}

// Advantage returns the largest 1 - α - f(α), the total variation distance δ(0).
func (c *TradeOff) Advantage() accounting.Interval {
	k := c.known[0]
	return accounting.Certified(k.lowDelta, k.lowDelta+(k.upDelta-k.lowDelta)/2, k.upDelta)
}

// refine asks until both errors at alpha are known to tradeOffWidth, or no question is left.
func (c *TradeOff) refine(alpha float64) error { return c.refineBy(alpha, c.questions()) }

func (c *TradeOff) refineBy(alpha float64, questions int) error {
	if c.oneSided {
		return c.sweep(alpha)
	}
	for range questions {
		lowTPR, i := c.lowerTPR(alpha)
		upTPR, _ := c.upperTPR(alpha)
		highII, j := c.upperTypeII(alpha)
		lowII, _ := c.lowerTypeII(alpha)
		if upTPR-lowTPR > tradeOffWidth*upTPR {
			j = i
		} else if !(highII-lowII > tradeOffWidth*highII) || highII < 1e-290 {
			return nil
		}
		if asked, err := c.between(j); err != nil || !asked {
			return err
		}
		if c.oneSided {
			return c.sweep(alpha)
		}
	}
	return nil
}

// sweep asks at δ from δ(0) down to 1e-3 α, evenly on a logarithmic scale. It is for the case that
// the answers do not show which line is missing.
func (c *TradeOff) sweep(alpha float64) error {
	high := numeric.Log(math.Min(c.known[0].upDelta, 0.999))
	low := math.Max(numeric.Log(leastDelta), math.Min(high, numeric.Log(1e-3*alpha)))
	for i := range c.questions() {
		if _, err := c.ask(math.Exp(high + (low-high)*float64(i)/float64(c.questions()))); err != nil {
			return err
		}
	}
	return nil
}
