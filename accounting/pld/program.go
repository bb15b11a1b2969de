package pld

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/batchpairs"
)

const (
	maxSteps      = 1e12 // of one mechanism; the rounding model holds up to here
	maxMechanisms = 500  // different ones in a composition
	minNoise      = 1e-3 // least noise multiplier on the grid
	minRate       = 1e-300
)

// mechanism is count runs of one on a sample of the given rate: a Poisson sample, or
// one of fixed size (replaceone_fixedsize.go).
type mechanism struct {
	base      base
	rate      float64
	count     float64
	fixedSize bool
	shown     float64     // > 0: rate of a Poisson sample that is shown (replaceone_poisson.go)
	power     *power      // the law of count runs composed, nil if none
	attacks   []mechanism // of one run; if any, lower ends come from these instead (batches.go)
}

// program is the content of an event. All plain Gaussians are one of parameter mu.
type program struct {
	event      accounting.Node
	mechanisms []mechanism
	mu         float64
	nonPrivate bool
	upperOnly  bool // a mechanism only bounds its event from above, in any composition
	removeOnly bool // the add direction is not requested
}

// key identifies equal mechanisms; DiscretePairs are never merged. A ProfileBound has its place in
// collector.profiles as a.
type key struct {
	kind       int
	rate, a, b float64
	fixedSize  bool
	shown      float64
}

type collector struct {
	program
	asked     ask.Question
	relation  accounting.Neighboring
	fixedSize bool    // the mechanisms being added are on a sample of fixed size
	shown     float64 // rate of their shown sample, 0 if none
	index     map[key]int
	profiles  []accounting.ProfileBound
}

// compile sorts the runs of an event into a program.
func compile(q ask.Question) (program, error) {
	c := collector{asked: q, relation: q.Relation(), index: map[key]int{}}
	if err := c.add(q.Node(), 1); err != nil {
		return program{}, err
	}
	if c.nonPrivate {
		return program{nonPrivate: true}, nil
	}
	if c.mu > 0 && len(c.mechanisms) > 0 {
		if c.mu > 1/minNoise {
			return program{}, fmt.Errorf("pld: plain Gaussians of parameter µ = %g among other events: must be at most %g", c.mu, 1/minNoise)
		}
		c.mechanisms = append(c.mechanisms, mechanism{base: gaussianBase{1 / c.mu}, rate: 1, count: 1})
	}
	return c.program, nil
}

// add adds an event, count times.
func (c *collector) add(event accounting.Node, count float64) error {
	for run, times := range event.Runs() {
		if err := c.addRuns(run, 1, count*times); err != nil {
			return err
		}
	}
	return nil
}

// addRuns adds count runs of one event that is not a composition, each on a Poisson sample of the
// given rate.
func (c *collector) addRuns(run accounting.Node, rate, count float64) error {
	if count > maxSteps {
		return fmt.Errorf("pld: %g steps of one event: must be at most %g", count, float64(maxSteps))
	}
	if rate < minRate { // ratios of 1 to it overflow
		return fmt.Errorf("pld: %v at sampling rate %g: must be at least %g on the grid", run.Event, rate, float64(minRate))
	}
	switch {
	case run.Shape == accounting.PoissonSample && c.relation == accounting.ReplaceOne:
		return c.addShown(run, count)
	case run.Shape == accounting.PoissonSample:
		return c.addSampled(run.Children[0], rate*run.Rate, count)
	case rate == 1 && batchpairs.Knows(run.Event):
		return c.addBatches(run.Event, count)
	case run.Shape == accounting.FixedSizeSample:
		return c.addFixedSize(run, count)
	}
	switch e := run.Event.(type) {
	case accounting.NonPrivate:
		if rate < 1 || c.fixedSize || c.shown > 0 { // the data are published with a chance below 1
			return c.put(key{kind: 4, rate: rate}, discreteBase{outcomes: []outcome{given(1, 0, 0), given(0, 1, 0)}}, count)
		}
		c.nonPrivate = true
		return nil
	case accounting.Gaussian:
		return c.addGaussian(e.NoiseMultiplier, rate, count)
	case accounting.Laplace:
		if e.NoiseMultiplier < minNoise {
			return fmt.Errorf("pld: %v: must have a noise multiplier of at least %g on the grid", e, minNoise)
		}
		return c.put(key{kind: 1, rate: rate, a: e.NoiseMultiplier}, laplaceBase{e.NoiseMultiplier}, count)
	case accounting.RandomizedResponse:
		return c.addResponse(e, e.Epsilon(), 0, rate, count)
	case accounting.PureDP:
		return c.addResponse(e, e.Epsilon, 0, rate, count)
	case accounting.ExponentialMechanism:
		return c.addChoice(e, rate, count)
	case accounting.PermuteAndFlip:
		c.upperOnly = c.upperOnly || e.Epsilon > 0
		return c.addResponse(e, e.Epsilon, 0, rate, count)
	case accounting.ApproxDP:
		return c.addResponse(e, e.Epsilon, e.Delta, rate, count)
	case accounting.MixtureOfGaussians:
		return c.addMixture(e, rate, count)
	case accounting.RandomAllocation:
		return c.addAllocation(run, rate, count)
	case DiscretePair:
		if c.relation == accounting.ReplaceOne {
			return accounting.RelationError("pld", e, c.relation, accounting.AddOrRemoveOne)
		}
		c.upperOnly = c.upperOnly || e.Above
		return c.put(key{kind: -1 - len(c.mechanisms), rate: rate}, e.base(), count)
	case accounting.ProfileBound:
		return c.addProfile(e, rate, count)
	}
	if rate < 1 {
		return unsupported(accounting.PoissonSampled{SamplingRate: rate, Event: run.Event})
	}
	return unsupported(run.Event)
}

