package audits

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/figures/xiang2024/internal/base"
)

// TuningGames are the games of [Tuning] that are at hand, with where they are from.
type TuningGames struct {
	Config  TuningConfig
	Audits  []TuningAudits // those with games
	Account string         // how many shards are done, on what, and when
}

// LoadTuning returns the games that are stored, those of the profile full if there are any, or else
// of mid. If there are none it plays the profile quick.
func LoadTuning(ctx context.Context, env experiments.Env) (TuningGames, error) {
	stored, err := Tuning.AtHand(ctx, env)
	g := TuningGames{Config: stored.Config, Account: stored.Account.String()}
	for _, a := range stored.Result {
		if len(a.Normal.Without.BaseDirac) > 0 {
			g.Audits = append(g.Audits, a)
		}
	}
	return g, err
}

// Figures1to4Result holds lower bounds on the ε of a tuning, one chart for each setup.
type Figures1to4Result struct {
	Games  TuningGames
	Charts []TunedChart
}

// TunedChart is one setup.
type TunedChart struct {
	Figure    string // "Figure 1"
	Setup     string // "NTNV, foreign z"
	Simulated bool   // no network: only the first coordinate
	Selects   bool   // the score grows with λ_a, so λ_b orders games as λ_a does
	Points    []TunedPoint
}

// TunedPoint is one base ε. Lists have one value for each trial, all in nats.
type TunedPoint struct {
	BaseEpsilon float64
	Generic     float64       // ε_U: Theorem 2 of Papernot and Steinke, a bound
	A, B        []TunedBounds // from the proxies λ_a and λ_b
	SingleRuns  []float64     // audit.RankOfSearch on runs without selection; nil unless Selects
	Normal      []float64     // audit.NormalOfSearch on the same; nil unless Simulated, where runs are normal
	Exact       float64       // ε of the game with a monotone score; 0 unless Simulated
}

// TunedBounds are lower bounds on ε.
type TunedBounds struct {
	Paper        float64 // of Nasr et al.: best threshold on the same scores, Gaussian trade-off assumed, uncorrected
	NoAssumption float64 // two-tail rank sum
}

// Figures1to4 audits the tuning as in Figures 1 to 4 and Table 3. Figure 4 needs no network and has
// the full size.
func Figures1to4(games TuningGames) (Figures1to4Result, error) {
	r := Figures1to4Result{Games: games}
	for _, s := range setups {
		chart := TunedChart{Figure: s.figure, Setup: s.name, Selects: s.selects()}
		for _, a := range games.Audits {
			p, err := s.audit(games.Config, a)
			if err != nil {
				return r, fmt.Errorf("xiang2024: %s, ε_B %g: %w", s.name, a.BaseEpsilon, err)
			}
			chart.Points = append(chart.Points, p)
		}
		r.Charts = append(r.Charts, chart)
	}
	last, err := figure4(Tuning.Profiles["full"])
	r.Charts = append(r.Charts, last)
	return r, err
}

// newTunedPoint returns a point with ε_U, and the run that it tunes.
func newTunedPoint(c TuningConfig, epsilon float64) (p TunedPoint, run base.Run, err error) {
	p.BaseEpsilon = epsilon
	if run, err = base.Calibrated(epsilon, 1, c.Steps, c.Delta); err != nil {
		return p, run, err
	}
	p.Generic, err = base.Generic(c.Law, run.Event, c.Delta)
	return p, run, err
}

// audit audits the games of one base ε, trial by trial. A trial that is not whole is left out.
func (s setup) audit(c TuningConfig, a TuningAudits) (TunedPoint, error) {
	p, _, err := newTunedPoint(c, a.BaseEpsilon)
	if err != nil {
		return p, err
	}
	without, with := s.worlds(a)
	baseWithout, _, _ := s.scores(without)
	size := c.Games / c.Trials
	for first := 0; first+size <= len(baseWithout); first += size {
		if err := s.trial(&p, c, part(without, first, size), part(with, first, size)); err != nil {
			return p, err
		}
	}
	return p, nil
}

