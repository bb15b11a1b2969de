package cebere2024

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/audit/exact"
)

func small() LandscapeConfig {
	return LandscapeConfig{
		NoiseMultipliers: []float64{1, 8}, BatchSizes: []int{1, 16}, Steps: []int{1, 2, 10}, Audited: []int{1, 10},
		Delta: 1e-5, Confidence: 0.95, Games: 2000, Repeats: 3, Seed: 3,
	}
}

func valid(t *testing.T, figure chart.Figure, rest ...interface{ Validate() error }) {
	t.Helper()
	for _, v := range append(rest, figure) {
		if err := v.Validate(); err != nil {
			t.Error(err)
		}
	}
}

func TestFigure3(t *testing.T) {
	done := 0
	r, err := Figure3(small(), func(d, total int) {
		if done++; d != done || total != 4 {
			t.Errorf("call %d: %d of %d curves: want one more of 4", done, d, total)
		}
	})
	if err != nil || done != 4 {
		t.Fatalf("%d curves told of, error %v", done, err)
	}
	valid(t, r.Figure(), r.AuditPanels(), r.Compare(), r.Table(), r.Bounds())
	for i, row := range r.Curves {
		for _, c := range row {
			// One step is the Gaussian mechanism, and a step is post-processing.
			if math.Abs(c.EpsilonUpper[0]-r.Accountant[i]) > 1e-8 {
				t.Errorf("σ %g, B %d: ε of one step %g: want %g (gdp.EpsilonAt)", r.Config.NoiseMultipliers[i], c.BatchSize, c.EpsilonUpper[0], r.Accountant[i])
			}
			if !(c.EpsilonLower[2] < c.EpsilonUpper[1] && c.EpsilonLower[1] < c.EpsilonUpper[0]) {
				t.Errorf("σ %g, B %d: ε grows over the steps: %g", r.Config.NoiseMultipliers[i], c.BatchSize, c.EpsilonUpper)
			}
			for _, a := range c.Audits {
				if truth := c.EpsilonUpper[min(a.Step-1, 2)]; len(a.Corrected) > 0 && slices.Max(a.Corrected) > truth {
					t.Errorf("σ %g, B %d, step %d: corrected bounds %g: must be below the exact ε %g (fixed seed)", r.Config.NoiseMultipliers[i], c.BatchSize, a.Step, a.Corrected, truth)
				}
			}
		}
	}
	// The finding: after 10 steps at σ = 1, B = 1 the exact ε is far below what the Gaussian
	// reading of the same total variation says.
	if c := r.Curves[0][0]; !(c.EpsilonUpper[2] < 0.5*c.Gaussian[2] && slices.Min(c.Audits[1].GDPFixed) > c.EpsilonUpper[2]) {
		t.Errorf("σ = 1, B = 1: exact ε %g, Gaussian reading %g, audits %g: want the first to be less than half of the second", c.EpsilonUpper[2], c.Gaussian[2], c.Audits[1].GDPFixed)
	}
}

