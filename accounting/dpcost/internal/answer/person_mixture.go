package answer

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// mixturePerson is the price of Gaussian releases on batches that each step draws anew. A step is
// then a mixture of Gaussians (see personStep). A pair that dominates each step, whatever the
// earlier outputs, dominates the composition. narrow is true if group privacy cannot give much
// less.
func mixturePerson(event accounting.Node, records, delta float64, accountant auto.Accountant) (p *Person, narrow bool, err error) {
	var drawn []string
	person := accounting.Composed{}
	for run, count := range event.Runs() {
		step, how, err := personStep(run, int(records))
		if err == nil && count > math.MaxInt32 {
			err = fmt.Errorf("%v: %w", run.Event, accounting.ErrUnsupportedEvent)
		}
		if err != nil {
			return nil, false, err
		}
		if !slices.Contains(drawn, how) {
			drawn = append(drawn, how)
		}
		person.Events = append(person.Events, accounting.SelfComposed{Event: step, Count: int(count)})
	}
	g, err := accountant.EpsilonAt(person, delta)
	if err != nil {
		return nil, false, err
	}
	p = &Person{records, accounting.Number(g.Epsilon.Upper), delta, strings.Join(drawn, "; ") + ": a step is a mixture of Gaussians", g.Certificate}
	if math.IsInf(g.Epsilon.Upper, 1) {
		return nil, false, fmt.Errorf("%v: %w", person, accounting.ErrUnsupportedEvent)
	}
	return p, g.Epsilon.Lower >= narrowPerson*g.Epsilon.Upper, nil
}

// narrowPerson is the least ratio of the ends of a narrow price.
const narrowPerson = 0.8

// personStep returns a mixture of Gaussians that dominates one step with all k records of a person
// against one without them, in both directions. how is the reason. n is the number of examples
// with the person.
//
//   - Poisson sample at rate q: j of the records join, with the law Bin(k, q). The sum moves by at
//     most j.
//   - m of n without replacement: j is hypergeometric, with chances C(k,j) C(n-k,m-j)/C(n,m).
//   - m draws from n with replacement: j of the draws take a record, with the law Bin(m, k/n).
//
// In the last two the sum moves by at most 2j, because j vectors take the places of j others.
//
// Proof of the last two. Draw r_1..r_m from the n-k other examples, as the step without the person
// does. Draw j and the person's records independently of them. With the person the batch is
// r_1..r_{m-j} and j of her records: given j, its other examples are drawn evenly. Reveal the r,
// and subtract their vectors. Without the person the release is N(0, σ²). With her it is a mixture
// over j of normal laws, with centers of norm at most 2j. The mixture with all centers at these
// norms on one ray dominates it, in both directions (accounting/pld, mixture.go). ∎ It is attained:
// all r at -e, all records of the person at e. On a Poisson sample the others are independent of j.
//
// A person with fewer records costs less, and so does an n above the stated one. In both cases the
// ratios P[j+1]/P[j] are smaller, so j is. Smaller distances cost less.
func personStep(run accounting.Node, k int) (step accounting.MixtureOfGaussians, how string, err error) {
	release, move := run.Event, 1.0
	numbers, chances := []float64{float64(k)}, []float64{1}
	how = fmt.Sprintf("all of %d records are in each step", k)
	switch e := run.Event.(type) {
	case accounting.PoissonSampled:
		release = e.Event
		rate := interval.Of(run.Rate)
		numbers, chances = joined(k, binomial(k, rate.Div(interval.Of(1).Sub(rate))))
		how = fmt.Sprintf("each of %d records joins a step by its own coin", k)
	case accounting.SampledWithoutReplacement:
		release, move = e.Event, 2
		most, others := min(k, e.SampleSize), e.PopulationSize-k
		numbers, chances = joined(most, func(j int) interval.I {
			above := interval.Of(float64(k - j)).Mul(interval.Of(float64(e.SampleSize - j)))
			return above.Div(interval.Of(float64(j + 1)).Mul(interval.Of(float64(others - e.SampleSize + j + 1))))
		})
		how = fmt.Sprintf("a hypergeometric number of the %d records is in a step, each in the place of another example", k)
	case accounting.SampledWithReplacement:
		release, move = e.Event, 2
		if e.SampleSize > mostDraws {
			return step, "", fmt.Errorf("%v: %w", run.Event, accounting.ErrUnsupportedEvent)
		}
		odds := interval.Of(float64(k)).Div(interval.Of(float64(e.PopulationSize - k)))
		numbers, chances = joined(e.SampleSize, binomial(e.SampleSize, odds))
		how = fmt.Sprintf("each draw of a step takes one of the %d records with the same chance, in the place of another example", k)
	}
	for i := range numbers {
		numbers[i] *= move
	}
	step = accounting.MixtureOfGaussians{Chances: chances, Distances: numbers}
	switch e := release.(type) {
	case accounting.ClippedSum:
		step.NoiseMultiplier = e.NoiseMultiplier
	case accounting.Gaussian: // a sample of fixed size has no price for it
		step.NoiseMultiplier = e.NoiseMultiplier
		if move != 1 {
			err = accounting.ErrUnsupportedEvent
		}
	default:
		err = accounting.ErrUnsupportedEvent
	}
	if err != nil {
		return step, "", fmt.Errorf("%v: %w", run.Event, err)
	}
	return step, how, nil
}

