package law

import (
	"sync"
)

// Profile is an upper bound on the privacy profile of one run, in both directions of the
// neighboring relation.
type Profile struct {
	// DeltaAt does not grow with ε, and is in [0, 1] at every ε >= 0.
	DeltaAt func(epsilon float64) float64
	Quick   bool // DeltaAt takes microseconds, and may be called thousands of times
	// Near, if not nil, returns an upper bound on Crossing, at which its search begins.
	Near func(odds float64) float64

	memory *rankMemory
}

// Memoized returns the profile with a cache. A law that searches ranks then reuses its work from
// question to question.
func (p Profile) Memoized() Profile {
	p.memory = &rankMemory{}
	return p
}

// rankMemory keeps the ranks of one profile, for the laws of one question. With more than
// maxNesting laws it starts again.
type rankMemory struct {
	lock  sync.Mutex
	ranks map[*derivative]*ranks
}

// worstRanks returns the largest weight at an order over the ranks that the profile allows.
func (p Profile) worstRanks(d *derivative, order float64) float64 {
	m := p.memory
	if m == nil {
		return newRanks(d, p).worst(order)
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	r, known := m.ranks[d]
	if !known {
		if m.ranks == nil || len(m.ranks) > maxNesting {
			m.ranks = map[*derivative]*ranks{}
		}
		r = newRanks(d, p)
		m.ranks[d] = r
	}
	return r.worst(order)
}