func unsupported(event accounting.Event) error {
	return fmt.Errorf("pld: %v: %w (known: Gaussian, ClippedSum, MixtureOfGaussians, Laplace, RandomizedResponse, PureDP, ApproxDP, ExponentialMechanism, PermuteAndFlip, DiscretePair, ProfileBound, PoissonSampled and SampledWithoutReplacement of these, SampledWithReplacement and TruncatedPoisson of ClippedSum, RandomAllocation of Gaussian and ClippedSum under AddOrRemoveOne, SelfComposed, Composed, NonPrivate; Parallel and WorstCase outermost)",
		event, accounting.ErrUnsupportedEvent)
}

// addSampled adds a mechanism on a sample of a rate below 1.
func (c *collector) addSampled(event accounting.Node, rate, count float64) error {
	one, ok := asOne(c.asked.Part(event))
	if !ok {
		return unsupported(accounting.PoissonSampled{SamplingRate: rate, Event: event.Event})
	}
	return c.addRuns(one, rate, count)
}

// asOne returns a composition of Gaussians, or the worst of several, as one Gaussian (gdp.Mu). If
// it holds a NonPrivate, it is NonPrivate. Any other event is returned unchanged. ok is false for
// other compositions and the worst of other events, which are not sampled as one run.
func asOne(q ask.Question) (one accounting.Node, ok bool) {
	event := q.Node()
	switch event.Shape {
	case accounting.Repetition, accounting.Sequence, accounting.Either:
		mu, err := gdp.MuTo(q)
		if math.IsInf(mu, 1) {
			return accounting.Node{Event: accounting.NonPrivate{}, Count: 1}, err == nil
		}
		return accounting.Node{Event: accounting.Gaussian{NoiseMultiplier: 1 / mu}, Count: 1}, true
	}
	return event, true
}

// addFixedSize adds a mechanism on a sample without replacement.
func (c *collector) addFixedSize(sample accounting.Node, count float64) error {
	if c.relation != accounting.ReplaceOne {
		return accounting.RelationError("pld", sample.Event, c.relation, accounting.ReplaceOne)
	}
	if c.fixedSize || c.shown > 0 || sample.Contains(accounting.IsClippedSum) { // a composition of sums on one sample
		return unsupported(sample.Event)
	}
	c.fixedSize = true // Lowered has taken the event out of a sample of all records
	defer func() { c.fixedSize = false }()
	return c.addSampled(sample.Children[0], sample.Rate, count)
}

func (c *collector) addGaussian(sigma, rate, count float64) error {
	if rate == 1 && c.shown == 0 {
		c.mu = math.Hypot(c.mu, math.Sqrt(count)/sigma)
		return nil
	}
	if err := check.Between(minNoise, 1/unit).With("on the grid").Of("pld: sampled Gaussian with noise multiplier", sigma); err != nil {
		return err
	}
	return c.put(key{rate: rate, a: sigma}, gaussianBase{sigma}, count)
}

// mostResponse is the largest ε of pure differential privacy on the grid.
const mostResponse = 700

func tooLarge(e accounting.Event) error {
	return fmt.Errorf("pld: %v: must have ε of at most %d on the grid", e, mostResponse)
}

func (c *collector) addResponse(e accounting.Event, epsilon, delta, rate, count float64) error {
	if epsilon > mostResponse {
		return tooLarge(e)
	}
	base := response(epsilon, delta)
	_, base.rounded = e.(accounting.RandomizedResponse)
	return c.put(key{kind: 2, rate: rate, a: epsilon, b: delta}, base, count)
}

func (c *collector) put(k key, b base, count float64) error {
	k.fixedSize, k.shown = c.fixedSize, c.shown
	if i, ok := c.index[k]; ok {
		c.mechanisms[i].count += count
		return nil
	}
	if len(c.mechanisms) >= maxMechanisms {
		return fmt.Errorf("pld: more than %d different events: must be at most %d", maxMechanisms, maxMechanisms)
	}
	c.index[k] = len(c.mechanisms)
	c.mechanisms = append(c.mechanisms, mechanism{base: b, rate: k.rate, count: count, fixedSize: c.fixedSize, shown: c.shown})
	return nil
}
