package exact

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// A grid of more than maxNodes nodes is refused.
const maxNodes = 400_000

// Laws returns the exact laws after 1, ..., steps steps.
//
// After each step the law of u = θ - h without the canary is a mixture of Gaussians. With the
// canary it is the mirror image at u = 0, since d is odd in u. The mixture over all u is replaced
// by a Gauss-Legendre rule on each panel. The result is a finite mixture with positive weights. The
// change, in total variation over all steps, is bounded by
//
//	quadrature  see quadratureError: below 1e-16 a step on any grid that is accepted here
//	truncation  P[|u_t| > L] <= 2Φ(-(L-h-t+1)/sd_t), as |u_t| <= h + t-1 + |Z_1 + ...|
//	band        2Φ(-9.5) a step, for the part of a step that the matrix leaves out
//
// The bound does not grow on the way, as a step brings no two laws farther apart. All terms are
// positive, and rounding changes a density or a tail by a relative amount. That is (m + 1000) 2^-53
// a step, with m terms a sum, and 2e-12 for the tails at the end. The latter is a model of
// rounding, checked against closed forms and against another quadrature.
//
// The cost is about 200 multiplications a node and step: 0.1 s for σ = 1, B = 16, 25 steps.
func (p Process) Laws(steps int) ([]Law, error) {
	if err := errors.Join(p.Validate(), validateSteps(steps)); err != nil {
		return nil, err
	}
	stdDev, shift := p.first()
	law := Law{
		process: p, steps: 1, center: p.Threshold(), stdDev: stdDev,
		halves: [2]half{newHalf([]float64{-shift / 2}, []float64{1}), newHalf(nil, nil)},
		relErr: finalRounding, absErr: 4 * numeric.NormalCDF(-band),
		reach: shift/2 + band*stdDev,
	}
	laws := []Law{law}
	if steps == 1 {
		return laws, nil
	}
	s := p.later()
	total := math.Hypot(stdDev, s*math.Sqrt(float64(steps-1)))
	length := shift/2 + math.Abs(p.push())*float64(steps-1) + band*total
	if panels := length / (2 * s); panels > maxNodes/(2*nodesPerPanel) {
		return nil, fmt.Errorf("exact: steps %d with σ/B = %g: needs %.0f panels, must be at most %d", steps, s, 2*panels, maxNodes/nodesPerPanel)
	}
	g := grid{half: int(math.Ceil(length / (2 * s))), s: s}
	k := g.kernel(p.push())
	stepRelErr := 0x1p-53 * float64(1000+nodesPerPanel*(len(k.at[0])+len(k.at[1])))
	stepAbsErr := g.quadratureError() + 6*numeric.NormalCDF(-band)
	means, density := make([]float64, g.nodes()), make([]float64, g.nodes())
	for i := range means {
		means[i] = g.node(i) + math.Copysign(p.push(), p.push()*g.node(i))
		density[i] = laws[0].Density(false, g.node(i)+shift/2)
	}
	for t := 2; t <= steps; t++ {
		weights := make([]float64, g.nodes())
		for i := range weights {
			weights[i] = density[i] * g.weight(i)
		}
		middle := g.nodes() / 2
		law.steps, law.stdDev = t, s
		law.halves = [2]half{newHalf(means[:middle], weights[:middle]), newHalf(means[middle:], weights[middle:])}
		law.relErr, law.absErr = law.relErr+stepRelErr, law.absErr+stepAbsErr
		law.reach = g.s*float64(g.panels()) + math.Abs(p.push()) + band*s
		laws = append(laws, law)
		if t < steps {
			density = g.step(k, weights)
		}
	}
	return laws, nil
}

// finalRounding is the relative rounding error of a tail of a mixture.
const finalRounding = 2e-12
