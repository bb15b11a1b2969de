package lratio

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
)

// A program is a composition: independent likelihood ratios, each with its number of factors. The
// order of a composition does not matter, because the ratio of the whole is their product.
type program struct {
	lower, upper map[factor]int // the factors of the two laws; they differ if only bounds are known
	gaussian     float64        // the squared distance of all Gaussians, in standard deviations
	revealed     float64        // the same if each example's steps were public
	nonPrivate   bool
	periods      []periods // those that package lattice has better lower ends for
	replaced     bool      // the relation is ReplaceOne: see replaced.go
}

// periods are independent whole periods of one kind.
type periods struct {
	s        float64 // distance of one participation, in standard deviations
	t, k     int
	repeated int
}

// factor is one likelihood ratio. X is that of one Gaussian at distance s.
type factor struct {
	s      float64
	period int     // t >= 1: an average of t independent X
	rate   float64 // w in (0, 1]: the ratio is 1-w+w(average)
}

// mostFactors bounds the number of equal factors.
const mostFactors = 1 << 31

// compile returns the program of a flattened event.
//
// The likelihood ratio of one period of random allocation, with one participation, is the average
// of t independent X (doc.go). The first r of its steps have 1-r/t+(r/t)A_r: with chance 1-r/t the
// example takes part in none of them, and otherwise its step is uniform among them.
//
// With k participations, partition the t steps at random into k blocks, t mod k of size ⌈t/k⌉ and
// the rest of size ⌊t/k⌋. Let the example take part in one step of each block. Its steps are then a
// uniform set of k. If the partition is public, the mechanism is a composition of blocks with one
// participation. Publishing can only raise the divergence (joint convexity). The composition is
// therefore an upper end. A cut period of this kind costs at most a whole one, and at least
// nothing. If it has one step, that is a Poisson sample at rate k/t.
//
// Reference: Feldman, Shenfeld (2025), arXiv:2502.08202 (random allocation and its blocks).
func compile(q ask.Question) (program, error) {
	p := program{lower: map[factor]int{}, upper: map[factor]int{}, replaced: q.Relation() == accounting.ReplaceOne}
	for run, count := range q.Node().Runs() {
		if count >= mostFactors {
			return program{}, fmt.Errorf("lratio: %g runs of one event: must be below %d", count, mostFactors)
		}
		if err := p.add(run, int(count)); err != nil {
			return program{}, err
		}
	}
	return p, p.checkReplaced()
}

func (p *program) add(run accounting.Node, count int) error {
	if _, ok := run.Event.(accounting.NonPrivate); ok {
		p.nonPrivate = true
		return nil
	}
	if s, err := p.distance(run); err == nil {
		p.gaussian += float64(count) * s * s
		p.revealed += float64(count) * s * s
		return nil
	}
	switch e := run.Event.(type) {
	case accounting.PoissonSampled:
		s, err := p.hidden(run.Children[0])
		if err != nil {
			return err
		}
		return p.both(factor{s, 1, run.Rate}, count, float64(count)*s*s)
	case accounting.RandomAllocation:
		s, err := p.hidden(run.Children[0])
		if err != nil {
			return err
		}
		return p.allocation(e, s, count)
	}
	return unsupported(run.Event)
}

