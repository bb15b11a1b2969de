package auditbounds

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/onerun"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/papers"
)

// Counterexamples shows three ways to be wrong about an honest mechanism.
type Counterexamples struct {
	Config Config

	// Without a leak: the bound as it should be, and with the absolute value of a negative
	// bound on µ. Audits of 1,000 + 1,000 games.
	Honest, Absolute Said

	// Laplace noise with ε = 1, 1,000 + 1,000 games.
	LaplaceGDP, LaplaceRank Said

	// Canaries that share a channel, by number of canaries.
	Shared []SharedChannel
}

// Said has what a bound reports over many audits.
type Said struct {
	Truth float64          // ε
	Bound figures.Estimate // lower bound on ε
	Wrong float64          // share of audits in which the bound is above the truth
}

func said(truth float64, bounds []float64) Said {
	var wrong figures.Cases
	for _, b := range bounds {
		wrong.AddIf(b > truth)
	}
	share, _ := wrong.Share()
	return Said{truth, figures.EstimateOf(bounds), share}
}

// ShowCounterexamples simulates the first two and computes the third.
func ShowCounterexamples(c Config) (Counterexamples, error) {
	r := Counterexamples{Config: c}
	if err := c.Validate(); err != nil {
		return r, err
	}
	err := errors.Join(r.honest(), r.laplace())
	for _, row := range []SharedChannel{{Canaries: 100, Reference: 0.283}, {Canaries: 1000, Reference: 0.416}, {Canaries: 10000, Reference: 0.457}} {
		if err == nil {
			err = row.compute(c.Confidence)
		}
		r.Shared = append(r.Shared, row)
	}
	return r, err
}

func (r *Counterexamples) honest() error {
	c := r.Config
	right, absolute, err := c.both("honest ", null{member: normal(0), other: normal(0)}, 1000, func(scores audit.Scores) (right, absolute float64, err error) {
		b, err := audit.GDPAUC(scores, c.level(), nil)
		if err != nil {
			return 0, 0, err
		}
		// The mistake on the same scores: a one-sided bound on µ is about its estimate less
		// 1.645 standard errors, and without a leak mostly negative.
		auc, err := audit.AUC(scores, audit.Config{Confidence: c.Confidence})
		if err != nil {
			return 0, 0, err
		}
		mu := math.Sqrt2*quantile(auc.Estimate) - 1.465*1.645/math.Sqrt(1000)
		absolute, err = audit.EpsilonOfMu(math.Abs(mu), c.Delta)
		return b.Epsilon, absolute, err
	})
	r.Honest, r.Absolute = said(0, right), said(0, absolute)
	return err
}

// both returns two numbers of each of Config.Audits audits, of so many games of each world. Name
// begins the names of their streams.
func (c Config) both(name string, pair null, games int, of func(audit.Scores) (a, b float64, err error)) (first, second []float64, err error) {
	first, second = make([]float64, c.Audits), make([]float64, c.Audits)
	err = parallel.Each(c.Audits, func(i int) (err error) {
		first[i], second[i], err = of(pair.draw(c.root().Rand(fmt.Sprint(name, i)), games))
		return err
	})
	return first, second, err
}

func quantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

func (r *Counterexamples) laplace() error {
	c := r.Config
	gdp, rank, err := c.both("laplace ", null{member: laplace(1), other: laplace(0)}, 1000, func(scores audit.Scores) (gdp, rank float64, err error) {
		g, errAUC := audit.GDPAUC(scores, c.level(), nil)
		k, errRank := audit.RankTwoTail(scores, 2, c.level())
		return g.Epsilon, k.Epsilon, errors.Join(errAUC, errRank)
	})
	r.LaplaceGDP, r.LaplaceRank = said(1, gdp), said(1, rank)
	return err
}

