package cebere2024

import (
	"testing"

	"github.com/dplab/dplab/accounting/lastiterate"
)

// No upper end is below the exact price of a loss of its kind, nor above that of all models, and
// with a ridge the two meet where each step has the example.
func TestLastModel(t *testing.T) {
	r, err := LastModel(lastModel())
	if err != nil {
		t.Fatal(err)
	}
	for k, c := range r.Curves {
		for i := range c[0] {
			all, convex, strongly, exact := c[0][i], c[1][i], c[2][i], c[3][i]
			if exact > strongly*(1+1e-9) || strongly > all*(1+1e-9) || convex > all*(1+1e-9) || r.Config.Periods[k] == 1 && strongly-exact > 1e-6*strongly {
				t.Errorf("k %d, %d steps: all models %g, convex %g, strongly convex %g, exact %g", r.Config.Periods[k], r.Config.Steps[i], all, convex, strongly, exact)
			}
		}
		last := len(c[0]) - 1
		if c[2][last] > c[0][last]/3 {
			t.Errorf("k %d: %g of the last model, %g of all", r.Config.Periods[k], c[2][last], c[0][last])
		}
	}
	if _, err := LastModel(LastModelConfig{Training: lastiterate.Training{}, Periods: []int{1}, Steps: []int{0}, Delta: 1e-5}); err == nil {
		t.Error("no step: no error")
	}
}
