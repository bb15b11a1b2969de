package audit

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/dplab/dplab/audit/internal/digits"
	"github.com/dplab/dplab/audit/internal/tails"
)

// Of audits of a mechanism that leaks nothing the headline is above 0 in at most the significance,
// 0.05: the number of such audits is at most binomial, and the limit is the least count that a
// binomial exceeds with chance 1e-8 at most, 64 of 600. The largest of the bounds that have a
// confidence is above it, which is why there is a headline: it exceeds the same limit.
func TestHeadlineWithoutALeak(t *testing.T) {
	audits, games := 600, 200
	if testing.Short() {
		audits = 25
	}
	limit := sort.Search(audits, func(k int) bool { return tails.BinomialUpper(k+1, audits, 0.05) <= 1e-8 })
	rng := rand.New(rand.NewPCG(1, 2))
	headline, largest := 0, 0
	for i := range audits {
		r := must(Bounds(fill(rng, games, rng.NormFloat64, rng.NormFloat64), Config{Delta: 1e-5, Seed: uint64(i) + 1}))
		b, ok := r.Headline()
		if !ok || b.Confidence != 0.95 {
			t.Fatalf("headline %v, %t", b, ok)
		}
		if b.Epsilon > 0 {
			headline++
		}
		if slices.ContainsFunc(r.Bounds, func(b Bound) bool { return b.Epsilon > 0 }) {
			largest++
		}
	}
	if headline > limit {
		t.Errorf("the headline is above 0 in %d of %d audits without a leak, want at most %d", headline, audits, limit)
	}
	if largest <= limit && !testing.Short() {
		t.Errorf("some bound is above 0 in %d of %d audits without a leak, at most %d: then there is no trap, and no need of a headline", largest, audits, limit)
	}
	t.Logf("headline above 0 in %d, some bound with a confidence in %d of %d audits", headline, largest, audits)
}

// Which bound answers, at which rank, follows from the Config and the numbers of scores. Scores of
// all kinds, in which another bound each time is the largest, have the same name, rank and text of
// what was fixed.
func TestHeadlineIsChosenBeforehand(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	kinds := map[string]func() Scores{}
	for _, z := range nulls {
		kinds[z.name] = func() Scores { return z.draw(rng, 60) }
	}
	kinds["perfect"] = func() Scores {
		return fill(rng, 60, func() float64 { return 2 + rng.Float64() }, rng.Float64)
	}
	for i, c := range []struct {
		cfg         Config
		name, fixed string
	}{
		{Config{}, "rank-two-tail", "rank k = 2 in both tails, fixed beforehand"},
		{Config{Rank: Chosen(7)}, "rank-two-tail", "rank k = 7 in both tails, stated as fixed beforehand"},
		{Config{Rank: Chosen(0)}, "rank-two-tail", "rank k = 0 in both tails, stated as fixed beforehand"}, // given, though 0
		{Config{ExpectedMu: 4}, "rank-two-tail", "rank k = 0 in both tails, stated as fixed beforehand"},
		{Config{Threshold: Chosen(0.0)}, "clopper-pearson", "the threshold, stated as fixed beforehand"},
	} { // at δ = 0, where no bound is simulated
		if testing.Short() && i%4 != 0 {
			continue
		}
		c.cfg.Seed = 1
		most := map[string]bool{}
		for name, draw := range kinds {
			r := must(Bounds(draw(), c.cfg))
			b, ok := r.Headline()
			if !ok || b.Name != c.name || b.Confidence != 0.95 || !strings.HasPrefix(b.ChosenBefore, c.fixed) || b.Assumption != AssumeNothing {
				t.Errorf("%s: headline %v, fixed %q, want %s with %s", name, b, b.ChosenBefore, c.name, c.fixed)
			}
			top := slices.MaxFunc(r.Bounds, func(a, b Bound) int { return int(math.Copysign(1, a.Epsilon-b.Epsilon)) })
			most[top.Name] = true
			slices.Reverse(r.Bounds) // nor is it the first of the list
			if again, _ := r.Headline(); again.Epsilon != b.Epsilon {
				t.Errorf("%s: headline %v in the other order, %v", name, again, b)
			}
		}
		if len(most) < 2 {
			t.Errorf("%+v: the same bound, %v, is the largest for all scores: this test sees nothing", c.cfg, most)
		}
	}
}

// Each of Bounds has a confidence, in Go and in JSON. Those at the best threshold on the same
// scores have none and stand apart, by every door. A bound of a threshold that was given has one.
func TestBoundsWithoutConfidenceStandApart(t *testing.T) {
	for _, c := range []struct {
		cfg   Config
		apart []string
	}{
		{Config{Seed: 1}, []string{"clopper-pearson"}},
		{Config{Seed: 1, Threshold: Chosen(0.5)}, nil},
		{Config{Seed: 1, Delta: 1e-5}, []string{"clopper-pearson", "gdp-clopper-pearson"}},
	} {
		r := must(Bounds(gaussianScores(60, 1), c.cfg))
		var read struct {
			Bounds  []Bound
			Without []Bound `json:"without_confidence"`
		}
		if err := json.Unmarshal(must(json.Marshal(r)), &read); err != nil {
			t.Fatal(err)
		}
		for _, b := range slices.Concat(r.Bounds, read.Bounds) {
			if b.Confidence != 0.95 {
				t.Errorf("%+v: Bounds has %v", c.cfg, b)
			}
		}
		var names []string
		for _, b := range r.WithoutConfidence {
			if names = append(names, b.Name); b.Confidence != 0 {
				t.Errorf("%+v: WithoutConfidence has %v", c.cfg, b)
			}
		}
		if !slices.Equal(names, c.apart) || read.Without == nil || len(read.Without) != len(names) || len(r.Ordered()) != len(r.Bounds)+len(names) {
			t.Errorf("%+v: without confidence are %v, want %v; %d in JSON, %d in order", c.cfg, names, c.apart, len(read.Without), len(r.Ordered()))
		}
	}
}

