package contour

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/lineintegral"
	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// checks are those of the upper and the lower end of an answer. The lower one uses what the upper
// one has computed, and comes after it.
type checks struct {
	above certificate.Check
	below certificate.Below // nil if there is none
}

// check returns the checks by package lineintegral. The questions only choose the lines; nil ones
// leave the bound by the total variation distance.
func (p program) check(both [2]*question) (out checks) {
	var c *lineintegral.Check
	out.above = func(epsilon, delta float64) (accounting.Certificate, error) {
		if c == nil {
			var witnesses [2]lineintegral.Witness
			for i, q := range both {
				if q != nil {
					witnesses[i] = q.witness(epsilon, numeric.Log(delta))
				}
			}
			c = lineintegral.New(p.checked(), witnesses, epsilon, delta)
		}
		return c.At(epsilon)
	}
	slack := p.slack()
	out.below = func(epsilon float64) float64 {
		if c == nil {
			return 0
		}
		return interval.Of(c.Below(interval.Up(epsilon + slack))).Mul(interval.Of(-slack).Exp()).Lo
	}
	return out
}

// slack returns an s with δ(ε) >= e^-s δ'(ε+s), δ' the profile of checked, whose rates q' are above
// the true ones by a share of at most η.
//
// Proof. Let N be the law of a step that the record moves, and Q the other one. At the two rates
// the record's step is P = (1-q)Q + qN and P' = (1-q')Q + q'N. Then P' <= (1+η)P. As Q <=
// P'/(1-q'), also P <= e^ρ P' with ρ = ηq'/(1-q'). So the T-fold products differ by factors of
// (1+η)^T and e^{Tρ}. δ is the largest P(S) - e^ε Q(S), or Q(S) - e^ε P(S), or that of a replaced
// record, which has a P in both places. Each is at least e^-s δ'(ε+s) for s = Tη + Tρ = Tη/(1-q').
// Phases add up. ∎
func (p program) slack() float64 {
	const eta = certificate.RateRounding + 0x1p-50
	var sum interval.Sum
	for _, f := range p.checked().Phases {
		if f.Rate < certificate.LeastRate {
			return math.Inf(1)
		}
		sum.Add(interval.Of(f.Count).Mul(interval.Of(eta)).Div(interval.Of(1).Sub(interval.Of(f.Rate))))
	}
	return sum.I().Hi
}

// checked returns the program as the check takes it. A rate may be a product that was rounded, so
// it is raised by more than that.
func (p program) checked() (out lineintegral.Program) {
	for _, f := range p.phases {
		out.Phases = append(out.Phases, lineintegral.Phase{Rate: math.Min(f.Q*(1+0x1p-51), 1-0x1p-53), Noise: f.Sigma, Count: f.Count})
		out.Replaced = f.Replaced
	}
	for _, f := range p.gaussians {
		out.Gaussians = append(out.Gaussians, lineintegral.Phase{Rate: 1, Noise: f.Sigma, Count: f.Count})
	}
	return out
}

// witness chooses the line of one direction at ε. If Chernoff's bound is far above δ, the whole
// law has lost the digits of δ, and the trimmed law is taken.
func (q *question) witness(epsilon, logDelta float64) lineintegral.Witness {
	switch {
	case q.left != nil: // the best a at ε may be too large for the check
		q.table, q.left = transform.TableOf(q.p.At, *q.left, spread(q.p.At, q.left.A), q.table), nil
	case q.table == nil:
		q.table = tableAt(q.p.At, epsilon, 1)
	}
	best := leastAt(q.table, epsilon)
	share := math.Exp(-best.A * math.Max(0, epsilon-q.out.upper))
	logTol := logDelta + numeric.Log(math.Max(1e-9, (1-share)/6))
	if q.p.Dir == transform.Remove && best.Value-best.A*epsilon > logDelta+mostCancelled && len(q.p.Laws) <= mostCut {
		if q.trim == nil {
			if q.trim = transform.NewTrim(&q.p.MGF, logTol-3); q.trim != nil {
				q.trimTable = tableAt(q.trim.At, epsilon, best.A)
			}
		}
		if t := q.trim; t != nil {
			line := chooseLine(q.trimTable, epsilon, logTol)
			for i := range q.p.Laws {
				x0, width := t.Cut(i)
				line.Cuts = append(line.Cuts, lineintegral.Cut{At: x0, Width: width})
			}
			return lineintegral.Witness{Share: share, Line: line}
		}
	}
	return lineintegral.Witness{Share: share, Line: chooseLine(q.table, epsilon, logTol)}
}

// mostCancelled is how much larger than δ Chernoff's bound may be, as a logarithm.
const mostCancelled = 6

// tableAt returns a table around the best Chernoff bound at ε.
func tableAt(at func(float64) transform.Point, epsilon, start float64) []transform.Point {
	best, tried := transform.Search(at, func(p transform.Point) float64 { return p.Value - p.A*epsilon }, start)
	return transform.TableOf(at, best, spread(at, best.A), tried)
}

// leastAt returns the point of the least Chernoff bound at ε.
func leastAt(table []transform.Point, epsilon float64) (best transform.Point) {
	least := math.Inf(1)
	for _, a := range table {
		if v := a.Value - a.A*epsilon; a.A > 0 && v < least {
			least, best = v, a
		}
	}
	return best
}

// chooseLine is like transform.ChooseLine. δ <= 1 is the only bound that the check uses below ε.
func chooseLine(table []transform.Point, epsilon, logTol float64) lineintegral.Line {
	best := leastAt(table, epsilon)
	line := lineintegral.Line{C: best.A, Omega: math.Inf(1)}
	for _, c := range table {
		if c.A == 0 || c.Value-c.A*epsilon > best.Value-best.A*epsilon+lineSlack {
			continue
		}
		omega, above := math.Inf(1), 0.0
		for _, a := range table {
			if a.A <= c.A {
				continue
			}
			if need := math.Max(a.Value-a.A*epsilon-logTol, 1) / (a.A - c.A); need < omega {
				omega, above = need, a.A
			}
		}
		if omega = math.Max(omega, -logTol/c.A); omega < line.Omega {
			line = lineintegral.Line{C: c.A, Omega: omega, Above: above}
		}
	}
	if math.IsInf(line.Omega, 1) {
		line.Omega = 0 // no line fits
	}
	return line
}

// lineSlack bounds how much more than the least Chernoff bound a line may have. See
// transform.ChooseLine.
const lineSlack = 3
