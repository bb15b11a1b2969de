package dptune

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/accounting/selection/threshold"
	"github.com/dplab/dplab/dptune/streams"
)

var update = flag.Bool("update", false, "write testdata/statements.txt again")

// assuming is a candidate that rests on more than its event.
type assuming struct{ Candidate[float64, float64] }

func (assuming) Assumptions() []string { return []string{"the moon is full"} }

// tuned is a TuneThenTrain whose tuning and training cost what a Gaussian of σ = 4 does.
func tuned(t *testing.T, variant subsample.Variant) TuneThenTrain[float64, float64] {
	event := accounting.Gaussian{NoiseMultiplier: 4}
	s := search(t)
	s.Candidate = nil
	return TuneThenTrain[float64, float64]{
		Search: s, Records: 100, TuningRate: 0.3, Variant: variant, Training: event,
		TuningEvent: func(float64) (accounting.Event, error) { return event, nil },
		On:          func([]int) (Candidate[float64, float64], error) { return normalCandidate(event), nil },
		Train:       func(context.Context, []int, float64, float64, streams.Root) (float64, error) { return 1, nil },
	}
}

// forms returns the sentence of a statement, and below it the whole, indented.
func forms(s accounting.Statement) string {
	full := strings.ReplaceAll(strings.TrimSpace(s.Full()), "\n", "\n  ")
	return s.String() + "\n\n  " + strings.ReplaceAll(full, "  \n", "\n")
}

func trainNothing(context.Context, float64, streams.Root) (float64, error) { return 1, nil }

// The words of statements: a change of a word shows in this file, and in no other test. Run with
// -update to write it again.
func TestStatementsInWords(t *testing.T) {
	type stated interface {
		Statement() (accounting.Statement, error)
	}
	best := search(t)
	best.Assumptions = []string{"the data are complete"}
	worst := best
	worst.Prior, worst.Candidate = Grid[float64]{2, 4}, assuming{noisyBy{normalCandidate(nil)}}
	ends := tailed(1e-6)
	few := tailed(1e-13)
	few.Law = law.Fixed{Count: 2}
	first := FirstAbove[float64, float64]{Search: best, Threshold: 1}
	firstEnds := FirstAbove[float64, float64]{Search: ends, Threshold: -0.5}
	sampleEnds := tuned(t, subsample.AllData)
	sampleEnds.TuningTruncationDelta, sampleEnds.TrainingTruncationDelta = 1e-7, 1e-6
	tests := constantScores(0.5)
	tests.Assumptions = []string{"the data are complete"}
	trained := tests
	trained.Noise, trained.Scores.ValidationSensitivity, trained.Training, trained.Train, trained.TrainingTruncationDelta = threshold.Exponential, 0.2, gaussian, trainNothing, 4e-6
	choice := exponential(0.2, 0.5)
	choiceTrained := choice
	choiceTrained.Training, choiceTrained.Train, choiceTrained.TrainingTruncationDelta = gaussian, trainNothing, 4e-6
	var text strings.Builder
	for _, c := range []struct {
		name string
		of   stated
	}{
		{"Search", best},
		{"Search over runs of two prices, whose candidate assumes something", worst},
		{"Search whose noise takes a part of δ", ends},
		{"Search whose noise takes little of δ", few},
		{"FirstAbove", first},
		{"FirstAbove whose noise takes a part of δ", firstEnds},
		{"TuneThenTrain on the rest of the data", tuned(t, subsample.RestOfData)},
		{"TuneThenTrain on all data, whose noise takes a part of δ", sampleEnds},
		{"ThresholdSearch", tests},
		{"ThresholdSearch by exponential noise, with a training", trained},
		{"ExponentialSearch", choice},
		{"ExponentialSearch with a training", choiceTrained},
	} {
		s, err := c.of.Statement()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		fmt.Fprintf(&text, "# %s: ε = %v\n%s\n\n", c.name, s.Guarantee.Epsilon.Upper, forms(s))
	}
	release, err := best.Run(t.Context(), streams.Fixed("in words"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&text, "# Search, released from a fixed root\n%s\n", forms(release.Statement))
	const path = "testdata/statements.txt"
	if *update {
		if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, lines := strings.Split(text.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(lines)) {
		if i >= len(got) || i >= len(lines) || got[i] != lines[i] {
			t.Fatalf("%s, line %d:\n%q\nwant\n%q", path, i+1, append(got, "")[min(i, len(got))], append(lines, "")[min(i, len(lines))])
		}
	}
}

// placed is a candidate whose runs select examples by their places.
type placed struct{ Candidate[float64, float64] }

func (placed) PlaceNote([]float64) string { return "whose place stays empty" }

// After the run the statement has the places of the candidates that On returned.
func TestTuneThenTrainNotesPlaces(t *testing.T) {
	p := tuned(t, subsample.AllData)
	on := p.On
	p.On = func(records []int) (Candidate[float64, float64], error) {
		candidate, err := on(records)
		return placed{candidate}, err
	}
	release, err := p.Run(t.Context(), streams.Fixed("places"))
	if err != nil {
		t.Fatal(err)
	}
	if unit := release.Statement.Unit; unit != p.Search.Unit+", whose place stays empty" {
		t.Errorf("unit %q", unit)
	}
}
