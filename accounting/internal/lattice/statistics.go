package lattice

import (
	"math"

	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// Placement describes a period of Steps outputs with noise of standard deviation NoiseMultiplier.
// The means of Moved of them, a random subset, are P with the record and Q without it.
type Placement struct {
	NoiseMultiplier float64 // σ > 0
	Steps           int     // T >= 1
	Moved           int     // k from 1 to T
	P, Q            float64 // P > Q
}

// Pair has the laws of one attack: p with the record, and q without it. They list the same values.
type Pair struct{ p, q law }

// newPair lists the values that both laws list. All other outputs are left out of every event.
func newPair(p, q law) Pair {
	first, end := max(p.first, q.first), min(p.first+len(p.mass), q.first+len(q.mass))
	if end < first {
		end = first
	}
	cut := func(l law) law {
		if end > first {
			l.mass = l.mass[first-l.first : end-l.first]
		} else {
			l.mass = nil
		}
		l.first = first
		return l
	}
	return Pair{cut(p), cut(q)}
}

// Listed returns the chances of the values of one period that both laws list, with the record and
// without it. The true chances are between 1-relative and 1+relative times these. Values whose
// chance is less certain are left out.
func (p Pair) Listed() (with, without []float64, relative float64) {
	const few = 1e-6
	for i, m := range p.p.mass {
		if n := p.q.mass[i]; m*few > p.p.missing && n*few > p.q.missing {
			with, without = append(with, m), append(without, n)
		}
	}
	return with, without, math.Max(p.p.relative, p.q.relative) + few
}

// Sums returns the attack Σ G(w_i), with G one rounded value of
//
//	ln(1 + e^{P (w - center)/σ²}),        for Q >= 0
//	the same minus its value at -w,       for Q < 0
//
// G nearly preserves what the outputs show about the record: Σ ln(1 + u e^{P w_i/σ²}) generates
// the sums of products of likelihood ratios. Any G gives a lower end. cells is the number of
// values of the sum in a standard deviation, and δ the one of the question.
func Sums(s Placement, center float64, cells int, delta float64) Pair {
	slope := s.P / (s.NoiseMultiplier * s.NoiseMultiplier)
	g := func(w float64) float64 { return logistic(slope * (w - center)) }
	if s.Q < 0 {
		g = func(w float64) float64 { return logistic(slope*(w-center)) - logistic(slope*(-w-center)) }
	}
	edges, values := rounded(s, g, cells)
	drop := math.Max(delta*1e-18, least)
	at := func(mean float64) law { return ofValues(values, cellsOf(edges, mean, s.NoiseMultiplier)).trimmed(drop) }
	p, q := at(s.P).times(s.Moved, drop), at(s.Q).times(s.Moved, drop)
	if rest := s.Steps - s.Moved; rest > 0 {
		others := at(0).times(rest, drop)
		p, q = p.plus(others).trimmed(drop), q.plus(others).trimmed(drop)
	}
	return newPair(p, q)
}

// fineCells is the number of intervals on which G is constant before it is rounded, and fewCells
// the least number of its values in a standard deviation.
const fineCells, fewCells, mostValues = 4000, 3, 40

// saturated is a distance above P, in standard deviations. Beyond it G is constant.
const saturated = 5

// rounded returns a step function near a rising g, as edges and one value of each cell between
// them. Any edges are right, because they define the attack.
func rounded(s Placement, g func(w float64) float64, cells int) (edges []float64, values []int) {
	sigma := s.NoiseMultiplier
	fine := evenly(math.Min(0, s.Q)-reach*sigma, s.P+reach*sigma, fineCells)
	level := make([]float64, fineCells+2) // before, between and after the edges
	for i := range level {
		level[i] = g(math.Min((fine[max(i-1, 0)]+fine[min(i, fineCells)])/2, s.P+saturated*sigma))
	}
	var mean, square, total float64
	for i := 1; i <= fineCells; i++ {
		x := (fine[i-1] + fine[i]) / 2 / sigma
		weight := math.Exp(-x * x / 2)
		total, mean, square = total+weight, mean+weight*level[i], square+weight*level[i]*level[i]
	}
	mean /= total
	deviation := math.Sqrt(math.Max(square/total-mean*mean, 0))
	step := math.Min(deviation*math.Sqrt(float64(s.Steps))/float64(cells), deviation/fewCells)
	step = math.Max(step, (level[fineCells+1]-level[0])/float64(mostValues*cells))
	for i, x := range level {
		value := int(math.RoundToEven((x - mean) / step))
		switch n := len(values); {
		case n == 0:
			values = append(values, value)
		case value > values[n-1]: // g rises, so a smaller value can only come from rounding
			edges, values = append(edges, fine[i-1]), append(values, value)
		}
	}
	return edges, values
}

// ofValues returns the law of an integer that has each of the rising values with one of the
// chances.
func ofValues(values []int, chances []bounds) law {
	all := make([]bounds, values[len(values)-1]-values[0]+1)
	for i, v := range values {
		all[v-values[0]] = chances[i]
	}
	return newLaw(values[0], all)
}

// cellsOf is cells for a list of edges that may be empty.
func cellsOf(edges []float64, mean, sigma float64) []bounds {
	if len(edges) == 0 {
		return []bounds{one}
	}
	return cells(edges, mean, sigma)
}

// largestCells is the number of intervals of max w_i.
const largestCells = 3000

// Largest returns the attack max w_i for one moved output. Its distribution functions are
//
//	Φ((m-P)/σ) Φ(m/σ)^{T-1}  and  Φ((m-Q)/σ) Φ(m/σ)^{T-1}.
//
// Reference: Chua et al. (2024), "How Private are DP-SGD Implementations?", for shuffled batches.
func Largest(s Placement) Pair {
	sigma := s.NoiseMultiplier
	// Below low the largest is with a chance under 1e-17, and above high too.
	low := -sigma * math.Sqrt(2*40/float64(s.Steps))
	if s.Steps > 40 {
		low = sigma * (math.Sqrt(2*numeric.Log(float64(s.Steps)/40)) - 2)
	}
	edges := evenly(math.Min(low, s.Q-2*sigma)-sigma, math.Max(s.P, 0)+reach*sigma, largestCells)
	others := interval.Of(float64(s.Steps - 1))
	at := func(mean float64) law {
		chances := make([]bounds, len(edges)+1)
		var before bounds
		for i, m := range edges {
			logCDF := logCDF(standard(m, mean, sigma)).Add(others.Mul(logCDF(standard(m, 0, sigma))))
			if i == 0 {
				chances[i] = logCDF.Exp()
			} else {
				chances[i] = logCDF.Exp().Mul(before.Sub(logCDF).Expm1().Neg()).Positive()
			}
			before = logCDF
		}
		chances[len(edges)] = before.Expm1().Neg().Positive()
		return newLaw(0, chances)
	}
	return newPair(at(s.P), at(s.Q))
}

// Single returns the attack by one output, whose mean is Q in every period without the record.
// With it the mean is P in one of T periods, by chance, and 0 in the others.
func Single(s Placement) Pair {
	sigma := s.NoiseMultiplier
	edges := evenly(math.Min(0, s.Q)-reach*sigma, math.Max(s.P, 0)+reach*sigma, largestCells)
	share := one.Div(interval.Of(float64(s.Steps)))
	moved, rest := cells(edges, s.P, sigma), cells(edges, 0, sigma)
	for i := range moved {
		moved[i] = share.Mul(moved[i]).Add(one.Sub(share).Mul(rest[i]))
	}
	return newPair(newLaw(0, moved), newLaw(0, cells(edges, s.Q, sigma)))
}
