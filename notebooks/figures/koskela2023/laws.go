package koskela2023

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/check"
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

// OtherLaws returns the least known ε of variant 1 for the given laws. Without laws it takes the
// Poisson, geometric and logarithmic laws of the mean cfg.MeanRepeats[0]. It is not in the paper,
// which has only the Poisson law.
func OtherLaws(cfg Figure1Config, laws ...law.Law) (LawsResult, error) {
	if err := cfg.Validate(); err != nil {
		return LawsResult{}, err
	}
	laws, err := sameMean(cfg.MeanRepeats[0], laws)
	if err != nil {
		return LawsResult{}, err
	}
	one, err := contour.NewAccountant().EpsilonAt(cfg.event(), cfg.Delta)
	if err != nil {
		return LawsResult{}, err
	}
	r := LawsResult{Config: cfg, Base: one.Epsilon.Upper, Laws: laws}
	for _, law := range r.Laws {
		prepared, err := prepare(cfg, law)
		if err != nil {
			return LawsResult{}, err
		}
		least, err := parallel.Map(len(cfg.TuningRates), func(i int) (float64, error) {
			price, err := prepared.PriceAt(cfg.TuningRates[i], subsample.RestOfData)
			return price.Least().Epsilon, err
		})
		if err != nil {
			return LawsResult{}, err
		}
		r.Least = append(r.Least, least)
	}
	return r, nil
}

// sameMean returns the laws, which must be valid, or for none those of OtherLaws.
func sameMean(mean float64, laws []law.Law) ([]law.Law, error) {
	f := check.In("koskela2023: OtherLaws: ")
	for i, runs := range laws {
		f.That(runs != nil, fmt.Sprintf("laws[%d]", i), "is nil", "must be a law")
		if runs != nil {
			f.Below(fmt.Sprintf("laws[%d]", i), runs.Validate())
		}
	}
	if len(laws) > 0 {
		return laws, f.Err()
	}
	laws = append(laws, law.Poisson{MeanRepeats: mean})
	for _, eta := range []float64{1, 0} {
		tnb, err := law.TNBFromMean(eta, mean)
		f.Add(err)
		laws = append(laws, tnb)
	}
	return laws, f.Err()
}

// Figure draws ε against the tuning rate.
func (r LawsResult) Figure() chart.Figure {
	qs := r.Config.TuningRates
	c := chart.Chart{
		Name: "koskela2023-laws", Title: fmt.Sprintf("Variant 1 with other laws of K%s", r.means()),
		XLabel: "tuning sample rate q", YLabel: epsilonAt(r.Config.Delta), XLog: true,
		Notes: []string{"Least bound of accounting/selection. The paper has only the Poisson law."},
	}
	for i, law := range r.Laws {
		c.Curves = append(c.Curves, chart.Curve{Label: lawLabel(law), X: qs, Y: r.Least[i]})
	}
	c.Curves = append(c.Curves, figures.Level("one training on all data", qs, r.Base))
	return c
}

func lawLabel(runs law.Law) string {
	switch l := runs.(type) {
	case law.Poisson:
		return "Poisson"
	case law.TNB:
		switch l.Eta {
		case 0:
			return "logarithmic"
		case 1:
			return "geometric"
		}
	}
	return runs.String()
}

// means is that of all laws, in words; empty if they differ.
func (r LawsResult) means() string {
	mean := r.Config.MeanRepeats[0]
	for _, law := range r.Laws {
		if math.Abs(law.Distribution().Mean()-mean) > 1e-6*mean {
			return ""
		}
	}
	return fmt.Sprintf(", %g runs on average", mean)
}

// Table lists what each law costs, and at how many tuning rates it is the cheapest and the dearest.
func (r LawsResult) Table() figures.Table {
	t := figures.Table{
		Name: "koskela2023-laws-cost", Title: fmt.Sprintf("ε of tuning and training, times that of one training (%.3f)", r.Base),
		Columns: []string{"law of K", "mean", "least over q", "largest over q", "cheapest law at", "dearest law at"},
	}
	for i, k := range r.Laws {
		over := figures.Map(r.Least[i], func(epsilon float64) float64 { return epsilon / r.Base })
		cheapest, dearest := r.rank(i)
		t.Rows = append(t.Rows, []string{lawLabel(k), fmt.Sprintf("%.6g", k.Distribution().Mean()), fmt.Sprintf("%.2f", slices.Min(over)), fmt.Sprintf("%.2f", slices.Max(over)),
			fmt.Sprintf("%d of %d q", cheapest, len(over)), fmt.Sprintf("%d of %d q", dearest, len(over))})
	}
	return t
}

// rank counts the tuning rates at which law i costs the least of all laws, and the most.
func (r LawsResult) rank(i int) (least, most int) {
	for k, epsilon := range r.Least[i] {
		low, high := math.Inf(1), math.Inf(-1)
		for _, other := range r.Least {
			low, high = min(low, other[k]), max(high, other[k])
		}
		if epsilon == low {
			least++
		}
		if epsilon == high {
			most++
		}
	}
	return least, most
}
