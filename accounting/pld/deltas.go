package pld

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
)

// DeltasAt returns an upper bound on δ, in [0, 1], at each of epsilons. These must be >= 0 and must
// not fall. A grid is made around some of them, and serves all: a thousand values take about the
// time of ten. They may be slightly above those of DeltaAt, which refines its grid.
func (a Accountant) DeltasAt(event accounting.Event, epsilons []float64) ([]accounting.Interval, error) {
	return ask.DeltasAt(a, event, epsilons)
}

// DeltasTo is DeltasAt for a question.
func (a Accountant) DeltasTo(asked ask.Question, epsilons []float64) ([]accounting.Interval, error) {
	programs, err := a.programs(asked)
	if err != nil {
		return nil, err
	}
	deltas := make([]accounting.Interval, len(epsilons))
	for _, p := range programs {
		logs, err := a.logDeltas(p, epsilons)
		if err != nil {
			return nil, err
		}
		for i, l := range logs {
			deltas[i] = accounting.UpperBound(math.Max(deltas[i].Upper, upperDelta(l)))
		}
	}
	return deltas, nil
}

// upperDelta returns e^logDelta, rounded up, in [0, 1].
func upperDelta(logDelta float64) float64 {
	if math.IsInf(logDelta, -1) {
		return 0
	}
	upper := math.Exp(logDelta) * (1 + 4*unit*(1+math.Abs(logDelta)))
	return math.Min(1, math.Max(upper, math.SmallestNonzeroFloat64))
}

// lowerDelta returns e^logDelta, rounded down.
func lowerDelta(logDelta float64) float64 {
	if math.IsInf(logDelta, -1) {
		return 0
	}
	return math.Max(0, math.Exp(logDelta)*(1-4*unit*(1+math.Abs(logDelta))))
}

// logDeltas returns upper bounds on log δ, the larger of both directions.
func (a Accountant) logDeltas(p program, epsilons []float64) ([]float64, error) {
	worst := make([]float64, len(epsilons))
	if p.nonPrivate {
		return worst, nil
	}
	if _, once := p.once(); once || len(p.mechanisms) == 0 {
		for i, e := range epsilons {
			logs, err := a.logDelta(p, e)
			if err != nil {
				return nil, err
			}
			worst[i] = logs.Upper
		}
		return worst, nil
	}
	worst = a.upperProfile(p.mechanisms, remove, epsilons)
	if !p.symmetric() {
		for i, l := range a.upperProfile(p.mechanisms, add, epsilons) {
			worst[i] = math.Max(worst[i], l)
		}
	}
	return worst, nil
}

// gridsOfProfile is the number of grids that upperProfile makes.
const gridsOfProfile = 6

// upperProfile returns upper bounds on log δ in one direction. At each ε it takes the least over
// several grids, each made around another ε.
func (a Accountant) upperProfile(mechanisms []mechanism, d direction, epsilons []float64) []float64 {
	least := make([]float64, len(epsilons)) // δ <= 1
	last := -1
	for k := range gridsOfProfile {
		at := (2*k + 1) * len(epsilons) / (2 * gridsOfProfile)
		if at == last || at >= len(epsilons) {
			continue
		}
		last = at
		g := newGrid(mechanisms, d, a.width(), a.maxGrid(), question{epsilon: epsilons[at], forDelta: true})
		ceiling, logRest := g.ceiling()
		for i, e := range epsilons {
			if e >= ceiling {
				least[i] = math.Min(least[i], logRest)
			}
		}
		if epsilons[at] < ceiling {
			g.lower(epsilons, least)
		}
	}
	return least
}

// lower replaces bounds by the profile of an upper law on one grid where that is smaller.
func (g *grid) lower(epsilons, bounds []float64) {
	h := g.firstStep()
	if math.IsNaN(h) || math.IsInf(h, 1) { // no step was found for the losses
		return
	}
	h, _ = g.step(h / 2)
	up, _ := g.laws(h)
	first, n := g.span(h)
	profile := g.profile(up, h, first, n, true)
	for i := len(epsilons) - 1; i >= 0; i-- {
		if bound := profile.LogDeltaAt(epsilons[i]); bound < bounds[i] { // false for NaN
			bounds[i] = bound
		}
	}
}
