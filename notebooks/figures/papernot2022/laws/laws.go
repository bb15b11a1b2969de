// Package laws has what the figures of papernot2022 share: families of laws of the number of runs,
// the paper's theorems on them, and which family leads.
//
//	runs, err := laws.TNB(0).Law(10) // the logarithmic law of mean 10
//	curve, err := laws.TheoremCurve(runs, base)
//
// It promises nothing to other modules.
package laws

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/worstorder"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Family is a family of laws of the number of runs, with the mean left open.
type Family struct {
	Name string  // "tnb", "poisson" or "fixed"
	Eta  float64 // of "tnb", > -1
}

// TNB returns the truncated negative binomial laws of one η.
func TNB(eta float64) Family { return Family{Name: "tnb", Eta: eta} }

// The other families of the paper.
var (
	Poisson = Family{Name: "poisson"}
	Fixed   = Family{Name: "fixed"} // naive repetition
)

// Validate returns an error unless the family is known.
func (f Family) Validate() error {
	switch f.Name {
	case "tnb":
		if !(f.Eta > -1) || math.IsInf(f.Eta, 1) {
			return fmt.Errorf("papernot2022: Family.Eta %g: must be > -1 and finite", f.Eta)
		}
		return nil
	case "poisson", "fixed":
		return nil
	}
	return fmt.Errorf("papernot2022: Family.Name %q: must be tnb, poisson or fixed", f.Name)
}

// Law returns the law with the given mean, > 1. A fixed number of runs is the mean rounded up.
func (f Family) Law(mean float64) (law.Law, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	var runs law.Law
	switch f.Name {
	case "tnb":
		return law.TNBFromMean(f.Eta, mean)
	case "poisson":
		runs = law.Poisson{MeanRepeats: mean}
	case "fixed":
		if !(mean <= math.MaxInt32) {
			return nil, fmt.Errorf("papernot2022: fixed number of runs %g: must be at most %d", mean, math.MaxInt32)
		}
		runs = law.Fixed{Count: int(math.Ceil(mean))}
	}
	return runs, runs.Validate()
}

// Label is the family's entry in a legend.
func (f Family) Label() string {
	switch {
	case f.Name == "poisson":
		return "Poisson"
	case f.Name == "fixed":
		return "naive repetition"
	case f.Eta == 0:
		return "logarithmic η = 0"
	case f.Eta == 1:
		return "geometric η = 1"
	}
	return "η = " + chart.Format(f.Eta, 0)
}

// Color keeps a family's color the same in all figures; 0 is the next free one.
func (f Family) Color() int {
	switch f.Name {
	case "poisson":
		return 4
	case "fixed":
		return 8
	}
	colors := map[float64]int{0: 1, 1: 2, 0.5: 3, -0.5: 5, 2: 6, 5: 7}
	return colors[f.Eta]
}

// Of returns the family of a published law.
func Of(law papers.LawID) Family { return Family{Name: law.Name, Eta: law.Eta} }

// TheoremCurve returns the paper's Rényi bound for the best of K runs of base: Theorem 2, Theorem
// 6, or composition for a fixed number. Only the base's Rényi curve is used, as in the paper.
func TheoremCurve(runs law.Law, base baserun.Run) (rdp.Curve, error) {
	base.Profiles = nil
	switch l := runs.(type) {
	case law.TNB:
		return selection.Theorem2(l, base.Curve)
	case law.Poisson:
		return selection.Theorem6(l, base)
	}
	return selection.RDP(runs, base)
}

// steepMean is where the price of Poisson and fixed laws has left every figure.
const steepMean = 100

// Means returns the means at which the family is drawn. A steep family would waste the means above
// steepMean: it gets as many with equal ratios from the first to steepMean.
func (f Family) Means(given []float64) []float64 {
	last := given[len(given)-1]
	if f.Name == "tnb" || last <= steepMean || given[0] >= steepMean || len(given) < 2 {
		return given
	}
	return LogSpace(given[0], steepMean, len(given))
}

// limitCells is how many outputs a Gaussian run has where a limit is drawn. More of them move the
// limit up, by less than 0.01 at µ = 1.
const limitCells = 240

// LowerLimit returns a lower limit, in nats, of every ε at delta that holds for the best of K runs
// of every Gaussian mechanism of parameter mu, whatever "best" means. A bound for Gaussian runs
// that is below it is wrong; one close to it is nearly the best possible. It is what the worst
// interleaved order of the outputs leaks: see package worstorder.
func LowerLimit(l law.Law, mu, delta float64) (float64, error) {
	return worstorder.EpsilonAt(l, worstorder.Gaussian(mu, limitCells), delta)
}

// Spec is a law by its family and mean.
type Spec struct {
	Family Family
	Mean   float64 // E[K], > 1; for the fixed family the number of runs, >= 1
}

// Validate returns an error unless the law is valid.
func (s Spec) Validate() error {
	_, err := s.Family.Law(s.Mean)
	return err
}

// WithMean returns the family's law of a mean: TNB(0).WithMean(10).
func (f Family) WithMean(mean float64) Spec { return Spec{Family: f, Mean: mean} }

// Label is the law's entry in a legend.
func (s Spec) Label() string {
	if s.Family.Name == "fixed" {
		if s.Mean == 1 {
			return "K = 1"
		}
		return fmt.Sprintf("K = %s (naive)", chart.Grouped(s.Mean))
	}
	return fmt.Sprintf("E[K] = %s, %s", chart.Grouped(s.Mean), s.Family.Label())
}

// Published is the row of a published value of one law. ours computes our value.
func Published(v papers.Value, law papers.LawID, ours func(law.Law) (float64, error)) (row figures.ComparisonRow, err error) {
	runs, err := Of(law).Law(law.MeanRepeats)
	if err != nil {
		return row, err
	}
	value, err := ours(runs)
	return figures.Against(v, value).Of(", " + Of(law).WithMean(law.MeanRepeats).Label()), err
}
