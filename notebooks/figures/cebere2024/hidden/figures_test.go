package hidden

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
)

// drawn returns audits of a config whose scores are drawn from normal laws: without the canary N(0,
// 1), with it N(share √n/σ, 1) after n insertions, of which share(setting, adversary) says how much
// of the canary an adversary sees.
func drawn(c Config, profile string, share func(s Setting, adversary string) float64) Audits {
	a := Audits{Result: Result{Config: c}, Profile: profile, Account: "drawn for a test"}
	for i, s := range c.Settings {
		for repetition := range c.Repetitions {
			for _, name := range s.Adversaries {
				one := Audit{Setting: i, Repetition: repetition, Adversary: name, Games: c.Games}
				rng := streams.Fixed("scores").Rand(fmt.Sprint(i, repetition, name))
				for _, steps := range s.Observe {
					var scores audit.Scores
					mu := share(s, name) * math.Sqrt(float64(s.Insertions(steps))) / c.NoiseMultiplier
					for range c.Games {
						scores.Member, scores.NonMember = append(scores.Member, mu+rng.NormFloat64()), append(scores.NonMember, rng.NormFloat64())
					}
					one.Observed = append(one.Observed, scores)
				}
				a.Audits = append(a.Audits, one)
			}
		}
	}
	return a
}

// shares are what the paper says: A_GC-R sees all of the canary in a large network and some in a
// small one, and less the seldomer the canary takes part.
func shares(large bool) func(Setting, string) float64 {
	return func(s Setting, adversary string) float64 {
		small := map[string]float64{random: 0.7, simulated: 0.97, loss: 0.2, cosine: 0.45, noiselessFinal: 0.8, noisyStep: 0.85, noisyFinal: 0.75}
		share := small[adversary]
		if large && adversary == random || large && adversary == simulated {
			share = 1
		}
		return share / math.Sqrt(float64(s.Every))
	}
}

// short observes two steps. With -short it has at most two repetitions.
func short(e Experiment) Config {
	c := e.Profiles["full"]
	if testing.Short() {
		c.Repetitions = min(c.Repetitions, 2)
	}
	c.Settings = slices.Clone(c.Settings)
	for i, s := range c.Settings {
		c.Settings[i].Observe = []int{s.Observe[0], s.Steps()}
	}
	return c
}

