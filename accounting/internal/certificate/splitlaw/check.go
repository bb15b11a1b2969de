// Package splitlaw bounds δ and ε of compositions of random allocations, samples and Gaussians from
// above. Package lratio prices them, with its own lower ends.
//
// It builds a law of the likelihood ratio Z. An atom that is split into two of the same mean raises
// δ in both directions. Every mass is rounded up, and every place has an interval, so no bound on
// errors is needed, and what a law shows is a certificate. It takes as given that the pair of
// lratio's doc.go dominates the mechanism.
package splitlaw

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// Program is a product of independent likelihood ratios.
type Program struct {
	Factors  []Factor
	Gaussian float64 // distance of a shown Gaussian, in standard deviations; 0 if there is none
	// Replaced asks for both steps of a replaced record, from one to none and to the other.
	Replaced bool
}

// Factor is 1-w+w(X_1+..+X_m)/m with independent X = dN(s,1)/dN(0,1), Count times.
type Factor struct {
	Distance float64 // s, in standard deviations
	Period   int     // m >= 1
	Rate     float64 // w in (0, 1]
	Count    int
}

// Grid is what the search proposes. Any values give a right answer.
type Grid struct {
	Cells   int     `json:"cells"`    // of a law, about
	LogTail float64 `json:"log_tail"` // ln of the mass of all tails
}

const (
	mostCells    = 1 << 15
	leastLogTail = -780 // below ln of the least float64
	mostLog      = 1000 // the largest |ln z| of a grid
)

const claim = "a law of the likelihood ratio that dominates it, split on a geometric grid, in both directions"

// Given is what all checks of this package take as given. Package lratio also searches by this law.
const Given = "that the pair of laws of package lratio dominates the event and that the law of package splitlaw, the search's too, is above it"

// Rule is the rule of a proof by this package. It has a Grid.
const Rule = "likelihood ratios"

// Delta returns an upper bound of δ at epsilon >= 0, by two look-ups in the list of points, or by
// some hundred if a record is replaced.
func (c Curve) Delta(epsilon float64) (float64, error) {
	d := interval.Up(c.delta(epsilon) / scale)
	if math.IsInf(d, 1) {
		return math.NaN(), fmt.Errorf("no law of likelihood ratios at ε = %g", epsilon)
	}
	return d, nil
}

// Check checks that δ at epsilon is at most delta.
func (c Curve) Check(epsilon, delta float64) (accounting.Certificate, error) {
	d, err := c.Delta(epsilon)
	if err == nil && !(d <= delta) {
		err = fmt.Errorf("the laws of likelihood ratios show δ <= %g at ε = %g", d, epsilon)
	}
	if err != nil {
		return accounting.Certificate{}, err
	}
	return accounting.Certificate{Claim: claim, Given: []string{Given}, Epsilon: epsilon, DeltaUpper: d, Work: len(c.mass), Proof: certificate.Proof(Rule, c.grid)}, nil
}

// delta bounds δ(ε), times scale. It is +Inf if nothing is known.
func (c Curve) delta(epsilon float64) float64 {
	if !(epsilon >= 0) || len(c.places) == 0 {
		return math.Inf(1)
	}
	if !c.replaced {
		return max(c.removed(of(epsilon)), c.added(of(epsilon)))
	}
	// H_{cc'}(P‖P') <= H_c(P‖N) + c H_{c'}(N‖P') for any c: see lratio, replaced.go.
	best := math.Inf(1)
	at, width := epsilon/2, epsilon/2
	for range 8 {
		middle := at
		for i := -4; i <= 4; i++ {
			part := max(0, min(epsilon, middle+width*float64(i)/4))
			rest := of(max(0, of(epsilon).Sub(of(part)).Lo))
			if d := of(c.removed(of(part))).Add(of(weigh(c.added(rest), of(part)))).Hi; d < best {
				best, at = d, part
			}
		}
		width /= 3
	}
	return best
}

// LogDelta bounds ln δ at epsilon >= 0. It may be below ln of the least float64.
func (c Curve) LogDelta(epsilon float64) float64 {
	d := c.delta(epsilon)
	if !(d <= scale) {
		return 0
	}
	return min(0, of(d).Log().Sub(of(scale).Log()).Hi)
}

// maker makes laws of one program.
type maker struct {
	cells  int
	logTau float64 // ln of the mass of a tail
	step   float64 // of the first law; all steps are this times a power of two
	far    bool    // some |ln z| is beyond mostLog
}

