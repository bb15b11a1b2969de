package game_test

import (
	"context"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/audit/record"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// neighborsOf returns data sets whose last example is added, removed, replaced, or so large
// that its gradient overflows.
func neighborsOf(d data.Dataset) []record.Neighbor[data.Dataset] {
	all := make([]int, d.Len())
	for i := range all {
		all[i] = i
	}
	with := func(value float32, label int32) data.Dataset {
		longer := d.Subset("longer", all)
		for range d.Width() {
			longer.Features = append(longer.Features, value)
		}
		longer.Labels = append(longer.Labels, label)
		return longer
	}
	replaced := d.Subset("replaced", all)
	last := replaced.Row(d.Len() - 1)
	for i := range last {
		last[i] *= -3
	}
	return []record.Neighbor[data.Dataset]{
		{Name: "one added", Data: with(2, 1)},
		{Name: "one far away added", Data: with(3e38, 0)},
		{Name: "last removed", Data: d.Subset("shorter", all[:d.Len()-1])},
		{Name: "last replaced", Data: replaced, Replace: true},
	}
}

func recorded(t *testing.T, change func(*game.Recorded)) game.Recorded {
	t.Helper()
	model, err := models.MLPWith(nn.ReLU(), 6, 5, 3)
	if err != nil {
		t.Fatal(err)
	}
	g := game.Recorded{Model: model, Performance: engine.Performance{Microbatch: 8}, Config: dpsgd.Config{
		ClipNorm: 0.7, NoiseMultiplier: 1.3, Sampling: dpsgd.Poisson{Rate: 0.6}, Steps: 6, ExpectedBatchSize: 12, LearningRate: 0.5,
	}}
	if change != nil {
		change(&g)
	}
	return g
}

func checkRecorded(t *testing.T, g game.Recorded, claim accounting.Event) record.Report {
	t.Helper()
	d := background(20)
	report, err := record.Run(g.Mechanism(context.Background(), streams.Fixed("recorded")), d, neighborsOf(d), record.Config{Claim: claim})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// The engine is what it declares, sampled or not, however it clips.
func TestEnginePassesTheRecord(t *testing.T) {
	for name, change := range map[string]func(*game.Recorded){
		"sampled":    nil,
		"full batch": func(g *game.Recorded) { g.Config.Sampling = dpsgd.Poisson{Rate: 1} },
		"float64":    func(g *game.Recorded) { g.Performance.Precision = engine.Float64 },
		"automatic":  func(g *game.Recorded) { g.Config.Clipping = dpsgd.AutomaticClipping{} },
		"per layer":  func(g *game.Recorded) { g.Config.Clipping = dpsgd.PerLayerClipping{} },
	} {
		g := recorded(t, change)
		report := checkRecorded(t, g, g.Config.Event())
		if err := report.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if report.Queries != 6 || report.Largest < 0.8 || report.Largest > 1.001 {
			t.Errorf("%s: %d queries, moved by at most %g of what is allowed: want 6, and most of it", name, report.Queries, report.Largest)
		}
	}
}

// mixing is a layer that multiplies by what depends on the mean of the batch, as batch normalisation
// does: an example then moves the gradients of all others. It does so in batches of more than six
// only, so that it passes the trial that a trainer makes of it.
type mixing struct{ nn.Layer }

func (mixing) String() string { return "Mixing" }

func (mixing) Forward(_ []*graph.Node, in nn.Activations) (nn.Activations, nn.Backward) {
	backward := func(g *graph.Node, _ bool) (*graph.Node, nn.Gradients) { return g, nil }
	if in.Values.Shape().Dim(1) <= 6 {
		return in, backward
	}
	mean := graph.ReduceAndKeep(in.Values, graph.ReduceMean, 1)
	return nn.Activations{Values: graph.Mul(in.Values, graph.OnePlus(graph.Square(mean)))}, backward
}

// A random allocation is what it declares, in one run of several periods and a half.
func TestAllocationPassesTheRecord(t *testing.T) {
	g := recorded(t, func(g *game.Recorded) { g.Config.Sampling, g.Config.Steps = dpsgd.RandomAllocation{Period: 6}, 75 })
	d := background(20)
	mechanism := g.OneRun(context.Background(), streams.Fixed("allocation"))
	report, err := record.Run(mechanism, d, neighborsOf(d), record.Config{Claim: g.Config.Event()})
	if err != nil || report.Err() != nil {
		t.Errorf("error %v, faults %v: want none", err, report.Err())
	}
	fewer := g.Config
	fewer.Steps--
	report, err = record.Run(mechanism, d, neighborsOf(d), record.Config{Claim: fewer.Event()})
	if err != nil || !report.Has(record.Spend) {
		t.Errorf("a step too many: error %v, faults %v, want one of spend", err, report.Err())
	}
}

// A layer that mixes the examples of a batch, fewer steps claimed than made, and less noise
// claimed than there should be are caught.
func TestBrokenTrainingIsCaught(t *testing.T) {
	g := recorded(t, func(g *game.Recorded) {
		g.Config.Sampling = dpsgd.Poisson{Rate: 1}
		g.Model.Layers = append([]nn.Layer{mixing{nn.ReLU()}}, g.Model.Layers...)
	})
	if report := checkRecorded(t, g, g.Config.Event()); !report.Has(record.Sensitivity) {
		t.Errorf("a layer that mixes examples: faults %v, want one of sensitivity", report.Err())
	}
	g = recorded(t, nil)
	fewer := g.Config
	fewer.Steps--
	if report := checkRecorded(t, g, fewer.Event()); !report.Has(record.Spend) {
		t.Errorf("a step too many: faults %v, want one of spend", report.Err())
	}
	quieter := g.Config
	quieter.NoiseMultiplier *= 2
	if report := checkRecorded(t, g, quieter.Event()); !report.Has(record.Spend) {
		t.Errorf("half the noise that is claimed: faults %v, want one of spend", report.Err())
	}
}

func TestRecordedErrors(t *testing.T) {
	d := background(4)
	for want, change := range map[string]func(*game.Recorded){
		"Poisson.Rate 0":              func(g *game.Recorded) { g.Config.Sampling = dpsgd.Poisson{Rate: 0} },
		"NonPrivate true":             func(g *game.Recorded) { g.Config.NonPrivate, g.Config.NoiseMultiplier = true, 0 },
		"RandomAllocation(period 3)":  func(g *game.Recorded) { g.Config.Sampling = dpsgd.RandomAllocation{Period: 3} },
		"Model has 0 parameters":      func(g *game.Recorded) { g.Model = dpsgd.Model{} },
		"as many values as an exampl": func(g *game.Recorded) { g.Model, _ = models.MLP(7, 3) },
	} {
		g := recorded(t, change)
		_, err := record.Run(g.Mechanism(context.Background(), streams.Fixed("errors")), d, neighborsOf(d), record.Config{Claim: accounting.Gaussian{NoiseMultiplier: 1}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that names %q", err, want)
		}
	}
}

// An honest engine with batches in a fixed order is not accused of spending too much: an
// example takes part in one of the batches only.
func TestRecordedFixedBatches(t *testing.T) {
	g := recorded(t, func(g *game.Recorded) {
		g.Config.Sampling = dpsgd.FixedBatches{Period: 3}
	})
	d := background(20)
	report, err := record.Run(g.Mechanism(context.Background(), streams.Fixed("fixed")), d, neighborsOf(d), record.Config{Claim: g.Config.Event()})
	if err == nil || !strings.Contains(err.Error(), "Config.Sampling FixedBatches(period 3): must be Poisson, RandomAllocation or FullBatch") {
		t.Errorf("faults %v, error %v: want one that names the scheme", report.Err(), err)
	}
}
