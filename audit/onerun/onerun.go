// Package onerun bounds ε from below by one training run with many canaries, each included by an
// independent fair coin. [Bounds] takes the scores of all canaries, guessed or not. The bounds see
// only [Guesses] of them.
//
//	scores := audit.Scores{Member: in, NonMember: out}
//	report, err := onerun.Bounds(scores, audit.Config{Delta: 1e-5, Guesses: 200})
//
// The bounds are [Bound], [Max] and, if the trade-off is Gaussian, [FDP]. [InTurn] is for guesses
// that learn from those before them ([GuessInTurn]).
//
// It promises nothing to other modules.
package onerun

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/internal/tails"
)

// Guesses are the outcome of an audit in one run: m canaries were each included by an
// independent fair coin, and the auditor guessed some of the coins.
type Guesses struct {
	Canaries int // m: all canaries whose coin was tossed, guessed or not
	Guessed  int // r: coins guessed; the others were left open
	Correct  int // v: guesses that were right
}

// Validate returns an error unless 0 <= Correct <= Guessed <= Canaries and Guessed >= 1.
func (g Guesses) Validate() error {
	f := check.In("onerun: Guesses.")
	f.That(g.Guessed >= 1 && g.Guessed <= g.Canaries, "Guessed", g.Guessed, fmt.Sprintf("must be in [1, Canaries = %d]", g.Canaries))
	f.That(g.Correct >= 0 && g.Correct <= g.Guessed, "Correct", g.Correct, fmt.Sprintf("must be in [0, Guessed = %d]", g.Guessed))
	return f.Err()
}

func (g Guesses) perfect() Guesses { return Guesses{g.Canaries, g.Guessed, g.Guessed} }

// maxEpsilon keeps e^ε finite.
const maxEpsilon = 650

const steinkeReference = "Steinke, Nasr, Jagielski (2023), arXiv:2305.08846v1, Theorem 5.2, with its δ term"

// Bound returns the lower bound on ε from the guesses of one run: the largest ε with
//
//	f(v) + 2mδ max_{1<=i<=m} (f(v-i)-f(v))/i <= significance
//	f(v) = P[Bin(r, e^ε/(1+e^ε)) >= v]
//
// or with the left side of [Max], if that is more. It can be more if f(v) is near 1: there the
// theorem's δ term is too small (atonce.go has the case).
//
// m counts all canaries, also those that were not guessed. A rule that was fixed beforehand must
// choose the guessed ones from the scores.
func Bound(g Guesses, cfg audit.Config) (audit.Bound, error) {
	if err := errors.Join(g.Validate(), cfg.Validate()); err != nil {
		return audit.Bound{}, err
	}
	b := audit.NewBound("one-run", audit.AssumeOneRun, cfg, steinkeReference)
	b.ChosenBefore = g.fixed()
	b.Epsilon = steinke(g, cfg)
	b.Ceiling = steinke(g.perfect(), cfg)
	doubtCeiling(&b, g, func(g Guesses) bool { return steinkeP(g, 0, cfg.Delta) < cfg.Significance() })
	return b, nil
}

func (g Guesses) fixed() string {
	return fmt.Sprintf("the number of guesses, %d of %d canaries, stated as fixed beforehand (%d were right)", g.Guessed, g.Canaries, g.Correct)
}

func steinke(g Guesses, cfg audit.Config) float64 {
	return largestRefuted(maxEpsilon, cfg.Significance(), func(eps float64) float64 { return steinkeP(g, eps, cfg.Delta) })
}

// largestRefuted returns the largest θ in [0, limit] with p(θ) <= significance, rounded down
// to 1e-9, or 0.
func largestRefuted(limit, significance float64, p func(float64) float64) float64 {
	logP := func(theta float64) float64 { return numeric.Log(math.Max(p(theta), 1e-300)) }
	theta, _ := tails.LastBelowFrom(logP, numeric.Log(significance), 0, 1, limit, 1e-9)
	return theta
}

// steinkeP returns the bound on the chance of at least v correct guesses under (ε, δ)-DP.
func steinkeP(g Guesses, eps, delta float64) float64 {
	r, v := g.Guessed, g.Correct
	p := tails.Logistic(eps)
	beta := tails.BinomialUpper(v, r, p)
	if delta > 0 {
		beta += 2 * float64(g.Canaries) * delta * largestMean(r, v, p)
	}
	return math.Min(1, math.Max(beta, atOnceP(g, eps, delta)))
}

// largestMean returns max over i >= 1 of (f(v-i)-f(v))/i, the mean of the i binomial probabilities
// just below v. Going down from v they rise, then fall. The mean grows until it meets a probability
// below itself. Probabilities below 1e-40 of the mode's are skipped: they cannot move a sum that
// reaches the mode.
func largestMean(r, v int, p float64) float64 {
	mode := min(int(float64(r+1)*p), r)
	start := v - 1
	if start > mode {
		floor := tails.BinomialPMF(mode, r, p) * 1e-40
		start -= sort.Search(start-mode, func(i int) bool { return tails.BinomialPMF(v-1-i, r, p) >= floor })
	}
	var sum, best float64
	term := tails.BinomialPMF(max(start, 0), r, p)
	for j := start; j >= 0; j-- {
		sum += term
		mean := sum / float64(v-j)
		if mean < best {
			break
		}
		best = mean
		term *= float64(j) / float64(r-j+1) * (1 - p) / p
	}
	return best
}