func (p *program) allocation(e accounting.RandomAllocation, s float64, count int) error {
	whole, rest := e.Steps/e.Period, e.Steps%e.Period
	revealed := func(periods int) float64 {
		return float64(count) * float64(periods) * float64(e.Participations) * s * s
	}
	if float64(count)*float64(whole+1)*float64(e.Participations) >= mostFactors {
		return errTooMany
	}
	if (e.Participations > 1 || p.replaced) && whole > 0 {
		p.periods = append(p.periods, periods{s, e.Period, e.Participations, count * whole})
	}
	if rest == 1 && e.Participations > 1 {
		rate := float64(e.Participations) / float64(e.Period)
		if err := p.both(factor{s, 1, rate}, count, float64(count)*s*s); err != nil {
			return err
		}
		rest = 0
	}
	if e.Participations == 1 {
		err := p.both(factor{s, e.Period, 1}, count*whole, revealed(whole))
		if rest > 0 {
			err = errors.Join(err, p.both(factor{s, rest, float64(rest) / float64(e.Period)}, count, revealed(1)))
		}
		return err
	}
	if rest > 0 {
		whole++
	}
	p.revealed += revealed(whole)
	long, short := e.Period%e.Participations, e.Participations-e.Period%e.Participations
	size := e.Period / e.Participations
	return errors.Join(
		insert(p.upper, factor{s, size, 1}, count*whole*short),
		insert(p.upper, factor{s, size + 1, 1}, count*whole*long))
}

// both adds factors that both laws have.
func (p *program) both(f factor, count int, revealed float64) error {
	p.revealed += revealed
	return errors.Join(insert(p.lower, f, count), insert(p.upper, f, count))
}

func insert(to map[factor]int, f factor, count int) error {
	if count == 0 {
		return nil
	}
	if count < 0 || to[f]+count >= mostFactors {
		return errTooMany
	}
	to[f] += count
	return nil
}

var errTooMany = fmt.Errorf("lratio: too many periods or steps of one kind: must be below %d", mostFactors)

func unsupported(event accounting.Event) error {
	return fmt.Errorf("lratio: event %T: %w", event, accounting.ErrUnsupportedEvent)
}

// distance returns the distance, in standard deviations, that an example moves a composition of
// Gaussians from a zero vector in its place, if event is one. Releases of one step on one batch are
// one release of two vectors: the lengths of an example's parts add in squares.
//
// Under ReplaceOne two examples are at that distance on two sides of the zero vector (replaced.go).
// The noise of a Gaussian is then relative to twice the distance, that of a ClippedSum to one.
func (p program) distance(event accounting.Node) (float64, error) {
	squares := 0.0
	for run, count := range event.Runs() {
		switch e := run.Event.(type) {
		case accounting.Gaussian:
			square := count / e.NoiseMultiplier / e.NoiseMultiplier
			if p.replaced {
				square /= 4
			}
			squares += square
		case accounting.ClippedSum:
			squares += count / e.NoiseMultiplier / e.NoiseMultiplier
		default:
			return 0, unsupported(run.Event)
		}
	}
	return math.Sqrt(squares), nil
}

// law returns the law below a whole program.
func (p program) law(n int, logTail float64) (law, error) {
	total := 1
	for _, count := range p.lower {
		total += count
	}
	b := builder{n, logTail - logOf(total)}
	whole := one()
	for _, f := range slices.SortedFunc(maps.Keys(p.lower), compareFactors) {
		l, err := b.factor(f)
		if err == nil {
			l, err = b.power(l, p.lower[f])
		}
		if err == nil {
			whole, err = b.join(whole, l)
		}
		if err != nil {
			return law{}, err
		}
	}
	if p.gaussian > 0 {
		l, err := b.gaussian(math.Sqrt(p.gaussian), b.logTau)
		if err != nil {
			return law{}, err
		}
		l.eta += 16 * float64(len(p.lower)+4) * unit * l.reach() // the sum of squares is rounded
		return b.join(whole, l)
	}
	return whole, nil
}

func compareFactors(a, b factor) int {
	return cmp.Or(cmp.Compare(a.s, b.s), cmp.Compare(a.period, b.period), cmp.Compare(a.rate, b.rate))
}

// factor returns the law of one factor.
func (b builder) factor(f factor) (law, error) {
	l, err := b.allocation(f.s, f.period)
	if err != nil || f.rate == 1 {
		return l, err
	}
	fitted, _, err := b.fit(l.mixed(f.rate, b.n))
	if err != nil {
		return law{}, err
	}
	return fitted[0], nil
}