// The sentences of the paper hold by the Gaussian reading.
func TestFigure3Sentences(t *testing.T) {
	cfg := small()
	cfg.Steps, cfg.Audited = []int{1, 25}, nil
	r, err := Figure14(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	valid(t, r.Figure(), r.Compare(), r.Table(), r.Bounds())
	three, err := Figure3(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, row := range slices.Concat(three.Compare().Rows, r.Compare().Rows) {
		if strings.Contains(row.Quantity, "(Gaussian reading") {
			seen++
			if !row.Holds() {
				t.Errorf("%s: ours %g, paper %g ± %g (%s)", row.Quantity, row.Ours, row.Reference, row.AbsErr, row.Source)
			}
		}
	}
	if seen != 3 {
		t.Errorf("%d sentences compared: want 3", seen)
	}
}

// An audit above the accountant, as uncorrected thresholds give now and then, stays inside
// the frame, in the charts beside it too.
func TestAuditsStayInTheFrame(t *testing.T) {
	r := LandscapeResult{
		Config:     LandscapeConfig{NoiseMultipliers: []float64{4}, BatchSizes: []int{1}, Steps: []int{1, 25}, Audited: []int{1, 25}, Delta: 1e-5},
		Accountant: []float64{0.9}, shown: []float64{4}, overview: true,
		Curves: [][]LandscapeCurve{{{BatchSize: 1, EpsilonUpper: []float64{0.9, 0.5}, Gaussian: []float64{0.9, 0.6}, Audits: []LandscapeAudit{{Step: 1, GDPUncorrected: []float64{1.3}}, {Step: 25, GDPUncorrected: []float64{0.1}}}}}},
	}
	for _, p := range []chart.Panels{r.Figure().(chart.Panels), r.AuditPanels()} {
		for _, c := range p.Charts {
			if strings.Contains(c.Name, "sigma4") && c.YMax < 1.3 {
				t.Errorf("%s: the axis ends at %g, an audit is at 1.3", c.Name, c.YMax)
			}
		}
	}
}

// As printed, equation (3) leaves nothing.
func TestPrintedSign(t *testing.T) {
	cfg := small()
	cfg.Drift, cfg.NoiseMultipliers, cfg.BatchSizes, cfg.Steps, cfg.Audited = exact.Toward, []float64{1}, []int{1}, []int{1, 3}, nil
	r, err := Figure3(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := r.Curves[0][0]
	signs, err := Signs(SignsConfig{NoiseMultiplier: 1, BatchSizes: []int{1}, Steps: 3})
	if err != nil {
		t.Fatal(err)
	}
	valid(t, signs.Figure())
	if away, toward := signs.Away[0][2], signs.Toward[0][2]; away < 0.354 || toward > 0.05 {
		t.Errorf("total variation after 3 steps: %g away, %g toward: want at least 0.355 and near 0 (trial on a grid)", away, toward)
	}
	if !(c.Variation[1] < 0.05 && math.Abs(c.Variation[0]-math.Erf(1/(2*math.Sqrt2))) < 1e-9) {
		t.Errorf("total variation %g: want 0.3829 (2Φ(1/2)-1), then near 0 (trial on a grid)", c.Variation)
	}
}

// Without drift the curve is Gaussian and the approximation exact.
func TestFigure6(t *testing.T) {
	cfg := Figure6Config{NoiseMultiplier: 4, BatchSizes: []int{2}, Steps: 9, Delta: 1e-5, Drift: exact.Constant}
	r, err := Figure6(cfg)
	if err != nil {
		t.Fatal(err)
	}
	valid(t, r.Figure(), r.Compare())
	c, mu := r.Curves[0], 1/math.Hypot(4, 2*math.Sqrt(8))
	if want, err := gdp.EpsilonAt(mu, 1e-5); err != nil || math.Abs(c.Mu-mu) > 1e-8 || c.Distance > 1e-8 || math.Abs(c.Epsilon-want.Estimate) > 1e-7 {
		t.Errorf("constant drift: µ %g, distance %g, ε %g: want µ %g, 0 and %g (closed form)", c.Mu, c.Distance, c.Epsilon, mu, want.Estimate)
	}
	cfg.Drift = exact.Away
	if r, err = Figure6(cfg); err != nil || r.Curves[0].Distance < 1e-3 {
		t.Errorf("away: distance %g, error %v: want a curve that is not Gaussian", r.Curves[0].Distance, err)
	}
}

// At h = 1/2 the search is the process of audit/exact.
func TestSearchAgainstExact(t *testing.T) {
	r, err := Search(SearchConfig{
		NoiseMultipliers: []float64{1}, Drawn: []float64{1}, BatchSizes: []int{2}, Thresholds: 3, Delta: 1e-5, Confidence: 0.95, Games: 2000, Repeats: 2, Seed: 1,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	valid(t, r.Figure(), r.Best())
	if notes := strings.Join(r.Best().Notes, " "); !strings.Contains(notes, "side by side") {
		t.Errorf("points are moved from their σ, and the notes do not say so: %s", notes)
	}
	laws, err := exact.Process{NoiseMultiplier: 1, BatchSize: 2}.Laws(2)
	if err != nil {
		t.Fatal(err)
	}
	want, err := laws[1].EpsilonAt(1e-5)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Curves[0].Epsilon[1]; math.Abs(got-want.Estimate) > 2e-3 {
		t.Errorf("ε at h = 1/2: %g: want %v (audit/exact)", got, want)
	}
	// A ridge six standard deviations away pushes all the same way: µ = 1/√(σ² + σ²/B²).
	far, err := gdp.EpsilonAt(1/math.Hypot(1, 0.5), 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 2} {
		if got := r.Curves[0].Epsilon[i]; math.Abs(got-far.Estimate) > 2e-3 {
			t.Errorf("ε at h = %g: %g: want %v (gdp.EpsilonAt)", r.Curves[0].Threshold[i], got, far)
		}
	}
	if got := r.Curves[0].Variation[1] * math.Erf(1/(2*math.Sqrt2)); math.Abs(got-laws[1].TotalVariation().Estimate) > 1e-4 {
		t.Errorf("total variation at h = 1/2: %g: want %v (audit/exact)", got, laws[1].TotalVariation())
	}
}

// A ridge in the tail, by mpmath: the mixture of both sides integrated numerically over x,
// then over y by the midpoint rule with step 0.1 (a kink: good to 1%).
func TestRidgeInTheTail(t *testing.T) {
	for epsilon, want := range map[float64]float64{3.9: 2.08549e-5, 4.07: 9.89893e-6} {
		if got := twoSteps(1, 1, 4.5).delta(epsilon); math.Abs(got/want-1) > 0.01 {
			t.Errorf("σ = 1, B = 1, h = 4.5: δ(%g) = %g: want %g ± 1%% (mpmath)", epsilon, got, want)
		}
	}
}

func TestFigure10AndTables(t *testing.T) {
	c := Figure10()
	valid(t, c, Table1(), Table2())
	// Slope BC = 1: a loss of 2.5 at a distance of 2.5 from the ridge.
	if away, toward := c.Curves[0], c.Curves[1]; away.Y[0] != -2.5 || toward.Y[2] != 2.5 {
		t.Errorf("losses %g and %g: want -2.5 and 2.5 (BC|θ-h|)", away.Y[0], toward.Y[2])
	}
	if n := len(Table1().Rows); n != 18 {
		t.Errorf("Table 1 has %d rows: want 18 (Table 1 of the paper)", n)
	}
}

func TestDefaults(t *testing.T) {
	for _, profile := range []string{"quick", "full"} {
		c, err := Defaults(profile)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []interface{ Validate() error }{c.Figure3, c.Figure6, c.Search, c.Signs, c.Figure14} {
			if err := v.Validate(); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := Defaults("slow"); err == nil || !strings.Contains(err.Error(), "slow") {
		t.Errorf("profile slow: error %v", err)
	}
}

func TestBadInput(t *testing.T) {
	for field, change := range map[string]func(*LandscapeConfig){
		"NoiseMultiplier":              func(c *LandscapeConfig) { c.NoiseMultipliers = []float64{-1} },
		"BatchSizes":                   func(c *LandscapeConfig) { c.BatchSizes = nil },
		"Steps":                        func(c *LandscapeConfig) { c.Steps = []int{2, 3} },
		"Audited":                      func(c *LandscapeConfig) { c.Audited = []int{7} },
		"Games":                        func(c *LandscapeConfig) { c.Games = 0 },
		"Repeats":                      func(c *LandscapeConfig) { c.Repeats = 0 },
		"Delta":                        func(c *LandscapeConfig) { c.Delta = math.NaN() },
		"Confidence":                   func(c *LandscapeConfig) { c.Confidence = 2 },
		"must be above the one before": func(c *LandscapeConfig) { c.Audited = []int{10, 1} },
		"NoiseMultipliers":             func(c *LandscapeConfig) { c.NoiseMultipliers = []float64{8, 1} },
	} {
		cfg := small()
		change(&cfg)
		if _, err := Figure3(cfg, nil); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: error %v: must name it", field, err)
		}
	}
	if _, err := Figure6(Figure6Config{}); err == nil {
		t.Error("Figure6: no error")
	}
	if _, err := Search(SearchConfig{}, nil); err == nil {
		t.Error("Search: no error")
	}
	if _, err := Signs(SignsConfig{}); err == nil {
		t.Error("Signs: no error")
	}
}
