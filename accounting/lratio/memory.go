package lratio

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/dplab/dplab/accounting/internal/certificate/splitlaw"
)

// lawKey is all that a law depends on. Equal keys have equal laws.
type lawKey struct {
	factors string // of the program
	cells   int
	logTail float64
}

// memory has what was asked for last. It is safe for concurrent use. A value is a function of its
// key, so no answer depends on what is remembered.
type memory[V any] struct {
	lock sync.Mutex
	last []remembered[V] // the last one asked for first
}

type remembered[V any] struct {
	key lawKey
	get func() (V, error) // builds the value at the first call
}

// mostRemembered is the number of values that are kept. Each has some 100 kB.
const mostRemembered = 32

// of returns the value of a key. build makes it, unless the memory has it. If it is being built, of
// waits for it.
func (m *memory[V]) of(key lawKey, build func() (V, error)) (V, error) {
	m.lock.Lock()
	at := slices.IndexFunc(m.last, func(r remembered[V]) bool { return r.key == key })
	one := remembered[V]{key, sync.OnceValues(build)}
	if at >= 0 {
		one = m.last[at]
		m.last = slices.Delete(m.last, at, at+1)
	}
	m.last = slices.Insert(m.last, 0, one)
	if len(m.last) > mostRemembered {
		m.last = slices.Delete(m.last, mostRemembered, len(m.last))
	}
	m.lock.Unlock()
	return one.get()
}

// laws and curves are the memories of all accountants.
var (
	laws   memory[profile]
	curves memory[splitlaw.Curve]
)

// below returns the profile of the law below a whole program.
func (p program) below(n int, logTail float64) (profile, error) {
	return laws.of(lawKey{p.key(p.lower), n, logTail}, func() (profile, error) {
		l, err := p.law(n, logTail)
		if err != nil {
			return profile{}, err
		}
		return l.profile(), nil
	})
}

// above returns the curve of a law above a whole program, of about as many cells as a law below. A
// few more make up for what a split adds.
func (p program) above(n int, logTail float64) (splitlaw.Curve, error) {
	n = int(1.1 * float64(n))
	return curves.of(lawKey{fmt.Sprint(p.replaced, p.key(p.upper)), n, logTail}, func() (splitlaw.Curve, error) {
		c, err := splitlaw.CurveOf(p.split(), splitlaw.Grid{Cells: n, LogTail: logTail})
		if err != nil {
			return c, fmt.Errorf("%w: %w", errLarge, err)
		}
		return c, nil
	})
}

// key writes down all that a law of the factors depends on. The format %x of a float64 is exact.
func (p program) key(factors map[factor]int) string {
	var key strings.Builder
	fmt.Fprintf(&key, "%x", p.gaussian)
	for _, f := range slices.SortedFunc(maps.Keys(factors), compareFactors) {
		fmt.Fprintf(&key, " %x %d %x %d", f.s, f.period, f.rate, factors[f])
	}
	return key.String()
}
