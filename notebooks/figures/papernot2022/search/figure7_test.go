package search

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/internal/figuretest"
	"github.com/dplab/dplab/notebooks/papers"
)

func smallFigure7() Figure7Config {
	cfg := DefaultFigure7(2)
	cfg.Means = []float64{1.5, 10}
	return cfg
}

// The published axis, and the values on the way from it to Theorem 2. Those of the steps are from
// the project's review of the script, by another program (Python, the formulas of figure7.py with
// one change each), to four decimals.
func TestFigure7AxisAgainstTheScript(t *testing.T) {
	r, err := Figure7(smallFigure7())
	if err != nil {
		t.Fatal(err)
	}
	figuretest.Figure(t, r.Figure(), r.Compare())
	figuretest.Rows(t, r.Compare(), figuretest.None)
	if tally := r.Compare().Tally().String(); tally != "27 of 27 recomputed by us" {
		t.Errorf("tally %q", tally)
	}
	if err := r.AxisTable().Validate(); err != nil || len(r.AxisTable().Rows) != 14 {
		t.Errorf("table of %d rows, error %v: want 14", len(r.AxisTable().Rows), err)
	}
	if len(r.Axis) != 31 {
		t.Errorf("%d published points: want 31", len(r.Axis))
	}
	steps := map[float64][3]float64{0.5: {1.8404, 1.5314, 1.5269}, 0.1: {2.9345, 2.9044, 2.8999}} // η = 0.5
	for _, p := range r.Axis {
		if math.Abs(p.Script-p.Published) > 1e-12*p.Published {
			t.Errorf("%s, γ = %g: %.15g: want %.15g (figure7.py)", p.Label, p.Gamma, p.Script, p.Published)
		}
		// Fewer orders never give less, and the script's are at most 0.03 behind all. Its divergences
		// have nine digits.
		if p.Theorem > p.AtOrders+1e-8 || p.Theorem < p.AtOrders-0.03 {
			t.Errorf("%s, γ = %g: %.9g over all orders, %.9g at the script's", p.Label, p.Gamma, p.Theorem, p.AtOrders)
		}
		if p.Label == "geometric" && math.Abs(p.AtOrders-p.Script) > 1e-12 {
			t.Errorf("geometric, γ = %g: the script has %.15g, Theorem 2 %.15g", p.Gamma, p.Script, p.AtOrders)
		}
		if want, ok := steps[p.Gamma]; ok && p.Label == "η = 0.5" {
			for i, got := range []float64{p.OneSlip, p.AtOrders, p.Theorem} {
				if math.Abs(got-want[i]) > 5.1e-5 {
					t.Errorf("η = 0.5, γ = %g, step %d: %.5f: want %.4f", p.Gamma, i+1, got, want[i])
				}
			}
		}
	}
	// Truth for one run at δ = 1e-5: 2.381597 (the project's accounting reference,
	// 256/60000, σ 1.1, 14,062 steps; one step more here).
	if e := r.Base.Epsilon; math.Abs(e.Upper-2.3816) > 2e-4 {
		t.Errorf("one run: ε %v: want 2.3816", e)
	}
	for _, c := range r.Curves {
		for i := range c.Paper {
			if !(c.Least[i] <= c.Paper[i] && c.Least[i] >= r.Base.Epsilon.Lower-1e-9 && c.Budget[i] <= c.Paper[i]) {
				t.Errorf("%s, mean %g: least %g, paper %g, budget %g", c.Family.Label(), c.Means[i], c.Least[i], c.Paper[i], c.Budget[i])
			}
		}
	}
	if row := r.Compare().Rows[14]; row.Ours != 1 || !strings.Contains(row.Quantity, "31 values") {
		t.Errorf("%s: %g", row.Quantity, row.Ours)
	}
}

// The script's logarithmic formula is no upper bound: close to γ = 1, where K is nearly always 1,
// it is negative.
func TestScriptIsNoBoundNearOne(t *testing.T) {
	l := law.TNB{Eta: 0, Gamma: 0.99}
	terms, err := publishedTerms(l)
	if err != nil {
		t.Fatal(err)
	}
	run := papers.Papernot2022.Figure7.Script
	if got := leastAtOrders(run, 0, terms); got >= 0 {
		t.Errorf("script's formula at γ = 0.99: %g: want a negative number", got)
	}
	if got := leastAtOrders(run, 0, theoremTerms(l)); got < run.Divergences[0] {
		t.Errorf("Theorem 2 at γ = 0.99: %g: want at least one run's divergence, %g", got, run.Divergences[0])
	}
	if _, err := publishedTerms(law.TNB{Eta: 2, Gamma: 0.5}); err == nil {
		t.Error("a law that the script does not have is accepted")
	}
}

