package game_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/audit/record"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

func checkHonestRun(t *testing.T, name string, g game.Recorded, d data.Dataset, neighbors []record.Neighbor[data.Dataset]) {
	t.Helper()
	report, err := record.Run(g.OneRun(context.Background(), streams.Fixed("one run")), d, neighbors, record.Config{Claim: g.Config.Event()})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := report.Err(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if report.Queries != g.Config.Steps || report.Largest < 0.8 || report.Largest > 1.001 {
		t.Errorf("%s: %d queries, moved by at most %g of what is allowed: want %d, and most of it", name, report.Queries, report.Largest, g.Config.Steps)
	}
}

// One run of the engine is what it declares, whatever moves its weights.
func TestOneRunOfTheEnginePasses(t *testing.T) {
	d := background(20)
	for name, change := range map[string]func(*game.Recorded){
		"plain":       func(g *game.Recorded) { g.Config.Steps = 120 },
		"one step":    func(g *game.Recorded) { g.Config.Steps = 1 },
		"full batch":  func(g *game.Recorded) { g.Config.Sampling = dpsgd.Poisson{Rate: 1} },
		"float64":     func(g *game.Recorded) { g.Performance.Precision = engine.Float64 },
		"momentum":    func(g *game.Recorded) { g.Config.Optimizer, g.Config.Steps = dpsgd.SGD{Momentum: 0.9}, 60 },
		"decay":       func(g *game.Recorded) { g.Config.Optimizer, g.Config.WeightDecay = dpsgd.SGD{Momentum: 0.5}, 0.1 },
		"Adam":        func(g *game.Recorded) { g.Config.Optimizer, g.Config.LearningRate = dpsgd.Adam{}, 0.01 },
		"microbatch":  func(g *game.Recorded) { g.Performance.Microbatch = 3 },
		"per layer":   func(g *game.Recorded) { g.Config.Clipping = dpsgd.PerLayerClipping{} },
		"hot weights": func(g *game.Recorded) { g.Config.LearningRate = 500 },
	} {
		if testing.Short() && !slices.Contains([]string{"plain", "float64", "Adam", "per layer"}, name) {
			continue
		}
		checkHonestRun(t, name, recorded(t, change), d, neighborsOf(d))
	}
}

// The honest engine is accused with at most the significance: of so many runs, whose roots are
// independent, by more than the limit with a chance of 1.1e-7, the tail of Bin(200, 0.2); of 25
// with one of 3e-8, that of Bin(25, 0.2).
func TestOneRunFalseAlarms(t *testing.T) {
	const significance = 0.2
	runs, limit := 200, 71
	if testing.Short() {
		runs, limit = 25, 17
	}
	model, err := models.MLPWith(nn.ReLU(), 6, 3)
	if err != nil {
		t.Fatal(err)
	}
	g := recorded(t, func(g *game.Recorded) { g.Model, g.Config.Steps = model, 12 })
	d, alarms := background(20), 0
	for run := range runs {
		report, err := record.Run(g.OneRun(context.Background(), streams.Fixed(fmt.Sprint("alarm ", run))), d, neighborsOf(d)[:1],
			record.Config{Claim: g.Config.Event(), Significance: significance})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range report.Faults {
			if f.Test == "" {
				t.Errorf("run %d: %v", run, f)
			}
		}
		if len(report.Faults) > 0 {
			alarms++
		}
	}
	t.Logf("%d of %d honest runs accused at significance %g: limit %d", alarms, runs, significance, limit)
	if alarms > limit {
		t.Errorf("%d of %d honest runs accused at significance %g: want at most %d", alarms, runs, significance, limit)
	}
}

func TestOneRunErrors(t *testing.T) {
	secret, err := streams.Secret()
	if err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]struct {
		root   streams.Root
		change func(*game.Recorded)
	}{
		"root is secret":          {secret, nil},
		"root is the zero value":  {streams.Root{}, nil},
		"Steps 0":                 {streams.Fixed("errors"), func(g *game.Recorded) { g.Config.Steps = 0 }},
		"LearningRate 1e+40 must": {streams.Fixed("errors"), func(g *game.Recorded) { g.Config.LearningRate = 1e40 }},
		"Sampling FixedBatches": {streams.Fixed("errors"), func(g *game.Recorded) {
			g.Config.Sampling = dpsgd.FixedBatches{Period: 2}
		}},
	} {
		g, d := recorded(t, c.change), background(4)
		_, err := record.Run(g.OneRun(context.Background(), c.root), d, neighborsOf(d), record.Config{Claim: recorded(t, nil).Config.Event()})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that names %q", err, want)
		}
	}
}
