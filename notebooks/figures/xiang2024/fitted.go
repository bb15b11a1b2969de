package xiang2024

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/monotone"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
	"github.com/dplab/dplab/notebooks/papers"
)

// FittedCell is a cell of Table 4 with τ = 1, where the base is a Gaussian and ε_U-O claims
// to bound its tuning. All values are for the µ that the printed table itself implies; see
// fitMu.
type FittedCell struct {
	Paper      papers.Xiang2024Cell
	Mu         float64
	Line4      accounting.Interval // Algorithm 3 as printed, at its best order
	Line4Least float64             // below it at every order
	Each       accounting.Interval // each direction by itself, at its best order
	EachLeast  float64             // below it at every order
	CutEach    float64             // with the integral from x = -6 on; see CutEpsilon
	Exact      accounting.Interval // the true ε with a monotone score
	AnyScore   float64             // a lower limit of the true ε with the worst score
}

// Refuted reports whether the printed value, rounded up, is below what Algorithm 3 gives at
// every order.
func (c FittedCell) Refuted() bool { return c.atMost() < c.Line4Least }

// anchors reports whether µ is read from this cell, which then cannot be refuted.
func (c FittedCell) anchors() bool { return c.Paper.Runs == 10 && c.Paper.Single == 0.1 }

// atMost is the printed value, rounded up.
func (c FittedCell) atMost() float64 { return c.Paper.O.Number + c.Paper.O.Source.AbsErr }

// fitted returns the cells with τ = 1 of each base ε that has a cell for fitMu.
func fitted(cfg Table4Config, cells []Table4Cell) ([]FittedCell, error) {
	anchors := map[float64]Table4Cell{}
	for _, c := range cells {
		if c.Paper.SamplingRate == 1 && c.Paper.Runs == 10 && c.Paper.Single == 0.1 {
			anchors[c.Paper.BaseEpsilon] = c
		}
	}
	var out []FittedCell
	for _, c := range cells {
		anchor, ok := anchors[c.Paper.BaseEpsilon]
		if c.Paper.SamplingRate != 1 || !ok {
			continue
		}
		out = append(out, FittedCell{Paper: c.Paper, Mu: fitMu(anchor)})
	}
	err := parallel.Each(len(out), func(i int) error { return out[i].fill(cfg.Delta) })
	return out, err
}

// fitMu returns a µ that is at most what the authors can have used. They do not print how ε_B
// became σ, nor their orders. The cell with L = 10, s = 0.1 does not feel the cut: its worse
// direction lies to the right, at every order that matters. There, µ is scaled down in proportion
// until Algorithm 3, at real orders and at integers, gives at most printed - 0.005. (ε falls at
// least in proportion, as the test checks.) If it gives less already, µ is kept.
func fitMu(anchor Table4Cell) float64 {
	printed := anchor.Paper.O.Number - anchor.Paper.O.Source.AbsErr
	return anchor.O.Mu.Mu * math.Min(1, printed/math.Max(float64(anchor.O.Line4), anchor.O.CutLine4))
}

func (c *FittedCell) fill(delta float64) error {
	law := law.TwoPoint{Runs: c.Paper.Runs, Single: c.Paper.Single}
	game := monotone.Gaussian{Law: law, Mu: c.Mu}
	var err error
	if c.Line4, _, err = game.Algorithm3Epsilon(conversion, delta); err != nil {
		return err
	}
	if c.Line4Least, err = game.Algorithm3Floor(delta); err != nil {
		return err
	}
	if c.Each, _, err = game.RDPEpsilon(conversion, delta); err != nil {
		return err
	}
	if c.EachLeast, err = game.RDPEpsilonFloor(delta); err != nil {
		return err
	}
	if c.Exact, err = game.EpsilonAt(delta); err != nil {
		return err
	}
	_, c.CutEach = CutEpsilon(game, delta)
	c.AnyScore, err = laws.LowerLimit(law, c.Mu, delta)
	return err
}

// A reading of Algorithm 3 that comes nearer to the printed values: its integral from cutLeft
// on only, at integer orders.
const (
	cutLeft    = -6.0
	cutRight   = 30.0
	cutPoints  = 3600
	cutHighest = 256
)

// CutEpsilon returns the ε of the two directions if their integrals start at x = -6. line4 takes
// the larger divergence at each order, as line 4 of Algorithm 3 has it. each has a best order for
// each direction by itself. Neither is a bound: for orders α with (1-α)µ < -6 most of the integral
// lies further left.
func CutEpsilon(m monotone.Gaussian, delta float64) (line4, each float64) {
	const h = (cutRight - cutLeft) / cutPoints
	// The logarithms of both densities, up to a common factor per point.
	var logs [2][cutPoints + 1]float64
	runs := m.Law.Distribution()
	for i := range cutPoints + 1 {
		x := cutLeft + h*float64(i)
		for side, shift := range [2]float64{0, m.Mu} {
			y := x - shift
			logs[side][i] = runs.LogPGFDerivative(0.5*math.Erfc(-y/math.Sqrt2)) - y*y/2 - math.Log(2*math.Pi)/2
		}
	}
	line4 = math.Inf(1)
	best := [2]float64{line4, line4}
	for order := 2.0; order <= cutHighest; order++ {
		var epsilon [2]float64
		for side := range 2 {
			sum := 0.0
			for i := range cutPoints + 1 {
				part := math.Exp(order*logs[side][i] + (1-order)*logs[1-side][i])
				if i == 0 || i == cutPoints {
					part /= 2
				}
				sum += part * h
			}
			epsilon[side] = convert(order, math.Log(sum)/(order-1), delta)
			best[side] = math.Min(best[side], epsilon[side])
		}
		line4 = math.Min(line4, math.Max(epsilon[0], epsilon[1]))
	}
	return math.Max(0, line4), math.Max(0, math.Max(best[0], best[1]))
}

// convert is Theorem 6 of the paper. A cut divergence may be negative, which
// rdp.Conversion refuses.
func convert(order, divergence, delta float64) float64 {
	return divergence + math.Log1p(-1/order) - math.Log(delta*order)/(order-1)
}
