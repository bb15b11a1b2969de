package koskela2023

import (
	"fmt"

	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/notebooks/figures"
)

// LawsResult has one curve for each law of the number of runs.
type LawsResult struct {
	Config Figure1Config
	Base   float64 // ε of one training on all data, the least known
	Laws   []selection.Law
	Least  [][]float64 // by law and tuning rate
}

// OtherLaws is not in the paper, which takes the Poisson law alone: the least known ε of
// variant 1 for laws of the same mean, the first of cfg.MeanRepeats.
func OtherLaws(cfg Figure1Config) (LawsResult, error) {
	if err := cfg.Validate(); err != nil {
		return LawsResult{}, err
	}
	mean := cfg.MeanRepeats[0]
	r := LawsResult{Config: cfg, Laws: []selection.Law{selection.Poisson{MeanRepeats: mean}}}
	for _, eta := range []float64{1, 0} {
		law, err := selection.TNBFromMean(eta, mean)
		if err != nil {
			return LawsResult{}, err
		}
		r.Laws = append(r.Laws, law)
	}
	for _, law := range r.Laws {
		var least []float64
		for _, rate := range cfg.TuningRates {
			price, err := selection.TuneThenTrainAt(selection.TuneThenTrain{
				TuningRate: rate, Variant: selection.RestOfData, Training: cfg.event(),
				Tuning: selection.Event{Law: law, Base: cfg.event()},
			}, cfg.Delta, contour.NewAccountant())
			if err != nil {
				return LawsResult{}, err
			}
			least = append(least, price.Least().Epsilon)
			r.Base = price.Training.Epsilon.Upper
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
		XLabel: "tuning sample rate q", YLabel: fmt.Sprintf("ε at δ = %g", r.Config.Delta),
		Notes: []string{"Least bound of accounting/selection. The paper takes the Poisson law alone."},
	}
	for i, law := range r.Laws {
		c.Curves = append(c.Curves, figures.Curve{Label: lawLabel(law), X: qs, Y: r.Least[i]})
	}
	ends := figures.Numbers{qs[0], qs[len(qs)-1]}
	c.Curves = append(c.Curves, figures.Curve{Label: "one training on all data", X: ends, Y: figures.Numbers{r.Base, r.Base}, Reference: true})
	return c
}

func lawLabel(law selection.Law) string {
	switch l := law.(type) {
	case selection.Poisson:
		return "Poisson"
	case selection.TNB:
		if l.Eta == 0 {
			return "logarithmic"
		}
		return "geometric"
	}
	return law.String()
}
