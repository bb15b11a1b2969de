package figures

import (
	"math"
	"strings"
	"testing"
)

func TestChartValidate(t *testing.T) {
	for _, c := range []Chart{curves(), mixed()} {
		if err := c.Validate(); err != nil {
			t.Errorf("good chart %s: %v", c.Name, err)
		}
	}
	for want, change := range map[string]func(*Chart){
		`chart name "../etc/x"`:        func(c *Chart) { c.Name = "../etc/x" },
		`chart name ""`:                func(c *Chart) { c.Name = "" },
		"must have a curve":            func(c *Chart) { c.Curves = nil },
		"both axes must have a label":  func(c *Chart) { c.YLabel = "" },
		"x range [2, 1]":               func(c *Chart) { c.XMin, c.XMax = 2, 1 },
		"y range [-1, 1]: must be > 0": func(c *Chart) { c.YLog, c.YMin, c.YMax = true, -1, 1 },
		"x range [0, NaN]":             func(c *Chart) { c.XMax = math.NaN() },
		"y range [0, +Inf]":            func(c *Chart) { c.YMax = math.Inf(1) },
		"has 4 x and 3 y":              func(c *Chart) { c.Curves[0].Y = c.Curves[0].Y[:3] },
		"has 4 low and 0 high":         func(c *Chart) { c.Curves[0].High = nil },
		"has 4 x and 1 low":            func(c *Chart) { c.Curves[0].Low, c.Curves[0].High = Numbers{1}, Numbers{1} },
		"kind 9":                       func(c *Chart) { c.Curves[0].Kind = 9 },
		"dodge 7: must be in -6 to 6":  func(c *Chart) { c.Curves[1].Dodge = 7 },
		"dodge 1 of a line: must be 0": func(c *Chart) { c.Curves[0].Dodge = 1 },
		"color 9":                      func(c *Chart) { c.Curves[0].Color = 9 },
		"curve 1 (\"\"): must have a":  func(c *Chart) { c.Curves[0] = Curve{} },
		"the font has no '∈' (U+2208)": func(c *Chart) { c.Curves[0].Label = "q ∈ (0, 1)" },
	} {
		c := mixed()
		change(&c)
		err := c.Validate()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
		if _, err := PNG(c); err == nil {
			t.Errorf("%s: was drawn", want)
		}
		if p := c.Plot(); !strings.Contains(p.Title.Text, "figures: ") {
			t.Errorf("%s: the plot's title %q does not say so", want, p.Title.Text)
		}
	}
}

func TestPanelsValidate(t *testing.T) {
	if err := panels().Validate(); err != nil {
		t.Errorf("good panels: %v", err)
	}
	for want, change := range map[string]func(*Panels){
		"columns 4":         func(p *Panels) { p.Columns = 4 },
		"must have a chart": func(p *Panels) { p.Charts = nil },
		"must have a curve": func(p *Panels) { p.Charts[1].Curves = nil },
	} {
		p := panels()
		change(&p)
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestTableValidate(t *testing.T) {
	if err := (Table{Name: "t", Columns: []string{"a", "b"}, Rows: [][]string{{"1", "2"}}}).Validate(); err != nil {
		t.Errorf("good table: %v", err)
	}
	for _, bad := range []Table{{Name: "t"}, {Name: "t", Columns: []string{"a"}, Rows: [][]string{{"1", "2"}}}, {Columns: []string{"a"}}} {
		if err := bad.Validate(); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}