// Another run than the paper's: the published axis stays reproduced, as it is the script's, and
// nothing of ours stands beside it.
func TestFigure7OfAnotherRun(t *testing.T) {
	cfg := smallFigure7()
	cfg.NoiseMultiplier = 2
	r, err := Figure7(cfg)
	if err != nil {
		t.Fatal(err)
	}
	figuretest.Rows(t, r.Compare(), figuretest.None)
	for i, row := range r.AxisTable().Rows {
		if row[6] != "" || r.Compare().Rows[i].Note != "" {
			t.Errorf("row %v has our value of another run", row)
		}
	}
}

// naiveBest is the expectation over K by its definition: Σ_k P[K=k] E[best of k].
func naiveBest(l law.Law, sorted []float64, most int) float64 {
	n := float64(len(sorted))
	runs, total := l.Distribution(), 0.0
	for k := 1; k <= most; k++ {
		best := 0.0
		for i, accuracy := range sorted {
			best += accuracy * (math.Pow(float64(i+1)/n, float64(k)) - math.Pow(float64(i)/n, float64(k)))
		}
		total += math.Exp(runs.LogPMF(k)) * best
	}
	return total
}

func TestExpectedBest(t *testing.T) {
	sorted := []float64{0.1, 0.4, 0.4, 0.7, 0.95}
	for _, l := range []law.Law{
		law.TNB{Eta: 0, Gamma: 0.3}, law.TNB{Eta: 1, Gamma: 0.2}, law.TNB{Eta: 0.5, Gamma: 0.3},
		law.Poisson{MeanRepeats: 2}, law.Fixed{Count: 3}, law.Binomial{Trials: 4, P: 0.5},
	} {
		// The tails beyond 400 runs are below 1e-30.
		if got, want := expectedBest(l, sorted), naiveBest(l, sorted, 400); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: %.15g: want %.15g by the sum over K", l, got, want)
		}
	}
}

// ratesFile is a file like the authors': 1,000 learning rates, and a few others.
func ratesFile(t *testing.T, change func(m map[string]float64)) []byte {
	t.Helper()
	m := map[string]float64{"0.025": 0.111, "1.5": 0.222}
	for i := range 1000 {
		rate := math.Pow(10, -4+4*float64(i)/999)
		m[strconv.FormatFloat(rate, 'g', -1, 64)] = float64(i) / 1000
	}
	if change != nil {
		change(m)
	}
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestParseAccuracies(t *testing.T) {
	got, err := parseAccuracies(ratesFile(t, nil))
	if err != nil || len(got) != 400 || got[0] != 0.6 || got[399] != 0.999 {
		t.Errorf("%d accuracies, error %v: want the last 400 of 1,000", len(got), err)
	}
}

// The embedded file is that of the authors: LICENSE has its sum. The mean and the least are of the
// project's review of the script.
func TestEmbeddedAccuracies(t *testing.T) {
	notice, err := os.ReadFile("LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(accuracyFile)); !strings.Contains(string(notice), sum) {
		t.Errorf("SHA-256 %s: want that of LICENSE", sum)
	}
	got, err := parseAccuracies(accuracyFile)
	if err != nil {
		t.Fatal(err)
	}
	if mean := floats.Sum(got) / 400; got[0] != 0.4324 || got[399] != 0.9594 || math.Abs(mean-0.84135) > 5e-6 {
		t.Errorf("from %g to %g, mean %g: want 0.4324, 0.9594 (figure7_default_values.py), 0.84135", got[0], got[399], mean)
	}
}

func TestParseAccuraciesRefuses(t *testing.T) {
	for want, change := range map[string]func(m map[string]float64){
		"accuracy 1.5":    func(m map[string]float64) { m["0.5"] = 1.5 },
		`rate "x"`:        func(m map[string]float64) { m["x"] = 0.5 },
		`rate "-1"`:       func(m map[string]float64) { m["-1"] = 0.5 },
		"has 399 of the ": func(m map[string]float64) { delete(m, "1") },
	} {
		if _, err := parseAccuracies(ratesFile(t, change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want one with %q", err, want)
		}
	}
	if _, err := parseAccuracies([]byte("[1, 2")); err == nil {
		t.Error("a file that is not JSON accepted")
	}
}

func TestFigure7ConfigRefuses(t *testing.T) {
	cases := []struct {
		spoil func(c *Figure7Config)
		want  string
	}{
		{func(c *Figure7Config) { c.NoiseMultiplier = 0 }, "NoiseMultiplier 0"},
		{func(c *Figure7Config) { c.BatchSize = 0 }, "BatchSize 0"},
		{func(c *Figure7Config) { c.TrainingImages = 10 }, "TrainingImages 10"},
		{func(c *Figure7Config) { c.Epochs = 0 }, "Epochs 0"},
		{func(c *Figure7Config) { c.Delta = 2 }, "Delta 2"},
		{func(c *Figure7Config) { c.Means = nil }, "Means is empty"},
		{func(c *Figure7Config) { c.Families = nil }, "Families is empty"},
	}
	for _, c := range cases {
		cfg := smallFigure7()
		c.spoil(&cfg)
		if _, err := Figure7(cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v: want one with %q", err, c.want)
		}
	}
}
