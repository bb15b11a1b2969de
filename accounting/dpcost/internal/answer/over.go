package answer

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
)

// The kinds of curves of ε at δ along a run.
const (
	OverSteps  = "steps"
	OverEpochs = "epochs"
)

// Run is a run of DP-SGD that may be stopped early.
type Run struct {
	Event func(count int) accounting.Event // after so many steps or epochs
	Total int                              // steps or epochs
	Unit  float64                          // what one of them adds to the x axis
}

// Over returns ε at delta along the run, at so many evenly spaced points, the end included. kind is
// OverSteps or OverEpochs.
func (r Run) Over(kind string, delta float64, points int, report ReportFunc) (Curve, error) {
	a := auto.NewAccountant()
	c := Curve{Kind: kind, Delta: delta, Mechanism: r.Event(r.Total).String(), Neighboring: a.Neighboring(), Accountant: a.Name()}
	points = min(points, r.Total)
	for i := 1; i <= points; i++ {
		report("point %d of %d", i, points)
		count := (i*r.Total + points - 1) / points // rounded up: the first is not 0
		g, err := a.EpsilonAt(r.Event(count), delta)
		if err != nil {
			return Curve{}, fmt.Errorf("curve over %s, at %d: %w", kind, count, err)
		}
		point := CurvePoint{float64(count) * r.Unit, g.Epsilon, g.Certificate != nil}
		c.Checked, c.Points = point.UpperChecked && (c.Checked || i == 1), append(c.Points, point)
	}
	return c, nil
}
