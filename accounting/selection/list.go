package selection

import (
	"math"
	"math/rand/v2"
	"sync"
)

// list is the distribution of a law that is a list of chances, made once.
type list struct {
	Law                // that it is from
	weights    weights // the chances
	mean       float64 // E[K]
	draw       draws   // how K is drawn; nil inverts the distribution function
	ranksTable func() *derivative

	// whole, if not nil, is the law that was truncated: ln(E[K]/(E[K given K <= Max] P[K <= Max])) is
	// excess, and never below 0. See limited.
	whole  Distribution
	excess float64
}

// draws draws K.
type draws func(rng *rand.Rand) (int, error)

func newList(law Law, w weights, draw draws) *list {
	return &list{Law: law, weights: w, mean: w.mean(), draw: draw, ranksTable: sync.OnceValue(w.table)}
}

func (l *list) Distribution() Distribution { return l }

func (l *list) Mean() float64                        { return l.mean }
func (l *list) LogPMF(k int) float64                 { return l.weights.logPMF(k) }
func (l *list) PGF(x float64) float64                { return l.weights.pgf(x) }
func (l *list) LogPGFDerivative(x float64) float64   { return l.weights.logDerivative(math.Log(x)) }
func (l *list) SuccessProbability(p float64) float64 { return l.weights.success(p) }
func (l *list) ExpectedQuantile() float64            { return l.weights.quantile() }

// MaxLogWeight searches the ranks that the profile allows, see ranks; for a truncated law it is
// never above what limited says.
func (l *list) MaxLogWeight(order float64, base Profile) float64 {
	return limited(l, order, func(d Distribution) float64 {
		if r, ok := d.(ranked); ok {
			return newRanks(r.table(), base).worst(order)
		}
		return d.MaxLogWeight(order, base)
	})
}

func (l *list) Rand(rng *rand.Rand) (int, error) {
	switch {
	case rng == nil:
		return 0, errNilRand
	case l.draw != nil:
		return l.draw(rng)
	}
	return l.weights.rand(rng), nil
}

func (l *list) table() *derivative { return l.ranksTable() }

// ranked is a distribution whose MaxLogWeight searches ranks in a table of f'.
type ranked interface {
	Distribution
	table() *derivative
}

// given returns the law that a distribution is from.
func given(d Distribution) Law {
	switch d := d.(type) {
	case *list:
		return d.Law
	case *tabledTwoPoint:
		return d.TwoPoint
	case Law:
		return d
	}
	return nil
}

// rankMemory keeps the ranks of one profile, which learn from question to question. It is for the
// laws of one question: any other starts anew.
type rankMemory struct {
	lock  sync.Mutex
	ranks map[ranked]*ranks
}

func (m *rankMemory) logWeight(law ranked, order float64, profile func() Profile) float64 {
	m.lock.Lock()
	defer m.lock.Unlock()
	r, known := m.ranks[law]
	if !known {
		if m.ranks == nil || len(m.ranks) > maxNesting {
			m.ranks = map[ranked]*ranks{}
		}
		r = newRanks(law.table(), profile())
		m.ranks[law] = r
	}
	return r.worst(order)
}
