package auditbounds

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/papers"
)

// setting is one column of the ranking: n games of each class, scores N(µ,1) against N(0,1).
type setting struct {
	Games int
	Mu    float64
}

var settings = []setting{{1000, 1}, {1000, 2}, {5000, 1}, {5000, 2}}

// Ranking has the mean bound on ε of each method in each setting.
type Ranking struct {
	Config Config
	Truth  []float64            // ε by setting
	Means  [][]figures.Estimate // by method, by setting; methods share the scores
}

// method is one row of the ranking, with the means of a reference simulation by other code
// (200 audits a cell, two decimals; NaN where there is none).
type method struct {
	name      string
	gaussian  bool // assumes a Gaussian mechanism
	bound     func(s audit.Scores, at setting, threshold float64, c Config) (audit.Bound, error)
	hits      func(s audit.Scores, at setting) int // all that a rank test sees of scores without ties; nil for others
	reference [4]float64
}

var methods = []method{
	{"two-tail rank sum, k = 2", false, func(s audit.Scores, _ setting, _ float64, c Config) (audit.Bound, error) {
		return audit.RankTwoTail(s, 2, c.level())
	}, func(s audit.Scores, _ setting) int { return twoTailHits(s, 2) }, [4]float64{1.89, 3.71, 2.42, 4.56}},
	{"one-tail rank, k = 4", false, func(s audit.Scores, _ setting, _ float64, c Config) (audit.Bound, error) {
		return audit.RankOneTail(s, 4, c.level())
	}, func(s audit.Scores, _ setting) int { return oneTailHits(s, 4) }, [4]float64{1.76, 3.38, 2.16, 4.31}},
	{"Clopper-Pearson, the best threshold told by an oracle", false, func(s audit.Scores, _ setting, threshold float64, c Config) (audit.Bound, error) {
		return audit.ClopperPearson(s.CountAt(threshold), c.level())
	}, nil, [4]float64{1.43, 3.16, 1.94, 4.04}},
	{"AUC test, if the mechanism is Gaussian", true, func(s audit.Scores, _ setting, _ float64, c Config) (audit.Bound, error) {
		return audit.GDPAUC(s, c.level(), nil)
	}, nil, [4]float64{3.97, 9.43, 4.20, 9.74}},
	{"exact rank test, k = n/5, if the mechanism is Gaussian", true, func(s audit.Scores, at setting, _ float64, c Config) (audit.Bound, error) {
		return audit.GDPRank(s, at.Games/5, c.level())
	}, func(s audit.Scores, at setting) int { return oneTailHits(s, at.Games/5) }, [4]float64{3.87, 9.28, 4.16, 9.68}},
}

func (c Config) level() audit.Config { return audit.Config{Delta: c.Delta, Confidence: c.Confidence} }

// oracleThreshold maximizes the bound at the expected counts.
func oracleThreshold(at setting, c Config) float64 {
	best, top := 0.0, -1.0
	n := float64(at.Games)
	for x := -1.0; x < 6; x += 0.05 {
		counts := audit.Counts{Members: at.Games, NonMembers: at.Games,
			FalseNegatives: int(math.Round(n * phi(x-at.Mu))), FalsePositives: int(math.Round(n * phi(-x)))}
		if b, err := audit.ClopperPearson(counts, c.level()); err == nil && b.Epsilon > top {
			best, top = x, b.Epsilon
		}
	}
	return best
}

