package batchpairs

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/interval"
)

// Step is what is known about one step.
type Step struct {
	Profile Profile
	Attacks []Attack
}

// Attack is a pair of laws that some gradients attain: Σ With N(Mean, σ²) against Σ Without N(Mean,
// σ²), σ the NoiseMultiplier. Each law may lack a chance of up to Rest.
type Attack struct {
	NoiseMultiplier float64
	With, Without   []Component
	Rest            float64
	SamplingRate    float64 // if positive: With and Without are (1, 0) at this chance, and are left empty
	Replaced        bool    // they are (1, -1) at SamplingRate
}

// tooFew is the error of a data set without x that cannot fill a batch.
func tooFew(field string, size int, rule string) error {
	return fmt.Errorf("%s %d: %w: must be %s under %v, as the data set without the example has fewer to draw",
		field, size, accounting.ErrUnsupportedEvent, rule, accounting.AddOrRemoveOne)
}

// bounds returns what is known about one step under a relation, for noise multiplier sigma.
type bounds func(sigma float64, relation accounting.Neighboring) (Step, error)

// boundsOf returns the bounds of event, and the noise multiplier of the ClippedSum on its batches.
func boundsOf(event accounting.Event) (known bounds, sigma float64, ok bool) {
	var inner accounting.Event
	switch e := event.(type) {
	case accounting.SampledWithoutReplacement:
		inner, known = e.Event, func(s float64, r accounting.Neighboring) (Step, error) { return withoutReplacement(e, s, r) }
	case accounting.SampledWithReplacement:
		inner, known = e.Event, func(s float64, r accounting.Neighboring) (Step, error) { return withReplacement(e, s, r) }
	case accounting.TruncatedPoisson:
		inner, known = e.Event, func(s float64, r accounting.Neighboring) (Step, error) { return truncated(e, s, r) }
	}
	sum, ok := inner.(accounting.ClippedSum)
	return known, sum.NoiseMultiplier, ok
}

// Knows reports whether event is a SampledWithoutReplacement, a SampledWithReplacement or a
// TruncatedPoisson of a ClippedSum.
func Knows(event accounting.Event) bool {
	_, _, ok := boundsOf(event)
	return ok
}

// Of returns what is known about one step of event under relation. The event is as
// accounting.Node.Lowered leaves it. Batches of all examples, caps of at least their number, and
// draws from one example have been replaced. An event that the package does not know is an error
// that wraps accounting.ErrUnsupportedEvent.
func Of(event accounting.Event, relation accounting.Neighboring) (step Step, err error) {
	err = accounting.ErrUnsupportedEvent
	if known, sigma, ok := boundsOf(event); ok {
		step, err = known(sigma, relation)
	}
	if err != nil {
		return Step{}, fmt.Errorf("batchpairs: %v: %w", event, err)
	}
	return step, nil
}

// withoutReplacement is b of n. Under AddOrRemoveOne it is a Poisson sample: see
// accounting.Node.Lowered.
func withoutReplacement(e accounting.SampledWithoutReplacement, sigma float64, relation accounting.Neighboring) (Step, error) {
	if relation == accounting.AddOrRemoveOne {
		return Step{}, tooFew("SampleSize", e.SampleSize, "below PopulationSize")
	}
	q := interval.Of(float64(e.SampleSize)).Div(interval.Of(float64(e.PopulationSize)))
	step := Step{Profile: Profile{NoiseMultiplier: sigma}}
	if relation == accounting.ReplaceSpecial {
		step.Profile.With.Terms = []Term{pairAt(1, q.Hi, 2, 1)}
		step.Profile.Without.Terms = []Term{pairAt(1, q.Hi, 1, 0)}
		step.Attacks = []Attack{attackAt(q.Lo, sigma, 2, 1), {NoiseMultiplier: sigma, SamplingRate: q.Lo}}
		return step, nil
	}
	step.Profile.With.Terms = []Term{pairAt(1, q.Hi, 2, 0)}
	step.Profile.Without, step.Profile.Mirrored = step.Profile.With, true
	step.Attacks = []Attack{{NoiseMultiplier: sigma / 2, SamplingRate: q.Lo}}
	return step, nil
}

// attackAt is (u, v) at q.
func attackAt(q, sigma, u, v float64) Attack {
	return Attack{
		NoiseMultiplier: sigma,
		With:            []Component{{1 - q, 0}, {q, u}},
		Without:         []Component{{1 - q, 0}, {q, v}},
	}
}

