package xiang2024

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/data/papers"
)

func ExampleExample1() {
	r, err := Example1()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("ε = %.4f; %v\n", r.Pure, r.Compare().Tally())
	// Output: ε = 2.9645; 8 of 10 printed numbers agree
}

// Two rows differ from the text: 2.9253 was cut to 2.92, and 3.11 is above the bound at δ = 0.
func TestExample1(t *testing.T) {
	r, err := Example1()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Compare().Rows {
		limit := row.AbsErr
		if strings.Contains(row.Quantity, "1e-5") {
			limit = 0.12
		}
		if math.Abs(row.Difference()) > limit {
			t.Errorf("%s: %g, want %g ± %g (%s)", row.Quantity, row.Ours, row.Reference, limit, row.Source)
		}
	}
	if r.Pure > r.Bound || r.Approximate > r.BoundAtDelta {
		t.Errorf("exact values %g, %g exceed the bounds %g, %g", r.Pure, r.Approximate, r.Bound, r.BoundAtDelta)
	}
}

// The row ε_B = 4, τ = 1: the first cell anchors µ, the third is the paper's largest gap.
func TestTable4(t *testing.T) {
	configs, err := Defaults("quick")
	if err != nil {
		t.Fatal(err)
	}
	cfg := configs.Table4
	cfg.Cells = []papers.Xiang2024Cell{cfg.Cells[30], cfg.Cells[32]}
	r, err := Table4(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Compare().Validate(); err != nil {
		t.Error(err)
	}
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
	anchor, worst := r.Fitted[0], r.Fitted[1]
	if anchor.Full.Upper > anchor.Paper.O.Number-anchor.Paper.O.Source.AbsErr {
		t.Errorf("µ %g is not at most the authors': Algorithm 3 gives %v, printed is %g (%v)", anchor.Mu, anchor.Full, anchor.Paper.O.Number, anchor.Paper.O.Source)
	}
	if anchor.Refuted() || !worst.Refuted() {
		t.Errorf("refuted: %t, %t; want the second only", anchor.Refuted(), worst.Refuted())
	}
	// The cut integral explains what is printed.
	if math.Abs(worst.Cut-worst.Paper.O.Number) > worst.Paper.O.Source.AbsErr {
		t.Errorf("cut at -6: %g, want %g (%v)", worst.Cut, worst.Paper.O.Number, worst.Paper.O.Source)
	}
	if !(worst.Exact.Upper < worst.Floor && worst.Floor <= worst.Full.Upper && worst.Full.Upper < worst.AnyScore) {
		t.Errorf("exact %v, floor %g, full %v, any score %g: must be in order", worst.Exact, worst.Floor, worst.Full, worst.AnyScore)
	}
}

// A cell that cannot be shown, as it has no anchor, is said to be left out.
func TestTableSaysWhatItLeavesOut(t *testing.T) {
	cell := papers.Xiang2024Cell{BaseEpsilon: 4, SamplingRate: 1, Runs: 500, Single: 0.01}
	table := Table4Result{Cells: []Table4Cell{{Paper: cell}}}.Table()
	if len(table.Rows) != 0 || !strings.Contains(strings.Join(table.Notes, " "), "Left out: 1 cells at τ = 1") {
		t.Errorf("%d rows, notes %q", len(table.Rows), table.Notes)
	}
}

// The certified divergences against quadrature over the rank, which is good to 1e-9 here.
func TestSecondMethod(t *testing.T) {
	for _, c := range []struct {
		law       selection.Law
		mu, order float64
	}{
		{selection.TwoPoint{Runs: 100, Single: 0.01}, 0.8639, 14}, {selection.TwoPoint{Runs: 10, Single: 0.01}, 0.2472, 34},
		{selection.TNB{Eta: 0, Gamma: 0.01}, 0.5, 5},
	} {
		m := selection.MonotoneGaussian{Law: c.law, Mu: c.mu}
		forth, back, err := m.Divergences(c.order)
		if err != nil {
			t.Fatal(err)
		}
		otherForth, otherBack := DivergenceByRank(m, c.order)
		if otherForth < forth.Lower-1e-9 || otherForth > forth.Upper+1e-9 || otherBack < back.Lower-1e-9 || otherBack > back.Upper+1e-9 {
			t.Errorf("%v, µ %g, order %g: %v, %v, by rank %.12g, %.12g", c.law, c.mu, c.order, forth, back, otherForth, otherBack)
		}
	}
}

func TestFigure6(t *testing.T) {
	configs, err := Defaults("quick")
	if err != nil {
		t.Fatal(err)
	}
	cfg := configs.Figure6
	cfg.SamplingRates, cfg.Laws, cfg.BaseEpsilons, cfg.Games = []float64{1}, cfg.Laws[:1], []float64{1, 4}, 4000
	r, err := Figure6(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Panels().Validate(); err != nil {
		t.Error(err)
	}
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
	for _, c := range r.Charts {
		for i, base := range cfg.BaseEpsilons {
			// The audit is right with confidence 0.95 and a fixed seed; it is far below here.
			if !(c.Audit[i] <= c.Exact[i] && c.Exact[i] < float64(c.O[i]) && c.O[i] < c.G[i] && float64(c.G[i]) < c.Ours[i] && c.Ours[i] < c.Generic[i]) {
				t.Errorf("ε_B = %g: audit %g, exact %g, O %g, G %g, bound %g, generic %g: must be in order", base, c.Audit[i], c.Exact[i], c.O[i], c.G[i], c.Ours[i], c.Generic[i])
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	if _, err := Defaults("fast"); err == nil {
		t.Error(`profile "fast": no error`)
	}
	configs, err := Defaults("full")
	if err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(c *Figure6Config){
		"Games 10": func(c *Figure6Config) { c.Games = 10 }, "Steps 0": func(c *Figure6Config) { c.Steps = 0 },
		"SamplingRates[0] 2": func(c *Figure6Config) { c.SamplingRates = []float64{2} }, "Laws[0]": func(c *Figure6Config) { c.Laws = []LawSpec{{}} },
		"BaseEpsilons[1] 1": func(c *Figure6Config) { c.BaseEpsilons = []float64{1, 1} }, "Confidence 1": func(c *Figure6Config) { c.Confidence = 1 },
	} {
		cfg := configs.Figure6
		spoil(&cfg)
		if _, err := Figure6(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	for want, cfg := range map[string]Table4Config{
		"Cells is empty": {Delta: 1e-5, Steps: 1}, "Steps 0": {Delta: 1e-5, Cells: papers.Xiang2024.Table4},
		"delta 0": {Steps: 1, Cells: papers.Xiang2024.Table4}, "Runs 0": {Delta: 1e-5, Steps: 1, Cells: []papers.Xiang2024Cell{{BaseEpsilon: 1, SamplingRate: 1}}},
	} {
		if _, err := Table4(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
