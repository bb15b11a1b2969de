package pld

import (
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/numeric"
)

// direction names the data set that holds the extra example.
type direction int

const (
	remove direction = iota // outputs drawn with the example
	add                     // outputs drawn without it
)

func (d direction) String() string { return [...]string{"remove", "add"}[d] }

// sampled turns the masses of the mechanism into those on a Poisson sample: (1-q) Q + q P with the
// example, and Q without it.
func (f mechanism) sampled(a atom) atom {
	return atom{(1-f.rate)*a.q + f.rate*a.p, a.q, a.eta + 2*unit}
}

// sampledLoss returns log(1-q+q e^l), to a few units. Nothing cancels at small q, nor at a q next
// to 1, where the sum may be tiny.
func (f mechanism) sampledLoss(l float64) float64 {
	switch {
	case f.rate == 1:
		return l
	case l >= 30:
		return l + numeric.Log(f.rate) + math.Log1p((1-f.rate)/f.rate*math.Exp(-l))
	}
	if x := f.rate * math.Expm1(l); x > -0.5 {
		return math.Log1p(x)
	}
	return numeric.Log((1 - f.rate) + f.rate*math.Exp(l)) // 1-q is exact where q >= 1/2
}

// unsampledLoss is the inverse of sampledLoss; -Inf if no sampled loss is as small as l.
func (f mechanism) unsampledLoss(l float64) float64 {
	switch {
	case f.rate == 1:
		return l
	case l > 30:
		return l - numeric.Log(f.rate) + math.Log1p(-(1-f.rate)*math.Exp(-l))
	}
	if x := math.Expm1(l) / f.rate; x > -0.5 {
		return math.Log1p(x)
	}
	return numeric.Log(math.Max(0, math.Exp(l)-(1-f.rate)) / f.rate)
}

// cell is an atom on the grid of half steps. Its losses are in [j, j+1] h/2, or exactly j h/2
// (point), or above j h/2 (over), or below (j+1) h/2 (under). s = q e^{jh/2} / p. If q underflows
// (vague), s is known only from the losses: e^{-h/2} <= s <= 1.
type cell struct {
	j                         int
	p, s, eta                 float64
	point, under, over, vague bool
}

// Masses below leastMass begin to lose their digits.
const leastMass = 1e-300

// halfCells cuts the losses of one run in direction d at multiples of h/2, sorted. infinite is the
// mass that only the first law has. Each end, of mass up to e^logTail, is one cell.
func (f mechanism) halfCells(d direction, h, logTail float64) (cells []cell, infinite float64) {
	switch b := f.base.(type) {
	case whole:
		return b.ownCells(f, d, h, logTail)
	case attackBase:
		return f.withPoints(nil, b.within(d, logTail), d, h)
	}
	switch {
	case f.power != nil:
		return f.power.cells(h)
	case f.fixedSize:
		return f.fixedSizeCells(h, logTail)
	case f.shown > 0:
		return f.shownCells(d, h, logTail)
	}
	return f.sampledCells(d, h, logTail)
}

func (f mechanism) sampledCells(d direction, h, logTail float64) (cells []cell, infinite float64) {
	return f.withPoints(f.lineCells(d, h, logTail), f.base.points(), d, h)
}

