package auditbounds

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/onerun"
	"github.com/dplab/dplab/notebooks/experiments"
)

// Each training is made once, those of one number of canaries are put together, and their scores
// are about N(µ, 1) and N(0, 1): of 8,000 the gap is within 5.6 standard errors and what the
// interference may take of it here, 5 % of µ.
func TestManyCanaries(t *testing.T) {
	if testing.Short() {
		t.Skip("trains 80 networks")
	}
	if err := ManyCanaries.Validate(); err != nil {
		t.Fatal(err)
	}
	stored, err := ManyCanaries.Compute(context.Background(), "quick", experiments.Env{})
	if err != nil {
		t.Fatal(err)
	}
	r := stored.Result
	for i, s := range r.Done {
		if s.InterferenceSeries != r.Config.Series[i] || len(s.Scores.Member)+len(s.Scores.NonMember) != s.Canaries*s.Trainings {
			t.Errorf("%+v with %d scores, want %+v", s.InterferenceSeries, len(s.Scores.Member)+len(s.Scores.NonMember), r.Config.Series[i])
		}
	}
	gap, stdErr, deviation := r.Done[len(r.Done)-1].gap()
	if mu := r.Config.Mu(); math.Abs(gap-mu) > 5.6*stdErr+0.05*mu || deviation < 0.9 || deviation > 1.2 {
		t.Errorf("1,000 canaries: gap %g ± %g, deviation %.3f, want about %g and 1", gap, stdErr, deviation, mu)
	}
	table, err := r.Table()
	if err != nil {
		t.Fatal(err)
	}
	chart := r.Figure()
	for name, err := range map[string]error{"table": table.Validate(), "chart": chart.Validate()} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Log(table.Rows)
}

// By hand: the scores of one world are those of the other moved by a gap, and 100 equally spaced
// scores of [-1, 1) have the deviation √(101·100/12)/50.
func TestGap(t *testing.T) {
	s := InterferenceScores{InterferenceSeries: InterferenceSeries{10, 20}}
	for i := range 100 {
		x := float64(i)/50 - 1
		s.Scores.Member, s.Scores.NonMember = append(s.Scores.Member, x+2), append(s.Scores.NonMember, x)
	}
	want := math.Sqrt(101*100/12.0) / 50
	if gap, stdErr, deviation := s.gap(); math.Abs(gap-2) > 1e-12 || math.Abs(deviation-want) > 1e-12 || math.Abs(stdErr-want/math.Sqrt(50)) > 1e-12 {
		t.Errorf("gap %g ± %g, deviation %g: want 2 ± %g, %g", gap, stdErr, deviation, want/math.Sqrt(50), want)
	}
}

func TestInterferenceConfigIsValidated(t *testing.T) {
	for want, change := range map[string]func(*InterferenceConfig){
		"Network": func(c *InterferenceConfig) { c.Network = "abacus" }, "Rows": func(c *InterferenceConfig) { c.Rows = 0 },
		"Series[0].Trainings": func(c *InterferenceConfig) { c.Series[0].Trainings = 9 }, "Series[1].Canaries": func(c *InterferenceConfig) { c.Series[1].Canaries = 0 },
		"Lot": func(c *InterferenceConfig) { c.Lot = 0 }, "LearningRate": func(c *InterferenceConfig) { c.LearningRate = 0 },
	} {
		c := interferenceQuick()
		c.Series = append([]InterferenceSeries{}, c.Series...)
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that names %s", err, want)
		}
	}
	if err := interferenceFull().Validate(); err != nil {
		t.Error(err)
	}
}

// The file is read as it is, and its report says what a claim below and above the truth, 4.38, may
// be told.
func TestReported(t *testing.T) {
	scores, err := ReadScores("")
	if err != nil || len(scores.Member) != 1000 || len(scores.NonMember) != 1000 {
		t.Fatalf("%d and %d scores, %v", len(scores.Member), len(scores.NonMember), err)
	}
	if _, err := ReadScores("no such file"); err == nil {
		t.Error("a file that is not there is read")
	}
	report, err := audit.Bounds(scores, audit.Config{Seed: 1, Delta: 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	for claimed, words := range map[float64]string{0.5: "rank-two-tail is above the claim, which is then false.", 4.4: "rank-two-tail is not above the claim, which proves nothing"} {
		r := Reported{Name: "reported", Title: "scores", Report: report, Claimed: claimed}
		table := r.Table()
		if notes := strings.Join(table.Notes, " "); !strings.Contains(notes, words) {
			t.Errorf("claim %g: notes %q, want %q", claimed, notes, words)
		}
		if err := table.Validate(); err != nil {
			t.Error(err)
		}
		first, last := table.Rows[0], table.Rows[len(table.Rows)-1]
		if first[0] != "rank-two-tail (fixed beforehand)" || last[3] != "none: proves nothing" || !strings.Contains(table.Title, report.Answer()) {
			t.Errorf("the table %q begins with %q and ends with %q", table.Title, first, last)
		}
		// 0.5 is below all bounds, 4.4 above those that assume nothing. What proves nothing is not
		// compared.
		if second := table.Rows[1]; second[0] != "rank-one-tail" || (second[5] == "yes") != (claimed == 0.5) || last[5] != "" {
			t.Errorf("claim %g: rows %q and %q", claimed, second, last)
		}
	}
	guesses := onerun.Guesses{Canaries: 100, Guessed: 50, Correct: 50}
	verdict, err := onerun.TestClaim(guesses, audit.GDP{Mu: 0.1}, audit.Config{Confidence: 0.95})
	if err != nil {
		t.Fatal(err)
	}
	r := Reported{Report: report, Verdicts: []audit.Verdict{verdict}}
	if notes := r.Table().Notes; !strings.Contains(notes[len(notes)-1], "CONTRADICTED") {
		t.Errorf("notes %q do not have the verdict", notes)
	}
}

// What is stored of the ConvNet is of this config, and its scores are those of canaries that hardly
// disturb each other: the gap is within a tenth of µ wherever there are a hundred scores or more.
func TestStoredCanaries(t *testing.T) {
	r, err := LoadInterference(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Config.Network != "convnet" || len(r.Done) == 0 {
		t.Fatalf("%d series of %q are stored, want those of the ConvNet", len(r.Done), r.Config.Network)
	}
	for _, s := range r.Done {
		n := len(s.Scores.Member) + len(s.Scores.NonMember)
		gap, _, deviation := s.gap()
		if n >= 100 && (math.Abs(gap/r.Config.Mu()-1) > 0.1 || math.Abs(deviation-1) > 0.2) {
			t.Errorf("%d canaries: gap %g, deviation %.3f, want about %.2f and 1", s.Canaries, gap, deviation, r.Config.Mu())
		}
	}
	table, err := r.Table()
	if err != nil {
		t.Fatal(err)
	}
	t.Log(table.Rows)
}
