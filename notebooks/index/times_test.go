package index

import (
	_ "embed"
	"encoding/json"
	"fmt"
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
	FromCommand          bool    // the first figure and all notebooks are counted from the command: the runner is compiled too
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
	but := ", not counting compiling the runner"
	if t.FromCommand {
		but = ""
	}
	text := fmt.Sprintf("Times on %s (measured on %s at %s):\n\n- all notebooks with empty caches, downloads included%s: %s; the first figure after %s\n",
		t.Machine, t.Day, t.Commit, but, took(t.Notebooks), took(t.FirstFigure))
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
