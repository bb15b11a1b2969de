package auditbounds

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/audit/onerun"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/cifar"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/figures"
)

// ManyCanaries trains networks with more and more canaries in one training.
var ManyCanaries = experiments.Experiment[InterferenceConfig, InterferenceShard, Interference]{
	Name: "auditbounds/canaries", Title: "How much canaries of one training are in each other's way", Version: 1,
	Profiles: map[string]InterferenceConfig{"quick": interferenceQuick(), "full": interferenceFull()},
	Shards:   func(c InterferenceConfig) int { return len(c.lots()) },
	ModelSteps: func(c InterferenceConfig) float64 {
		return float64((c.Lot + 1) * c.Steps)
	},
	Run: runInterference, Merge: mergeInterference,
}

// InterferenceConfig describes trainings with m canaries, for some m. Each canary has its own
// weight. All examples take part in every step.
type InterferenceConfig struct {
	Network         string  // "convnet", on CIFAR-10, or "mlp", on the embedded digits
	Rows            int     `rule:">= 1"` // examples of the data
	ClipNorm        float64 `rule:"any"`
	NoiseMultiplier float64 `rule:"any"`
	LearningRate    float64 `rule:"any"`
	Steps           int     `rule:"any"`
	Series          []InterferenceSeries
	Lot             int     `rule:">= 1"` // trainings of one shard, with one simulation for all of them
	Delta           float64 `rule:"any"`
	Confidence      float64 `rule:"any"`
	Seed            string
}

// InterferenceSeries is how many canaries each of some trainings has.
type InterferenceSeries struct{ Canaries, Trainings int }

// InterferenceShard holds the scores of one lot.
type InterferenceShard struct{ Member, NonMember experiments.Floats }

// Interference has the scores of the trainings that are done.
type Interference struct {
	Config InterferenceConfig
	Done   []InterferenceScores // by growing m, without those that have no training yet
}

// InterferenceScores are those of all trainings with as many canaries.
type InterferenceScores struct {
	InterferenceSeries // Trainings that are done
	Scores             audit.Scores
}

func interferenceQuick() InterferenceConfig {
	return InterferenceConfig{
		Network: "mlp", Rows: 128, ClipNorm: 1, NoiseMultiplier: 1.25, LearningRate: 0.1, Steps: 25,
		Series: []InterferenceSeries{{1, 48}, {10, 16}, {100, 8}, {1000, 8}}, Lot: 8,
		Delta: 1e-5, Confidence: 0.95, Seed: "canaries of one training",
	}
}

// interferenceFull is at the noise, the steps and the learning rate of the ConvNet of cebere2024,
// on batches of a quarter.
func interferenceFull() InterferenceConfig {
	c := interferenceQuick()
	c.Network, c.Rows, c.NoiseMultiplier, c.LearningRate, c.Steps = "convnet", 32, 4, 0.01, 250
	c.Series = []InterferenceSeries{{1, 32}, {10, 16}, {100, 16}, {500, 40}, {2000, 8}}
	return c
}

// Validate returns every fault, joined.
func (c InterferenceConfig) Validate() error {
	f := figures.Faults(c)
	f.That(c.Network == "convnet" || c.Network == "mlp", "Network", fmt.Sprintf("%q", c.Network), `must be "convnet" or "mlp"`)
	f.That(c.Rows <= digits.Count, "Rows", c.Rows, fmt.Sprintf("must be in [1, %d]", digits.Count))
	for i, s := range c.Series {
		f.Count(fmt.Sprintf("Series[%d].Canaries", i), s.Canaries, 1)
		f.That(s.Trainings >= 1 && s.Trainings%max(c.Lot, 1) == 0, fmt.Sprintf("Series[%d].Trainings", i), s.Trainings, fmt.Sprintf("must be a multiple of Lot %d", c.Lot))
	}
	f.Add(c.training().Validate())
	f.Add(audit.Config{Delta: c.Delta, Confidence: c.Confidence}.Validate())
	return f.Err()
}

func (c InterferenceConfig) training() dpsgd.Config {
	return dpsgd.Config{
		ClipNorm: c.ClipNorm, NoiseMultiplier: c.NoiseMultiplier, Sampling: dpsgd.FullBatch{}, Steps: c.Steps,
		ExpectedBatchSize: float64(c.Rows), LearningRate: c.LearningRate,
	}
}

