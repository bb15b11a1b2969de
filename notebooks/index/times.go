package index

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Times are those of README's two commands, in seconds, as .ci/times has measured them. What it was
// not asked for is 0.
type Times struct {
	Day, Commit, Machine string
	Notebooks            float64 // from empty caches, downloads included
	Tests                float64 // -short -vet=off, after the notebooks, whose compiled packages they use
	AllTests             float64 // as CI runs them, after those
	FirstFigure          float64 // after the beginning of Notebooks
	Again                float64 // the notebooks once more
}

//go:embed times.json
var timesJSON []byte

// Measured are the last times that were measured.
var Measured = func() (t Times) {
	if err := json.Unmarshal(timesJSON, &t); err != nil {
		panic(fmt.Sprintf("index: times.json: %v", err)) // the file is a part of the program
	}
	return t
}()

// Markdown returns them as a list, empty if nothing was measured.
func (t Times) Markdown() string {
	if t.Commit == "" {
		return ""
	}
	took := func(seconds float64) string { return (time.Duration(seconds) * time.Second).String() }
	text := fmt.Sprintf("Times on %s (measured on %s at %s):\n\n- all notebooks with empty caches, downloads included, not counting compiling the runner: %s; the first figure after %s\n",
		t.Machine, t.Day, t.Commit, took(t.Notebooks), took(t.FirstFigure))
	if t.Tests > 0 {
		text += fmt.Sprintf("- then `go test -short -vet=off ./...`, compiling included: %s\n", took(t.Tests))
	}
	if t.AllTests > 0 {
		text += fmt.Sprintf("- then `go test ./...`: %s\n", took(t.AllTests))
	}
	if t.Again > 0 {
		text += fmt.Sprintf("- all notebooks once more: %s\n", took(t.Again))
	}
	return text
}

// FullSize is what an experiment takes in its full profile: the paper's size, or the one in its
// config.
type FullSize struct {
	Experiment   string  // as notebooks/train knows it
	Shards, Done int     // shards in all, and those that were timed
	ModelSteps   float64 // of all shards: steps, each counted once for each model that takes it
	Seconds      float64 // of all shards, by those that are stored; 0 if none is
	On           string  // backends and machines of those
}

// full.json is written by go test ./notebooks/train -run TestFullSizes -update: the experiments
// live with the figures, and this package is one that the runner needs before it compiles them.
//
//go:embed full.json
var fullJSON []byte

// FullSizes are those of all experiments that have a full profile.
var FullSizes = func() (sizes []FullSize) {
	if err := json.Unmarshal(fullJSON, &sizes); err != nil {
		panic(fmt.Sprintf("index: full.json: %v", err)) // the file is a part of the program
	}
	return sizes
}()

// String returns it in a few words: "36 million model-steps: 1m16s on NVIDIA H100".
func (f FullSize) String() string {
	steps := fmt.Sprintf("%.2g million model-steps", f.ModelSteps/1e6)
	switch {
	case f.Done == 0:
		return steps + ", not timed"
	case f.Done < f.Shards:
		return fmt.Sprintf("%s: about %s on %s, by %d of %d shards", steps, duration(f.Seconds), f.On, f.Done, f.Shards)
	}
	return fmt.Sprintf("%s: %s on %s", steps, duration(f.Seconds), f.On)
}

// Training is what a stored training took.
type Training struct {
	Experiment, Profile string  // as notebooks/train knows them
	Shards, Done        int     // shards in all, and those that are stored
	ModelSteps          float64 // of those that are stored; 0 if they are not counted
	Seconds             float64 // of all those, by the clock
	On                  string  // backends and machines
	Last                string  // day on which the last one began, UTC
}

// trained.json is written by go test ./notebooks/train -run StoredTrainings -update.
//
//go:embed trained.json
var trainedJSON []byte

// Trainings are the stored ones, in the order of the registry of notebooks/train.
var Trainings = func() (list []Training) {
	if err := json.Unmarshal(trainedJSON, &list); err != nil {
		panic(fmt.Sprintf("index: trained.json: %v", err)) // the file is a part of the program
	}
	return list
}()

// duration writes seconds in two units at most.
func duration(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", seconds)
	case d < time.Hour:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}

// FullSize returns what the item's trainings take at full size, or "as shown" if it has none.
func (r Row) FullSize() string {
	var parts []string
	for _, name := range r.Experiments {
		if at := slices.IndexFunc(FullSizes, func(f FullSize) bool { return f.Experiment == name }); at >= 0 {
			parts = append(parts, fmt.Sprintf("%s: %v", name, FullSizes[at]))
		}
	}
	if parts == nil && r.Shown() {
		return "as shown"
	}
	return strings.Join(parts, "; ")
}
