package index

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

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