// Mu is the leak of every canary: √T/σ.
func (c InterferenceConfig) Mu() float64 { return math.Sqrt(float64(c.Steps)) / c.NoiseMultiplier }

// lot is some of a series' trainings.
type lot struct{ series, number int }

// lots returns those of all shards: first one of each series, then a second, and so on.
func (c InterferenceConfig) lots() (list []lot) {
	for number := 0; ; number++ {
		before := len(list)
		for i, s := range c.Series {
			if (number+1)*c.Lot <= s.Trainings {
				list = append(list, lot{i, number})
			}
		}
		if len(list) == before {
			return list
		}
	}
}

func runInterference(ctx context.Context, c InterferenceConfig, shard int, env experiments.Env) (InterferenceShard, error) {
	if err := c.Validate(); err != nil {
		return InterferenceShard{}, err
	}
	at := c.lots()[shard]
	root := streams.Fixed(fmt.Sprintf("%s, %d canaries, lot %d", c.Seed, c.Series[at.series].Canaries, at.number))
	model, rows, err := c.load(root, env)
	if err != nil {
		return InterferenceShard{}, err
	}
	result, err := game.OneRun{
		Model: model, Data: rows, Config: c.training(), Coordinates: c.Series[at.series].Canaries, Trainings: c.Lot, Simulations: 1,
		Performance: env.Performance, Progress: func(g game.Progress) { env.Report(g.Games, g.Total, "") },
	}.Run(ctx, root)
	return InterferenceShard{Member: experiments.FloatsOf(result.Scores.Member), NonMember: experiments.FloatsOf(result.Scores.NonMember)}, err
}

// load returns the network and its data: rows in an order drawn from the root.
func (c InterferenceConfig) load(root streams.Root, env experiments.Env) (model dpsgd.Model, rows data.Dataset, err error) {
	if c.Network == "convnet" {
		if model, err = models.ConvNet(); err == nil {
			rows, err = cifar.LoadTrain(env.Data, 1)
		}
	} else if model, err = models.MLP(digits.Side*digits.Side, 100, digits.Classes); err == nil {
		rows, err = digits.All()
		rows.Shape = []int{digits.Side * digits.Side}
	}
	if err != nil {
		return model, rows, fmt.Errorf("auditbounds: %w", err)
	}
	return model, rows.Subset(rows.Name, root.Rand("rows").Perm(rows.Len())[:c.Rows]), nil
}

func mergeInterference(c InterferenceConfig, parts []experiments.Part[InterferenceShard]) (Interference, error) {
	r := Interference{Config: c}
	all, lots := make([]InterferenceScores, len(c.Series)), c.lots()
	for _, part := range parts {
		s := &all[lots[part.Index].series]
		s.Canaries = c.Series[lots[part.Index].series].Canaries
		s.Trainings += c.Lot
		s.Scores.Member = append(s.Scores.Member, figures.Floats(part.Result.Member)...)
		s.Scores.NonMember = append(s.Scores.NonMember, figures.Floats(part.Result.NonMember)...)
	}
	r.Done = slices.DeleteFunc(all, func(s InterferenceScores) bool { return s.Trainings == 0 })
	return r, nil
}

// LoadInterference returns what is stored of the profile full, or else trains the profile quick.
// progress reports how much is trained; nil for none.
func LoadInterference(ctx context.Context, progress func(done, total int, detail string)) (Interference, error) {
	stored, err := ManyCanaries.AtHand(ctx, experiments.Env{Progress: progress})
	return stored.Result, err
}

// gap is how far the mean scores of both worlds are apart, with its standard error, and the
// standard deviation within a world. Without interference the gap is µ and the deviation 1.
func (s InterferenceScores) gap() (gap, stdErr, deviation float64) {
	in, out := figures.EstimateOf(s.Scores.Member), figures.EstimateOf(s.Scores.NonMember)
	n, m := float64(in.N), float64(out.N)
	squares := in.StdDev*in.StdDev*(n-1) + out.StdDev*out.StdDev*(m-1)
	return in.Mean - out.Mean, math.Hypot(in.StdErr(), out.StdErr()), math.Sqrt(squares / (n + m - 2))
}