// lineCells returns the cells of the line, if there is one.
func (f mechanism) lineCells(d direction, h, logTail float64) (cells []cell) {
	half := h / 2
	if lo, hi, ok := f.base.line(logTail); ok {
		jlo := int(math.Floor(f.sampledLoss(f.base.loss(lo)) / half))
		jhi := int(math.Ceil(f.sampledLoss(f.base.loss(hi)) / half))
		edges := make([]float64, 0, jhi-jlo+3)
		edges = append(edges, math.Inf(-1))
		for j := jlo; j <= jhi; j++ {
			x := f.base.at(f.unsampledLoss(float64(j) * half))
			edges = append(edges, math.Max(x, edges[len(edges)-1]))
		}
		edges = append(edges, math.Inf(1))
		atoms := f.base.cells(edges)
		cells = make([]cell, 0, len(atoms)+4)
		// A mass that underflows is not 0. The upper law has some of it, with the next cell above; the
		// lower law has none.
		const most = 4 * math.SmallestNonzeroFloat64 // bounds such a mass, and the rounding of differences of tails
		unbounded, lost := math.IsInf(f.base.reach(), 1), 0.0
		for n := range atoms {
			i, j, bottom, top := n, jlo-1+n, n == 0, n == len(atoms)-1
			if d == add {
				i = len(atoms) - 1 - n
				j = -(jlo - 1 + i) - 1
			}
			c, ok := f.cell(atoms[i], d, j, half)
			switch {
			case ok:
				if lost > 0 {
					cells, lost = append(cells, cell{j: j, p: lost, s: 1, eta: 1, under: true}), 0
				}
				c.under, c.over = bottom, top
				cells = append(cells, c)
			case top && unbounded:
				cells = append(cells, cell{j: j, p: lost + math.SmallestNonzeroFloat64, s: 1, eta: 1, over: true})
			case unbounded || atoms[i].p > 0 || atoms[i].q > 0: // else the cell has no mass
				lost += most
			}
		}
	}
	return cells
}

// point is an outcome of known loss. Its mass under the first law is p (1±eta).
type point struct{ loss, p, eta float64 }

// outcomes splits the points of a run in direction d. finite are those of finite loss. infinite is
// the mass that only the first law has, rounded up by a few units and least numbers. The loss
// decides, because a mass may underflow.
func (f mechanism) outcomes(points []outcome, d direction) (finite []point, infinite float64) {
	for _, a := range points {
		s := f.sampled(a.atom)
		if d == add {
			s.p, s.q = s.q, s.p
		}
		l := f.pointLoss(a, d)
		p, eta := held(s.p, s.eta)
		switch {
		case math.IsInf(l, -1):
		case math.IsInf(l, 1):
			infinite += p
		default:
			finite = append(finite, point{l, p, eta})
		}
	}
	return finite, infinite
}

// withPoints adds points to sorted cells, and returns the mass that only the first law has.
func (f mechanism) withPoints(cells []cell, points []outcome, d direction, h float64) (all []cell, infinite float64) {
	outcomes, infinite := f.outcomes(points, d)
	for _, o := range outcomes {
		cells = append(cells, o.cell(h/2))
	}
	if len(points) > 0 {
		slices.SortStableFunc(cells, func(a, b cell) int { return a.j - b.j })
	}
	return cells, infinite
}

func (f mechanism) pointLoss(a outcome, d direction) float64 {
	l := f.sampledLoss(a.loss)
	if d == add {
		return -l
	}
	return l
}

// cell returns the part of the line whose losses lie in [j, j+1] h/2. ok is false if its mass is 0.
func (f mechanism) cell(a atom, d direction, j int, half float64) (c cell, ok bool) {
	a = f.sampled(a)
	if d == add {
		a.p, a.q = a.q, a.p
	}
	if !(a.p > 0) {
		return cell{}, false
	}
	a.p, a.eta = held(a.p, a.eta)
	if a.q < leastMass {
		return cell{j: j, p: a.p, s: 1, eta: a.eta, vague: true}, true
	}
	return cell{j: j, p: a.p, s: ratio(a, float64(j)*half), eta: a.eta}, true
}

// ratio returns q e^l / p.
func ratio(a atom, l float64) float64 {
	if math.Abs(l) < 300 && a.q > 1e-150 && a.p > 1e-150 {
		return a.q / a.p * math.Exp(l)
	}
	return math.Exp(numeric.Log(a.q) - numeric.Log(a.p) + l)
}

// cell puts a point on the half grid. A point that is on it up to rounding is put there exactly;
// slack covers the difference.
func (p point) cell(half float64) cell {
	n := math.Round(p.loss / half)
	if math.Abs(p.loss/half-n) <= 16*unit*(1+math.Abs(n)) && math.Mod(n, 2) == 0 {
		return cell{j: int(n), p: p.p, s: 1, eta: p.eta, point: true}
	}
	j := math.Floor(p.loss / half)
	return cell{j: int(j), p: p.p, s: math.Exp(j*half - p.loss), eta: p.eta}
}
