package chart_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/chart/internal/samples"
)

func TestChartValidate(t *testing.T) {
	for _, c := range []chart.Chart{samples.Curves(), samples.Mixed()} {
		if err := c.Validate(); err != nil {
			t.Errorf("good chart %s: %v", c.Name, err)
		}
	}
	for want, change := range map[string]func(*chart.Chart){
		`chart name "../etc/x"`:                   func(c *chart.Chart) { c.Name = "../etc/x" },
		`chart name "": must be given; chart.New`: func(c *chart.Chart) { c.Name = "" },
		"must have a curve":                       func(c *chart.Chart) { c.Curves = nil },
		"both axes must have a label":             func(c *chart.Chart) { c.YLabel = "" },
		"x range [2, 1]":                          func(c *chart.Chart) { c.XMin, c.XMax = 2, 1 },
		"y range [-1, 1]: must be > 0":            func(c *chart.Chart) { c.YLog, c.YMin, c.YMax = true, -1, 1 },
		"x range [0, NaN]":                        func(c *chart.Chart) { c.XMax = math.NaN() },
		"y range [0, +Inf]":                       func(c *chart.Chart) { c.YMax = math.Inf(1) },
		"has 4 x and 3 y":                         func(c *chart.Chart) { c.Curves[0].Y = c.Curves[0].Y[:3] },
		"has 4 low and 0 high":                    func(c *chart.Chart) { c.Curves[0].High = nil },
		"has 4 x and 1 low":                       func(c *chart.Chart) { c.Curves[0].Low, c.Curves[0].High = chart.Series{1}, chart.Series{1} },
		"kind 9":                                  func(c *chart.Chart) { c.Curves[0].Kind = 9 },
		"dodge 7: must be in -6 to 6":             func(c *chart.Chart) { c.Curves[1].Dodge = 7 },
		"on top: must not be":                     func(c *chart.Chart) { c.Curves[0].OnTop = true }, // it has a band
		"small line: must be Points":              func(c *chart.Chart) { c.Curves[0].Small = true },
		"dodge 1 of a line: must be 0":            func(c *chart.Chart) { c.Curves[0].Dodge = 1 },
		"1 z of a line: must be none":             func(c *chart.Chart) { c.Curves[0].Z = chart.Series{1} },
		"must be without label and ends":          func(c *chart.Chart) { c.ZLabel = "z" },
		"must be without label, ends and log":     func(c *chart.Chart) { c.RightLabel = "ε" },
		"right axis must have a label":            func(c *chart.Chart) { c.Curves[1].Right = true },
		"right range [2, 1]":                      func(c *chart.Chart) { c.Curves[1].Right, c.RightLabel, c.RightMin, c.RightMax = true, "ε", 2, 1 },
		"right range [-1, 1]: must be > 0": func(c *chart.Chart) {
			c.Curves[1].Right, c.RightLabel, c.RightLog, c.RightMin, c.RightMax = true, "ε", true, -1, 1
		},
		"right bars: must be a Line":   func(c *chart.Chart) { c.Curves[1].Kind, c.Curves[1].Right, c.RightLabel = chart.Bars, true, "ε" },
		"all curves are Right":         func(c *chart.Chart) { c.Curves, c.RightLabel = c.Curves[1:2], "ε"; c.Curves[0].Right = true },
		"color 9":                      func(c *chart.Chart) { c.Curves[0].Color = 9 },
		"curve 1 (\"\"): must have a":  func(c *chart.Chart) { c.Curves[0] = chart.Curve{} },
		"the font has no '∈' (U+2208)": func(c *chart.Chart) { c.Curves[0].Label = "q ∈ (0, 1)" },
	} {
		c := samples.Mixed()
		change(&c)
		err := c.Validate()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestPanelsValidate(t *testing.T) {
	if err := samples.Panels().Validate(); err != nil {
		t.Errorf("good panels: %v", err)
	}
	for want, change := range map[string]func(*chart.Panels){
		"columns 4":         func(p *chart.Panels) { p.Columns = 4 },
		"must have a chart": func(p *chart.Panels) { p.Charts = nil },
		"must have a curve": func(p *chart.Panels) { p.Charts[1].Curves = nil },
	} {
		p := samples.Panels()
		change(&p)
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
