package hidden

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/figures"
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

// What is stored of coordinates has the law of the stored games, which share only the data and the
// initial weights: by the test of Kolmogorov and Smirnov at 0.001. Scores are
// measured from the mean without a canary, which is drawn too.
func TestCoordinatesAgainstGames(t *testing.T) {
	a, err := Load(context.Background(), Coordinates, Options{})
	if err != nil {
		t.Fatal(err)
	}
	games, err := LoadAll(context.Background(), ConvNet, Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := ByCoordinates(a, games...)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, p := range f.Parts {
		scores := func(c Curve) (member, nonMember []float64) {
			last := c.scores[0][len(c.Setting.Observe)-1]
			mean := stat.Mean(last.NonMember, nil)
			from := func(xs []float64) []float64 {
				xs = figures.Map(xs, func(x float64) float64 { return x - mean })
				slices.Sort(xs)
				return xs
			}
			return from(last.Member), from(last.NonMember)
		}
		member, nonMember := scores(p.Curves[0].Curve)
		for _, line := range p.Curves[1:] {
			m, n := scores(line.Curve)
			limit := math.Sqrt(-math.Log(0.001/2) / 2 * (1/float64(len(m)) + 1/float64(len(member))))
			in, out := stat.KolmogorovSmirnov(member, nil, m, nil), stat.KolmogorovSmirnov(nonMember, nil, n, nil)
			t.Logf("%s, %s: %.4f with the canary, %.4f without, allowed %.4f", p.Title, line.Label, in, out, limit)
			if compared++; in > limit || out > limit {
				t.Errorf("%s, %s: laws differ by %.4f and %.4f, allowed %.4f", p.Title, line.Label, in, out, limit)
			}
		}
	}
	if compared < 3 {
		t.Errorf("%d comparisons, want one for each clip norm", compared)
	}
}
