package cebere2024

import (
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit/exact"
	"github.com/dplab/dplab/notebooks/figures"
)

// says reports which of the wanted parts are not in the sentences.
func says(t *testing.T, findings []string, want ...string) {
	t.Helper()
	all := strings.Join(findings, "\n")
	for _, w := range want {
		if !strings.Contains(all, w) {
			t.Errorf("no %q in\n%s", w, all)
		}
	}
}

// The ridge at small σ makes the Gaussian audits false; a constant drift keeps the curve Gaussian, and what is above then is
// the threshold's doing.
func TestLandscapeFindings(t *testing.T) {
	cfg := small()
	r, err := Figure3(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	says(t, r.Findings(), "up to 2.9 times as large", "but the Gaussian trade-off curve", "of 24 of the paper's uncorrected audits", "These are 12 sets of games, each looked at 2 times.", "is above the exact ε in 0 of 12 audits of step 10")
	cfg.Drift = exact.Constant
	if r, err = Figure3(cfg, nil); err != nil {
		t.Fatal(err)
	}
	all := strings.Join(r.Findings(), "\n")
	if strings.Contains(all, "but the Gaussian trade-off curve") {
		t.Errorf("a Gaussian curve is blamed:\n%s", all)
	}
	// 10 steps of N(0, σ²), the first with the canary: µ falls from 1/σ to 1/(σ√10), where B = 1.
	cfg.Delta, cfg.Audited, cfg.BatchSizes = 0.9, nil, []int{1}
	if r, err = Figure3(cfg, nil); err != nil {
		t.Fatal(err)
	}
	says(t, r.Findings(), "even the first step has an ε of 0")
}

// Of three made-up audits two are above an exact ε of 1.
func TestCounts(t *testing.T) {
	a := LandscapeAudit{Step: 1, GDPUncorrected: []float64{1.5, 1.1, 0.9}, GDPFixed: []float64{0.8, 1.2, 0.9}, Corrected: []float64{0, 0.5, 0.1}}
	r := LandscapeResult{
		Config:     LandscapeConfig{NoiseMultipliers: []float64{4}, BatchSizes: []int{1}, Steps: []int{1, 2}, Audited: []int{1}, Repeats: 3, Games: 100, Delta: 1e-5},
		Accountant: []float64{1}, shown: []float64{4}, overview: true,
		Curves: [][]LandscapeCurve{{{BatchSize: 1, EpsilonUpper: []float64{1, 0.5}, Gaussian: []float64{1, 0.4}, Audits: []LandscapeAudit{a}}}},
	}
	says(t, r.Findings(), "2 of 3 of the paper's uncorrected audits are above the exact ε (seeds: 3; games: 100; σ = 4; steps: 1). With the threshold fixed at h beforehand: 1 of 3.",
		"nowhere above the exact ε", "1.167 (0.900 to 1.500) where the exact ε is 1.00", "in 0 of 3 audits of step 1")
	c := r.AuditPanels().Charts[0].Curves[0]
	if c.Low[0] != 0.9 || c.High[0] != 1.5 || c.Kind != chart.Line {
		t.Errorf("curve %+v: want a band from the least to the largest audit", c)
	}
	r.Config.Repeats, a.GDPUncorrected = 1, a.GDPUncorrected[:1]
	r.Curves[0][0].Audits[0] = a
	if c := r.AuditPanels().Charts[0].Curves[0]; c.Kind != chart.Points || len(c.Low) > 0 {
		t.Errorf("curve %+v: want one point without a line", c)
	}
}

// A trend is one of all B: ratios fall at B = 1 only, by the ε made up here.
func TestTrends(t *testing.T) {
	at := func(batch int, last float64) LandscapeCurve {
		return LandscapeCurve{BatchSize: batch, EpsilonUpper: []float64{1, last}, Gaussian: []float64{1, last}}
	}
	r := LandscapeResult{
		Config:     LandscapeConfig{NoiseMultipliers: []float64{1, 8}, BatchSizes: []int{1, 4, 16}, Steps: []int{1, 25}, Games: 5000, Delta: 1e-5, Confidence: 0.95},
		Accountant: []float64{1, 1}, shown: []float64{1, 8}, overview: true,
		Curves: [][]LandscapeCurve{{at(1, 0.25), at(4, 0.5), at(16, 0.9996)}, {at(1, 0.125), at(4, 0.625), at(16, 0.9996)}},
	}
	says(t, r.Findings(), "From σ = 1 to σ = 8 the exact ratio falls at B = 1 (by 0.125) and rises at B = 4 (by 0.125) and stays at B = 16;",
		"at least 0.125 (σ = 8, B = 1) and at most 1.000 of that")
	check := func(what string, share, err float64, verdict string) {
		t.Helper()
		for _, row := range r.Compare().Rows {
			if strings.Contains(row.Quantity, what) && (row.Ours != share || row.OursErr != err || row.Verdict() != verdict) {
				t.Errorf("%s: %g ± %g, %s: want %g ± %g, %s", row.Quantity, row.Ours, row.OursErr, row.Verdict(), share, err, verdict)
			}
		}
	}
	if n := len(r.Compare().Rows); n != 4 {
		t.Errorf("%d rows: want two trends, exact and by the Gaussian reading", n)
	}
	check("falls from", 0.5, 1./6, figures.Differs) // one holds, one does not, one is open
	check("rises with", 1, 0, figures.AsTextSays)
	r.Curves[1][1] = at(4, 0.375)
	check("falls from", 5./6, 1./6, figures.Inconclusive)
	r.Curves[1][2] = at(16, 0.375)
	check("rises with", 3.5/4, 0.5/4, figures.Inconclusive)
}

// With settings that are not the paper's there is nothing to agree or to differ with.
func TestNoReferenceElsewhere(t *testing.T) {
	elsewhere := func(c figures.Comparison, what string) {
		t.Helper()
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
		for _, row := range c.Rows {
			if row.Verdict() != figures.NoReference {
				t.Errorf("%s: %s: %s: want no reference", what, row.Quantity, row.Verdict())
			}
		}
	}
	for name, change := range map[string]func(*LandscapeConfig){
		"10 steps":     func(*LandscapeConfig) {},
		"σ = 0.5":      func(c *LandscapeConfig) { c.Steps, c.NoiseMultipliers = []int{1, 25}, []float64{0.5, 8} },
		"B = 3":        func(c *LandscapeConfig) { c.Steps, c.BatchSizes = []int{1, 25}, []int{3, 16} },
		"δ":            func(c *LandscapeConfig) { c.Steps, c.Delta = []int{1, 25}, 1e-3 },
		"AverageFirst": func(c *LandscapeConfig) { c.Steps, c.AverageFirst = []int{1, 25}, true },
	} {
		cfg := small()
		cfg.Audited = nil
		change(&cfg)
		r, err := Figure3(cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		elsewhere(r.Compare(), name)
	}
	six, err := Figure6(Figure6Config{NoiseMultiplier: 2, BatchSizes: []int{1}, Steps: 25, Delta: 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	elsewhere(six.Compare(), "Figure 6b, σ = 2")
	says(t, six.Findings(), "(B = 1)", "At the FPR 1e-7")
}

// Audits have an error, and one that is larger than what it is compared with settles nothing.
func TestAuditsHaveErrors(t *testing.T) {
	cfg := small()
	cfg.Steps, cfg.Audited, cfg.Games = []int{1, 25}, []int{1, 25}, 5000
	r, err := Figure14(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.Compare().Rows, func(row figures.ComparisonRow) bool { return strings.Contains(row.Quantity, "3 audits, σ = 8") })
	if i < 0 {
		t.Fatalf("no row of audits at σ = 8 in %+v", r.Compare().Rows)
	}
	if row := r.Compare().Rows[i]; !(row.OursErr > 0.03) || row.Verdict() != figures.Inconclusive {
		t.Errorf("%s: %g ± %g, %s: want an error above 0.03 and no verdict", row.Quantity, row.Ours, row.OursErr, row.Verdict())
	}
	cfg.Repeats = 1
	if r, err = Figure14(cfg, nil); err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Compare().Rows {
		if strings.Contains(row.Quantity, "audits") {
			t.Errorf("%s: one audit has no error and is compared", row.Quantity)
		}
	}
}

func TestSignsFindings(t *testing.T) {
	for want, cfg := range map[string]SignsConfig{ // the axis is logarithmic: no value may be 0
		"needs the ridge": {NoiseMultiplier: 1, BatchSizes: []int{1, 16}, Steps: 5},
		"1 of 1 B":        {NoiseMultiplier: 8, BatchSizes: []int{1}, Steps: 25},
	} {
		r, err := Signs(cfg)
		if err != nil {
			t.Fatal(err)
		}
		says(t, r.Findings(), want)
		valid(t, r.Figure())
	}
}

// Made-up curves: at h* the variation is largest, ε is least, and a search of noisy audits always finds more elsewhere.
func TestSearchFindings(t *testing.T) {
	k := SearchCurve{
		NoiseMultiplier: 1, BatchSize: 2, Accountant: 4, Threshold: []float64{-1, 0.5, 2},
		Epsilon: []float64{2, 1, 2}, Variation: []float64{0.8, 0.9, 0.8}, Audits: [][]float64{{1.5, 5}, {1, 1.2}, {3, 1}},
	}
	r := SearchResult{Config: SearchConfig{NoiseMultipliers: []float64{1}, BatchSizes: []int{2}, Thresholds: 3, Repeats: 2, Delta: 1e-5, Games: 100}, Curves: []SearchCurve{k}}
	if got := k.best(); !slices.Equal(got, []float64{3, 5}) {
		t.Errorf("best of the search %g: want 3 and 5", got)
	}
	// The first repetition chooses the place 2, where the other says 1; the other chooses -1, where the first says 1.5.
	if got := k.again(); got != 1.25 {
		t.Errorf("audited again: %g: want 1.25", got)
	}
	says(t, r.Findings(), "h* = 1/2 at 1 of 1", "the largest at 0 of them, and within 1 % of the least at 1", "0.500 (σ = 1, B = 2) of the largest",
		"above the accountant at 0 of 1", "3 of 6 single audits", "say more than h* at 1 of 1")
	r.Curves[0].Variation[0], r.Curves[0].Epsilon[1], r.Curves[0].Audits[0][0] = 1, 3, 9
	says(t, r.Findings(), "h* = 1/2 at 0 of 1", "the largest at 1 of them, and within 1 % of the least at 0", "above the accountant at 1 of 1")
}
