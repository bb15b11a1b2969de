package papernot2022

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/data/papers"
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
	return fmt.Sprintf("η = %g", f.Eta)
}

// color keeps a family's color the same in all figures; 0 is the next free one.
func (f Family) color() int {
	switch f.Name {
	case "poisson":
		return 4
	case "fixed":
		return 8
	}
	colors := map[float64]int{0: 1, 1: 2, 0.5: 3, -0.5: 5, 2: 6, 5: 7}
	return colors[f.Eta]
}

// familyOf returns the family of a published law.
func familyOf(law papers.LawID) Family { return Family{Name: law.Name, Eta: law.Eta} }

// paperCurve returns the Rényi bound of the paper for the best of K runs that are each
// ρ-zCDP: Theorem 2, Theorem 6, or composition for a fixed number.
func paperCurve(law law.Law, rho float64) (rdp.Curve, error) {
	return theoremCurve(law, zcdpBase(rho))
}

// theoremCurve is paperCurve for runs of which base is known. Only its Rényi curve is used,
// as in the paper.
func theoremCurve(runs law.Law, base selection.Base) (rdp.Curve, error) {
	base.Profiles = nil
	switch l := runs.(type) {
	case law.TNB:
		return selection.Theorem2(l, base.Curve)
	case law.Poisson:
		return selection.Theorem6(l, base)
	}
	return selection.RDP(runs, base)
}

// zcdpBase is all that the paper assumes of one run: ρ-zCDP.
func zcdpBase(rho float64) selection.Base {
	return selection.Base{Name: fmt.Sprintf("%g-zCDP", rho), Curve: rdp.ZCDP(rho)}
}

// steepMean is where the price of Poisson and fixed laws has left every figure.
const steepMean = 100

// means returns the means at which the family is drawn: the given ones, or as many with
// equal ratios from the first to steepMean, where a steep family would waste the rest.
func (f Family) means(given []float64) []float64 {
	last := given[len(given)-1]
	if f.Name == "tnb" || last <= steepMean || given[0] >= steepMean || len(given) < 2 {
		return given
	}
	return logSpace(given[0], steepMean, len(given))
}

func validateFamilies(field string, families []Family) error {
	if len(families) == 0 {
		return fmt.Errorf("papernot2022: %s is empty: must hold at least one family", field)
	}
	for i, f := range families {
		if err := f.Validate(); err != nil {
			return fmt.Errorf("papernot2022: %s[%d]: %w", field, i, err)
		}
	}
	return nil
}

func validateRho(config string, rho float64) error {
	return check.Positive.Of("papernot2022: "+config+".Rho", rho)
}

// tnbMean returns E[K] of a truncated negative binomial law.
func tnbMean(eta, gamma float64) float64 {
	return law.TNB{Eta: eta, Gamma: gamma}.Distribution().Mean()
}

// logSpace returns n values from lo to hi with equal ratios, both ends exact.
func logSpace(lo, hi float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = lo * math.Pow(hi/lo, float64(i)/float64(n-1))
	}
	out[n-1] = hi
	return out
}
