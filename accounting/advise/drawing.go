package advise

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/intersected"
	"github.com/dplab/dplab/accounting/internal/lattice"
	"github.com/dplab/dplab/accounting/lratio"
	"github.com/dplab/dplab/accounting/pld"
)

// Drawing is a way to draw the batches of one training.
type Drawing struct {
	Name   string // as dpcost sgd -batches has it
	Scheme string // the type of package dpsgd that draws such batches; "" if the engine has none

	// Event is the event of the training at a noise multiplier. If the last epoch is cut, that of
	// shuffled batches has all of it.
	Event func(noiseMultiplier float64) accounting.Event `json:"-"`

	// Epsilon is ε of one training at Question.Delta and the noise of [Advice.OneRun]. The interval
	// is coarser than that of package auto. Without a price its upper end is +Inf.
	Epsilon accounting.Interval
}

// Drawings returns ways to draw the batches of one training, the least upper end of ε first. All
// have the noise of OneRun, the steps of the question, and its mean batch size. Batches are a
// little larger if the data do not split evenly. A way that the question does not allow is left
// out: with fewer than two batches in an epoch these are the last three.
//
//	poisson              each example joins each step by its own coin
//	capped               a Poisson sample, cut to five standard deviations above the mean batch
//	without-replacement  each step draws a new set of examples, all of one size
//	allocation           each example joins one step of each epoch, drawn by itself
//	shuffled             a new order in each epoch, cut into batches of one size
//	fixed                one public order; a missing example leaves its place empty
//
// An epoch has 1/SamplingRate steps, rounded down. The interval of shuffled batches goes from an
// attack to the price of a known order, as in package auto. All prices take about a second.
func (a Advice) Drawings() ([]Drawing, error) {
	if err := a.Question.Validate(); err != nil {
		return nil, err
	}
	d := drawn{Question: a.Question, noise: a.OneRun.NoiseMultiplier}
	if err := (accounting.ClippedSum{NoiseMultiplier: d.noise}).Validate(); err != nil {
		return nil, fmt.Errorf("advise: the noise of one run: %w", err)
	}
	list := []Drawing{d.sampled()}
	list = append(list, d.sized(list[0].Epsilon.Upper)...)
	if d.period() >= 2 {
		list = append(list, d.epochs()...)
	}
	slices.SortStableFunc(list, func(x, y Drawing) int { return cmp.Compare(x.Epsilon.Upper, y.Epsilon.Upper) })
	return list, nil
}

// drawn is a training whose batches are drawn in several ways.
type drawn struct {
	Question
	noise float64
}

const (
	coarseWidth = 0.02    // of an interval, relative to ε
	coarseGrid  = 1 << 16 // points
	deviations  = 5       // standard deviations from the mean batch to the cap
	even        = 1e-13   // relative; a number of examples or steps this near to a whole one is whole
)

// period returns the number of batches of an epoch.
func (d drawn) period() int {
	return int(min(math.Floor(1/d.SamplingRate*(1+even)), math.MaxInt32))
}

// repeated returns the event of all steps, each with a new sample.
func (d drawn) repeated(sample func(release accounting.Event) accounting.Event) func(float64) accounting.Event {
	return func(noise float64) accounting.Event {
		return accounting.SelfComposed{Event: sample(accounting.ClippedSum{NoiseMultiplier: noise}), Count: d.Steps}
	}
}

// priced returns a drawing with its ε by an accountant. An event without a price has no upper end.
func (d drawn) priced(w Drawing, by accounting.Accountant) Drawing {
	w.Epsilon = accounting.NoEpsilon()
	if g, err := by.EpsilonAt(w.Event(d.noise), d.Delta); err == nil {
		w.Epsilon = g.Epsilon
	}
	return w
}

// sampled returns Poisson samples.
func (d drawn) sampled() Drawing {
	return d.priced(Drawing{Name: "poisson", Scheme: "Poisson", Event: d.repeated(func(release accounting.Event) accounting.Event {
		return accounting.PoissonSampled{SamplingRate: d.SamplingRate, Event: release}
	})}, auto.NewAccountant())
}

// sized returns the samples whose event has the number of examples. epsilon is about their ε.
func (d drawn) sized(epsilon float64) (list []Drawing) {
	mean := d.SamplingRate * float64(d.Examples)
	size := int(math.Ceil(mean * (1 - even)))
	largest := int(math.Ceil(mean + deviations*math.Sqrt(mean*(1-d.SamplingRate))))
	grid := accounting.Unchecked(auto.Accountant{Grid: pld.Accountant{Width: max(0.01, min(coarseWidth*epsilon, 1)), MaxGrid: coarseGrid}})
	if largest < d.Examples {
		list = append(list, d.priced(Drawing{Name: "capped", Scheme: "TruncatedPoisson", Event: d.repeated(func(release accounting.Event) accounting.Event {
			return accounting.TruncatedPoisson{SamplingRate: d.SamplingRate, Cap: largest, PopulationSize: d.Examples, Event: release}
		})}, grid))
	}
	if size < d.Examples {
		list = append(list, d.priced(Drawing{Name: "without-replacement", Event: d.repeated(func(release accounting.Event) accounting.Event {
			return accounting.SampledWithoutReplacement{SampleSize: size, PopulationSize: d.Examples, Event: release}
		})}, grid))
	}
	return list
}

// epochs returns the ways that let an example join once in each epoch.
func (d drawn) epochs() []Drawing {
	period, count := d.period(), d.Epochs
	if count == 0 {
		count = (d.Steps-1)/period + 1
	}
	allocation := d.priced(Drawing{Name: "allocation", Scheme: "RandomAllocation", Event: func(noise float64) accounting.Event {
		return accounting.RandomAllocation{Period: period, Steps: d.Steps, Participations: 1, Event: accounting.ClippedSum{NoiseMultiplier: noise}}
	}}, lratio.Accountant{Width: coarseWidth})
	fixed := d.priced(Drawing{Name: "fixed", Scheme: "FixedBatches", Event: func(noise float64) accounting.Event {
		return ask.Gaussians(count, noise, ask.Empty)
	}}, auto.NewAccountant())
	return []Drawing{allocation, d.shuffled(count), fixed}
}

// shuffled returns count epochs of shuffled batches. The last one may be cut: it is then a part of
// a whole epoch, so the upper end of whole ones holds.
//
// The lower end is that of whole epochs only, by an attack of package auto with less effort; the
// proof is there (shuffled.go). The others' gradients are -1. The release of the example's batch
// moves by 2, and without the example the last batch is short by 1.
func (d drawn) shuffled(count int) Drawing {
	period := d.period()
	w := d.priced(Drawing{Name: "shuffled", Event: func(noise float64) accounting.Event {
		return accounting.Shuffled{Batches: period, Epochs: count, Event: accounting.ClippedSum{NoiseMultiplier: noise}}
	}}, intersected.NewAccountant())
	if whole := min(d.Steps/period, count); whole > 0 {
		attack := lattice.Single(lattice.Placement{NoiseMultiplier: d.noise, Steps: period, Moved: 1, P: 2, Q: 1})
		remove, add := attack.EpsilonAt(whole, d.Delta, lattice.Quick)
		upper := w.Epsilon.Upper
		w.Epsilon = accounting.Certified(min(max(remove, add, 0), upper), upper, upper)
	}
	return w
}
