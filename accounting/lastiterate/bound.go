package lastiterate

import (
	"cmp"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/rdp"
)

// Bounding returns an event that costs at least as much as the last model, for data sets that
// differ by one added or removed example. Use it to compose the training with other releases. Its
// lower ends are not about the training. It is for every δ, and one of the best at delta.
//
// If the event has a MixtureOfGaussians, accountants for ReplaceOne refuse it.
func (t Training) Bounding(delta float64) (accounting.Event, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	if err := check.OpenUnit.Of("lastiterate: delta", delta); err != nil {
		return nil, err
	}
	if t.Batches > 0 {
		return moved(t.ofBatches()), nil
	}
	return t.sampled(delta)
}

// moved returns one release with noise of standard deviation 1, of a distance.
func moved(distance float64) accounting.Event {
	if math.IsInf(distance, 1) {
		return accounting.NonPrivate{}
	}
	return accounting.MixtureOfGaussians{Chances: []float64{1}, Distances: []float64{math.Max(distance, check.LeastNormal)}, NoiseMultiplier: 1}
}

// up raises a result of n operations on numbers that are not negative, each rounded to nearest.
func up(x float64, n int) float64 { return x * (1 + float64(4*n+64)*0x1p-53) }

// ofBatches returns µ for a fixed order of batches: the largest over the batch of the example.
func (t Training) ofBatches() float64 {
	worst := 0.0
	for first := range min(t.Batches, t.Steps) {
		worst = math.Max(worst, t.inBatch(first))
	}
	return up(worst/t.NoiseMultiplier, 1)
}

// inBatch returns σµ if the example is in steps first, first + Batches, and so on. Lengths are in
// units of u: then σ makes none too large or too small for a float64.
func (t Training) inBatch(first int) float64 {
	n, c, diameter := t.Steps, t.contraction(), t.diameter()
	move := func(i int) float64 {
		if i%t.Batches == first {
			return 1
		}
		return 0
	}
	apart := make([]float64, n) // z before each step, if both runs draw the same
	for i := 1; i < n; i++ {
		apart[i] = math.Min(diameter, c*apart[i-1]+move(i-1))
	}
	// Shifts from step τ on need Σ c^(T-1-i) a_i = c^(T-τ) z_τ + Σ c^(T-1-i) u. Without other limits
	// the least are α c^(T-1-i), by the inequality of Cauchy and Schwarz.
	type start struct {
		step       int
		alpha, sum float64
	}
	starts := []start{{step: first, alpha: math.Inf(1), sum: math.Inf(1)}} // a_i = u: all models
	weight, moves, squares := 1.0, 0.0, 0.0
	for i := n - 1; i >= first; i-- {
		moves += weight * move(i)
		squares += weight * weight
		if need := weight*c*apart[i] + moves; need > 0 {
			starts = append(starts, start{i, need / squares, need * need / squares})
		}
		weight *= c
	}
	slices.SortFunc(starts, func(a, b start) int { return cmp.Compare(a.sum, b.sum) })
	least := math.Inf(1)
	for _, s := range append(starts[:min(3, len(starts)-1)], starts[len(starts)-1]) {
		least = math.Min(least, t.shifted(s.step, apart[s.step], s.alpha, move))
	}
	return least
}

// shifted returns σµ of the shifts min(α c^(T-1-i), all) from step τ on. The last step shifts all
// that is left.
//
// What is left, z, has an error of at most 3·2⁻⁵³ of the largest z from each step, which c does not
// raise. The last shift is raised by all of them.
func (t Training) shifted(tau int, z, alpha float64, move func(i int) float64) float64 {
	n, c := t.Steps, t.contraction()
	largest, sum := z, 0.0
	for i := tau; i < n; i++ {
		z = c*z + move(i)
		largest = math.Max(largest, z)
		a := z
		if i == n-1 {
			a += float64(4*n) * 0x1p-53 * largest
		} else if limit := alpha * math.Pow(c, float64(n-1-i)); limit < z { // NaN is +Inf times 0
			a = limit
		}
		z -= a
		sum += a * a
	}
	return up(math.Sqrt(sum), n)
}

// sampled returns the event of Poisson samples. A candidate is a number of steps after τ, with the
// share θ of the noise that is best in a Gaussian approximation of the sampled steps. The one of
// the least ε by the Rényi accountant is taken.
func (t Training) sampled(delta float64) (accounting.Event, error) {
	n, c := t.Steps, t.contraction()
	steps := func(count int, noise float64) accounting.Event {
		return accounting.SelfComposed{Count: count, Event: accounting.PoissonSampled{SamplingRate: t.SamplingRate, Event: accounting.ClippedSum{NoiseMultiplier: noise}}}
	}
	candidates := []accounting.Event{steps(n, t.NoiseMultiplier)}
	for after := 1; after < n; after += 1 + after/8 {
		apart, weight, squares := 0.0, 1.0, 0.0
		for range n - after {
			apart = math.Min(t.diameter(), c*apart+1) // in units of u
		}
		for range after {
			squares += weight * weight
			weight = math.Max(weight*c, check.LeastNormal)
		}
		shift := up(weight*apart/math.Sqrt(squares)/t.NoiseMultiplier, n)
		least, share := math.Inf(1), 0.5
		for part := 0.02; part < 1; part += 0.02 {
			µ2 := shift*shift/(1-part) + float64(after)*t.SamplingRate*t.SamplingRate*math.Expm1(1/(part*t.NoiseMultiplier*t.NoiseMultiplier))
			if µ2 < least {
				least, share = µ2, part
			}
		}
		candidates = append(candidates, accounting.Composed{Events: []accounting.Event{
			steps(after, t.NoiseMultiplier*math.Sqrt(share)*(1-0x1p-50)), moved(up(shift/math.Sqrt(1-share), 1)),
		}})
	}
	var best accounting.Event
	least := math.Inf(1)
	for _, e := range candidates {
		g, err := rdp.NewAccountant().EpsilonAt(e, delta)
		if err != nil {
			return nil, err
		}
		if best == nil || g.Epsilon.Upper < least {
			best, least = e, g.Epsilon.Upper
		}
	}
	return best, nil
}

// EpsilonAt returns an upper end of ε at delta, in (0, 1), with its certificate.
func (t Training) EpsilonAt(delta float64) (accounting.Guarantee, error) {
	event, err := t.Bounding(delta)
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	g, err := auto.NewAccountant().EpsilonAt(event, delta)
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	g.Epsilon = accounting.UpperBound(g.Epsilon.Upper) // a lower end is about the event
	return g, nil
}