// law returns the law of the program.
func (p Program) law(g Grid) (law, error) {
	if !(g.Cells >= 16 && g.Cells <= mostCells && g.LogTail <= 0 && g.LogTail >= leastLogTail) {
		return law{}, fmt.Errorf("a grid of %d cells with tails of mass e^%g does not fit", g.Cells, g.LogTail)
	}
	total := 1.0
	for _, f := range p.Factors {
		total += float64(f.Count)
	}
	m := maker{cells: g.Cells, logTau: g.LogTail - numeric.Log(total)}
	var out *law
	for _, f := range p.Factors {
		l, err := m.factor(f)
		if err != nil {
			return law{}, err
		}
		l = m.power(l, f.Count)
		if out != nil {
			l = m.times(*out, l)
		}
		out = &l
	}
	if p.Gaussian > 0 {
		l, err := m.oneStep(p.Gaussian, 1)
		if err != nil {
			return law{}, err
		}
		if out != nil {
			l = m.times(*out, l)
		}
		out = &l
	}
	switch {
	case out == nil:
		return law{}, errors.New("nothing to check")
	case m.far:
		return law{}, fmt.Errorf("losses beyond %d", mostLog)
	}
	return *out, nil
}

// oneStep returns the law of one of count X.
func (m *maker) oneStep(s float64, count int) (law, error) {
	s = max(s, leastDistance) // a larger distance dominates
	far := math.Sqrt(2 * (numeric.Log(float64(count)) - m.logTau))
	if s*far+s*s/2 > mostLog {
		return law{}, fmt.Errorf("losses beyond %d", mostLog)
	}
	h := s * (2*far + s) / float64(m.cells)
	if m.step == 0 {
		m.step = h
	}
	if h = m.step * halvings(h/m.step); !(h > 0 && h < 1) {
		return law{}, fmt.Errorf("no grid for a distance of %g", s)
	}
	return oneStep(s, h, far)
}

// leastDistance is far above the distances whose cells are lost in rounding.
const leastDistance = 1e-9

// factor returns the law of one factor.
func (m *maker) factor(f Factor) (law, error) {
	if f.Period < 1 || !(f.Rate > 0 && f.Rate <= 1) || f.Count < 1 {
		return law{}, fmt.Errorf("factor %+v: must have Period and Count >= 1 and Rate in (0, 1]", f)
	}
	l, err := m.oneStep(f.Distance, f.Period)
	if err != nil {
		return law{}, err
	}
	l = m.period(l, f.Period)
	if f.Rate < 1 {
		mixed, err := l.mixed(f.Rate, m.cells)
		if err != nil {
			return law{}, err
		}
		return mixed.trimmed(m.logTau), nil
	}
	return l, nil
}

// period returns the law of the average of t independent X. The averages of terms and of terms+1
// are carried down the digits of the odd part of t, and the last is then doubled.
func (m *maker) period(x law, t int) law {
	doublings := bits.TrailingZeros(uint(t))
	odd := t >> doublings
	fitted, finer := m.fit(x)
	now, terms := fitted[0], 1
	if odd > 1 {
		pair, r := m.fit(now, average(now, now, 1, 1, 1))
		for digit := bits.Len(uint(odd)) - 2; digit >= 0; digit-- {
			small, large := pair[0], pair[1]
			next := []law{average(small, large, terms, terms+1, r)}
			twice := 2*terms + 1
			if digit > 0 && odd>>digit&1 == 0 {
				next, twice = append([]law{average(small, small, 1, 1, r)}, next...), 2*terms
			} else if digit > 0 {
				next = append(next, average(large, large, 1, 1, r))
			}
			pair, r = m.fit(next...)
			terms = twice
		}
		now, finer = pair[0], r
	}
	for range doublings {
		fitted, finer = m.fit(average(now, now, 1, 1, finer))
		now = fitted[0]
	}
	return now
}

// fit trims laws and brings them to at most the number of cells, with one step. finer is 2 if the
// next average may halve the step.
func (m *maker) fit(laws ...law) (fitted []law, finer int) {
	longest := 0
	for _, l := range laws {
		l = l.trimmed(m.logTau)
		m.far = m.far || max(-l.at(0).Lo, l.at(len(l.mass)-1).Hi) > mostLog
		fitted, longest = append(fitted, l), max(longest, len(l.mass))
	}
	for longest > m.cells {
		longest = 0
		for i, l := range fitted {
			fitted[i] = l.coarser()
			longest = max(longest, len(fitted[i].mass))
		}
	}
	finer = 1
	if float64(longest) < 0.55*float64(m.cells) {
		finer = 2
	}
	return fitted, finer
}

// times returns the law of a product, on the coarser of the two grids.
func (m *maker) times(x, y law) law {
	for x.step < y.step {
		x = x.coarser()
	}
	for y.step < x.step {
		y = y.coarser()
	}
	fitted, _ := m.fit(product(x, y))
	return fitted[0]
}

// power returns the law of the product of count independent Z.
func (m *maker) power(l law, count int) law {
	var out *law
	for {
		if count&1 == 1 {
			whole := l
			if out != nil {
				whole = m.times(*out, l)
			}
			out = &whole
		}
		if count >>= 1; count == 0 {
			return *out
		}
		l = m.times(l, l)
	}
}
