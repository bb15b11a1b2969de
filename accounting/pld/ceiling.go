package pld

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// ceiling returns the largest loss of the whole composition, the sum of count x largest loss of a
// run. logRest is the logarithm of δ(ε) from there on: the chance of an outcome that only the first
// law has. Both are rounded up. +Inf means that losses have no bound.
//
// δ(ε) = E (1 - e^{ε-L})_+ + P[L = ∞], and the first term is 0 if ε is at least every finite L. The
// bound needs no grid. It decides at the smallest δ. There Chernoff's bound (log M(a) - log δ)/a,
// which also limits the grid's answer, is far from its limit.
func (g *grid) ceiling() (epsilon, logRest float64) {
	none := 0.0 // log of the chance that no run is infinite
	for _, f := range g.single {
		loss, infinite := f.largest(g.d)
		epsilon += f.count * (loss + 16*unit*(1+math.Abs(loss)))
		none += f.count * math.Log1p(-math.Min(1, infinite*(1+8*unit)))
	}
	logRest = numeric.Log(-math.Expm1(none))
	if !math.IsInf(logRest, -1) {
		logRest += 8 * unit * (1 + math.Abs(logRest))
	}
	return math.Max(0, epsilon), math.Min(0, logRest)
}

// largest returns the largest finite loss of one run in direction d, and the mass of the outcomes
// that only the first law has.
func (f mechanism) largest(d direction) (loss, infinite float64) {
	if f.fixedSize { // the largest loss is that of the remove direction
		d = remove
	}
	loss = math.Inf(-1)
	if reach := f.base.reach(); reach > 0 {
		loss = f.directed(reach, d)
	}
	outcomes, infinite := f.outcomes(f.base.points(), d)
	for _, o := range outcomes {
		loss = math.Max(loss, o.loss)
	}
	if f.shown > 0 { // else the record is not in the sample, which has no loss
		loss, infinite = math.Max(0, loss), f.shownMass(infinite)
	}
	if math.IsInf(loss, -1) { // no finite loss
		loss = 0
	}
	return loss, infinite
}

// directed returns the largest sampled loss in direction d of losses in [-reach, reach].
func (f mechanism) directed(reach float64, d direction) float64 {
	if d == add {
		return -f.sampledLoss(-reach)
	}
	return f.sampledLoss(reach)
}
