package index

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"time"
)

// Times are those of README's two commands, in seconds, as .ci/times has measured them; 0 for what it was not asked for.
type Times struct {
	Day, Commit, Machine string
	Notebooks, Tests     float64 // from empty caches, downloads included; the tests (-short -vet=off) with what the notebooks have compiled
	AllTests             float64 // as CI runs them, with what those have compiled
	FirstFigure          float64 // into Notebooks
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
	text := fmt.Sprintf("What they take on %s (measured by .ci/times on %s at %s):\n\n- the notebooks from empty caches, downloads included, once their runner is compiled: %s, the first figure after %s\n",
		t.Machine, t.Day, t.Commit, took(t.Notebooks), took(t.FirstFigure))
	if t.Tests > 0 {
		text += fmt.Sprintf("- then the tests (`-short -vet=off`), compiling included: %s\n", took(t.Tests))
	}
	if t.AllTests > 0 {
		text += fmt.Sprintf("- then all tests, as CI runs them: %s\n", took(t.AllTests))
	}
	if t.Again > 0 {
		text += fmt.Sprintf("- the notebooks once more: %s\n", took(t.Again))
	}
	return text
}
