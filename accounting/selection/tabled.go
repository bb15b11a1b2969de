package selection

import "sync"

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
}

// resolve returns the law with its table, if it needs one.
func resolve(law Law) Law {
	if l, ok := law.(tabular); ok {
		return &tabled{l, l.table(), l.Mean()}
	}
	return law
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
