package contour

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/contour/internal/transform"
)

// maxSteps bounds the number of steps of one phase, and maxPhases the number of different
// (q, σ) pairs: beyond, the rounding model and the promise of an answer within a second end.
const (
	maxSteps  = 1e12
	maxPhases = 2000
)

// program is what an event amounts to: sampled phases, all plain Gaussians as one of
// parameter µ, and whether anything was released without noise.
type program struct {
	phases     []transform.Phase
	mu         float64
	nonPrivate bool
}

// compile validates event and sorts its leaves into a program. Composition adds
// exponents, so order does not matter; phases with equal (q, σ) are merged and sorted,
// which makes the result the same to the last bit in any order of composition.
func compile(event accounting.Event) (program, error) {
	if err := check.Given(event != nil, "contour: event", "must be an event"); err != nil {
		return program{}, err
	}
	if err := event.Validate(); err != nil {
		return program{}, err
	}
	var p program
	leaves := map[transform.Phase]float64{}
	if err := p.collect(event, 1, leaves); err != nil {
		return program{}, err
	}
	for leaf, count := range leaves {
		leaf.Count = count
		p.phases = append(p.phases, leaf)
	}
	slices.SortFunc(p.phases, func(a, b transform.Phase) int {
		return cmp.Or(cmp.Compare(a.Q, b.Q), cmp.Compare(a.Sigma, b.Sigma))
	})
	return p.merged()
}

// collect adds count runs of event to leaves, keyed by (q, σ).
func (p *program) collect(event accounting.Event, count float64, leaves map[transform.Phase]float64) error {
	if count > maxSteps {
		return fmt.Errorf("contour: %g steps of one phase: must be at most %g", count, float64(maxSteps))
	}
	switch e := event.(type) {
	case accounting.NonPrivate:
		p.nonPrivate = true
		return nil
	case accounting.Gaussian:
		leaves[transform.Phase{Q: 1, Sigma: e.NoiseMultiplier}] += count
		return nil
	case accounting.PoissonSampled:
		e = e.Flat()
		if inner, ok := e.Event.(accounting.Gaussian); ok {
			leaves[transform.Phase{Q: e.SamplingRate, Sigma: inner.NoiseMultiplier}] += count
			return nil
		}
	case accounting.SelfComposed:
		return p.collect(e.Event, count*float64(e.Count), leaves)
	case accounting.Composed:
		for _, inner := range e.Events {
			if err := p.collect(inner, count, leaves); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("contour: %v: %w (known: Gaussian, PoissonSampled of Gaussian, SelfComposed, Composed, NonPrivate)",
		event, accounting.ErrUnsupportedEvent)
}

// merged moves the plain Gaussians (q = 1) into µ and checks the caps. Squares of µ could over-
// or underflow; their root does not, save to +Inf where σ is below 1e-308.
func (p program) merged() (program, error) {
	sampled := p.phases[:0:0]
	for _, f := range p.phases {
		if f.Count > maxSteps {
			return program{}, fmt.Errorf("contour: %g steps of one phase: must be at most %g", f.Count, float64(maxSteps))
		}
		if f.Q == 1 {
			p.mu = math.Hypot(p.mu, math.Sqrt(f.Count)/f.Sigma)
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
