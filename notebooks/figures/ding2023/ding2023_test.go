package ding2023

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
)

func quick(t *testing.T) Configs {
	t.Helper()
	c, err := Defaults("quick")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func must[R any](t *testing.T) func(R, error) R {
	return func(r R, err error) R {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

type validator interface{ Validate() error }

func valid(t *testing.T, list ...validator) {
	t.Helper()
	for _, v := range list {
		if err := v.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// Lemma 1 in the world without noise: the level ends within one granule of the best score,
// after 2(k+m)+1 iterations, since each pass is paid back by one test without.
func TestWithoutNoise(t *testing.T) {
	for n := 1; n < 200; n++ {
		run := Algorithm1(math.Inf(1), 0, 0.001).Run([]float64{0.0005, (float64(n) + 0.5) / 1000}, nil)
		passes := 0
		for _, it := range run.Iterations {
			if it.Passed {
				passes++
			}
		}
		last := run.Iterations[len(run.Iterations)-1]
		k, m := lemma1(n)
		if len(run.Iterations) != 2*passes+1 || passes != k+m || math.Abs(last.Level-float64(n)/1000) > 1e-9 || run.Winner() != 1 {
			t.Errorf("n = %d: %d iterations, %d passes, level %g, k %d, m %d", n, len(run.Iterations), passes, last.Level, k, m)
		}
	}
}

func TestFigure1(t *testing.T) {
	cfg := quick(t).Figure1
	r := must[Figure1Result](t)(Figure1(cfg))
	valid(t, r.Figure(), r.Compare(), r.Table())
	// The proof of Lemma 1 counts 2k+2m and forgets the test that makes a step of 1 a step of 0.
	if row := r.Compare().Rows[0]; row.Difference() != 1 || row.Ours != 17 {
		t.Errorf("T without noise %g, Lemma 1 %g: want 17, and 1 more than the paper", row.Ours, row.Reference)
	}
	// By hand: n = 80.5, and 2(n+1) = 163. Noise lifts the level past every possible score.
	if row := r.Compare().Rows[1]; row.Verdict() != figures.AsTextSays || !strings.Contains(row.Note, "2(n+1) = 163") {
		t.Errorf("Equation (11): %s, %s", row.Verdict(), row.Note)
	}
	if row := r.Table().Rows[0]; !slices.Equal(row[:4], []string{"no noise", "17", "8", "0.8"}) || r.Runs[1].Iterations[len(r.Runs[1].Iterations)-1].Level <= 1 {
		t.Errorf("the first run ends with %q, the second at %g", row, r.Runs[1].Iterations[len(r.Runs[1].Iterations)-1].Level)
	}
	for i, run := range r.Runs {
		if len(run.Iterations) != 2*run.passes()+1 {
			t.Errorf("%s: %d tests, %d with success: want T = 2P + 1 with noise too", kLabel(cfg.KEpsilons[i]), len(run.Iterations), run.passes())
		}
	}
	// A run that never reaches the convergence phase says nothing of Equation (11).
	cfg.Candidates, cfg.Granularity, cfg.KEpsilons = 1, 0.5, []float64{1000}
	if r := must[Figure1Result](t)(Figure1(cfg)); len(r.converging()) > 0 || len(r.Compare().Rows) > 0 {
		t.Errorf("%d runs reach the phase, %d rows", len(r.converging()), len(r.Compare().Rows))
	}
}

// The simulated search and dptune.ThresholdSearch are two programs for one law: their mean
// numbers of tests agree within five standard errors.
func TestSearchIsTheProtocol(t *testing.T) {
	const repeats = 100
	scores := []float64{0.2, 0.9, 0.4, 0.7}
	for _, refresh := range refreshes {
		search := Search{Granularity: 0.1, ThresholdNoise: 0.1, ScoreNoise: 0.15, Refresh: refresh, MaxTests: 7}
		protocol := dptune.ThresholdSearch[float64, struct{}]{
			Proposer: dptune.Grid[float64](scores),
			Scores: dptune.PartScores[float64]{Records: 3, Parts: 1,
				Score: func(_ context.Context, _ []int, h float64, _ streams.Root) (float64, error) { return h, nil }},
			Granularity: search.Granularity, ThresholdNoise: search.ThresholdNoise, ScoreNoise: search.ScoreNoise,
			Refresh: refresh, MaxTests: search.MaxTests, KeepAtCap: true, Delta: 1e-5, Unit: "one record",
		}
		var a, b, found, wanted []float64
		for i := range repeats {
			root := streams.Fixed("protocol").Child(refresh.String()).Child(string(rune('a' + i)))
			out, err := protocol.Run(t.Context(), root)
			if err != nil {
				t.Fatal(err)
			}
			run := search.Run(scores, root.Rand("another program"))
			a, b = append(a, float64(len(out.Details.Tests))), append(b, float64(len(run.Iterations)))
			found, wanted = append(found, out.Hyperparameters), append(wanted, scores[max(0, run.Winner())])
		}
		for _, pair := range [][2][]float64{{a, b}, {found, wanted}} {
			meanA, devA := stat.MeanStdDev(pair[0], nil)
			meanB, devB := stat.MeanStdDev(pair[1], nil)
			if limit := 5 * math.Sqrt((devA*devA+devB*devB)/repeats); math.Abs(meanA-meanB) > limit {
				t.Errorf("%v: means %g and %g: must agree within %g", refresh, meanA, meanB, limit)
			}
		}
	}
}

// Less noise finds better candidates; at kε = 0.5 the choice is as good as random, and at
// kε = 500 it is nearly the best.
func TestFigure3(t *testing.T) {
	cfg := quick(t).Figure3
	cfg.Repeats, cfg.Sweep = 200, []float64{0.5, 20, 500}
	r := must[Figure3Result](t)(Figure3(cfg))
	valid(t, r.Figure(), r.SweepChart(), r.Table(), r.Compare())
	for i, g := range r.Groups {
		if len(g.Runs) != cfg.Seeds || i > 0 && g.Final.Mean < r.Groups[i-1].Final.Mean {
			t.Errorf("kε %g: %d runs, mean %g after %g", g.KEpsilon, len(g.Runs), g.Final.Mean, r.Groups[i-1].Final.Mean)
		}
	}
	for _, g := range r.Groups {
		if last := len(g.Path) - 1; len(g.Path) < longest(g.Runs) || math.Abs(g.Path[last].Mean-g.Final.Mean) > 5*g.Final.StdErr() || !(g.Path[last].StdErr() > 0) {
			t.Errorf("kε %g: the mean path of %d iterations ends at %g ± %g, final mean %g", g.KEpsilon, len(g.Path), g.Path[last].Mean, g.Path[last].StdErr(), g.Final.Mean)
		}
	}
	// A quarter of the noise against 400 runs of a NumPy program.
	for i, want := range []float64{0.54, 0.82, 0.91} {
		if q := r.Quarter[i].Final; math.Abs(q.Mean-want) > 5*math.Hypot(q.StdErr(), q.StdDev/20) {
			t.Errorf("kε %g, a quarter of the noise: %g ± %g, want %g", r.Quarter[i].KEpsilon, q.Mean, q.StdErr(), want)
		}
	}
	// kε = 5 and 10 do not reach 0.9, and 0.5 does not either.
	claims := func(want ...string) {
		t.Helper()
		var got []string
		for _, row := range r.Compare().Rows {
			got = append(got, row.Verdict())
		}
		if !slices.Equal(got, want) {
			t.Errorf("verdicts %q, want %q", got, want)
		}
	}
	claims(figures.Differs, figures.Differs, figures.AsTextSays)
	if g := r.Sweep[0]; math.Abs(g.Final.Mean-g.Random) > 5*g.Final.StdErr() {
		t.Errorf("kε 0.5: fidelity %g, a random candidate has %g ± %g", g.Final.Mean, g.Random, g.Final.StdErr())
	}
	if g := r.Sweep[2]; g.Final.Mean < 0.98 {
		t.Errorf("kε 500: fidelity %g: want above 0.98", g.Final.Mean)
	}
	// Little noise: the words come true, and the sweep begins above 0.9.
	cfg.KEpsilons, cfg.Sweep = []float64{500}, []float64{500, 1000}
	r = must[Figure3Result](t)(Figure3(cfg))
	claims(figures.NoOurs, figures.AsTextSays)
	r.Groups[0].KEpsilon, r.Groups[0].Final.Mean = 0.5, 0.95
	claims(figures.NoOurs, figures.Differs)
}

// The crossing of 0.9 between means 0.8 and 1 is half-way on the logarithm.
func TestCrossing(t *testing.T) {
	sweep := []FidelityGroup{{KEpsilon: 1, Final: figures.Estimate{Mean: 0.8, StdDev: 0.5, N: 100}}, {KEpsilon: 100, Final: figures.Estimate{Mean: 1, StdDev: 0.5, N: 100}}}
	if got := crossing(sweep, 0); math.Abs(got-10) > 1e-9 {
		t.Errorf("crossing at %g: want 10", got)
	}
	if early, late := crossing(sweep, 2), crossing(sweep, -2); !math.IsNaN(early) && early >= 10 || math.Abs(late-100) > 1e-9 {
		t.Errorf("crossing two errors up and down at %g and %g: want none or early, and 100", early, late)
	}
	// Of a sweep that ends within its error of 0.9 no error of the crossing is known: no verdict.
	sweep[1].Final.Mean = 0.92
	r := Figure3Result{Sweep: sweep}
	if middle, low, high := r.leastProduct(); math.IsNaN(middle) || !math.IsNaN(low+high) {
		t.Errorf("crossing at %g, from %g to %g: want one without an upper end", middle, low, high)
	}
	if row := r.Compare().Rows[0]; row.Verdict() != figures.NoOurs {
		t.Errorf("least kε %g ± %g, %s: want none without an error", row.Ours, row.OursErr, row.Verdict())
	}
}

// With little noise T is near the mean of 2(k+m)+1, about 3 log2 n; it grows with |S| where noise
// is large.
func TestFigure4(t *testing.T) {
	cfg := quick(t).Figure4
	cfg.ManyRepeats, cfg.Ns, cfg.Sizes = 40, []float64{8, 64, 512}, []int{1, 1000}
	r := must[Figure4Result](t)(Figure4(cfg))
	valid(t, r.Figure(), r.Table(), r.Compare())
	log2, _ := r.factor(r.Curves[2].T, math.Log2)
	ln, _ := r.factor(r.Curves[2].T, math.Log)
	if r.Curves[2].KEpsilon != 100 || math.Abs(log2-3) > 0.5 || math.Abs(log2/ln-math.Ln2) > 1e-9 {
		t.Errorf("kε %g: factor %g of log2 n, %g of ln n: want 3 within 0.5, and a ratio of ln 2", r.Curves[2].KEpsilon, log2, ln)
	}
	if s := r.Curves[0].BySize; s[1].Mean < 1.3*s[0].Mean {
		t.Errorf("kε 5: T = %g of 1 candidate and %g of 1000: want a growth", s[0].Mean, s[1].Mean)
	}
	// A NumPy program has 3.1 log2 n at n = 100, kε = 10, with a quarter of the noise.
	if q := r.Curves[1].Quarter; r.Curves[1].KEpsilon != 10 || math.Abs(q.Mean/math.Log2(r.N)-3.1) > 0.2+5*q.StdErr()/math.Log2(r.N) {
		t.Errorf("kε %g, n %g, a quarter of the noise: T = %g ± %g", r.Curves[1].KEpsilon, r.N, q.Mean, q.StdErr())
	}
	// More noise varies more, whatever the paper says.
	rows := r.Compare().Rows
	if row := rows[len(rows)-1]; row.Verdict() != figures.Differs || row.Ours != 0 {
		t.Errorf("%s: ours %g, %s", row.Quantity, row.Ours, row.Verdict())
	}
	r.Config.Ns = []float64{2, 4, 8}
	if got, _ := r.factor([]figures.Estimate{{Mean: 3, N: 1}, {Mean: 6, N: 1}, {Mean: 9, N: 1}}, math.Log2); math.Abs(got-3) > 1e-12 {
		t.Errorf("factor of 3 log2 n: %g", got)
	}
}

// δ' of the printed formula by hand at n = 2, kε = 10: 2^(-1.25) ln 2 = 0.2914; and the exact
// chance of Equation (6) agrees with its simulation within five standard errors.
func TestTheorem3(t *testing.T) {
	cfg := quick(t).Theorem3
	cfg.Repeats = 1000
	r := must[Theorem3Result](t)(Theorem3(cfg))
	valid(t, r.Table(), r.PassTable())
	if got := deltaPrime(10, 2); math.Abs(got-0.29143) > 1e-5 {
		t.Errorf("δ' at n = 2, kε = 10: %g: want 0.29143", got)
	}
	for _, d := range r.Deltas[:2] { // the paper's largest noise parameters
		if d.AtN < 1 || d.Least < 0.25 {
			t.Errorf("kε %g: δ' %g at n = 100, at least %g: want above 1 and 0.25", d.KEpsilon, d.AtN, d.Least)
		}
	}
	for _, p := range r.Passes {
		if limit := 5*math.Sqrt(p.Repaired.Exact*(1-p.Repaired.Exact)/float64(cfg.Repeats)) + 0.005; math.Abs(p.Simulated-p.Repaired.Exact) > limit {
			t.Errorf("kε %g, |S| %d: simulated %g, exact %g", p.KEpsilon, p.Candidates, p.Simulated, p.Repaired.Exact)
		}
		for _, b := range []PassBound{p.Printed, p.Repaired} {
			if b.Claimed > 1e-9 && b.Fails != (b.Exact > b.Claimed) {
				t.Errorf("kε %g, |S| %d: %+v", p.KEpsilon, p.Candidates, b)
			}
		}
	}
	// By hand at n = 100, kε = 5: c = 100^-1.25 = 0.00316 and 100^-0.0125 = 0.944; three
	// candidates have 0.00474 > c, and 1 - 0.528^5 = 0.959 is the first above 0.944.
	if failsFrom(math.Pow(100, -1.25)) != 3 || failsFrom(math.Pow(100, -0.0125)) != 5 || failsFrom(0) != 3 {
		t.Error("Equation (6) must fail from 3 candidates on as printed, from 5 repaired")
	}
	// A δ' of 4.35 says nothing; of kε = 1000 half of the runs leave the path, and δ' is 5e-5.
	for i, want := range []string{"bounds nothing", "bounds nothing", "bounds nothing", "no"} {
		if row := r.Table().Rows[i]; row[5] != want || row[6] != "3" || row[7] != []string{"5", "4", "3", "3"}[i] {
			t.Errorf("row %q: want the verdict %q", row, want)
		}
	}
	cfg.N, cfg.KEpsilons = 2, []float64{5000}
	if row := must[Theorem3Result](t)(Theorem3(cfg)).Table().Rows[0]; row[5] != "yes" {
		t.Errorf("with hardly any noise: %q", row)
	}
}

func TestHonestPrice(t *testing.T) {
	cfg := quick(t).HonestPrice
	cfg.Caps, cfg.Repeats = []int{5, 21, 41}, 60
	r := must[PriceResult](t)(HonestPrice(cfg))
	valid(t, r.Figure(), r.Table())
	for i, tests := range cfg.Caps {
		if want := float64(tests) * 0.1; math.Abs(r.PerTest[i]/want-1) > 1e-9 {
			t.Errorf("T %d: basic price %g: want T ε = %g", tests, r.PerTest[i], want)
		}
		order := []float64{r.Least[2][i], r.Least[1][i], r.Least[0][i], r.Grid[i] + 1e-9, r.PerTest[i] + 1e-9}
		for j := 1; j < len(order); j++ {
			if order[j] < order[j-1] {
				t.Errorf("T %d: prices %v (once, each positive, each test, PLD, basic): must not fall", tests, order)
			}
		}
		for k := range refreshes {
			if i > 0 && r.Reached[k][i] > r.Reached[k][i-1] {
				t.Errorf("T %d: the cap is reached more often than with a smaller one", tests)
			}
		}
	}
	// A cap of 5 stops more than half of the searches, one of 41 fewer than half.
	for k, refresh := range refreshes {
		if r.Reached[k][0] < 0.63 || r.Reached[k][2] > 0.37 {
			t.Errorf("%v: caps of 5 and 41 stop shares of %g and %g", refresh, r.Reached[k][0], r.Reached[k][2])
		}
	}
}

func TestUtility(t *testing.T) {
	cfg := quick(t).Utility
	cfg.Repeats, cfg.Parts, cfg.Epsilons = 60, []int{20, 100}, []float64{0.25, 1}
	r := must[UtilityResult](t)(Utility(cfg))
	valid(t, r.Figure(), r.Table(), r.Compare())
	for i, refresh := range refreshes {
		f := r.Fidelity[i][1]
		if f[1].Mean < f[0].Mean || r.Exponential[0][0].Mean < f[0].Mean || r.Exponential[0][1].Mean < f[1].Mean {
			t.Errorf("%v: fidelity %v at ε = 1, exponential mechanism %v at 0.25: want growth with k, and the latter above", refresh, f, r.Exponential[0])
		}
	}
	// In none of the 12 cases of one ε it finds worse candidates; one that finds nothing does in all.
	if row := r.Compare().Rows[0]; row.Verdict() == figures.Differs || !strings.HasSuffix(row.Quantity, "of 12 (ε, k, kind of noise)") {
		t.Errorf("%s: %g, %s", row.Quantity, row.Ours, row.Verdict())
	}
	if rows := r.Table().Rows; rows[0][0] != "0.25" || rows[1][4] != "6" || rows[1][1] == "0" {
		t.Errorf("rows %q", rows)
	}
	r.Exponential = [][]figures.Estimate{{{N: 1}, {N: 1}}, {{N: 1}, {N: 1}}}
	if row := r.Compare().Rows[0]; row.Verdict() != figures.Differs || row.Ours != 0 || r.Table().Rows[1][2] != "6" {
		t.Errorf("%s: %g, %s; rows %q", row.Quantity, row.Ours, row.Verdict(), r.Table().Rows)
	}
}

func TestTable1(t *testing.T) {
	cfg := quick(t).Table1
	cfg.Repeats = 100
	r := must[Table1Result](t)(Table1(cfg))
	valid(t, r.Table(), r.Compare())
	for _, m := range r.Methods {
		switch {
		case strings.Contains(m.Name, "as printed"):
			if !math.IsInf(m.Epsilon, 1) {
				t.Errorf("%s has ε %g: must have no bound", m.Name, m.Epsilon)
			}
		case !(m.Epsilon >= cfg.Epsilon) || math.IsInf(m.Epsilon, 1):
			t.Errorf("%s: ε %g: must be at least that of one training", m.Name, m.Epsilon)
		}
		if !(m.Fidelity.Mean > 0.5 && m.Fidelity.Mean <= 1) {
			t.Errorf("%s: fidelity %g", m.Name, m.Fidelity.Mean)
		}
	}
	// 2ε and 3ε are what these laws cost for pure runs: a Gaussian run must not cost more.
	for i, row := range r.Compare().Rows {
		if row.Verdict() != figures.Agrees || r.Methods[1+i].Epsilon > row.Reference*cfg.Epsilon {
			t.Errorf("%s: ours %g, %g; the Gaussian run costs %g", row.Quantity, row.Ours, row.Reference, r.Methods[1+i].Epsilon)
		}
	}
	// Short of publishing all runs, the exponential mechanism finds the best candidate.
	last := r.Methods[len(r.Methods)-1]
	for _, m := range r.Methods[1 : len(r.Methods)-1] {
		if difference, err := last.Fidelity.Above(m.Fidelity); difference <= err {
			t.Errorf("%s: %g more than %s, ± %g", last.Name, difference, m.Name, err)
		}
	}
}

// The adaptive optimizer trains fewer candidates than the fine grid and finds better ones
// than the coarse grid, at the same price.
func TestMachine(t *testing.T) {
	r := must[MachineResult](t)(Machine(quick(t).Machine))
	valid(t, r.Table(), r.Figure())
	fine, coarse, adaptive := r.Proposers[0], r.Proposers[1], r.Proposers[2]
	if a, b := stat.Mean(adaptive.Scored, nil), stat.Mean(fine.Scored, nil); a > 0.7*b {
		t.Errorf("adaptive scored %g candidates, the fine grid %g", a, b)
	}
	if difference, err := figures.EstimateOf(adaptive.Fidelity).Above(figures.EstimateOf(coarse.Fidelity)); difference <= err {
		t.Errorf("adaptive less coarse: %g ± %g", difference, err)
	}
	if fine.Epsilon != adaptive.Epsilon || fine.Epsilon > r.Config.Epsilon*(1+1e-9) {
		t.Errorf("prices %g and %g: must be one, at most %g", fine.Epsilon, adaptive.Epsilon, r.Config.Epsilon)
	}
	// Against the fine grid no difference in fidelity is seen.
	if difference, err := figures.EstimateOf(adaptive.Fidelity).Above(figures.EstimateOf(fine.Fidelity)); math.Abs(difference) > err {
		t.Errorf("adaptive less fine: %g ± %g", difference, err)
	}
}

func TestValidate(t *testing.T) {
	c := quick(t)
	one, three, four, th, price, utility, table, machine := c.Figure1, c.Figure3, c.Figure4, c.Theorem3, c.HonestPrice, c.Utility, c.Table1, c.Machine
	one.Best, three.Seeds, four.Ns, th.N = 2, 0, []float64{1}, 1
	price.Delta, utility.Parts, table.Repeats, machine.Batch = 0, nil, 1, 1
	for name, v := range map[string]validator{
		"Figure1": one, "Figure3": three, "Figure4": four, "Theorem3": th, "HonestPrice": price, "Utility": utility, "Table1": table, "Machine": machine,
		"empty Figure1": Figure1Config{}, "empty Figure3": Figure3Config{}, "empty Figure4": Figure4Config{}, "empty Theorem3": Theorem3Config{},
		"empty price": PriceConfig{}, "empty utility": UtilityConfig{}, "empty table": Table1Config{}, "empty machine": MachineConfig{},
	} {
		if err := v.Validate(); err == nil || !strings.Contains(err.Error(), "ding2023: ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := Defaults("slow"); err == nil {
		t.Error("profile slow: must be refused")
	}
}
