package contour

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/internal/ask"
)

// maxSteps bounds the number of steps of one phase, and maxPhases the number of different (q, σ)
// pairs. The rounding model, and an answer within a second, hold up to these limits.
const (
	maxSteps  = 1e12
	maxPhases = 2000
)

// program is the content of an event: sampled phases, all plain Gaussians as one of parameter µ,
// and whether anything was released without noise.
type program struct {
	phases     []transform.Phase
	gaussians  []transform.Phase // the plain ones, which µ sums up
	mu         float64
	nonPrivate bool
}

// compile sorts the runs of an event into a program. Composition adds exponents, so order does not
// matter. Phases with equal (q, σ) are merged and sorted, so any order of composition gives the
// same result to the last bit.
func compile(q ask.Question) (program, error) {
	var p program
	counts := map[transform.Phase]float64{} // keyed by (q, σ)
	for run, count := range q.Node().Runs() {
		if count > maxSteps {
			return program{}, fmt.Errorf("contour: %g steps of one phase: must be at most %g", count, float64(maxSteps))
		}
		phase, known := phaseOf(run, q.Relation())
		_, free := run.Event.(accounting.NonPrivate)
		switch {
		case free:
			p.nonPrivate = true
		case known:
			counts[phase] += count
		default:
			return program{}, fmt.Errorf("contour: %v: %w (known: Gaussian, PoissonSampled of %s, SelfComposed, Composed, NonPrivate)",
				run.Event, accounting.ErrUnsupportedEvent, sampled(q.Relation()))
		}
	}
	for phase, count := range counts {
		phase.Count = count
		p.phases = append(p.phases, phase)
	}
	slices.SortFunc(p.phases, func(a, b transform.Phase) int {
		return cmp.Or(cmp.Compare(a.Q, b.Q), cmp.Compare(a.Sigma, b.Sigma))
	})
	return p.merged()
}

// replaced reports whether the phases have the pair of a replaced record. All of them do, or none.
func (p program) replaced() bool { return len(p.phases) > 0 && p.phases[0].Replaced }

// single reports whether the program is one step on a sample.
func (p program) single() bool {
	return len(p.phases) == 1 && p.phases[0].Count == 1 && p.mu == 0
}

// sampled names what a Poisson sample may hold.
func sampled(relation accounting.Neighboring) string {
	if relation == accounting.ReplaceOne {
		return "ClippedSum"
	}
	return "Gaussian"
}

// phaseOf returns a Gaussian on a Poisson sample, or on all records, without its count. Under
// ReplaceOne the outputs of a Gaussian may show a Poisson sample, and only a ClippedSum hides it.
func phaseOf(run accounting.Node, relation accounting.Neighboring) (phase transform.Phase, ok bool) {
	rate := 1.0
	if run.Shape == accounting.PoissonSample {
		rate, run = run.Rate, run.Children[0]
		if relation == accounting.ReplaceOne {
			sum, ok := run.Event.(accounting.ClippedSum)
			return transform.Phase{Q: rate, Sigma: sum.NoiseMultiplier, Replaced: true}, ok
		}
	}
	gaussian, ok := run.Event.(accounting.Gaussian)
	return transform.Phase{Q: rate, Sigma: gaussian.NoiseMultiplier}, ok
}

// merged moves the plain Gaussians (q = 1) into µ and checks the limits. Squares of µ could
// overflow or underflow. Their root does not, except to +Inf for σ below 1e-308.
func (p program) merged() (program, error) {
	sampled := p.phases[:0:0]
	for _, f := range p.phases {
		if f.Count > maxSteps {
			return program{}, fmt.Errorf("contour: %g steps of one phase: must be at most %g", f.Count, float64(maxSteps))
		}
		if f.Q == 1 {
			p.mu = math.Hypot(p.mu, math.Sqrt(f.Count)/f.Sigma)
			p.gaussians = append(p.gaussians, f)
		} else {
			sampled = append(sampled, f)
		}
	}
	if len(sampled) > maxPhases {
		return program{}, fmt.Errorf("contour: %d different phases: must be at most %d", len(sampled), maxPhases)
	}
	p.phases = sampled
	return p, nil
}