func (s setup) trial(p *TunedPoint, c TuningConfig, without, with TuningScores) error {
	single0, a0, g0 := s.scores(without)
	single1, a1, g1 := s.scores(with)
	for proxy, to := range []*[]TunedBounds{&p.A, &p.B} {
		weight := s.sign * float64(proxy) // λ_a, then λ_a ± g
		b, err := tunedBounds(audit.Scores{Member: sum(a1, g1, weight), NonMember: sum(a0, g0, weight)}, c.Delta)
		if err != nil {
			return err
		}
		*to = append(*to, b)
	}
	if !s.selects() {
		return nil
	}
	return addSingleRuns(&p.SingleRuns, c.Law, c.Delta, audit.Scores{Member: sum(single1, nil, 0), NonMember: sum(single0, nil, 0)})
}

// addSingleRuns adds the bound from runs that nobody selects from.
func addSingleRuns(to *[]float64, k law.Law, delta float64, single audit.Scores) error {
	b, err := audit.RankOfSearch(single, k, len(single.NonMember)*9/10, audit.Config{Delta: delta})
	*to = append(*to, b.Epsilon)
	return err
}

func tunedBounds(scores audit.Scores, delta float64) (TunedBounds, error) {
	report, err := audit.Bounds(scores, audit.Config{Delta: delta, Seed: 1})
	paper, _ := report.Bound("gdp-clopper-pearson")
	rank, _ := report.Bound("rank-two-tail")
	return TunedBounds{paper.Epsilon, rank.Epsilon}, err
}

// sum returns a + weight g.
func sum(a, g experiments.Floats, weight float64) []float64 {
	out := make([]float64, len(a))
	for i, x := range a {
		out[i] = float64(x)
		if weight != 0 {
			out[i] += weight * float64(g[i])
		}
	}
	return out
}

// figure4 plays the games on the empty X with the Dirac gradient. The first coordinate of a run's
// sums is all that the adversary looks at and all that the score sees: up to scale N(0, 1) or N(µ,
// 1).
func figure4(c TuningConfig) (TunedChart, error) {
	chart := TunedChart{Figure: "Figure 4", Setup: "ETCV, Dirac gradient", Simulated: true, Selects: true}
	for i, epsilon := range c.BaseEpsilons {
		p, run, err := newTunedPoint(c, epsilon)
		if err != nil {
			return chart, err
		}
		if p.Exact, err = exactEpsilon(c, run); err != nil {
			return chart, err
		}
		for trial := range c.Trials {
			rng := rand.New(rand.NewPCG(uint64(i), uint64(trial)))
			if err := p.simulate(c, run.O.Mu, rng); err != nil {
				return chart, err
			}
		}
		p.B = p.A
		chart.Points = append(chart.Points, p)
	}
	return chart, nil
}

// simulate adds a trial of games with N(0, 1) and N(µ, 1).
func (p *TunedPoint) simulate(c TuningConfig, mu float64, rng *rand.Rand) error {
	law := c.Law.Distribution()
	var tuned, single audit.Scores
	for range c.Games / c.Trials {
		without, err := base.BestOfNormal(law, rng)
		if err != nil {
			return err
		}
		with, err := base.BestOfNormal(law, rng)
		if err != nil {
			return err
		}
		tuned.NonMember, tuned.Member = append(tuned.NonMember, without), append(tuned.Member, with+mu)
		single.NonMember, single.Member = append(single.NonMember, rng.NormFloat64()), append(single.Member, rng.NormFloat64()+mu)
	}
	b, err := tunedBounds(tuned, c.Delta)
	if err != nil {
		return err
	}
	p.A = append(p.A, b)
	normal, err := audit.NormalOfSearch(single, c.Law, audit.Config{Delta: c.Delta}, rng)
	if err != nil {
		return err
	}
	p.Normal = append(p.Normal, normal.Epsilon)
	return addSingleRuns(&p.SingleRuns, c.Law, c.Delta, single)
}