// truncated is a Poisson sample cut to B.
func truncated(e accounting.TruncatedPoisson, sigma float64, relation accounting.Neighboring) (Step, error) {
	q := e.SamplingRate
	cut, err := tailOf(e.PopulationSize-1, interval.Of(q), e.Cap)
	if err != nil {
		return Step{}, err
	}
	// E[qB/(m+1); m >= B] = B/n P[Bin(n, q) > B], as C(n-1,m)/(m+1) = C(n,m+1)/n.
	more, err := tailOf(e.PopulationSize, interval.Of(q), e.Cap+1)
	if err != nil {
		return Step{}, err
	}
	share := more.Mul(interval.Of(float64(e.Cap))).Div(interval.Of(float64(e.PopulationSize)))
	whole := one.Sub(cut)
	weight, weightCut := whole.Hi, cut.Hi
	rate := q // p̄ <= q
	if cut.Lo > 0 && relation != accounting.AddOrRemoveOne {
		rate = math.Min(q, share.Div(cut).Hi)
	}
	mean := math.Max(0, whole.Mul(interval.Of(q)).Add(share).Lo) // the chance that a record takes part
	step := Step{Profile: Profile{NoiseMultiplier: sigma}}
	switch relation {
	case accounting.AddOrRemoveOne:
		step.Profile.With.Terms = []Term{pairAt(weight, q, 1, 0), pairAt(weightCut, q, 2, 0)}
		step.Profile.Without.Terms = []Term{reversedAt(weight, q, 1), reversedAt(weightCut, q, 2)}
		step.Attacks = []Attack{{NoiseMultiplier: sigma, SamplingRate: q}} // of few records, which no cap cuts
	case accounting.ReplaceSpecial:
		step.Profile.With.Terms = []Term{pairAt(weight, q, 1, 0), pairAt(weightCut, rate, 2, 1)}
		step.Profile.Without.Terms = []Term{reversedAt(weight, q, 1), pairAt(weightCut, rate, 1, 0)}
		step.Attacks = []Attack{{NoiseMultiplier: sigma, SamplingRate: mean}}
	default:
		step.Profile.With.Terms = []Term{pairAt(weight, q, 1, -1), pairAt(weightCut, rate, 2, 0)}
		step.Profile.Without, step.Profile.Mirrored = step.Profile.With, true
		step.Attacks = []Attack{{NoiseMultiplier: sigma, SamplingRate: mean, Replaced: true}}
	}
	return step, nil
}

// withReplacement is b draws from n.
func withReplacement(e accounting.SampledWithReplacement, sigma float64, relation accounting.Neighboring) (Step, error) {
	if e.PopulationSize == 1 {
		return Step{}, tooFew("PopulationSize", 1, "at least 2")
	}
	chances, rest, err := chancesOf(e.SampleSize, one.Div(interval.Of(float64(e.PopulationSize))))
	if err != nil {
		return Step{}, err
	}
	eta := one.Sub(chances[0])
	step := Step{Profile: Profile{NoiseMultiplier: sigma}}
	step.Profile.With.Rest = rest
	step.Profile.Without.Rest = rest / chances[0].Lo // c <= 1/w_0 where the profile is not 0
	if relation == accounting.AddOrRemoveOne {
		var first, second []Component
		for j, w := range chances[1:] {
			first = append(first, Component{w.Hi, 2 * float64(j+1)})
			second = append(second, Component{w.Lo, -2 * float64(j+1)})
		}
		step.Profile.With.Terms = []Term{{Weight: 1, Zero: 1, Gap: -eta.Lo, First: first}}
		step.Profile.Without.Terms = []Term{{Weight: 1, Zero: chances[0].Hi, Gap: eta.Hi, Second: second}}
		step.Attacks = []Attack{draws(chances, rest, sigma, 2, 0)}
		return step, nil
	}
	for j, w := range chances[1:] {
		weight, d := math.Min(1, w.Div(eta).Hi), float64(j+1)
		if relation == accounting.ReplaceOne {
			step.Profile.With.Terms = append(step.Profile.With.Terms, pairAt(weight, eta.Hi, 2*d, 0))
			continue
		}
		step.Profile.With.Terms = append(step.Profile.With.Terms, pairAt(weight, eta.Hi, 2*d, d))
		step.Profile.Without.Terms = append(step.Profile.Without.Terms, pairAt(weight, eta.Hi, d, 0))
	}
	if relation == accounting.ReplaceOne {
		step.Profile.Without, step.Profile.Mirrored = step.Profile.With, true
		step.Attacks = []Attack{draws(chances, rest, sigma, 2, 0)}
		return step, nil
	}
	step.Attacks = []Attack{draws(chances, rest, sigma, 2, 1), draws(chances, rest, sigma, 1, 0)}
	return step, nil
}

// draws is Σ w_j N(u j) against Σ w_j N(v j).
func draws(chances []I, rest, sigma, u, v float64) Attack {
	a := Attack{NoiseMultiplier: sigma, Rest: rest}
	for j, w := range chances {
		middle := w.Lo + (w.Hi-w.Lo)/2
		a.With = append(a.With, Component{middle, u * float64(j)})
		a.Without = append(a.Without, Component{middle, v * float64(j)})
	}
	return a
}
