package auditbounds

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/onerun"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
)

// Caught has the shares of audits that catch an engine with half of its noise. The claim is µ. The
// scores are N(2µ, 1) with a canary and N(0, 1) without.
type Caught struct {
	Config   Config
	Canaries []int // of one training
	Claims   []CaughtClaim
}

// CaughtClaim are the shares for one claim.
type CaughtClaim struct {
	Mu            float64
	Guesses       []int     // by number of canaries, fixed beforehand
	OneTraining   []float64 // by number of canaries: those whose guesses refute that any run is µ-GDP
	Honest        []float64 // the same of an engine with all of its noise
	ByAUC, ByRank float64   // of audits by 1,000 games, one training each: a Gaussian engine assumed, and nothing
}

var caughtCanaries = []int{100, 150, 200, 300, 400, 500, 600, 800, 1000, 1500, 2000}

// HalfTheNoise simulates audits of such an engine for µ = 1 and 2.
func HalfTheNoise(c Config) (Caught, error) {
	r := Caught{Config: c, Canaries: caughtCanaries}
	if err := c.Validate(); err != nil {
		return r, err
	}
	for _, mu := range []float64{1, 2} {
		claim := CaughtClaim{Mu: mu}
		for _, m := range r.Canaries {
			if err := claim.play(c, m); err != nil {
				return r, err
			}
		}
		if err := claim.playGames(c); err != nil {
			return r, err
		}
		r.Claims = append(r.Claims, claim)
	}
	return r, nil
}

// play simulates trainings with m canaries. The number of guesses is the one that convicts most
// often in trainings drawn apart.
func (p *CaughtClaim) play(c Config, m int) error {
	const planning = 100
	best := -1.0
	var guesses, convicts int
	for _, share := range []float64{0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6} {
		r := max(1, int(share*float64(m)))
		least, err := p.convicting(c, m, r)
		if err != nil {
			return err
		}
		caught, err := p.share("planning", planning, c, m, r, least, 2)
		if err != nil {
			return err
		}
		if caught > best {
			best, guesses, convicts = caught, r, least
		}
	}
	caught, err := p.share("training", c.Audits, c, m, guesses, convicts, 2)
	if err != nil {
		return err
	}
	honest, err := p.share("training", c.Audits, c, m, guesses, convicts, 1)
	p.Guesses, p.OneTraining, p.Honest = append(p.Guesses, guesses), append(p.OneTraining, caught), append(p.Honest, honest)
	return err
}

// convicting returns the least number of right guesses of r that refutes the claim, r+1 if none
// does.
func (p *CaughtClaim) convicting(c Config, m, r int) (least int, err error) {
	least = sort.Search(r+1, func(right int) bool {
		v, e := onerun.TestClaim(onerun.Guesses{Canaries: m, Guessed: r, Correct: right}, audit.GDP{Mu: p.Mu}, audit.Config{Confidence: c.Confidence})
		err = errors.Join(err, e)
		return v.Contradicted
	})
	return least, err
}

// share returns how many of so many trainings, whose canaries leak so many times µ, convict.
func (p *CaughtClaim) share(name string, trainings int, c Config, m, r, convicts int, leak float64) (float64, error) {
	convicted, err := parallel.Map(trainings, func(i int) (float64, error) {
		g, err := onerun.Guess(p.coins(c.root().Rand(fmt.Sprintf("%s %d, %d canaries, µ %g", name, i, m, p.Mu)), m, leak), r)
		return indicator(g.Correct >= convicts), err
	})
	return stat.Mean(convicted, nil), err
}

// coins draws the scores of one training, whose canaries leak so many times µ.
func (p *CaughtClaim) coins(rng *rand.Rand, m int, leak float64) (s audit.Scores) {
	for range m {
		if score := rng.NormFloat64(); data.Coin(0.5, rng) {
			s.Member = append(s.Member, score+leak*p.Mu)
		} else {
			s.NonMember = append(s.NonMember, score)
		}
	}
	return s
}

// playGames simulates audits of 500 games of each world.
func (p *CaughtClaim) playGames(c Config) error {
	byAUC, byRank, err := c.both(fmt.Sprintf("games, µ %g, audit ", p.Mu), null{member: normal(2 * p.Mu), other: normal(0)}, 500, func(scores audit.Scores) (byAUC, byRank float64, err error) {
		b, errAUC := audit.GDPAUC(scores, c.level(), nil)
		q, errRank := audit.RankTwoTailP(scores, audit.GDP{Mu: p.Mu}, 10)
		return indicator(b.Mu > p.Mu), indicator(q <= 1-c.Confidence), errors.Join(errAUC, errRank)
	})
	p.ByAUC, p.ByRank = stat.Mean(byAUC, nil), stat.Mean(byRank, nil)
	return err
}

// indicator is 1 for what is true.
func indicator(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// Figure draws the shares against the number of canaries.
func (r Caught) Figure() chart.Figure {
	x := figures.Floats(r.Canaries)
	c := chart.Chart{
		Name: "audit-bounds-caught", Title: "Half of the noise, found in one training",
		XLabel: "canaries of the training m", YLabel: "share of audits that refute the claim", XLog: true, YMin: 0, YMax: 1.1,
		Notes: []string{fmt.Sprintf("%d simulated trainings a point, at confidence %g. The number of guesses was found on other trainings.", r.Config.Audits, r.Config.Confidence)},
	}
	for _, p := range r.Claims {
		c.Curves = append(c.Curves, chart.Curve{Label: fmt.Sprintf("claimed µ = %g", p.Mu), X: x, Y: p.OneTraining})
	}
	c.Curves = append(c.Curves, figures.Level("95 %", x, 0.95), figures.Level("allowed for an honest engine", x, 1-r.Config.Confidence))
	return c
}

// Table lists how many canaries of one training are enough, and what 1,000 games show.
func (r Caught) Table() figures.Table {
	t := figures.Table{Name: "audit-bounds-caught-shares", Title: "Half of the noise: canaries at which 95 % of trainings refute the claim",
		Columns: []string{"claimed µ", "canaries", "coins guessed", "caught in", "with the number before", "1,000 games, AUC", "two-tail rank test", "honest engine accused, at most"}}
	for _, p := range r.Claims {
		row := []string{fmt.Sprint(p.Mu), fmt.Sprintf("more than %d", r.Canaries[len(r.Canaries)-1]), "", "", figures.Percent(p.OneTraining[len(p.OneTraining)-1], 1)}
		if i := slices.IndexFunc(p.OneTraining, func(share float64) bool { return share >= 0.95 }); i >= 0 {
			row = []string{fmt.Sprint(p.Mu), fmt.Sprint(r.Canaries[i]), fmt.Sprint(p.Guesses[i]), figures.Percent(p.OneTraining[i], 1), ""}
			if i > 0 {
				row[4] = figures.Percent(p.OneTraining[i-1], 1)
			}
		}
		t.Rows = append(t.Rows, append(row, figures.Percent(p.ByAUC, 1), figures.Percent(p.ByRank, 1), figures.Percent(slices.Max(p.Honest), 1)))
	}
	return t
}