func figure(t *testing.T) func(Figure, error) Figure {
	return func(f Figure, err error) Figure {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []interface{ Validate() error }{f.Figure(), f.Compare()} {
			if err := v.Validate(); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
		return f
	}
}

// What the text says holds on scores that follow it, and each sentence fails on scores that do not.
func TestFiguresSayWhatTheScoresSay(t *testing.T) {
	convNet, period := drawn(short(ConvNet), "full", shares(true)), drawn(short(ConvNetPeriod), "full", shares(true))
	fcnn, fcnnPeriod := drawn(short(FCNN), "full", shares(false)), drawn(short(FCNNPeriod), "full", shares(false))
	layer, unknown := drawn(short(LastLayer), "full", shares(true)), drawn(short(ConvNetUnknown), "full", shares(true))
	reversed := func(Setting, string) float64 { return 0 }
	nothing := func(e Experiment) Audits { return drawn(short(e), "full", reversed) }
	check := figure(t)
	for i, both := range []func() (good, bad Figure){
		func() (good, bad Figure) {
			return check(Figure1a(convNet)), check(Figure1a(nothing(ConvNet)))
		},
		func() (good, bad Figure) {
			return check(Figure1b(drawn(short(ResNet), "full", shares(true)))), check(Figure1b(nothing(ResNet)))
		},
		func() (good, bad Figure) {
			return check(Figure4(fcnn)), check(Figure4(drawn(short(FCNN), "full", func(_ Setting, name string) float64 { return map[string]float64{noisyStep: 1}[name] })))
		},
		func() (good, bad Figure) {
			return check(Figure5(convNet, nothing(ConvNetPeriod))), check(Figure5(drawn(short(ConvNet), "full", func(_ Setting, name string) float64 { return map[string]float64{random: 1, simulated: 0.5}[name] }), nothing(ConvNetPeriod)))
		},
		func() (good, bad Figure) {
			return check(Figure7(fcnn)), check(Figure7(drawn(short(FCNN), "full", func(_ Setting, name string) float64 {
				return map[string]float64{random: 0.2, cosine: 0.4, loss: 0.8}[name]
			})))
		},
		func() (good, bad Figure) {
			return check(Figure12(convNet, unknown)), check(Figure12(convNet, nothing(ConvNetUnknown)))
		},
		func() (good, bad Figure) {
			return check(Figure13(layer, convNet)), check(Figure13(nothing(LastLayer), convNet))
		},
	} {
		if testing.Short() && i%3 != 1 {
			continue
		}
		good, bad := both()
		for _, row := range good.Said {
			if !row.Holds() {
				t.Errorf("%s: %s is %g ± %g: must hold", good.Name, row.Quantity, row.Ours, row.OursErr)
			}
		}
		for _, row := range bad.Said {
			if row.Holds() {
				t.Errorf("%s: %s is %g ± %g: must not hold", bad.Name, row.Quantity, row.Ours, row.OursErr)
			}
		}
		table, err := good.Table()
		if err != nil || table.Rows[0][3] != "24.00" || !strings.Contains(strings.Join(table.Notes, " "), "so false: ") {
			t.Errorf("%s: first row %q, notes %q, error %v", good.Name, table.Rows[0], table.Notes, err)
		}
	}
	two := check(Figure2(period, fcnnPeriod))
	if len(two.Parts) != 3 || len(two.Said) != 4 {
		t.Fatalf("Figure 2: %d panels and %d rows, want 3 and 4", len(two.Parts), len(two.Said))
	}
	if !two.Said[0].Holds() || two.Said[0].Verdict() == figures.NoReference || two.Said[3].Verdict() != figures.NoReference {
		t.Errorf("Figure 2: %+v: the text is about the ConvNet, and not about the FCNN", two.Said)
	}
	// ε of µ = 1.7678 and 0.7906 at δ = 1e-5, and of a uniform weight by the trapezoid rule: SciPy.
	twelve := check(Figure12(convNet, unknown))
	for _, c := range []struct {
		part Part
		want float64
	}{{two.Parts[0], 8.5958658}, {two.Parts[1], 8.5958658}, {two.Parts[2], 3.3414095}, {twelve.Parts[0], 19.5827383}} {
		if y := c.part.Laws[0].Y; math.Abs(y[len(y)-1]-c.want) > 1e-5 {
			t.Errorf("%s: exact ε %g, want %g", c.part.Title, y[len(y)-1], c.want)
		}
	}
	p := Figure11(convNet, period, fcnn, fcnnPeriod)
	panels, err := p.Panels()
	if err != nil || panels.Validate() != nil {
		t.Errorf("Figure 11: %v, %v", err, panels.Validate())
	}
	if panels, err = Figure11(nothing(ConvNet), nothing(ConvNetPeriod)).Panels(); err != nil || panels.Validate() != nil || len(panels.Charts[0].Curves) != 2 {
		t.Errorf("Figure 11 where nothing is seen: %v, %v, want only the accountant and the exact profile of k = 5", err, panels.Validate())
	}
	if len(p.Parts) != 2 || len(p.Parts[0].Lines) != 2 || len(p.Parts[1].Lines) != 3 || p.Table().Rows[0][2] != "3.95" {
		t.Errorf("Figure 11: %+v", p.Parts)
	}
}

// A profile that is not the paper's size has nothing of the paper beside it.
func TestSmallAuditsHaveNoReference(t *testing.T) {
	a := drawn(ConvNet.Profiles["quick"], "quick", shares(true))
	f := figure(t)(Figure1a(a))
	if table, err := f.Table(); err != nil || table.Validate() != nil || len(table.Rows) != 4 {
		t.Errorf("table %+v, error %v", table, err)
	}
	for _, row := range f.Said {
		if row.Verdict() != figures.NoReference {
			t.Errorf("%s: %s", row.Quantity, row.Verdict())
		}
	}
	if !strings.Contains(strings.Join(f.Trained, ""), "Not the paper's size") {
		t.Errorf("notes %q", f.Trained)
	}
	// Shards that are not done leave their panels out.
	a.Audits = slices.DeleteFunc(a.Audits, func(one Audit) bool { return one.Setting == 1 })
	if f := figure(t)(Figure1a(a)); len(f.Parts) != 1 || !slices.Contains(f.Trained, "Not trained: clip norm C = 4.") {
		t.Errorf("%d panels, want 1; notes %q", len(f.Parts), f.Trained)
	}
	a.Audits = nil
	if _, err := Figure5(a, a); err == nil {
		t.Error("nothing is done: no error")
	}
}

// Half of the paper's games have nothing of the paper beside them either, and say why.
func TestHalfOfTheGamesHaveNoReference(t *testing.T) {
	c := short(ConvNet)
	c.Games = 1250
	for _, row := range figure(t)(Figure1a(drawn(c, "full", shares(true)))).Said {
		if row.Verdict() != figures.NoReference || !strings.HasPrefix(row.Note, "1250 games of each world, the paper has 2500; ") {
			t.Errorf("%s: %s, %q", row.Quantity, row.Verdict(), row.Note)
		}
	}
}

// Figure 5 at k = 5 has the exact ε of a coordinate that only noise and canary move: µ = √(n/k)/σ
// after n canaries.
func TestFigure5HasTheExactLaw(t *testing.T) {
	period := ConvNetPeriod.Profiles["quick"]
	f := figure(t)(Figure5(drawn(short(ConvNet), "full", shares(true)), drawn(period, "quick", shares(true))))
	if len(f.Parts) != 2 || len(f.Parts[0].Laws) != 0 || len(f.Parts[1].Laws) != 1 || len(f.Parts[1].Curves) != 1 {
		t.Fatalf("%+v: want a panel without and one with a law, and A_GC-R in it", f.Parts)
	}
	law, s := f.Parts[1].Laws[0], period.Settings[0]
	last := len(law.Y) - 1
	n := law.X[last] / float64(s.Every)
	want, err := gdp.EpsilonAt(math.Sqrt(n/float64(s.Every))/period.NoiseMultiplier, period.Delta)
	if err != nil || math.Abs(law.Y[last]-want.Estimate) > 1e-6 || !(law.Y[last] < f.Parts[1].Curves[0].Accountant[last]) {
		t.Errorf("ε %g after %g canaries, %v: want %v", law.Y[last], n, err, want)
	}
}

// Networks that differ have panels of their own.
func TestFigure11OfTwoNetworks(t *testing.T) {
	p := Figure11(drawn(short(ConvNet), "full", shares(true)), drawn(ConvNetPeriod.Profiles["quick"], "quick", shares(true)))
	if len(p.Parts) != 2 || p.Parts[0].Lines[0].Every != 1 || p.Parts[1].Lines[0].Every != 5 || p.Parts[0].Title == p.Parts[1].Title {
		t.Errorf("panels %+v", p.Parts)
	}
}

// The bounds of a curve are those of package audit, and without a canary they are false in some 5 %
// of audits: here in none.
func TestCurveBounds(t *testing.T) {
	c := short(ConvNet)
	c.Games = 300
	curve, ok, err := drawn(c, "full", shares(true)).Curve(0, random)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	report, err := audit.Bounds(curve.scores[0][1], audit.Config{Seed: 1, Delta: c.Delta, Confidence: c.Confidence})
	if err != nil {
		t.Fatal(err)
	}
	none, err := curve.NoAssumption()
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]float64{"gdp-clopper-pearson": curve.Bounds[0].Paper[1], "gdp-auc": curve.Bounds[0].GDP[1], "rank-two-tail": none[0]} {
		if want, ok := report.Bound(name); !ok || math.Abs(got-want.Epsilon) > 1e-9 {
			t.Errorf("%s: %g, want %g (audit.Bounds)", name, got, want.Epsilon)
		}
	}
}

