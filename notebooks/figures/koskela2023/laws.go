package koskela2023

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
)

// LawsResult has one curve for each law of the number of runs.
type LawsResult struct {
	Config Figure1Config
	Base   float64 // ε of one training on all data, the least known
	Laws   []law.Law
	Least  [][]float64 // by law and tuning rate
}

// OtherLaws is not in the paper, which takes the Poisson law alone: the least known ε of
// variant 1 for laws of the same mean, the first of cfg.MeanRepeats.
func OtherLaws(cfg Figure1Config) (LawsResult, error) {
	if err := cfg.Validate(); err != nil {
		return LawsResult{}, err
	}
	mean := cfg.MeanRepeats[0]
	one, err := contour.NewAccountant().EpsilonAt(cfg.event(), cfg.Delta)
	if err != nil {
		return LawsResult{}, err
	}
	r := LawsResult{Config: cfg, Base: one.Epsilon.Upper, Laws: []law.Law{law.Poisson{MeanRepeats: mean}}}
	for _, eta := range []float64{1, 0} {
		tnb, err := law.TNBFromMean(eta, mean)
		if err != nil {
			return LawsResult{}, err
		}
		r.Laws = append(r.Laws, tnb)
	}
	for _, law := range r.Laws {
		least := make([]float64, len(cfg.TuningRates))
		if err := parallel.Each(len(least), func(i int) error {
			bound, err := leastBound(cfg, law, cfg.TuningRates[i], subsample.RestOfData)
			least[i] = bound.Epsilon
			return err
		}); err != nil {
			return LawsResult{}, err
		}
		r.Least = append(r.Least, least)
	}
	return r, nil
}

// Chart draws ε against the tuning rate.
func (r LawsResult) Chart() figures.Chart {
	qs := r.Config.TuningRates
	c := figures.Chart{
		Name: "koskela2023-laws", Title: fmt.Sprintf("Variant 1 with other laws of K, %g runs in the mean", r.Config.MeanRepeats[0]),
		XLabel: "tuning sample rate q", YLabel: epsilonAt(r.Config.Delta), XLog: true,
		Notes: []string{"Least bound of accounting/selection. The paper takes the Poisson law alone."},
	}
	for i, law := range r.Laws {
		c.Curves = append(c.Curves, figures.Curve{Label: lawLabel(law), X: qs, Y: r.Least[i]})
	}
	ends := figures.Numbers{qs[0], qs[len(qs)-1]}
	c.Curves = append(c.Curves, figures.Curve{Label: "one training on all data", X: ends, Y: figures.Numbers{r.Base, r.Base}, Reference: true})
	return c
}

func lawLabel(runs law.Law) string {
	switch l := runs.(type) {
	case law.Poisson:
		return "Poisson"
	case law.TNB:
		if l.Eta == 0 {
			return "logarithmic"
		}
		return "geometric"
	}
	return runs.String()
}

// Findings says which law costs least and most, and how much more than one training.
func (r LawsResult) Findings() []string {
	var found []string
	for i, law := range r.Laws {
		over := make([]float64, len(r.Least[i]))
		for k, epsilon := range r.Least[i] {
			over[k] = epsilon / r.Base
		}
		least, most := 0, 0
		for k := range over {
			others := make([]float64, 0, len(r.Laws))
			for j := range r.Laws {
				if j != i {
					others = append(others, r.Least[j][k])
				}
			}
			if r.Least[i][k] <= slices.Min(others) {
				least++
			}
			if r.Least[i][k] >= slices.Max(others) {
				most++
			}
		}
		found = append(found, fmt.Sprintf("%s law, mean %g: tuning and training cost %.2f to %.2f times one training (ε = %.3f); the least of the laws at %d, the most at %d of %d q.",
			capital(lawLabel(law)), r.Config.MeanRepeats[0], slices.Min(over), slices.Max(over), r.Base, least, most, len(over)))
	}
	return found
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
