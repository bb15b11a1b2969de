package answer

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/numeric"
)

// mixturePerson is the price of Gaussian releases on Poisson samples. With j records of the
// person in a sample, a release moves by at most j, and j is binomial. So a step is a mixture of
// Gaussians, which is attained (accounting/pld, mixture.go). Fewer records cost less, because
// larger distances cost more. narrow is true if group privacy cannot give much less.
func mixturePerson(event accounting.Event, records, delta float64, accountant auto.Accountant) (p *Person, narrow bool, err error) {
	node, err := accounting.Flatten(event)
	if err != nil {
		return nil, false, err
	}
	person := accounting.Composed{}
	for run, count := range node.Lowered(accounting.AddOrRemoveOne).Runs() {
		rate := 1.0
		if run.Shape == accounting.PoissonSample {
			rate, run = run.Rate, run.Children[0]
		}
		release, ok := run.Event.(accounting.Gaussian)
		if !ok || count > math.MaxInt32 {
			return nil, false, fmt.Errorf("%v: %w", run.Event, accounting.ErrUnsupportedEvent)
		}
		step := accounting.MixtureOfGaussians{NoiseMultiplier: release.NoiseMultiplier}
		step.Distances, step.Chances = joined(int(records), rate)
		person.Events = append(person.Events, accounting.SelfComposed{Event: step, Count: int(count)})
	}
	g, err := accountant.EpsilonAt(person, delta)
	if err != nil {
		return nil, false, err
	}
	p = &Person{records, accounting.Number(g.Epsilon.Upper), delta,
		fmt.Sprintf("each of %g records joins a step by its own coin: a step is a mixture of Gaussians", records), g.Certificate}
	if math.IsInf(g.Epsilon.Upper, 1) {
		return nil, false, fmt.Errorf("%v: %w", person, accounting.ErrUnsupportedEvent)
	}
	return p, g.Epsilon.Lower >= narrowPerson*g.Epsilon.Upper, nil
}

// narrowPerson is the least ratio of the ends of a narrow price.
const narrowPerson = 0.8

// exactUpTo is the largest number of records in a sample that is not rounded up.
const exactUpTo = 40

// joined returns a law of the number of records that join a sample, from above: each tail is at
// least that of the binomial law of n coins of chance q. Numbers above exactUpTo are rounded up by
// at most a twentieth. The chances sum to 1 within 1e-12.
func joined(n int, q float64) (numbers, chances []float64) {
	rounded := func(j int) int {
		if j <= exactUpTo {
			return j
		}
		group := math.Ceil(numeric.Log(float64(j)/exactUpTo) / numeric.Log(1.05) * (1 - 1e-12))
		return max(j, min(n, int(exactUpTo*math.Pow(1.05, group))))
	}
	all, _ := math.Lgamma(float64(n + 1))
	eta := 1e-14 + 8*0x1p-53*all // of a chance: each logarithm errs by a few units of itself
	left, last := 1.0, -1
	for j := n; j >= 1; j-- {
		some, _ := math.Lgamma(float64(j + 1))
		rest, _ := math.Lgamma(float64(n - j + 1))
		log := all - some - rest + float64(j)*numeric.Log(q)
		if j < n {
			log += float64(n-j) * math.Log1p(-q)
		}
		chance := math.Min(left, math.Exp(log)*(1+eta+8*0x1p-53*math.Abs(log))+1e-300)
		left -= chance
		if r := rounded(j); last < 0 || numbers[last] != float64(r) {
			numbers, chances, last = append(numbers, float64(r)), append(chances, chance), last+1
		} else {
			chances[last] += chance
		}
		if left <= 0 {
			return numbers, chances
		}
	}
	return append(numbers, 0), append(chances, left+1e-14) // more than rounding: an excess is taken from here
}
