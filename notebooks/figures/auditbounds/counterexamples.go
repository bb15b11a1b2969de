package auditbounds

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/data/papers"
	"github.com/dplab/dplab/notebooks/figures"
)

// Counterexamples shows three ways to be wrong about an honest mechanism.
type Counterexamples struct {
	Config Config

	// Without a leak: the bound as it should be, and with the absolute value of a negative
	// bound on µ. Means over audits of 1,000 + 1,000 games.
	Honest, Absolute Mean

	// Laplace noise with ε = 1, 1,000 + 1,000 games.
	LaplaceGDP, LaplaceRank Mean

	// Canaries that share a channel, by number of canaries: the share of runs in which the true
	// claim µ = 1 is rejected, by the test for independent channels and by f-DP.
	Shared []SharedChannel
}

// SharedChannel is one row of the third counterexample.
type SharedChannel struct {
	Canaries         int
	Independent, FDP Mean
	Reference        float64 // the first by other code
}

// ShowCounterexamples simulates all three.
func ShowCounterexamples(c Config) (Counterexamples, error) {
	r := Counterexamples{Config: c}
	if err := c.Validate(); err != nil {
		return r, err
	}
	err := r.honest()
	if err == nil {
		err = r.laplace()
	}
	for _, row := range []SharedChannel{{Canaries: 100, Reference: 0.283}, {Canaries: 1000, Reference: 0.416}} {
		if err == nil {
			err = row.simulate(c)
		}
		r.Shared = append(r.Shared, row)
	}
	return r, err
}

func (r *Counterexamples) honest() error {
	c := r.Config
	var right, absolute []float64
	for i := range c.Audits {
		scores := null{member: normal(0), other: normal(0)}.draw(c.root().Rand(fmt.Sprint("honest ", i)), 1000)
		b, err := audit.GDPAUC(scores, c.level(), nil)
		if err != nil {
			return err
		}
		// The mistake on the same scores: a one-sided bound on µ is about its estimate less
		// 1.645 standard errors, and without a leak mostly negative.
		auc, err := audit.AUC(scores, c.Confidence)
		if err != nil {
			return err
		}
		mu := math.Sqrt2*quantile(auc.Estimate) - 1.465*1.645/math.Sqrt(1000)
		wrong, err := audit.EpsilonOfMu(math.Abs(mu), c.Delta)
		if err != nil {
			return err
		}
		right, absolute = append(right, b.Epsilon), append(absolute, wrong)
	}
	r.Honest, r.Absolute = mean(right), mean(absolute)
	return nil
}

func quantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

func (r *Counterexamples) laplace() error {
	c := r.Config
	var gdp, rank []float64
	for i := range c.Audits {
		scores := null{member: laplace(1), other: laplace(0)}.draw(c.root().Rand(fmt.Sprint("laplace ", i)), 1000)
		g, err := audit.GDPAUC(scores, c.level(), nil)
		if err != nil {
			return err
		}
		k, err := audit.RankTwoTail(scores, 2, c.level())
		if err != nil {
			return err
		}
		gdp, rank = append(gdp, g.Epsilon), append(rank, k.Epsilon)
	}
	r.LaplaceGDP, r.LaplaceRank = mean(gdp), mean(rank)
	return nil
}

// simulate runs a mechanism that draws L ~ N(1/2, 1), publishes |L|, and passes every bit
// through randomized response with error 1/(1+e^|L|). It is exactly 1-GDP for each bit, since
// L and -L are the log-likelihood ratios of N(1,1) against N(0,1); but all bits meet the same |L|.
func (s *SharedChannel) simulate(c Config) error {
	runs := c.Alarms
	independent, fdp := make([]float64, runs), make([]float64, runs)
	err := forEach(runs, func(i int) error {
		rng := c.root().Rand(fmt.Sprintf("shared %d %d", s.Canaries, i))
		wrong := sharedErrors(rng, s.Canaries)
		if binomialLower(wrong, s.Canaries, phi(-0.5)) <= 1-c.Confidence {
			independent[i] = 1
		}
		v, err := audit.TestOneRunClaim(audit.Guesses{Canaries: s.Canaries, Guessed: s.Canaries, Correct: s.Canaries - wrong}, audit.GDP{Mu: 1}, c.Confidence)
		if v.Contradicted {
			fdp[i] = 1
		}
		return err
	})
	s.Independent, s.FDP = mean(independent), mean(fdp)
	return err
}

func sharedErrors(rng *rand.Rand, canaries int) (wrong int) {
	flip := 1 / (1 + math.Exp(math.Abs(rng.NormFloat64()+0.5)))
	for range canaries {
		if rng.Float64() < flip {
			wrong++
		}
	}
	return wrong
}

// binomialLower returns P[Bin(n, p) <= k] by its terms in logarithms.
func binomialLower(k, n int, p float64) float64 {
	var sum float64
	all, _ := math.Lgamma(float64(n + 1))
	for j := 0; j <= k; j++ {
		a, _ := math.Lgamma(float64(j + 1))
		b, _ := math.Lgamma(float64(n - j + 1))
		sum += math.Exp(all - a - b + float64(j)*math.Log(p) + float64(n-j)*math.Log1p(-p))
	}
	return math.Min(1, sum)
}

// Table lists what each mistake says and what should be said.
func (r Counterexamples) Table() figures.Table {
	t := figures.Table{
		Name: "audit-bounds-counterexamples", Title: "Honest mechanisms, and what is said of them",
		Columns: []string{"mechanism", "truth", "mistake", "says", "instead", "says"},
		Rows: [][]string{
			{"no leak", "ε = 0", "absolute value of a negative bound", show(r.Absolute), "AUC test", show(r.Honest)},
			{"Laplace noise", "ε = 1", "Gaussian assumed (AUC test)", show(r.LaplaceGDP), "two-tail rank sum", show(r.LaplaceRank)},
		},
		Notes: []string{
			fmt.Sprintf("Bounds on ε: means over %d audits of 1,000 + 1,000 games, δ = %g. Rejections: share of %d runs in which the true claim is rejected at %.3g.",
				r.Config.Audits, r.Config.Delta, r.Config.Alarms, 1-r.Config.Confidence),
		},
	}
	for _, s := range r.Shared {
		t.Rows = append(t.Rows, []string{fmt.Sprintf("%d canaries that share a channel", s.Canaries), "µ = 1",
			"test for independent channels (arXiv:2509.08704)", "rejected in " + percent(s.Independent), "f-DP in one run", "rejected in " + percent(s.FDP)})
	}
	return t
}

func show(m Mean) string { return fmt.Sprintf("ε ≥ %.2f ± %.2f", m.Value, m.StdErr) }

func percent(m Mean) string { return fmt.Sprintf("%.1f ± %.1f %%", 100*m.Value, 100*m.StdErr) }

// Compare sets the rejections of the invalid test beside those found by other code.
func (r Counterexamples) Compare() figures.Comparison {
	c := figures.Comparison{Name: "audit-bounds-shared", Title: "False rejections by the test for independent channels"}
	for _, s := range r.Shared {
		c.Rows = append(c.Rows, figures.ComparisonRow{
			Quantity: fmt.Sprintf("share of runs, %d canaries", s.Canaries),
			Ours:     s.Independent.Value, OursErr: 3 * s.Independent.StdErr,
			Reference: s.Reference, AbsErr: 0.005, Read: papers.Recomputed, Source: "reference simulation in Python, 2026-11",
		})
	}
	return c
}
