package figures

import (
	"errors"
	"math"
	"strings"
	"testing"
)

type part struct{ bad bool }

func (p part) Validate() error {
	if p.bad {
		return errors.New("bad part")
	}
	return nil
}

type ruled struct {
	Delta  float64   `rule:"in (0, 1)"`
	Share  float64   `rule:"in (0, 0.25]"`
	Order  float64   `rule:"in [2, 9]"`
	Mu     float64   `rule:"> 0"`
	Above  float64   `rule:"> 1"`
	Steps  int       `rule:">= 2"`
	Means  []float64 `rule:"> 1; increasing; at least 2"`
	Sizes  []int     `rule:">= 1"`
	Free   float64   `rule:"any"`
	Part   part
	Parts  []part
	Others []struct{ X float64 }
	Seed   uint64
}

func TestFaults(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	good := ruled{Delta: 0.5, Share: 0.25, Order: 2, Mu: 1, Above: 2, Steps: 2, Means: []float64{2, 3}, Sizes: []int{1}, Free: nan, Parts: []part{{}}}
	if err := Faults(good).Err(); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(c *ruled){
		"figures: ruled.Delta 1: must be in (0, 1)":           func(c *ruled) { c.Delta = 1 },
		"Share 0.3: must be in (0, 0.25]":                     func(c *ruled) { c.Share = 0.3 },
		"Order 1: must be in [2, 9]":                          func(c *ruled) { c.Order = 1 },
		"Mu +Inf: must be > 0 and finite":                     func(c *ruled) { c.Mu = inf },
		"Above 1: must be > 1 and finite":                     func(c *ruled) { c.Above = 1 },
		"Steps 1: must be >= 2":                               func(c *ruled) { c.Steps = 1 },
		"Means is empty: must hold at least one value":        func(c *ruled) { c.Means = nil },
		"Means: number of values 1: must be >= 2":             func(c *ruled) { c.Means = c.Means[:1] },
		"Means[1] 1: must be > 1 and finite":                  func(c *ruled) { c.Means = []float64{2, 1} },
		"Means[1] 2: must be above the one before, 2":         func(c *ruled) { c.Means = []float64{2, 2} },
		"Means[1] 3: must be above the one before, NaN":       func(c *ruled) { c.Means = []float64{nan, 3} },
		"Sizes[0] 0: must be >= 1":                            func(c *ruled) { c.Sizes = []int{0} },
		"figures: ruled.Part: bad part":                       func(c *ruled) { c.Part.bad = true },
		"figures: ruled.Parts[1]: bad part":                   func(c *ruled) { c.Parts = []part{{}, {true}} },
		"figures: ruled.Parts is empty: must hold at least o": func(c *ruled) { c.Parts = nil },
	} {
		c := good
		spoil(&c)
		if err := Faults(c).Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestFaultsWantsRules(t *testing.T) {
	for name, config := range map[string]any{
		"none": struct{ X float64 }{}, "none for a list": struct{ X []int }{},
		"unknown": struct {
			X int `rule:"nice"`
		}{},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			Faults(config)
		}()
	}
}
