package auditbounds

import (
	"math"
	"slices"
	"testing"
)

// More canaries catch more, the honest engine is hardly ever accused, and 1,000 games are always
// enough. A share s of n audits is off by 5.6 √(s(1-s)/n), but for a chance of 2e-8. That 500
// canaries catch 0.955 at µ = 1, and 1,000 of them 0.946 at µ = 2, is what the test of package
// onerun has of other draws.
func TestHalfTheNoise(t *testing.T) {
	saved := caughtCanaries
	caughtCanaries = []int{150, 500, 1000}
	defer func() { caughtCanaries = saved }()
	c := small()
	c.Audits = 300
	if testing.Short() {
		c.Audits = 100
	}
	n := float64(c.Audits)
	r, err := HalfTheNoise(c)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][3]float64{{-1, 0.955, -1}, {-1, -1, 0.946}} {
		p := r.Claims[i]
		for j, share := range p.OneTraining {
			if w := want[j]; w >= 0 && math.Abs(share-w) > 5.6*math.Sqrt(w*(1-w)/n)+0.02 {
				t.Errorf("µ = %g, %d canaries: caught in %g, want %g", p.Mu, r.Canaries[j], share, w)
			}
			if j > 0 && share < p.OneTraining[j-1] {
				t.Errorf("µ = %g: %g caught by %d canaries, and %g by fewer", p.Mu, share, r.Canaries[j], p.OneTraining[j-1])
			}
			if p.Honest[j] > 0.05+5.6*math.Sqrt(0.05*0.95/n) {
				t.Errorf("µ = %g, %d canaries: the honest engine is accused in %g", p.Mu, r.Canaries[j], p.Honest[j])
			}
		}
		if p.ByAUC < 0.99 || p.ByRank < 0.95 {
			t.Errorf("µ = %g: 1,000 games catch %g by the AUC and %g by ranks, want nearly all", p.Mu, p.ByAUC, p.ByRank)
		}
	}
	if err := r.Figure().Validate(); err != nil {
		t.Error(err)
	}
}

func TestCaughtTableFollowsTheShares(t *testing.T) {
	r := Caught{Config: Defaults("quick"), Canaries: []int{10, 20}, Claims: []CaughtClaim{
		{Mu: 1, Guesses: []int{5, 9}, OneTraining: []float64{0.5, 0.96}, Honest: []float64{0.01, 0.02}, ByAUC: 1, ByRank: 0.97},
		{Mu: 2, Guesses: []int{5, 9}, OneTraining: []float64{0.1, 0.9}, Honest: []float64{0, 0}, ByAUC: 1, ByRank: 1},
	}}
	table := r.Table()
	if err := table.Validate(); err != nil {
		t.Error(err)
	}
	for i, want := range [][]string{{"1", "20", "9", "96.0 %", "50.0 %", "100.0 %", "97.0 %", "2.0 %"}, {"2", "more than 20", "", "", "90.0 %", "100.0 %", "100.0 %", "0.0 %"}} {
		if !slices.Equal(table.Rows[i], want) {
			t.Errorf("row %q, want %q", table.Rows[i], want)
		}
	}
}
