package hidden

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/notebooks/figures/cebere2024/internal/paperaudit"
)

// Each clip norm is shown from the profile that has the most games of it, and says of which and how
// many.
func TestFigure1aTakesTheMostGames(t *testing.T) {
	full, mid := short(ConvNet), short(ConvNet)
	full.Games, mid.Games = 100, 75
	paper, small := drawn(full, "full", shares(true)), drawn(mid, "mid", shares(true))
	paper.Audits = slices.DeleteFunc(paper.Audits, func(a Audit) bool { return a.Setting != 0 })
	small.Audits = slices.DeleteFunc(small.Audits, func(a Audit) bool { return a.Setting == 2 })
	f := figure(t)(Figure1a(paper, small))
	var titles []string
	for _, p := range f.Parts {
		titles = append(titles, p.Title)
	}
	if want := []string{"C = 1, 100 games of each world", "C = 2, 75 games of each world"}; !slices.Equal(titles, want) {
		t.Errorf("panels %q, want %q", titles, want)
	}
	p := f.Figure().(chart.Panels)
	all := strings.Join(append(p.Notes, p.Sources...), "\n")
	for _, want := range []string{"Not the paper's size: ConvNet", "75 games of each world: drawn", "100 games of each world: drawn", "Not trained: clip norm C = 4."} {
		if strings.Count(all, want) != 1 {
			t.Errorf("not one %q in\n%s", want, all)
		}
	}
	if _, err := Figure1a(); err == nil || !strings.Contains(err.Error(), "at least one profile") {
		t.Errorf("no audits: error %v", err)
	}
}

// What few games say of a tight mechanism is in the panel, and of A_L, which is not tight, that it
// is below.
func TestTightWithFewGames(t *testing.T) {
	c := short(ConvNet)
	c.Games, c.Settings = 75, c.Settings[:1]
	f := figure(t)(Figure1a(drawn(c, "mid", shares(true))))
	tight := f.Parts[0].Tight
	// With no error in 75 games each rate is below 1 - 0.025^(1/75), and µ above -2Φ⁻¹ of that.
	mu := -2 * distuv.UnitNormal.Quantile(1-math.Pow(0.025, 1./75))
	if most, err := audit.EpsilonOfMu(mu, c.Delta); err != nil || math.Abs(tight.Most-most) > 1e-9 {
		t.Errorf("75 games say %g at most, error %v: want %g", tight.Most, err, most)
	}
	for i, mean := range tight.Mean {
		if !(tight.Low[i] <= mean && mean <= tight.High[i]) || tight.High[i] > tight.Most {
			t.Errorf("place %d: mean %g, range %g to %g, at most %g", i, mean, tight.Low[i], tight.High[i], tight.Most)
		}
	}
	for i, want := range []string{": within", ": below"} {
		if place := f.Parts[0].place(f.Parts[0].Curves[i]); !strings.HasSuffix(place, want) {
			t.Errorf("%s is %q, want %q", f.Parts[0].Curves[i].Label, place, want)
		}
	}
	c.Games = 2500
	if p := figure(t)(Figure1a(drawn(c, "full", shares(true)))).Parts[0]; p.Tight != nil {
		t.Error("the paper's games have a curve of what few games say")
	}
}

// Of audits of the tight law some 5 % are outside of the range: at most 14 % of 1,000. The ends of
// the range, of 200 audits, leave out a part whose standard deviation is √(0.05·0.95/200) = 0.0154,
// and that of a part of 1,000 is 0.0069: 0.14 is 5.3 of both.
func TestTightRangeHolds95Percent(t *testing.T) {
	c := short(ConvNetUnknown)
	c.Games = 60
	curve := Curve{Config: c, Setting: c.Settings[0], Bounds: []Bounds{{Games: c.Games}}}
	tight, err := curve.tight()
	if err != nil {
		t.Fatal(err)
	}
	paper, rng, outside := paperaudit.New(c.Games, c.level()), rand.New(rand.NewPCG(3, 4)), 0
	for range 1000 {
		epsilon, err := paper.Epsilon(normalScores(math.Sqrt(250)/4, c.Games, rng)) // 250 insertions, σ = 4
		if err != nil {
			t.Fatal(err)
		}
		if epsilon < tight.Low[1] || epsilon > tight.High[1] {
			outside++
		}
	}
	if outside > 140 {
		t.Errorf("%d of 1000 audits are outside of %g to %g", outside, tight.Low[1], tight.High[1])
	}
}

// No draw tells the error of scores that do not overlap.
func TestErrorOfScoresApart(t *testing.T) {
	c := short(ConvNetUnknown)
	curve, _, err := Audits{Result: Result{Config: c, Audits: []Audit{{Adversary: random, Games: 20, Observed: []audit.Scores{apart(20), apart(20)}}}}}.Curve(0, random)
	if err != nil {
		t.Fatal(err)
	}
	if mean, half := curve.reached(); half != mean || mean <= 0 {
		t.Errorf("%g ± %g: want an error as large as the bound", mean, half)
	}
	if low, high := curve.band(); low[1] != 0 || high[1] != curve.Bounds[0].Paper[1] {
		t.Errorf("from %g to %g: want 0 to the %g that 20 games can say", low[1], high[1], curve.Bounds[0].Paper[1])
	}
}
