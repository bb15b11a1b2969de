package hidden

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/exact"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// TradeOff compares the trade-off curve of the scores with a Gaussian one: Figure 6a.
type TradeOff struct {
	Title, Trained, Source string
	Full                   bool    // of the paper's size
	Mu                     float64 // of the Gaussian curve with the same area
	Closed                 float64 // µ of a coordinate that only noise and canary move: its curve is Gaussian
	FPR, FNR               []float64
	Gaussian               []float64 // FNR of the Gaussian curve at FPR
	Distance               float64   // the largest of a point of the scores' curve from the Gaussian one, in one of the rates
	Resolution             float64   // the distance that 95 % of audits of a Gaussian pair stay below, with as many games
}

// Figure6a is A_GC-R after the last step, the canary at every fifth, of [ConvNetPeriod].
func Figure6a(a Audits) (TradeOff, error) {
	c, ok, err := a.Curve(0, random)
	if err != nil || !ok {
		return TradeOff{}, errNothing(Figure{Title: "Figure 6a"}, err)
	}
	f := Figure{}
	f.from(a)
	s := a.Config.Settings[0]
	t := TradeOff{Title: fmt.Sprintf("%s, k = %d, step %d", networks[a.Config.Network].name, s.Every, s.Steps()), Trained: f.Trained[0], Source: f.Sources[0], Full: c.paperSize()}
	if t.Closed, err = (exact.Coordinate{NoiseMultiplier: a.Config.NoiseMultiplier, Steps: s.Steps(), Every: s.Every}).Mu(); err != nil {
		return TradeOff{}, err
	}
	return t, t.fill(c.scores[0][len(s.Observe)-1])
}

// fill takes the curve of scores.
func (t *TradeOff) fill(scores audit.Scores) error {
	roc, err := audit.NewROC(scores)
	if err != nil {
		return err
	}
	t.Mu = muOfArea(roc)
	for i, fpr := range roc.FPR {
		gap, fnr := t.gap(fpr, 1-roc.TPR[i])
		t.Distance = max(t.Distance, gap)
		if i%max(1, len(roc.FPR)/400) == 0 || i == len(roc.FPR)-1 { // as many points as can be seen
			t.FPR, t.FNR, t.Gaussian = append(t.FPR, fpr), append(t.FNR, 1-roc.TPR[i]), append(t.Gaussian, fnr)
		}
	}
	t.Resolution, err = gaussianDistance(t.Mu, len(scores.Member))
	return err
}

// muOfArea returns the µ of the Gaussian pair whose ROC curve has the same area, Φ(µ/√2); at least
// 0.
func muOfArea(roc audit.ROC) float64 {
	return max(0, math.Sqrt2*distuv.UnitNormal.Quantile(min(roc.Area(), 1-1e-12)))
}

// gap returns how far a point is from the Gaussian curve: in FPR or in FNR, whichever is nearer. At
// the ends the curve is steep in one of them, and few games can be far away in that rate. It
// also returns the curve's FNR at that FPR. The Gaussian curve is symmetric.
func (t TradeOff) gap(fpr, fnr float64) (gap, gaussian float64) {
	gaussian = t.gaussian(fpr)
	return min(math.Abs(fnr-gaussian), math.Abs(fpr-t.gaussian(fnr))), gaussian
}

// gaussian returns one error rate of the Gaussian curve at the other.
func (t TradeOff) gaussian(rate float64) float64 {
	return distuv.UnitNormal.CDF(distuv.UnitNormal.Quantile(1-rate) - t.Mu)
}

// gaussianDistance returns the distance that 95 % of audits of a Gaussian pair stay below: the 95th
// of 99 that are drawn.
func gaussianDistance(mu float64, games int) (float64, error) {
	rng, distances := rand.New(rand.NewPCG(1, 2)), make([]float64, 99)
	for k := range distances {
		roc, err := audit.NewROC(normalScores(mu, games, rng))
		if err != nil {
			return 0, err
		}
		drawn := TradeOff{Mu: muOfArea(roc)}
		for i, fpr := range roc.FPR {
			gap, _ := drawn.gap(fpr, 1-roc.TPR[i])
			distances[k] = max(distances[k], gap)
		}
	}
	slices.Sort(distances)
	return distances[94], nil
}

// Figure draws both curves.
func (t TradeOff) Figure() chart.Figure {
	return chart.Chart{
		Name: "cebere2024-figure6a", Title: "Figure 6a: is the trade-off curve Gaussian? " + t.Title, XLabel: "false positive rate", YLabel: "false negative rate",
		XMax: 1, YMax: 1,
		Curves: []chart.Curve{
			{Label: fmt.Sprintf("Gaussian, µ = %.2f", t.Mu), X: t.FPR, Y: t.Gaussian, Reference: true},
			{Label: fmt.Sprintf("only noise and canary, µ = %.2f", t.Closed), X: t.FPR, Y: figures.Map(t.FPR, TradeOff{Mu: t.Closed}.gaussian), Reference: true},
			{Label: "A_GC-R", X: t.FPR, Y: t.FNR, Kind: chart.Step},
		},
		Notes: []string{t.Trained}, Sources: []string{t.Source},
	}
}

// Compare sets the distance next to the paper's word for it.
func (t TradeOff) Compare() figures.Comparison {
	r := figures.Against(papers.Cebere2024.Figure6Difference, t.Distance).WithErr(t.Resolution).WithNote("of scores, along the nearer of both axes; the Gaussian curve has the same area")
	if !t.Full {
		r = r.OursOnly("not the paper's setting")
	}
	return figures.Comparison{Name: "cebere2024-figure6a", Title: "Figure 6a, claims of the text", Rows: []figures.ComparisonRow{r}}
}
