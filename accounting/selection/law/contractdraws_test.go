package law_test

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/selection/law"
)

// falseAlarm is the chance that the draws of a correct law fail.
const falseAlarm = 1e-8

// draws compares draws of K with its chances by Pearson's chi-square test. Counts are merged from
// the left until at least 20 are expected in a cell. The tail joins the last cell.
func draws(l law.Law, s size) []error {
	d := l.Distribution()
	if _, err := d.Rand(nil); err == nil {
		return []error{fmt.Errorf("Rand(nil) gave no error")}
	}
	observed, beyond, rng := make([]float64, mostRuns+1), 0.0, rand.New(rand.NewPCG(1, 7))
	for range s.draws {
		k, err := d.Rand(rng)
		switch {
		case err != nil:
			return []error{err}
		case k < 0:
			return []error{fmt.Errorf("drew %d runs: must be >= 0", k)}
		case k < len(observed):
			observed[k]++
		default:
			beyond++
		}
	}
	weights, _ := chances(d)
	for k, w := range weights {
		if w == 0 && observed[k] > 0 {
			return []error{fmt.Errorf("drew K = %d, whose chance is 0", k)}
		}
	}
	statistic, cells := chiSquare(weights, observed, beyond, float64(s.draws))
	if cells < 2 {
		return nil // one value, and no draw of another
	}
	if limit := (distuv.ChiSquared{K: float64(cells - 1)}).Quantile(1 - falseAlarm); !(statistic < limit) {
		return []error{fmt.Errorf("chi-square of %d draws is %.1f in %d cells: a correct law is below %.1f", s.draws, statistic, cells, limit)}
	}
	return nil
}

func chiSquare(weights, observed []float64, beyond, n float64) (statistic float64, cells int) {
	left := 1.0 // chance not in any cell yet
	expected, seen := 0.0, 0.0
	add := func() {
		statistic += (seen - expected) * (seen - expected) / expected
		cells++
		expected, seen = 0, 0
	}
	for k, w := range weights {
		expected += n * w
		seen += observed[k]
		left -= w
		if expected >= 20 && n*left >= 20 {
			add()
		}
	}
	seen += beyond
	if expected += n * max(0, left); expected >= 10 {
		add()
	}
	return statistic, cells
}
