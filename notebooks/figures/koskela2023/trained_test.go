package koskela2023

import (
	"errors"
	"strings"
	"testing"

	"github.com/dplab/dplab/notebooks/experiments"
)

// What is stored of each experiment has its figure, and says how much of it there is; what is not is an error that says how to
// train it.
func TestStoredFigures(t *testing.T) {
	for _, e := range []Trained{FashionSGD, FashionAdam, MNISTSGD, MNISTAdam, CIFARSGD, CIFARAdam, IMDBSGD, IMDBAdam, FashionAllSGD, FashionAllAdam} {
		r, err := e.Figure()
		if errors.Is(err, experiments.ErrNotStored) && strings.Contains(err.Error(), e.Name) {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		p := r.Panels()
		if err := errors.Join(p.Validate(), r.Table().Validate()); err != nil {
			t.Error(err)
		}
		if r.Repeats < 1 || !strings.Contains(p.Notes[0], "shards") {
			t.Errorf("%s: %d repeats, %q", e.Name, r.Repeats, p.Notes[0])
		}
	}
	if _, err := FashionSGD.Protocols(); err != nil && !errors.Is(err, experiments.ErrNotStored) {
		t.Error(err)
	}
}

// All experiments can be listed and run: names, profiles, shards.
func TestExperimentsAreValid(t *testing.T) {
	for _, e := range []Trained{FashionSGD, FashionAdam, MNISTSGD, MNISTAdam, CIFARSGD, CIFARAdam, IMDBSGD, IMDBAdam, FashionAllSGD, FashionAllAdam} {
		if err := e.Validate(); err != nil {
			t.Error(err)
		}
		for profile, c := range e.Profiles {
			if err := c.Validate(); err != nil {
				t.Errorf("%s, %s: %v", e.Name, profile, err)
			}
		}
	}
}

// A last layer on public features: the figure's text says so, and how good the public network is.
func TestQuickOnFeatures(t *testing.T) {
	if testing.Short() {
		t.Skip("trains some 200 last layers")
	}
	r, err := CIFARSGD.Quick(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := "The embedded digits 0 to 4, a last layer on features of 5 to 9, DP-SGD: tuning η"; r.Config.Task != want {
		t.Errorf("task %q, want %q", r.Config.Task, want)
	}
	if text := strings.Join(r.Findings(), "\n"); r.Public < 0.9 || !strings.Contains(text, "gets "+share(r.Public)+" of its own test images right") {
		t.Errorf("public network %g, findings:\n%s", r.Public, text)
	}
}