// Table lists what each mistake reports and what is right.
func (r Counterexamples) Table() figures.Table {
	t := figures.Table{
		Name: "audit-bounds-counterexamples", Title: "Honest mechanisms, and what is said of them",
		Columns: []string{"mechanism", "truth", "mistake", "says", "wrong in", "instead", "says", "wrong in"},
		Rows: [][]string{
			{"no leak", "ε = 0", "absolute value of a negative bound", show(r.Absolute), figures.Percent(r.Absolute.Wrong, 1), "AUC test", show(r.Honest), figures.Percent(r.Honest.Wrong, 1)},
			{"Laplace noise", "ε = 1", "Gaussian assumed (AUC test)", show(r.LaplaceGDP), figures.Percent(r.LaplaceGDP.Wrong, 1), "two-tail rank sum", show(r.LaplaceRank), figures.Percent(r.LaplaceRank.Wrong, 1)},
		},
		Notes: []string{
			fmt.Sprintf("Bounds on ε: means over %d audits of 1,000 + 1,000 games, δ = %s. Wrong: share of the audits with a bound above the truth; of canaries, of all runs, computed without simulation, in which the true claim is rejected. Allowed is %.3g.",
				r.Config.Audits, chart.Scientific(r.Config.Delta), 1-r.Config.Confidence),
		},
	}
	for _, s := range r.Shared {
		t.Rows = append(t.Rows, []string{fmt.Sprintf("%d canaries that share a channel", s.Canaries), "µ = 1",
			"test for independent channels (arXiv:2509.08704)", "rejects the claim", figures.Percent(s.Independent, 1), "f-DP in one run", "rejects the claim", figures.Percent(s.FDP, 1)})
	}
	return t
}

func show(s Said) string { return "ε ≥ " + figures.PlusMinus(s.Bound.Mean, s.Bound.StdErr()) }

// Compare sets the rejections of the invalid test next to a simulation by other code. Three of its
// decimals are known, and its size is not. We take its error to be 0.005.
func (r Counterexamples) Compare() figures.Comparison {
	c := figures.Comparison{Name: "audit-bounds-shared", Title: "False rejections by the test for independent channels"}
	for _, s := range r.Shared {
		c.Rows = append(c.Rows, figures.ComparisonRow{
			Quantity:  fmt.Sprintf("share of runs, %d canaries", s.Canaries),
			Ours:      s.Independent,
			Reference: s.Reference, AbsErr: 0.005, Read: papers.Recomputed, Source: "reference simulation in Python, 2026-11",
		})
	}
	return c
}

// SharedChannel is a mechanism that draws L ~ N(1/2, 1), publishes |L|, and passes every bit
// through randomized response with error 1/(1+e^|L|). It is exactly 1-GDP for each bit, since
// L and -L are the log-likelihood ratios of N(1,1) against N(0,1); but all bits meet the same |L|.
type SharedChannel struct {
	Canaries int

	// The shares of runs in which the true claim µ = 1 is rejected when all canaries are guessed, by
	// the test for independent channels and by f-DP. Exact.
	Independent, FDP float64

	Reference float64 // the first by simulation, by other code
}

// compute fills in the shares at a confidence. Both tests reject up to some number of wrong
// guesses.
func (s *SharedChannel) compute(confidence float64) (err error) {
	m := s.Canaries
	independent := sort.Search(m, func(wrong int) bool { return binomialLower(wrong, m, phi(-0.5)) > 1-confidence })
	fdp := sort.Search(m, func(wrong int) bool {
		v, e := onerun.TestClaim(onerun.Guesses{Canaries: m, Guessed: m, Correct: m - wrong}, audit.GDP{Mu: 1}, audit.Config{Confidence: confidence})
		if e != nil {
			err = e
		}
		return !v.Contradicted
	})
	s.Independent, s.FDP = s.wrongBelow(independent), s.wrongBelow(fdp)
	return err
}

// wrongBelow returns the chance of less than so many wrong guesses,
//
//	∫_0^∞ P[Bin(m, 1/(1+e^a)) < wrong] (φ(a-1/2) + φ(a+1/2)) da,
//
// to about 1e-6. Beyond 12 is a mass below 1e-30.
func (s SharedChannel) wrongBelow(wrong int) float64 {
	if wrong == 0 {
		return 0
	}
	density := func(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
	return quad.Fixed(func(a float64) float64 {
		return binomialLower(wrong-1, s.Canaries, 1/(1+math.Exp(a))) * (density(a-0.5) + density(a+0.5))
	}, 0, 12, 1000, nil, 0)
}

// binomialLower returns P[Bin(n, p) <= k] for 0 <= k < n.
func binomialLower(k, n int, p float64) float64 {
	return mathext.RegIncBeta(float64(n-k), float64(k+1), 1-p)
}
