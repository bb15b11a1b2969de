package auditbounds

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
)

// Alarms has the share of audits in which a bound exceeds the truth.
type Alarms struct {
	Config Config
	Nulls  []string
	Tests  []string
	Rates  [][]float64 // by test, by null; NaN where the test does not apply
}

// test reports whether a bound exceeds the truth of a null.
type test struct {
	name     string
	gaussian bool // only where the trade-off is Gaussian
	values   bool // looks at the scores themselves, others at their order with ties broken at random
	alarm    func(s audit.Scores, z null, c Config, seed uint64) (bool, error)
	hits     func(s audit.Scores, c Config) int // all that a rank test sees of scores without ties; nil for others
}

func above(epsilon float64, b audit.Bound, err error) (bool, error) { return b.Epsilon > epsilon, err }

var tests = []test{
	{"two-tail rank sum, k = 2", false, false, func(s audit.Scores, z null, c Config, _ uint64) (bool, error) {
		p, err := audit.RankTwoTailP(s, z.claim(), 2)
		return p <= 1-c.Confidence, err
	}, func(s audit.Scores, _ Config) int { return twoTailHits(s, 2) }},
	{"one-tail rank, k = 4", false, false, func(s audit.Scores, z null, c Config, _ uint64) (bool, error) {
		p, err := audit.RankOneTailP(s, z.claim(), 4)
		return p <= 1-c.Confidence, err
	}, func(s audit.Scores, _ Config) int { return oneTailHits(s, 4) }},
	{"Clopper-Pearson, a threshold fixed beforehand", false, true, func(s audit.Scores, z null, c Config, _ uint64) (bool, error) {
		b, err := audit.ClopperPearson(s.CountAt(0.5), z.level(c))
		return above(z.epsilon, b, err)
	}, nil},
	{"Clopper-Pearson, split", false, true, func(s audit.Scores, z null, c Config, seed uint64) (bool, error) {
		b, err := audit.ClopperPearsonSplit(s, 1, z.level(c), c.root().Rand(fmt.Sprint("split ", seed)))
		return above(z.epsilon, b, err)
	}, nil},
	{"AUC test, Gaussian assumed", true, false, func(s audit.Scores, z null, c Config, seed uint64) (bool, error) {
		b, err := audit.GDPAUC(s, z.level(c), c.root().Rand(fmt.Sprint("auc ", seed)))
		return b.Mu > z.mu, err
	}, nil},
	{"exact rank test, k = n/5, Gaussian assumed", true, false, func(s audit.Scores, z null, c Config, _ uint64) (bool, error) {
		p, err := audit.RankOneTailP(s, audit.GDP{Mu: z.mu}, c.Games/5)
		return p <= 1-c.Confidence, err
	}, func(s audit.Scores, c Config) int { return oneTailHits(s, c.Games/5) }},
}

func (z null) claim() audit.Curve { return audit.EpsilonDelta{Epsilon: z.epsilon, Delta: z.delta} }

func (z null) level(c Config) audit.Config {
	return audit.Config{Delta: z.delta, Confidence: c.Confidence}
}

// FalseAlarms simulates audits of mechanisms that reach their claim exactly. A valid bound
// exceeds the truth in at most the significance of them. progress is called with the audits done
// and to do; nil for none.
func FalseAlarms(c Config, progress func(done, of int)) (Alarms, error) {
	if err := c.Validate(); err != nil {
		return Alarms{}, err
	}
	zs, err := nulls(c.Delta)
	if err != nil {
		return Alarms{}, err
	}
	r := Alarms{Config: c, Rates: make([][]float64, len(tests))}
	for _, t := range tests {
		r.Tests = append(r.Tests, t.name)
	}
	count := &parallel.Count{Of: len(zs) * c.Alarms, Report: progress}
	for _, z := range zs {
		r.Nulls = append(r.Nulls, z.name)
		rates, err := c.rates(z, count)
		if err != nil {
			return r, err
		}
		for t := range tests {
			r.Rates[t] = append(r.Rates[t], rates[t])
		}
	}
	return r, nil
}

// tieSeed is the seed that breaks the ties of one audit. It is independent of the scores.
func (c Config) tieSeed(z null, audit int) uint64 {
	return c.root().Rand(fmt.Sprintf("ties %s %d", z.name, audit)).Uint64()
}

