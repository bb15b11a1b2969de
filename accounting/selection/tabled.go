package selection

import (
	"math"
	"sync"
)

// tabular is a law whose f' is tabulated.
type tabular interface {
	Law
	table() *derivative
}

// tabled is such a law with its table, made once for a price.
type tabled struct {
	Law
	derivative *derivative
	mean       float64
	terms      weights // nil for a law in closed form
}

// resolve returns the law with its table, if it needs one.
func resolve(law Law) Law {
	switch l := law.(type) {
	case listed:
		w := l.terms()
		return &tabled{Law: l, derivative: w.table(), mean: w.mean(), terms: w}
	case tabular:
		return &tabled{Law: l, derivative: l.table(), mean: l.Mean()}
	}
	return law
}

// listed is a law that is a list of chances, which its methods make anew each time.
type listed interface {
	Law
	terms() weights
}

// unresolved returns the law as it was given.
func unresolved(law Law) Law {
	if l, ok := law.(*tabled); ok {
		return l.Law
	}
	return law
}

// Mean returns E[K].
func (l *tabled) Mean() float64 { return l.mean }

// LogPMF, PGF, LogPGFDerivative and SuccessProbability are those of the law.
func (l *tabled) LogPMF(k int) float64 {
	if l.terms == nil {
		return l.Law.LogPMF(k)
	}
	return l.terms.logPMF(k)
}

func (l *tabled) PGF(x float64) float64 {
	if l.terms == nil {
		return l.Law.PGF(x)
	}
	return l.terms.pgf(x)
}

func (l *tabled) LogPGFDerivative(x float64) float64 {
	if l.terms == nil {
		return l.Law.LogPGFDerivative(x)
	}
	return l.terms.logDerivative(math.Log(x))
}

func (l *tabled) SuccessProbability(p float64) float64 {
	if l.terms == nil {
		return l.Law.SuccessProbability(p)
	}
	return l.terms.success(p)
}

// MaxLogWeight searches the ranks that the profile allows.
func (l *tabled) MaxLogWeight(order float64, base Profile) float64 {
	return newRanks(l.derivative, base).worst(order)
}

// rankMemory keeps the ranks of one profile, which learn from question to question.
type rankMemory struct {
	lock  sync.Mutex
	law   *tabled
	ranks *ranks
}

func (m *rankMemory) logWeight(law *tabled, order float64, profile func() Profile) float64 {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.law != law {
		m.law, m.ranks = law, newRanks(law.derivative, profile())
	}
	return m.ranks.worst(order)
}