// mostDraws bounds the draws of a step with replacement.
const mostDraws = 1_000_000

// binomial returns the ratios P[j+1]/P[j] of n coins of these odds.
func binomial(n int, odds interval.I) func(j int) interval.I {
	return func(j int) interval.I {
		return interval.Of(float64(n - j)).Div(interval.Of(float64(j + 1))).Mul(odds)
	}
}

// exactUpTo is the largest number of records in a sample that is not rounded up.
const exactUpTo = 40

// joined returns a law of numbers from 0 to most, from above: each tail is at least that of the law
// with P[j+1]/P[j] in up(j). The ratios must fall in j. Numbers above exactUpTo are rounded up by
// at most a twentieth. The chances sum to 1 within 1e-12.
func joined(most int, up func(j int) interval.I) (numbers, chances []float64) {
	rounded := func(j int) int {
		if j <= exactUpTo {
			return j
		}
		group := math.Ceil(numeric.Log(float64(j)/exactUpTo) / numeric.Log(1.05) * (1 - 1e-12))
		return max(j, min(most, int(exactUpTo*math.Pow(1.05, group))))
	}
	relative := make([]interval.I, most+1) // to the chance at the mode
	mode := sort.Search(most, func(j int) bool { return up(j).Hi < 1 })
	relative[mode] = interval.Of(1)
	for j := mode; j < most; j++ {
		relative[j+1] = relative[j].Mul(up(j))
	}
	for j := mode; j > 0; j-- {
		relative[j-1] = relative[j].Div(up(j - 1))
	}
	var all, above interval.Sum
	for _, chance := range relative {
		all.Add(chance)
	}
	whole, tail := all.I(), 0.0 // tail is P[number >= j], rounded up
	for j := most; j >= 1 && tail < 1; j-- {
		above.Add(relative[j])
		if j > 1 && rounded(j-1) == rounded(j) {
			continue
		}
		next := math.Max(tail, math.Min(1, above.I().Div(whole).Hi))
		numbers, chances = append(numbers, float64(rounded(j))), append(chances, interval.Up(next-tail)+1e-300)
		tail = next
	}
	return append(numbers, 0), append(chances, 1-tail+1e-13) // more than rounding: an excess is taken from here
}

// errTooFew is the error of a data set that cannot fill a batch without the person.
var errTooFew = errors.New("must leave enough other examples to fill a batch")

// among returns event on data sets with fewer examples, by so many. That is what group privacy
// compares last. Fewer examples cost more, by the comments of the events that have a number of
// them.
func among(event accounting.Node, fewer int) (accounting.Node, error) {
	switch e := event.Event.(type) {
	case accounting.SampledWithoutReplacement:
		if e.PopulationSize -= fewer; e.SampleSize >= e.PopulationSize {
			return event, fmt.Errorf("%v: %w", event.Event, errTooFew)
		}
		return accounting.Flatten(e)
	case accounting.SampledWithReplacement:
		if e.PopulationSize -= fewer; e.PopulationSize < 2 {
			return event, fmt.Errorf("%v: %w", event.Event, errTooFew)
		}
		return accounting.Flatten(e)
	case accounting.Gaussian, accounting.ClippedSum, accounting.RandomAllocation, accounting.Shuffled:
		return event, nil // no number of examples, but for a public number of steps
	case accounting.TruncatedPoisson: // its price holds for every number up to PopulationSize
		return event, nil
	}
	if event.Shape == accounting.Mechanism {
		return event, fmt.Errorf("%v: %w with several records of a person", event.Event, accounting.ErrUnsupportedEvent)
	}
	children := make([]accounting.Node, len(event.Children))
	for i, child := range event.Children {
		var err error
		if children[i], err = among(child, fewer); err != nil {
			return event, err
		}
	}
	return event.With(children...), nil
}
