package audits

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/papers"
)

// Bank are the single runs that are at hand on one data set, with where they are from.
type Bank struct {
	Config  BankConfig
	Runs    []BankShard // by Config.BaseEpsilons; one with too few runs is not used
	Account string      // how many shards are done, on what, and when
}

// LoadBanks returns the banks that are stored and big enough for the law of K: for each data set
// the profile full, or else mid. If there are none it trains the profile quick.
func LoadBanks(ctx context.Context, env experiments.Env) ([]Bank, error) {
	var banks []Bank
	for _, e := range []experiments.Experiment[BankConfig, BankShard, []BankShard]{FashionBank, CIFARBank} {
		stored, err := e.Largest(func(s storedBank) bool { return len(newBank(s).used()) > 0 })
		if err == nil {
			banks = append(banks, newBank(stored))
		} else if !errors.Is(err, experiments.ErrNotStored) {
			return nil, err
		}
	}
	if banks != nil {
		return banks, nil
	}
	stored, err := FashionBank.Compute(ctx, "quick", env)
	return []Bank{newBank(stored)}, err
}

type storedBank = experiments.Stored[BankConfig, []BankShard]

func newBank(stored storedBank) Bank {
	return Bank{stored.Config, stored.Result, stored.Account.String()}
}

// used returns the indices of the ε_B that have enough runs, by increasing ε_B.
func (b Bank) used() (list []int) {
	for i, runs := range b.Runs {
		if bigEnough(b.Config.Law.Distribution(), runs.Runs()) == nil {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, func(i, j int) int { return cmp.Compare(b.Config.BaseEpsilons[i], b.Config.BaseEpsilons[j]) })
	return list
}

// dataNames are the names of data sets for readers, with z.
var dataNames = map[string][2]string{
	"digits": {"digits", "the negative of a digit"}, "fashion-mnist": {"Fashion-MNIST", "an example of MNIST"},
	"cifar-10": {"CIFAR-10", "an example of CIFAR-100 (the paper: of SVHN)"},
}

// name returns the data set's name.
func (b Bank) name() string { return dataNames[b.Config.Data][0] }

// about describes the networks and how many runs there are.
func (b Bank) about() string {
	fewer := ""
	for i, runs := range b.Runs {
		if n := runs.Runs(); n < b.Config.Runs {
			fewer += fmt.Sprintf("; %d at ε_B = %g", n, b.Config.BaseEpsilons[i])
		}
	}
	return fmt.Sprintf("%s: perceptrons with %d hidden units on %d examples, full batch, N = %d, δ = %s; foreign z: %s. Single runs of each world: %d%s.",
		b.name(), b.Config.Hidden, b.Config.Examples, b.Config.Steps, chart.Scientific(b.Config.Delta), dataNames[b.Config.Data][1], b.Config.Runs, fewer)
}

// BankFiguresResult holds lower bounds on the ε of tuning, from banks of single runs.
type BankFiguresResult struct {
	Banks  []Bank
	Charts []BankChart // by figure, then by z and by data set
}

// BankChart is one setup on one data set.
type BankChart struct {
	Figure, Setup string
	Data          string // its name for readers
	Points        []BankPoint

	setup setup
	data  string // as in BankConfig
}

// BankFigures1to3 audits tuning as in Figures 1 to 3 and Table 3, on data sets of the paper. Every
// run of a bank counts with the chance that tuning releases it.
func BankFigures1to3(banks []Bank) (BankFiguresResult, error) {
	r := BankFiguresResult{Banks: banks}
	if len(banks) == 0 {
		return r, errors.New("xiang2024: banks are empty: must be at least one, as LoadBanks returns")
	}
	for _, s := range setups {
		for _, b := range banks {
			used := b.used()
			c := BankChart{Figure: s.figure, Setup: s.name, Data: b.name(), Points: make([]BankPoint, len(used)), setup: s, data: b.Config.Data}
			err := parallel.Each(len(used), func(i int) (err error) {
				c.Points[i], err = s.auditBank(b.Config, b.Config.BaseEpsilons[used[i]], b.Runs[used[i]])
				return err
			})
			if err != nil {
				return r, fmt.Errorf("xiang2024: %s, %s: %w", s.name, c.Data, err)
			}
			r.Charts = append(r.Charts, c)
		}
	}
	slices.SortStableFunc(r.Charts, func(a, b BankChart) int { return cmp.Compare(a.Figure, b.Figure) })
	return r, nil
}

// accounts returns where the runs are from, and a note on each bank.
func accounts(banks []Bank) (sources, notes []string) {
	for _, b := range banks {
		sources, notes = append(sources, b.name()+": "+b.Account), append(notes, b.about())
	}
	return sources, notes
}

// singleRuns is the note on the bound that a figure draws next to ε_L.
var singleRuns = fmt.Sprintf("Single runs: a bound on the tuning from runs that nobody selects from, where the score is the proxy. Each has confidence %.0f %% by itself, not jointly.",
	100*audit.DefaultConfidence)

// Figure draws one chart for each setup and data set.
func (r BankFiguresResult) Figure() chart.Figure {
	sources, notes := accounts(r.Banks)
	p := chart.Panels{
		Name: "xiang2024-bank-figures1to3", Title: "Figures 1 to 3: audits of tuning, from single runs weighted by rank", Columns: 2, Sources: sources,
		Notes: append(notes,
			"ε_L as in the paper: best threshold on the same runs, uncorrected, with a Gaussian trade-off, which the best of K has not: it can exceed the truth. An error rate counts no more games than the runs have the power of, whether the proxy depends on the score or not. Points of one ε_B are drawn side by side.",
			fmt.Sprintf("Bars: two bootstrap standard errors, from %d runs of each world on.", leastRuns(r.Banks[0].Config.Law.Distribution(), mostBandWeight)),
			singleRuns),
	}
	for i, c := range r.Charts {
		p.Charts = append(p.Charts, c.chart(i))
	}
	return p
}

func (c BankChart) chart(index int) chart.Chart {
	var x, upper chart.Series
	for _, p := range c.Points {
		x, upper = append(x, p.BaseEpsilon), append(upper, p.Generic)
	}
	bound := func(label string, color, dodge int, of func(BankPoint) BankBound) chart.Curve {
		return withBars(chart.Curve{Label: label, X: x, Kind: chart.Points, Color: color, Dodge: dodge}, figures.Map(c.Points, of))
	}
	out := chart.Chart{
		Name: fmt.Sprintf("xiang2024-bank-figures1to3-%d", index+1), Title: fmt.Sprintf("%s: %s, %s", c.Figure, c.Setup, c.Data), XLabel: "base ε_B", YLabel: "ε",
		XMin: 0.5, XMax: 4.4,
		Curves: []chart.Curve{
			{Label: "ε_U, Theorem 2 (bound)", X: x, Y: upper, Color: 1},
			bound("ε_L as in the paper, λ_a", 2, -1, func(p BankPoint) BankBound { return p.A }),
			bound("ε_L as in the paper, λ_b", 4, 0, func(p BankPoint) BankBound { return p.B }),
			{Label: "one run", X: x, Y: x, Reference: true},
		},
	}
	if c.setup.selects() {
		out.Curves = append(out.Curves, figures.Ranges(chart.Curve{Label: "single runs", X: x, Kind: chart.Points, Color: 3, Dodge: 2},
			figures.Map(c.Points, func(p BankPoint) []float64 { return p.SingleRuns })))
	}
	return out
}

// withBars returns the curve with the bounds as Y, and with bars where an error is known.
func withBars(c chart.Curve, bounds []BankBound) chart.Curve {
	known := false
	for _, b := range bounds {
		low, high := max(0, b.Epsilon-b.Half), b.Epsilon+b.Half
		if math.IsNaN(b.Half) {
			low, high = math.NaN(), math.NaN()
		} else {
			known = true
		}
		c.Y, c.Low, c.High = append(c.Y, b.Epsilon), append(c.Low, low), append(c.High, high)
	}
	if !known {
		c.Low, c.High = nil, nil
	}
	return c
}

// Table lists all values next to those that Table 3 prints. The paper's networks are not known, so
// no verdict is given.
func (r BankFiguresResult) Table() figures.Table {
	t := figures.Table{
		Name: "xiang2024-bank-table3", Title: "Table 3: lower bounds ε_L on tuning, from single runs weighted by rank",
		Columns: []string{"figure", "setup", "data", "ε_B", "runs of each world", "with the power of so many games", "ε_L, λ_a", "ε_L, λ_b", "single runs", "ε_U", "Table 3 prints, λ_a", "Table 3 prints, λ_b"},
		Notes:   []string{"Error rates near 0 or 1 count the smaller number of games: few runs decide them if the proxy is the score. So ε_L tends to be lower than that of the larger number of real games."},
	}
	for _, c := range r.Charts {
		for _, p := range c.Points {
			row := []string{c.Figure, c.Setup, c.Data, fmt.Sprintf("%g", p.BaseEpsilon), fmt.Sprint(p.Runs), fmt.Sprintf("%d to %d", p.Games[0], p.Games[1]),
				figures.PlusMinus(p.A.Epsilon, p.A.Half), figures.PlusMinus(p.B.Epsilon, p.B.Half), "", fmt.Sprintf("%.2f", p.Generic), "", ""}
			if c.setup.selects() {
				row[8] = fmt.Sprintf("%.2f", stat.Mean(p.SingleRuns, nil))
			}
			if printed, ok := c.printed(p.BaseEpsilon); ok {
				row[10], row[11] = fmt.Sprintf("%.2f", printed.A.Number), fmt.Sprintf("%.2f", printed.B.Number)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// printed returns the cells of Table 3, which are about the Dirac gradient.
func (c BankChart) printed(epsilon float64) (papers.Xiang2024Audit, bool) {
	if !c.setup.dirac {
		return papers.Xiang2024Audit{}, false
	}
	game, _, _ := strings.Cut(c.Setup, ",")
	for _, cell := range papers.Xiang2024.Table3Trained {
		if cell.Game == game && cell.Data == c.data && cell.BaseEpsilon == epsilon {
			return cell.Xiang2024Audit, true
		}
	}
	return papers.Xiang2024Audit{}, false
}
