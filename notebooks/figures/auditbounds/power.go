package auditbounds

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/onerun"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
)

// Power has the bound to be expected against the number of games.
type Power struct {
	Config Config
	Mu     float64
	Truth  float64
	Games  []int
	Plans  [][]audit.Plan // by bound, by number of games
}

var plannedGames = []int{30, 100, 300, 1000, 3000, 10000, 30000, 100000, 1000000}

var plannedBounds = slices.Concat(audit.PlannedBounds, onerun.PlannedBounds)

// ExpectedBounds computes the expected bounds at leak mu; nothing is simulated.
func ExpectedBounds(c Config, mu float64) (Power, error) {
	if err := c.Validate(); err != nil {
		return Power{}, err
	}
	truth, err := audit.EpsilonOfMu(mu, c.Delta)
	if err != nil {
		return Power{}, err
	}
	r := Power{Config: c, Mu: mu, Truth: truth, Games: plannedGames}
	r.Plans, err = parallel.Map(len(plannedBounds), func(b int) (plans []audit.Plan, err error) {
		expect := audit.Expect
		if slices.Contains(onerun.PlannedBounds, plannedBounds[b]) {
			expect = onerun.Expect
		}
		for _, n := range r.Games {
			plan, err := expect(plannedBounds[b], mu, n, c.level())
			if err != nil {
				return nil, err
			}
			plans = append(plans, plan)
		}
		return plans, nil
	})
	return r, err
}

// Figure draws the expected bounds and the mechanism's own ε.
func (r Power) Figure() chart.Figure {
	x := figures.Floats(r.Games)
	c := chart.Chart{
		Name:   fmt.Sprintf("audit-bounds-power-%g", r.Mu),
		Title:  fmt.Sprintf("What n games can be expected to show at µ = %g", r.Mu),
		XLabel: "games of each class n; in one run, half the canaries", YLabel: fmt.Sprintf("expected lower bound on ε at δ = %s", chart.Scientific(r.Config.Delta)),
		XLog: true, YMin: 0, YMax: 1.15 * r.Truth,
	}
	for b, plans := range r.Plans {
		y := figures.Map(plans, func(p audit.Plan) float64 { return p.Expected })
		c.Curves = append(c.Curves, chart.Curve{Label: plannedBounds[b] + " (" + string(plans[0].Assumption) + ")", X: x, Y: y})
	}
	c.Curves = append(c.Curves, figures.Level("the mechanism's own ε", x, r.Truth))
	c.Notes = []string{"In parentheses: what a bound assumes."}
	return c
}

// Table lists what more games buy with each bound.
func (r Power) Table() figures.Table {
	t := figures.Table{
		Name: fmt.Sprintf("audit-bounds-power-%g-games", r.Mu), Title: fmt.Sprintf("What more games buy at µ = %g; the mechanism's own ε is %.3f", r.Mu, r.Truth),
		Columns: []string{"bound", "assumes", "a hundred times more games add", "largest", "share of the mechanism's own ε", "at", "with the most games"},
		Notes:   []string{"A hundred times more: from 100 games of each class on."},
	}
	for b, plans := range r.Plans {
		last, most := plans[len(plans)-1], plans[0]
		for _, p := range plans {
			if p.Expected > most.Expected {
				most = p
			}
		}
		adds := ""
		if low, high, ok := r.hundredfold(plans); ok {
			adds = fmt.Sprintf("%+.2f to %+.2f", low, high)
		}
		t.Rows = append(t.Rows, []string{plannedBounds[b], string(plans[0].Assumption), adds, fmt.Sprintf("%.2f", most.Expected), figures.Percent(most.Expected/r.Truth, 1),
			r.games(most), fmt.Sprintf("%.2f", last.Expected)})
	}
	return t
}

// games writes how many games of each class, or canaries of one run, a plan has.
func (r Power) games(p audit.Plan) string {
	if p.Assumption == audit.AssumeOneRun || p.Assumption == audit.AssumeOneRunGDP {
		return fmt.Sprintf("%d canaries", 2*p.Games)
	}
	return fmt.Sprintf("n = %d", p.Games)
}

// hundredfold returns the least and the largest difference between the bounds of 100n and n games,
// n >= 100.
func (r Power) hundredfold(plans []audit.Plan) (low, high float64, ok bool) {
	low, high = math.Inf(1), math.Inf(-1)
	for i, n := range r.Games {
		for j, more := range r.Games {
			if n >= 100 && more == 100*n {
				d := plans[j].Expected - plans[i].Expected
				low, high, ok = min(low, d), max(high, d), true
			}
		}
	}
	return low, high, ok
}
