package answer

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/numeric"
)

// Curve is δ(ε), the trade-off function, or ε along a run, on a grid.
type Curve struct {
	Kind        string                 `json:"kind"`
	Delta       float64                `json:"delta,omitempty"` // of ε along a run
	Mechanism   string                 `json:"mechanism"`
	Batches     *input.Batches         `json:"batches,omitempty"`
	Neighboring accounting.Neighboring `json:"neighboring"`
	Accountant  string                 `json:"accountant"`
	Points      []CurvePoint           `json:"points"`
	Checked     bool                   `json:"checked"` // whether all bounds follow from certificates
	Warnings    []string               `json:"warnings,omitempty"`
}

// CurvePoint is one point of a curve.
type CurvePoint struct {
	X float64             `json:"x"`
	Y accounting.Interval `json:"y"`

	UpperChecked bool `json:"upper_checked,omitempty"` // Y has whether its lower end was checked
}

// The kinds of curves.
const (
	Profile  = "profile"  // δ at ε
	TradeOff = "tradeoff" // type II error at type I error
)

const (
	// leastRate is the first type I error of a trade-off curve; the last is 1 minus it.
	leastRate = 1e-6
	// questions is the largest number of questions to a grid accountant for one point.
	questions = 12
)

// NewCurve computes the curve of a plan at the given number of points. A profile goes from ε = 0 to
// maxEpsilon. If that is 0, it goes to the ε at delta.
func NewCurve(p input.Plan, kind string, delta, maxEpsilon float64, points int, report ReportFunc) (Curve, error) {
	a, err := auto.NewAccountantFor(p.Relation)
	if err != nil {
		return Curve{}, err
	}
	event := p.Event()
	if err := checkPoints(event, kind, points); err != nil {
		return Curve{}, err
	}
	c := Curve{Kind: kind, Mechanism: event.String(), Batches: input.BatchesOf(event), Neighboring: a.Neighboring(), Accountant: a.Name()}
	if kind == Profile {
		err = c.profile(a, event, delta, maxEpsilon, points, report)
	} else {
		err = c.tradeOff(a, event, points, report)
	}
	if err != nil {
		return Curve{}, fmt.Errorf("curve: %w", err)
	}
	return c, nil
}

// checkPoints returns an error if the curve would take longer than most.
func checkPoints(event accounting.Event, kind string, points int) error {
	const most = 1200 // seconds of processor time
	work, err := auto.Work(event)
	if err != nil {
		return fmt.Errorf("curve: %w", err)
	}
	if kind == TradeOff {
		work *= questions
	}
	if float64(points)*work > most {
		return fmt.Errorf("curve: -points %d: must be at most %.0f, as each takes some %.2g s of processor time for this mechanism", points, math.Floor(most/work), work)
	}
	return nil
}

// OnlyUpper drops the lower ends.
func (c *Curve) OnlyUpper() {
	for i, p := range c.Points {
		c.Points[i].Y = accounting.UpperBound(p.Y.Upper)
	}
}

// profile fills in δ at ε from 0 to maxEpsilon, or to the ε at delta.
func (c *Curve) profile(a auto.Accountant, event accounting.Event, delta, maxEpsilon float64, points int, report ReportFunc) error {
	if maxEpsilon == 0 {
		g, err := a.EpsilonAt(event, delta)
		if err != nil {
			return err
		}
		if maxEpsilon = g.Epsilon.Upper; math.IsInf(maxEpsilon, 1) || maxEpsilon == 0 {
			maxEpsilon = 1
		}
	}
	c.Checked = true
	for i := range points {
		epsilon := maxEpsilon * (float64(i) / float64(points-1)) // this order avoids overflow
		report("point %d of %d", i+1, points)
		d, g, err := a.CheckedDeltaAt(event, epsilon)
		if err != nil {
			return err
		}
		point := CurvePoint{epsilon, d, g.Certificate != nil || d.Upper == 1} // δ <= 1 needs no check
		c.Checked, c.Points = c.Checked && point.UpperChecked, append(c.Points, point)
	}
	return nil
}

// tradeOff fills in the type II error at type I errors evenly spaced in log α/(1-α).
func (c *Curve) tradeOff(a auto.Accountant, event accounting.Event, points int, report ReportFunc) error {
	t, exact, err := newTradeOff(event, a)
	if err != nil {
		return err
	}
	t.Questions = questions
	end := numeric.Log(leastRate) - math.Log1p(-leastRate)
	for i := range points {
		alpha := 1 / (1 + math.Exp(-end*(1-2*float64(i)/float64(points-1))))
		report("point %d of %d", i+1, points)
		d, err := t.TypeIIAt(alpha)
		if err != nil {
			return err
		}
		c.Points = append(c.Points, CurvePoint{alpha, d, exact && d.LowerChecked})
	}
	c.Checked = t.Uncertified() == nil
	return nil
}

// newTradeOff returns the trade-off function of an event under the accountant's relation. That of
// Gaussians is a closed form, and exact.
func newTradeOff(event accounting.Event, a auto.Accountant) (t *gdp.TradeOff, exact bool, err error) {
	if t, err := gdp.NewTradeOff(event, gdp.Accountant{Relation: a.Neighboring()}); err == nil {
		return t, true, nil
	}
	t, err = gdp.NewTradeOff(event, a)
	return t, false, err
}