// The half-width of a single audit is that of many audits of the same law: within a factor of two,
// at 500 games.
func TestRedrawnGamesSpreadAsNewOnes(t *testing.T) {
	c := short(ConvNetUnknown)
	c.Games, c.Repetitions = 500, 40
	curve, _, err := drawn(c, "full", func(Setting, string) float64 { return 0.5 }).Curve(0, random)
	if err != nil {
		t.Fatal(err)
	}
	mean, sum := 0.0, 0.0
	for _, v := range curve.Last() {
		mean += v / 40
	}
	for _, v := range curve.Last() {
		sum += (v - mean) * (v - mean) / 39
	}
	curve.Bounds, curve.scores = curve.Bounds[:1], curve.scores[:1]
	if _, half := curve.reached(); half < 0.5*1.96*math.Sqrt(sum) || half > 2*1.96*math.Sqrt(sum) {
		t.Errorf("half-width %.3f of one audit, of 40 new ones %.3f", half, 1.96*math.Sqrt(sum))
	}
}

// The curve of Gaussian scores is near the Gaussian one, that of a mixture is not.
func TestTradeOff(t *testing.T) {
	a := drawn(short(ConvNetPeriod), "full", func(Setting, string) float64 { return 0.5 })
	good, err := Figure6a(a)
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.Audits[0].Observed {
		for j := range a.Audits[0].Observed[i].Member {
			if j%2 == 0 {
				a.Audits[0].Observed[i].Member[j] += 8
			}
		}
	}
	bad, err := Figure6a(a)
	if err != nil {
		t.Fatal(err)
	}
	if good.Distance > good.Resolution || bad.Distance < bad.Resolution {
		t.Errorf("distances %.3f and %.3f, resolution %.3f", good.Distance, bad.Distance, good.Resolution)
	}
	for _, v := range []interface{ Validate() error }{good.Figure(), good.Compare()} {
		if err := v.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// What is stored is of the paper's size, and what is not is trained small.
func TestLoad(t *testing.T) {
	norms, err := Figure8(context.Background(), Options{})
	if err != nil || len(norms.Paths) != 2 || len(norms.Paths[0].Norms[0]) != 30 {
		t.Errorf("Figure 8: %d networks, error %v: want 30 runs of two", len(norms.Paths), err)
	}
	a, err := Load(context.Background(), LastLayer, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if games := map[string]int{"full": 2500, "mid": 250, "quick": 200}[a.Profile]; len(a.Audits) != 1 || a.Audits[0].Games != games || a.Account == "" {
		t.Errorf("profile %q: %d audits, %s, account %q", a.Profile, len(a.Audits), a.Size(), a.Account)
	}
}

func TestNormsFigure(t *testing.T) {
	c := normsQuick()
	c.Runs, c.Observe = 4, []int{1, 30}
	f := NormsFigure{NormsResult: NormsResult{Config: c, Paths: []NormPath{
		{Network: "convnet", ClipNorm: 1, Norms: [][]float64{{0.5, 0.6, 0.7, 1.2}, {2, 2, 3, 3}}}, {Network: "fcnn", ClipNorm: 1, Norms: [][]float64{{2, 2, 2, 2}, {2, 2, 2, 0}}},
	}}, Account: "made for a test"}
	if err := f.Figure().Validate(); err != nil {
		t.Error(err)
	}
	for i, want := range [][]string{{"1", "0.75", "2.50", "75 %", "0 %"}, {"1", "2.00", "1.50", "0 %", "25 %"}} {
		if got := f.Table().Rows[i][1:]; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Audits below a fifth of the accountant have an axis of their own, on which they are told apart;
// the title and a note say so.
func TestSmallBoundsAreEnlarged(t *testing.T) {
	for _, c := range []struct {
		bound, most float64
		title       string
	}{{3, 4.5, "k = 25, enlarged"}, {8, 21.6, "k = 25"}} {
		line := Line{Label: random, Color: 1, Curve: Curve{
			Setting: Setting{Observe: []int{1, 2}}, Accountant: []float64{1, 20}, Bounds: []Bounds{{Paper: []float64{0, c.bound}}, {Paper: []float64{0, c.bound / 2}}},
		}}
		f := Figure{Name: "cebere2024-figure2", Title: "t", Parts: []Part{{Title: "k = 25", Curves: []Line{line}}}}
		p := f.Figure().(chart.Panels)
		if got := p.Charts[0]; got.Title != c.title || math.Abs(got.YMax-c.most) > 1e-9 {
			t.Errorf("bounds up to %g below 20: title %q, axis to %g, want %q and %g", c.bound, got.Title, got.YMax, c.title, c.most)
		}
		said := strings.Contains(strings.Join(p.Notes, " "), "the axis ends below the accountant, which has 20.0 after the last step")
		if said != (c.title == "k = 25, enlarged") {
			t.Errorf("bounds up to %g: notes %q", c.bound, p.Notes)
		}
	}
}

// A point next to a steep end of the Gaussian curve is near it, though far away in one rate. A
// point in the middle of the square is equally far along both axes.
func TestGapOfTradeOff(t *testing.T) {
	curve := TradeOff{Mu: 3}
	if gap, fnr := curve.gap(0, 0.4); gap > 0.01 || fnr != 1 {
		t.Errorf("gap %g at FPR 0, where the curve has FNR %g: want under 0.01, and 1", gap, fnr)
	}
	if gap, _ := curve.gap(0.4, 0); gap > 0.01 {
		t.Errorf("gap %g at FNR 0: want under 0.01", gap)
	}
	if gap, _ := curve.gap(0.3, 0.3); math.Abs(gap-(0.3-distuv.UnitNormal.CDF(distuv.UnitNormal.Quantile(0.7)-3))) > 1e-12 {
		t.Errorf("gap %g in the middle", gap)
	}
}