// Bounds returns the report of onerun on the scores of trainings with as many canaries, the number
// of guesses that is best for µ.
func (r Interference) Bounds(s InterferenceScores) (audit.Report, error) {
	return onerun.Bounds(s.Scores, audit.Config{Delta: r.Config.Delta, Confidence: r.Config.Confidence, ExpectedMu: r.Config.Mu(), Seed: 1})
}

// Figure draws the gap of the scores against the number of canaries.
func (r Interference) Figure() chart.Figure {
	var at, gaps, low, high []float64
	for _, s := range r.Done {
		gap, stdErr, _ := s.gap()
		at, gaps = append(at, float64(s.Canaries)), append(gaps, gap)
		low, high = append(low, gap-2*stdErr), append(high, gap+2*stdErr)
	}
	most := r.Config.Series[len(r.Config.Series)-1].Canaries
	return chart.Chart{
		Name: "audit-bounds-canaries", Title: "Canaries of one training: what each still shows",
		XLabel: "canaries of one training m", YLabel: "gap of the mean scores", XLog: true, YMin: 0, YMax: 1.6 * r.Config.Mu(),
		Curves: []chart.Curve{
			{Label: r.Config.network() + ", two standard errors", X: at, Y: gaps, Low: low, High: high, Kind: chart.Points},
			figures.Level(fmt.Sprintf("a single canary, µ = √T/σ = %.2f", r.Config.Mu()), []float64{1, float64(most)}, r.Config.Mu()),
		},
		Notes: []string{fmt.Sprintf("%d steps of %d examples and the canaries, σ = %g, C = %g, learning rate %g.", r.Config.Steps, r.Config.Rows, r.Config.NoiseMultiplier, r.Config.ClipNorm, r.Config.LearningRate)},
	}
}

func (c InterferenceConfig) network() string {
	if c.Network == "convnet" {
		return "ConvNet, 62,006 weights"
	}
	return "network of 7,510 weights"
}

// Table lists the bounds on ε from the scores.
func (r Interference) Table() (figures.Table, error) {
	truth, err := audit.EpsilonOfMu(r.Config.Mu(), r.Config.Delta)
	t := figures.Table{
		Name:    "audit-bounds-canaries-bounds",
		Title:   fmt.Sprintf("Lower bounds on ε at δ = %s from canaries of one training; the training's own is %.2f", chart.Scientific(r.Config.Delta), truth),
		Columns: []string{"canaries of a training", "trainings", "gap of the scores", "of µ", "deviation", "one-run", "one-run-max", "one-run-fdp", "expected of as many games: rank-two-tail, gdp-auc"},
		Notes:   []string{"one-run and one-run-max assume fair, independent coins; one-run-fdp a Gaussian trade-off too, as gdp-auc does. ± is one standard error."},
	}
	for _, s := range r.Done {
		gap, stdErr, deviation := s.gap()
		row := []string{fmt.Sprint(s.Canaries), fmt.Sprint(s.Trainings), figures.PlusMinus(gap, stdErr),
			fmt.Sprintf("%.1f ± %.1f %%", 100*gap/r.Config.Mu(), 100*stdErr/r.Config.Mu()), fmt.Sprintf("%.2f", deviation)}
		report, err := r.Bounds(s)
		if err != nil {
			return t, err
		}
		for _, name := range []string{"one-run", "one-run-max", "one-run-fdp"} {
			b, _ := report.Bound(name)
			row = append(row, audit.FormatLower(b.Epsilon))
		}
		games, err := r.games(s)
		if err != nil {
			return t, err
		}
		t.Rows = append(t.Rows, append(row, fmt.Sprintf("%.2f, %.2f", games[0], games[1])))
	}
	return t, err
}

// games returns the bounds to be expected of as many independent games as there are scores.
func (r Interference) games(s InterferenceScores) (expected [2]float64, err error) {
	for i, name := range []string{"rank-two-tail", "gdp-auc"} {
		plan, err := audit.Expect(name, r.Config.Mu(), max(1, s.Canaries*s.Trainings/2), audit.Config{Delta: r.Config.Delta, Confidence: r.Config.Confidence})
		if err != nil {
			return expected, err
		}
		expected[i] = plan.Expected
	}
	return expected, nil
}
