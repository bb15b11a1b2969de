package exact

import (
	"errors"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/audit"
)

// Games draws θ after steps steps, of games games in each world, with the ridge of the landscape at
// the given place in place of Threshold. rng may not be nil.
func (p Process) Games(ridge float64, steps, games int, rng *rand.Rand) (s audit.Scores, err error) {
	f := check.In("exact: ")
	f.Number("ridge", ridge, check.Finite)
	f.Count("games", games, 1)
	f.That(rng != nil, "rng", "is nil", "must be a random stream")
	if err := errors.Join(p.Validate(), validateSteps(steps), f.Err()); err != nil {
		return s, err
	}
	path := make([]float64, steps)
	play := func(canary bool) float64 {
		p.walk(path, ridge, canary, rng)
		return path[steps-1]
	}
	for range games {
		s.Member, s.NonMember = append(s.Member, play(true)), append(s.NonMember, play(false))
	}
	return s, nil
}

// Ridges returns the places of the ridge whose tests after the first step have count evenly spaced
// type I error rates α in (0, 1): h = Φ⁻¹(1-α) standard deviations of the noise. Appendix F takes α
// from [0, 1] too. Its Algorithm 6 prints a linspace from 0 to Φ(C/(2σ²)), with Φ of N(0, σ²): an
// infinite place, and none below -C/(2σ²).
func (p Process) Ridges(count int) (places []float64) {
	stdDev, _ := p.first()
	for i := range count {
		places = append(places, stdDev*distuv.UnitNormal.Quantile(1-float64(i+1)/float64(count+1)))
	}
	return places
}

// BestRidge is the search of Algorithm 6. It audits games with the ridge at each place, and returns
// the index of the place with the largest bound on ε, and that bound. Bounds that each fail with
// chance s fail with chance at most s times the number of places together. For a bound of the usual
// confidence divide by that.
//
// Reference: Cebere, Bellet, Papernot (2024), arXiv:2405.14457, Appendix F, Algorithm 6.
func (p Process) BestRidge(places []float64, steps, games int, bound func(audit.Scores) (float64, error), rng *rand.Rand) (best int, epsilon float64, err error) {
	f := check.In("exact: ")
	f.Each("places", places, check.Finite)
	f.That(bound != nil, "bound", "is nil", "must be a function")
	if err := f.Err(); err != nil {
		return -1, 0, err
	}
	best = -1
	for i, h := range places {
		scores, err := p.Games(h, steps, games, rng)
		if err != nil {
			return -1, 0, err
		}
		found, err := bound(scores)
		if err = errors.Join(err, check.Finite.Of("exact: bound", found)); err != nil {
			return -1, 0, err
		}
		if best < 0 || found > epsilon {
			best, epsilon = i, found
		}
	}
	return best, epsilon, nil
}
