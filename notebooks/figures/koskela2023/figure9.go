package koskela2023

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure9Config describes Figure 9: the Rényi curves of DP-SGD, and for each the least line
// cα above it. The caption prints the sampling rates and the last order, not σ and T.
type Figure9Config struct {
	SamplingRates    []float64 `rule:"in (0, 1]"`   // γ, each in (0, 1]: one panel each
	NoiseMultipliers []float64 `rule:"> 0"`         // σ, each > 0: one curve each
	Steps            int       `rule:">= 1"`        // T >= 1
	MaxOrder         int       `rule:"in [3, 512]"` // integer orders 2 to this, >= 3
}

// Validate returns every fault, joined.
func (c Figure9Config) Validate() error { return figures.Faults(c).Err() }

// LineBound is the Rényi curve of one run and the least line above it.
type LineBound struct {
	SamplingRate, NoiseMultiplier float64
	Orders, Divergences           []float64
	Slope                         float64 // c: the least with cα >= RDP(α) at all orders
	Slack                         float64 // largest of cα/RDP(α) - 1: what calibrating to the line costs
	ClosedForm                    float64 // 2γ²T/σ², the slope that Section D.1 cites for small orders
}

// Figure9Result has the curves, by sampling rate and then by noise multiplier.
type Figure9Result struct {
	Config Figure9Config
	Curves []LineBound
}

// Figure9 reproduces Figure 9 for the configured σ and T.
func Figure9(cfg Figure9Config) (Figure9Result, error) {
	if err := cfg.Validate(); err != nil {
		return Figure9Result{}, err
	}
	r := Figure9Result{Config: cfg}
	for _, rate := range cfg.SamplingRates {
		for _, sigma := range cfg.NoiseMultipliers {
			r.Curves = append(r.Curves, lineBound(cfg, rate, sigma))
		}
	}
	return r, nil
}

func lineBound(cfg Figure9Config, rate, sigma float64) LineBound {
	curve := rdp.Scale(rdp.SampledGaussian(rate, sigma), cfg.Steps)
	b := LineBound{SamplingRate: rate, NoiseMultiplier: sigma, ClosedForm: 2 * rate * rate * float64(cfg.Steps) / (sigma * sigma)}
	for order := 2.0; order <= float64(cfg.MaxOrder); order++ {
		divergence := curve(order)
		b.Orders, b.Divergences = append(b.Orders, order), append(b.Divergences, divergence)
		b.Slope = math.Max(b.Slope, divergence/order)
	}
	for i, order := range b.Orders {
		b.Slack = math.Max(b.Slack, b.Slope*order/b.Divergences[i]-1)
	}
	return b
}

// Figure draws one panel for each sampling rate.
func (r Figure9Result) Figure() chart.Figure {
	p := chart.Panels{
		Name: "koskela2023-figure9", Title: "Figure 9: Rényi curves of DP-SGD and the least lines above them", Columns: 2,
		Notes: []string{fmt.Sprintf("Settings ours: σ and T = %d, as our copy of the text lacks the legend. The sampling rates and the last order are those of the caption.", r.Config.Steps)},
	}
	n := len(r.Config.NoiseMultipliers)
	for k, rate := range r.Config.SamplingRates {
		p.Charts = append(p.Charts, chart9(rate, k, r.Curves[k*n:(k+1)*n]))
	}
	return p
}

func chart9(rate float64, k int, curves []LineBound) chart.Chart {
	c := chart.Chart{
		Name: fmt.Sprintf("koskela2023-figure9-%d", k+1), Title: fmt.Sprintf("γ = %g", rate),
		XLabel: "order α", YLabel: "RDP(α), nats",
	}
	for i, b := range curves {
		line := figures.Map(b.Orders, func(order float64) float64 { return b.Slope * order })
		c.Curves = append(c.Curves,
			chart.Curve{Label: fmt.Sprintf("σ = %g", b.NoiseMultiplier), X: b.Orders, Y: b.Divergences, Color: i + 1},
			chart.Curve{Label: lineLabel(i), X: b.Orders, Y: line, Reference: true})
	}
	return c
}

// lineLabel names the lines once.
func lineLabel(i int) string {
	if i == 0 {
		return "least line cα above"
	}
	return ""
}

// Table lists the lines and how loose they are.
func (r Figure9Result) Table() figures.Table {
	t := figures.Table{
		Name: "koskela2023-figure9-lines", Title: "The least line above each curve, and what it gives away",
		Columns: []string{"γ", "σ", "slope c", "2γ²T/σ² of Section D.1", "largest cα/RDP(α) - 1"},
		Notes:   []string{fmt.Sprintf("Orders 2 to %d.", r.Config.MaxOrder)},
	}
	for _, b := range r.Curves {
		t.Rows = append(t.Rows, []string{
			fmt.Sprint(b.SamplingRate), fmt.Sprint(b.NoiseMultiplier), fmt.Sprintf("%.4g", b.Slope),
			fmt.Sprintf("%.4g", b.ClosedForm), fmt.Sprintf("%.3g %%", 100*b.Slack),
		})
	}
	return t
}

// pairs counts pairs of curves. The paper claims that the first has the better line. The claim
// holds if that line gives away less.
func (r Figure9Result) pairs(better func(a, b LineBound) bool) (c figures.Cases) {
	for _, a := range r.Curves {
		for _, b := range r.Curves {
			if better(a, b) {
				c.AddIf(a.Slack < b.Slack)
			}
		}
	}
	return c
}

// Compare sets the sentence of Section D.1 next to the curves. It has a verdict if γ and the orders
// are the caption's.
func (r Figure9Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: "koskela2023-figure9", Title: "Figure 9 and Section D.1: where the line is better"}
	p := papers.Koskela2023.Figure9
	other := ""
	if r.Config.MaxOrder != p.MaxOrder || !slices.Equal(r.Config.SamplingRates, p.SamplingRates) {
		other = otherSettings
	}
	noisier := func(a, b LineBound) bool {
		return a.SamplingRate == b.SamplingRate && a.NoiseMultiplier > b.NoiseMultiplier
	}
	sparser := func(a, b LineBound) bool {
		return a.NoiseMultiplier == b.NoiseMultiplier && a.SamplingRate < b.SamplingRate
	}
	r.pairs(noisier).AddTo(&c, p.LargerNoise, other)
	r.pairs(sparser).AddTo(&c, p.SmallerRate, other)
	return c
}