// rates returns the share of alarms of each test on one null. Audits with as many hits have the
// same p-value of a rank test, which is computed once.
func (c Config) rates(z null, count *parallel.Count) ([]float64, error) {
	alarms := make([][]bool, c.Alarms)
	var known sync.Map
	err := parallel.Each(c.Alarms, func(i int) error {
		scores := z.draw(c.root().Rand(fmt.Sprintf("alarms %s %d", z.name, i)), c.Games)
		ranks, err := scores.BreakTies(c.tieSeed(z, i))
		if err != nil {
			return err
		}
		alarms[i] = make([]bool, len(tests))
		for t, test := range tests {
			if test.gaussian && z.mu < 0 {
				continue
			}
			seen, hits := ranks, anyHits
			if test.values {
				seen = scores
			}
			if test.hits != nil {
				hits = test.hits(ranks, c)
			}
			if alarms[i][t], err = once(&known, t, hits, func() (bool, error) { return test.alarm(seen, z, c, uint64(i)) }); err != nil {
				return err
			}
		}
		count.Add()
		return nil
	})
	rates := make([]float64, len(tests))
	for t, test := range tests {
		for i := range alarms {
			if err == nil && alarms[i][t] {
				rates[t] += 1 / float64(c.Alarms)
			}
		}
		if test.gaussian && z.mu < 0 {
			rates[t] = math.NaN()
		}
	}
	return rates, err
}

// anyHits is for a test that sees more of the scores than hits.
const anyHits = -1

// once computes what a rank test makes of its hits once. Known has it by the number of the test and
// the hits.
func once[T any](known *sync.Map, test, hits int, compute func() (T, error)) (T, error) {
	if v, ok := known.Load([2]int{test, hits}); ok {
		return v.(T), nil
	}
	v, err := compute()
	if err == nil && hits != anyHits {
		known.Store([2]int{test, hits}, v)
	}
	return v, err
}

// Limit returns the significance plus three standard errors of a rate.
func (r Alarms) Limit() float64 {
	a := 1 - r.Config.Confidence
	return a + 3*math.Sqrt(a*(1-a)/float64(r.Config.Alarms))
}

// Table shows the rates in percent.
func (r Alarms) Table() figures.Table {
	t := figures.Table{
		Name:    "audit-bounds-alarms",
		Title:   fmt.Sprintf("False alarms in %d audits of %d + %d games, percent", r.Config.Alarms, r.Config.Games, r.Config.Games),
		Columns: append([]string{"bound"}, r.Nulls...),
		Notes:   []string{fmt.Sprintf("At most %.1f %% allowed, %.1f %% with three standard errors of the simulation.", 100*(1-r.Config.Confidence), 100*r.Limit())},
	}
	for i, name := range r.Tests {
		row := []string{name}
		for _, rate := range r.Rates[i] {
			if math.IsNaN(rate) {
				row = append(row, "")
				continue
			}
			row = append(row, fmt.Sprintf("%.1f", 100*rate))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// null draws scores of a mechanism that reaches its claim. A bound that is wrong too often is
// likely to show it there.
type null struct {
	name    string
	epsilon float64 // the true ε at delta
	delta   float64
	mu      float64 // the true µ, if the trade-off is Gaussian; else -1
	member  func(*rand.Rand) float64
	other   func(*rand.Rand) float64
}

func (z null) draw(rng *rand.Rand, n int) audit.Scores {
	s := audit.Scores{Member: make([]float64, n), NonMember: make([]float64, n)}
	for i := range n {
		s.Member[i], s.NonMember[i] = z.member(rng), z.other(rng)
	}
	return s
}

func normal(mu float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 { return rng.NormFloat64() + mu }
}

func laplace(shift float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 {
		if rng.IntN(2) == 0 {
			return shift - rng.ExpFloat64()
		}
		return shift + rng.ExpFloat64()
	}
}

// coin is 1 with the given chance, else 0: randomized response, all ties.
func coin(chance float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 { return indicator(rng.Float64() < chance) }
}

// rare is uniform on [0, 1), save for a rare event of the given chance that scores above 2.
func rare(chance float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 {
		return 2*indicator(rng.Float64() < chance) + rng.Float64()
	}
}

// nulls returns the tight nulls. delta is that of the Gaussian one.
func nulls(delta float64) ([]null, error) {
	gaussian, err := audit.EpsilonOfMu(1, delta)
	if err != nil {
		return nil, err
	}
	pair := audit.EpsilonDelta{Epsilon: 2, Delta: 1e-3}
	keep := 1 / (1 + math.Exp(-1.5))
	return []null{
		{"no leak", 0, delta, 0, normal(0), normal(0)},
		{"Gaussian µ = 1", gaussian, delta, 1, normal(1), normal(0)},
		{"Laplace ε = 1", 1, 0, -1, laplace(1), laplace(0)},
		{"least favorable pair, ε = 2, δ = 0.001", pair.Epsilon, pair.Delta, -1,
			func(rng *rand.Rand) float64 { return -pair.FPR(rng.Float64()) },
			func(rng *rand.Rand) float64 { return -rng.Float64() }},
		{"randomized response ε = 1.5", 1.5, 0, -1, coin(keep), coin(1 - keep)},
		{"rare top ε = 3", 3, 0, -1, rare(0.002 * math.Exp(3)), rare(0.002)},
	}, nil
}