// A choice of the caller is printed as a statement: the library cannot know when it was made.
func TestChoicesAreStated(t *testing.T) {
	scores := gaussianScores(60, 1)
	cfg := Config{Seed: 1, Delta: 1e-5}
	for _, b := range []Bound{
		must(RankTwoTail(scores, 1, cfg)), must(RankOneTail(scores, 1, cfg)), must(GDPRank(scores, 1, cfg)),
		must(ClopperPearson(scores.CountAt(1), cfg)), must(GDPClopperPearson(scores.CountAt(1), cfg)),
	} {
		if !strings.Contains(b.ChosenBefore, ", stated as fixed beforehand") {
			t.Errorf("%s: %q", b.Name, b.ChosenBefore)
		}
	}
	r := must(Bounds(scores, cfg)) // without a choice all is the library's
	if text := r.String(); strings.Contains(text, "stated as") || !strings.Contains(text, "rank k = 12, fixed beforehand") {
		t.Errorf("no choice was made, and the report is\n%s", text)
	}
}

// The printed report: the answer first, warnings next to it, then the bounds that hold, those that
// do not apart, and last how to report the largest.
func TestReportStartsWithTheAnswer(t *testing.T) {
	r := must(Bounds(gaussianScores(300, 1), Config{Seed: 1, Delta: 1e-5}))
	text := r.String()
	b, _ := r.Headline()
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if want := "ε >= " + digits.Lower(b.Epsilon) + " at δ = 1e-5, confidence 0.95, nothing assumed but independent games"; lines[0] != want || r.Answer() != want {
		t.Errorf("first line %q, answer %q, want %q", lines[0], r.Answer(), want)
	}
	// 7 bounds have a confidence: 1 - 0.05/7 = 0.992857..., rounded up.
	if want := "To report the largest of the 7 that have a confidence, ask for confidence 0.99286, which is 1 - 0.05/7."; !strings.HasSuffix(lines[len(lines)-1], want) {
		t.Errorf("last line %q, want %q", lines[len(lines)-1], want)
	}
	hold, proves := strings.Index(text, "Other bounds, each valid by itself"), strings.Index(text, "These prove nothing")
	for _, b := range r.Ordered() {
		at := strings.Index(text, "\n"+b.Name+" ")
		switch {
		case b.Name == "rank-two-tail":
		case b.Confidence > 0 && !(hold < at && at < proves), b.Confidence == 0 && at < proves:
			t.Errorf("%s, confidence %g, stands at %d; the blocks begin at %d and %d:\n%s", b.Name, b.Confidence, at, hold, proves, text)
		}
	}
	loss := must(Bounds(gaussianScores(300, -1), Config{Seed: 1, Delta: 1e-5}))
	lines = strings.Split(loss.String(), "\n")
	if !strings.HasPrefix(lines[0], "no leak shown: ε >= 0 at δ = 1e-5, confidence 0.95") || !strings.HasPrefix(lines[3], "warning: members score below non-members") {
		t.Errorf("losses: the report begins with\n%s", strings.Join(lines[:5], "\n"))
	}
	var read struct {
		Answer   string
		Headline Bound
	}
	out, err := json.Marshal(r)
	if err != nil || json.Unmarshal(out, &read) != nil || read.Answer != r.Answer() || read.Headline.Name != b.Name || read.Headline.Epsilon != b.Epsilon {
		t.Errorf("JSON has %+v, %v", read, err)
	}
}

// Nothing that was not computed reads as an answer.
func TestZeroValuesSayNothing(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{Report{}.String(), "no audit: nothing was computed\n"},
		{Report{}.Answer(), "no audit: nothing was computed"},
		{Bound{}.String(), "no bound: it was never computed"},
		{Verdict{}.String(), "no verdict: no claim was tested"},
		{must(Describe(gaussianScores(20, 1), Config{})).Answer(), "no bound: none was requested"},
	} {
		if c.text != c.want {
			t.Errorf("%q, want %q", c.text, c.want)
		}
	}
	if _, ok := (Report{}).Headline(); ok || (Report{}).Together() != "" {
		t.Error("the zero Report has a headline")
	}
	for _, zero := range []any{Report{}, Bound{}, Verdict{}, Rate{}} {
		if text, err := json.Marshal(zero); err == nil {
			t.Errorf("the zero %T is %s in JSON", zero, text)
		}
	}
}
