package hidden

import (
	"context"
	"strings"
	"testing"

	"github.com/dplab/dplab/notebooks/experiments"
)

// Canaries along coordinates give as many scores as games would, and the figure shows them with the
// spread over trainings. Too few canaries for the scores are refused before any training.
func TestByCoordinates(t *testing.T) {
	c := coordinatesQuick()
	r := runAll(t, c)
	a := r.Audits[0]
	if len(r.Audits) != 1 || a.Games != 90 || len(a.Observed) != 3 || len(a.Observed[2].Member) != 90 || len(a.Apart) != 3 || len(a.Apart[2]) != 12 {
		t.Fatalf("audits %+v", r.Audits)
	}
	games := runAll(t, smallConvNetQuick(Setting{Every: 1, ClipNorm: 1, Adversaries: []string{random}}))
	f, err := ByCoordinates(Audits{Result: r, Profile: "quick"}, Audits{Result: games, Profile: "quick"})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Parts) != 1 || len(f.Parts[0].Curves) != 2 || !strings.Contains(strings.Join(f.Trained, "\n"), "20 canaries in each of 12 trainings, and 12 simulations") {
		t.Errorf("%d panels, notes %q", len(f.Parts), f.Trained)
	}
	for want, change := range map[string]func(*Setting){
		"must be more than the 180 scores":      func(s *Setting) { s.Trainings = 9 },
		"must be A_GC-R by coordinates":         func(s *Setting) { s.Adversaries = []string{random} },
		"must be false with Canaries":           func(s *Setting) { s.UnknownInitial = true },
		"Simulations 1: must be >= 2":           func(s *Setting) { s.Simulations = 1 },
		"Adversaries \"A_GC-R by coordinates\"": func(s *Setting) { s.Canaries = 0 },
		"coins left":                            func(s *Setting) { s.Canaries, s.Trainings, s.Observe = 1, 181, []int{1} },
	} {
		c := coordinatesQuick()
		change(&c.Settings[0])
		if _, err := Run(context.Background(), c, 0, experiments.Env{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that names %q", err, want)
		}
	}
}
