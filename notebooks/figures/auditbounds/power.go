package auditbounds

import (
	"fmt"
	"slices"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/onerun"
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
	r := Power{Config: c, Mu: mu, Truth: truth, Games: plannedGames, Plans: make([][]audit.Plan, len(plannedBounds))}
	err = parallel.Each(len(r.Plans), func(b int) error {
		expect := audit.Expect
		if slices.Contains(onerun.PlannedBounds, plannedBounds[b]) {
			expect = onerun.Expect
		}
		for _, n := range r.Games {
			plan, err := expect(plannedBounds[b], mu, n, c.level())
			if err != nil {
				return err
			}
			r.Plans[b] = append(r.Plans[b], plan)
		}
		return nil
	})
	return r, err
}

// Figure draws the expected bounds and the mechanism's own ε.
func (r Power) Figure() chart.Figure {
	x := make([]float64, len(r.Games))
	for i, n := range r.Games {
		x[i] = float64(n)
	}
	c := chart.Chart{
		Name:   fmt.Sprintf("audit-bounds-power-%g", r.Mu),
		Title:  fmt.Sprintf("What n games can be expected to show at µ = %g", r.Mu),
		XLabel: "games of each class n; in one run, half the canaries", YLabel: fmt.Sprintf("expected lower bound on ε at δ = %s", chart.Scientific(r.Config.Delta)),
		XLog: true, YMin: 0, YMax: 1.15 * r.Truth,
	}
	for b, plans := range r.Plans {
		y := make([]float64, len(plans))
		for i, p := range plans {
			y[i] = p.Expected
		}
		c.Curves = append(c.Curves, chart.Curve{Label: plannedBounds[b] + " (" + string(plans[0].Assumption) + ")", X: x, Y: y})
	}
	c.Curves = append(c.Curves, chart.Curve{Label: "the mechanism's own ε", X: []float64{x[0], x[len(x)-1]}, Y: []float64{r.Truth, r.Truth}, Reference: true})
	c.Notes = []string{"In parentheses: what a bound assumes."}
	return c
}