func phi(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// Rank simulates the audits of every setting and takes the mean of every bound. progress is called
// with the audits done and to do; nil for none.
func Rank(c Config, progress func(done, of int)) (Ranking, error) {
	if err := c.Validate(); err != nil {
		return Ranking{}, err
	}
	r := Ranking{Config: c, Means: make([][]figures.Estimate, len(methods))}
	count := &parallel.Count{Of: len(settings) * c.Audits, Report: progress}
	for _, at := range settings {
		truth, err := audit.EpsilonOfMu(at.Mu, c.Delta)
		if err != nil {
			return r, err
		}
		r.Truth = append(r.Truth, truth)
		bounds, err := c.simulate(at, count)
		if err != nil {
			return r, err
		}
		for m := range methods {
			r.Means[m] = append(r.Means[m], figures.EstimateOf(bounds[m]))
		}
	}
	return r, nil
}

// simulate returns the bounds by method and audit. Audits with as many hits have the same bound of
// a rank test, which is computed once.
func (c Config) simulate(at setting, count *parallel.Count) ([][]float64, error) {
	bounds := make([][]float64, len(methods))
	for m := range methods {
		bounds[m] = make([]float64, c.Audits)
	}
	pair := null{member: normal(at.Mu), other: normal(0)}
	threshold := oracleThreshold(at, c)
	var known sync.Map
	err := parallel.Each(c.Audits, func(i int) error {
		rng := c.root().Rand(fmt.Sprintf("ranking %d %g %d", at.Games, at.Mu, i))
		scores := pair.draw(rng, at.Games)
		for m, method := range methods {
			hits := anyHits
			if method.hits != nil {
				hits = method.hits(scores, at)
			}
			b, err := once(&known, m, hits, func() (audit.Bound, error) { return method.bound(scores, at, threshold, c) })
			if err != nil {
				return err
			}
			bounds[m][i] = b.Epsilon
		}
		count.Add()
		return nil
	})
	return bounds, err
}

// Table sets the means next to the true ε.
func (r Ranking) Table() figures.Table {
	t := figures.Table{
		Name:    "audit-bounds-ranking",
		Title:   fmt.Sprintf("Mean lower bound on ε over %d audits, δ = %s, confidence %g", r.Config.Audits, chart.Scientific(r.Config.Delta), r.Config.Confidence),
		Columns: []string{"bound"},
	}
	truth := []string{"the truth"}
	for i, at := range settings {
		t.Columns = append(t.Columns, fmt.Sprintf("n = %d, µ = %g", at.Games, at.Mu))
		truth = append(truth, fmt.Sprintf("%.3f", r.Truth[i]))
	}
	for m, method := range methods {
		row := []string{method.name}
		for _, mean := range r.Means[m] {
			row = append(row, figures.PlusMinus(mean.Mean, mean.StdErr()))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Rows = append(t.Rows, truth)
	t.Notes = []string{"± is one standard error. In the comparison with the other program it is three. That program's error is taken to be ours at 200 audits."}
	return t
}

// Compare sets the means next to those of a simulation by other code. Its means carry the error of
// their two decimals and three standard errors, which are those of ours scaled to its 200 audits.
func (r Ranking) Compare() figures.Comparison {
	c := figures.Comparison{Name: "audit-bounds-ranking", Title: "The same means by other code"}
	for m, method := range methods {
		for i, at := range settings {
			stdErr := r.Means[m][i].StdErr()
			c.Rows = append(c.Rows, figures.ComparisonRow{
				Quantity: fmt.Sprintf("%s: n = %d, µ = %g", method.name, at.Games, at.Mu),
				Ours:     r.Means[m][i].Mean, OursErr: 3 * stdErr,
				Reference: method.reference[i], AbsErr: 0.005 + 3*stdErr*math.Sqrt(float64(r.Config.Audits)/200),
				Read: papers.Recomputed, Source: "reference simulation in Python, 200 audits a cell, 2026-11",
			})
		}
	}
	return c
}

// oneTailHits counts members above the (k+1)-th largest score of non-members: all that the one-tail
// rank test sees of scores without ties.
func oneTailHits(s audit.Scores, k int) (hits int) {
	threshold := slices.Sorted(slices.Values(s.NonMember))[len(s.NonMember)-k-1]
	for _, x := range s.Member {
		if x > threshold {
			hits++
		}
	}
	return hits
}

// twoTailHits adds the non-members below the (k+1)-th smallest score of members, as the two-tail
// rank test does.
func twoTailHits(s audit.Scores, k int) int {
	hits := oneTailHits(s, k)
	threshold := slices.Sorted(slices.Values(s.Member))[k]
	for _, x := range s.NonMember {
		if x < threshold {
			hits++
		}
	}
	return hits
}
