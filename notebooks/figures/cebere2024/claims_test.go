package cebere2024

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit/exact"
	"github.com/dplab/dplab/notebooks/figures"
)

// rows returns the rows whose quantity contains a text.
func rows(c figures.Comparison, what string) (out []figures.ComparisonRow) {
	for _, row := range c.Rows {
		if strings.Contains(row.Quantity, what) {
			out = append(out, row)
		}
	}
	return out
}

// The ridge at small σ makes the Gaussian reading false, and bounds that assume nothing hold. With
// a constant drift the curve stays Gaussian.
func TestLandscapeClaims(t *testing.T) {
	cfg := small()
	r, err := Figure3(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := r.Compare()
	valid(t, r.Figure(), c)
	if reading := rows(c, "Gaussian reading after the last step"); len(reading) != 1 || reading[0].Ours > 0.5 || !strings.Contains(reading[0].Note, "up to 2.9 times as large") {
		t.Errorf("%+v", reading)
	}
	if audits := rows(c, "share of the audits above"); len(audits) != 4 || !strings.HasSuffix(audits[0].Note, "of 12") {
		t.Errorf("%+v", audits)
	}
	last := cfg.Audited[len(cfg.Audited)-1]
	if s := r.aboveExact(func(a LandscapeAudit) []float64 { return a.Corrected }, func(step int) bool { return step == last }); s != (figures.Cases{Fail: 12}) {
		t.Errorf("%v of the bounds without assumption are above the exact ε", s)
	}
	cfg.Drift = exact.Constant
	if r, err = Figure3(cfg, nil); err != nil {
		t.Fatal(err)
	}
	if q := r.reading(); !strings.Contains(q.Note, "up to 1.0 times") {
		t.Errorf("a Gaussian curve is read wrongly: %g, %s", q.Ours, q.Note)
	}
}

// Of three made-up audits two are above an exact ε of 1.
func TestCounts(t *testing.T) {
	a := LandscapeAudit{Step: 1, GDPUncorrected: []float64{1.5, 1.1, 0.9}, GDPFixed: []float64{0.8, 1.2, 0.9}, Corrected: []float64{0, 0.5, 0.1}}
	r := LandscapeResult{
		Config:     LandscapeConfig{NoiseMultipliers: []float64{4}, BatchSizes: []int{1}, Steps: []int{1, 2}, Audited: []int{1}, Repeats: 3, Games: 100, Delta: 1e-5},
		Accountant: []float64{1}, shown: []float64{4}, overview: true,
		Curves: [][]LandscapeCurve{{{BatchSize: 1, EpsilonUpper: []float64{1, 0.5}, Gaussian: []float64{1, 0.4}, Audits: []LandscapeAudit{a}}}},
	}
	all := r.falseAudits()
	if len(all) != 4 || math.Abs(all[0].Ours-2.0/3) > 1e-12 || math.Abs(all[1].Ours-1.0/3) > 1e-12 || math.Abs(all[0].OursErr-2*math.Sqrt(2.0/27)) > 1e-12 {
		t.Errorf("%+v: want 2 of 3, with the threshold fixed 1 of 3", all)
	}
	// Of 3 audits none is above: 0.05 is the chance of that where 1 - 0.05^(1/3) of all are. It shows
	// nothing.
	if none, all := shareErr(figures.Cases{Fail: 3}), shareErr(figures.Cases{Hold: 3}); math.Abs(math.Pow(1-none, 3)-0.05) > 1e-12 || all != none {
		t.Errorf("none and all of 3 audits: errors %g and %g", none, all)
	}
	none := r
	none.Curves = [][]LandscapeCurve{{{BatchSize: 1, EpsilonUpper: []float64{2, 2}, Gaussian: []float64{1, 0.4}, Audits: []LandscapeAudit{a}}}}
	if row := none.falseAudits()[0]; row.Ours != 0 || row.OursErr < 0.6 {
		t.Errorf("%s: %g ± %g", row.Note, row.Ours, row.OursErr)
	}
	if got := r.reading().Ours; got != 1 {
		t.Errorf("the Gaussian reading is above the exact ε at a share of %g, want nowhere", 1-got)
	}
	if cell := r.Bounds().Rows[0][4]; cell != "1.167 (0.900 to 1.500)" {
		t.Errorf("audits as in the paper: %s", cell)
	}
	c, bars := r.AuditPanels().Charts[0].Curves[0], r.AuditPanels().Charts[0].Curves[1]
	if bars.Low[0] != 0.9 || bars.High[0] != 1.5 || bars.Kind != chart.Points || c.Kind != chart.Line || len(c.Low) > 0 {
		t.Errorf("curve %+v, bars %+v: want a line, and a bar from the least to the largest audit", c, bars)
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
	check := func(what string, share, err float64, verdict string) {
		t.Helper()
		for _, row := range r.Compare().Rows {
			if strings.Contains(row.Quantity, what) && (row.Ours != share || row.OursErr != err || row.Verdict() != verdict) {
				t.Errorf("%s: %g ± %g, %s: want %g ± %g, %s", row.Quantity, row.Ours, row.OursErr, row.Verdict(), share, err, verdict)
			}
		}
	}
	if n := len(r.Compare().Rows); n != 5 {
		t.Errorf("%d rows: want two trends, exact and by the Gaussian reading, and the reading", n)
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
	if table := six.Table(); table.Validate() != nil || table.Rows[0][0] != "1" || !strings.Contains(table.Columns[4], "at the FPR 1e-7") {
		t.Errorf("table %+v", table)
	}
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

// Of the first step the ridge keeps most, and equation (3) as printed does not.
func TestSignsClaims(t *testing.T) {
	for _, c := range []struct {
		cfg             SignsConfig // the axis is logarithmic: no value may be 0
		printed, turned float64
	}{
		{SignsConfig{NoiseMultiplier: 1, BatchSizes: []int{1, 16}, Steps: 5}, 0, 1},
		{SignsConfig{NoiseMultiplier: 8, BatchSizes: []int{1}, Steps: 25}, 0, 0},
	} {
		r, err := Signs(c.cfg)
		if err != nil {
			t.Fatal(err)
		}
		valid(t, r.Figure(), r.Table(), r.Compare())
		if rows := r.Compare().Rows; rows[0].Ours != c.printed || rows[1].Ours != c.turned || (rows[0].Verdict() == figures.NoReference) != (c.cfg.Steps != 25) {
			t.Errorf("σ = %g: as printed %g, turned %g, %s: want %g and %g", c.cfg.NoiseMultiplier, rows[0].Ours, rows[1].Ours, rows[0].Verdict(), c.printed, c.turned)
		}
	}
}

// Made-up curves: at h* the variation is largest, ε is least, and a search of noisy audits always
// finds more elsewhere.
func TestSearchClaims(t *testing.T) {
	k := SearchCurve{
		NoiseMultiplier: 1, BatchSize: 2, Accountant: 4, Threshold: []float64{-1, 0.5, 2},
		Epsilon: []float64{2, 1, 2}, Variation: []float64{0.8, 0.9, 0.8}, Audits: [][]float64{{1.5, 5}, {1, 1.2}, {3, 1}},
	}
	r := SearchResult{Config: SearchConfig{NoiseMultipliers: []float64{1}, BatchSizes: []int{2}, Thresholds: 3, Repeats: 2, Delta: 1e-5, Games: 100}, Curves: []SearchCurve{k}}
	if got := k.best(); !slices.Equal(got, []float64{3, 5}) {
		t.Errorf("best of the search %g: want 3 and 5", got)
	}
	// The first repetition chooses the place 2, where the other says 1; the other chooses -1, where
	// the first says 1.5.
	if got := k.again(); got != 1.25 {
		t.Errorf("audited again: %g: want 1.25", got)
	}
	if rows := r.Compare().Rows; rows[0].Ours != 1 || rows[1].Ours != 0 || rows[1].Verdict() != figures.Differs {
		t.Errorf("h* is the best place by the variation %g, by ε %g", rows[0].Ours, rows[1].Ours)
	}
	if got, want := r.Table().Rows[0], []string{"1", "2", "1.000", "1.000", "2.000", "4.000", "1.100", "4.000", "1.250", "3 of 6"}; !slices.Equal(got, want) {
		t.Errorf("row %q, want %q", got, want)
	}
	r.Curves[0].Variation[0], r.Curves[0].Epsilon[1], r.Curves[0].Audits[0][0] = 1, 3, 9
	if rows := r.Compare().Rows; rows[0].Ours != 0 || rows[1].Ours != 1 {
		t.Errorf("h* is the best place by the variation %g, by ε %g", rows[0].Ours, rows[1].Ours)
	}
}
