// Package monitor bounds ε from below while the games of an audit are still being played.
//
// It promises nothing to other modules.
package monitor

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/internal/level"
	"github.com/dplab/dplab/audit/internal/repeats"
	"github.com/dplab/dplab/audit/internal/tails"
)

// Config describes an audit that is watched while its games are played.
type Config struct {
	Delta      float64 // δ in [0, 1)
	Confidence float64 // in [0.5, 1); 0 means 0.95; Warnings has a warning below 0.9
	Upper      float64 // a score above it is called a member's
	Lower      float64 // a score below it is called a non-member's; at most Upper
}

// Validate returns an error that names every field out of range.
func (c Config) Validate() error {
	f := check.In("monitor: Config.")
	f.That(c.Lower <= c.Upper, "Lower", fmt.Sprintf("%g, Upper %g", c.Lower, c.Upper), "must be numbers in order")
	f.Add(c.audit().Validate())
	return f.Err()
}

func (c Config) audit() audit.Config { return audit.Config{Delta: c.Delta, Confidence: c.Confidence} }

// maxEpsilon keeps e^ε finite.
const maxEpsilon = 650

// Monitor is a lower bound on ε that may be checked after every game. The audit may be stopped at
// any time without spending confidence: the chance that the bound is ever wrong is at most 1 -
// Confidence.
//
// Games are paired in the order of their arrival, the i-th member with the i-th non-member. Let a,
// b be the calls of a pair by the upper threshold. Under (ε, δ)-DP a - e^ε b - δ has mean <= 0. Bet
// the fraction f of the most that a loss can cost. The wealth
//
//	W = Π (1 + f (a - e^ε b - δ)/(e^ε + δ)),  0 < f < 1
//
// is then a nonnegative supermartingale, and so are means of W over several f and both thresholds.
// By Ville's inequality W >= 1/significance happens with at most that chance. The bound is the
// largest ε at which it has happened. (A pair with a = b = 0 is charged as at ε = 0, which keeps W
// falling in ε.)
//
// Reference: Ville (1939); for audits by betting, arXiv:2509.07055 (2025).
type Monitor struct {
	config              Config
	members, nonMembers []pendingGame // at most one of the two is not empty
	upper, lower        pairCounts
	epsilon             float64
	pairs               int
	seen                [2][]float64 // all scores of members and of non-members, for the warnings
}

type pendingGame struct{ score, upper, lower float64 }

// pairCounts counts pairs by the calls (own class, other class).
type pairCounts struct{ both, own, other, neither float64 }

// New returns a Monitor that has seen no games.
func New(cfg Config) (*Monitor, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Monitor{config: cfg}, nil
}

// SetThresholds changes the thresholds for later pairs: those without a game so far. They may
// depend on everything seen before.
func (m *Monitor) SetThresholds(lower, upper float64) error {
	next := m.config
	next.Lower, next.Upper = lower, upper
	if err := next.Validate(); err != nil {
		return err
	}
	m.config = next
	return nil
}

// Observe adds one game. A score that is NaN or infinite is an error and changes nothing.
func (m *Monitor) Observe(score float64, member bool) error {
	if err := check.Finite.Of("monitor: score", score); err != nil {
		return err
	}
	game := pendingGame{score, m.config.Upper, m.config.Lower}
	own, other := &m.members, &m.nonMembers
	class := 0
	if !member {
		own, other, class = other, own, 1
	}
	m.seen[class] = append(m.seen[class], score)
	if len(*other) == 0 {
		*own = append(*own, game)
		return nil
	}
	first := (*other)[0]
	*other = (*other)[1:]
	in, out := score, first.score
	if !member {
		in, out = out, in
	}
	m.upper.add(in > first.upper, out > first.upper)
	m.lower.add(out < first.lower, in < first.lower)
	m.pairs++
	m.update()
	return nil
}

func (c *pairCounts) add(own, other bool) {
	switch {
	case own && other:
		c.both++
	case own:
		c.own++
	case other:
		c.other++
	default:
		c.neither++
	}
}

// EpsilonLower returns the bound so far and the number of pairs behind it.
func (m *Monitor) EpsilonLower() (epsilon float64, pairs int) { return m.epsilon, m.pairs }

// Warnings returns the doubts about the bound: a confidence below 0.9, and scores that repeat each
// other more often than those of independent games. Each call sorts the scores seen so far.
func (m *Monitor) Warnings() []error {
	var doubts []error
	if doubt := level.Doubt(1 - m.config.audit().Significance()); doubt != nil {
		doubts = append(doubts, doubt)
	}
	in, out := slices.Sorted(slices.Values(m.seen[0])), slices.Sorted(slices.Values(m.seen[1]))
	return append(doubts, repeats.Doubts(in, out)...)
}

func (m *Monitor) update() {
	target := numeric.Log(m.config.audit().Significance()) // -ln W grows in ε; ε is refuted if it is <= target
	loss := func(eps float64) float64 { return -m.logWealth(eps) }
	m.epsilon, _ = tails.LastBelowFrom(loss, target, m.epsilon, m.epsilon+1, maxEpsilon, 1e-6)
}

// fractions are the bets whose wealth is averaged.
var fractions = [...]float64{0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64}

// logWealth returns ln of the mean wealth of all bets against ε.
func (m *Monitor) logWealth(eps float64) float64 {
	var logs [2 * len(fractions)]float64
	top := math.Inf(-1)
	for i, f := range fractions {
		logs[2*i] = m.upper.logWealth(f, eps, m.config.Delta)
		logs[2*i+1] = m.lower.logWealth(f, eps, m.config.Delta)
		top = math.Max(top, math.Max(logs[2*i], logs[2*i+1]))
	}
	var sum float64
	for _, l := range logs {
		sum += math.Exp(l - top)
	}
	return top + numeric.Log(sum/float64(len(logs)))
}

func (c pairCounts) logWealth(f, eps, delta float64) float64 {
	e := math.Exp(eps)
	unit := f / (e + delta)
	return c.both*math.Log1p(unit*(1-e-delta)) + c.own*math.Log1p(unit*(1-delta)) +
		c.other*math.Log1p(-f) + c.neither*math.Log1p(-f*delta/(1+delta))
}
