// Package answer prices the question of a command line. Each answer is data. Package output writes
// it.
package answer

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/rdp"
)

// ReportFunc receives the current step.
type ReportFunc func(format string, args ...any)

// Report is the price of an event.
type Report struct {
	Guarantee       accounting.Guarantee
	Event           accounting.Event
	Planned         bool   // whether Event is a plan
	Published       string // the least published bound, if a less one is ours
	Noise           float64
	NoiseMultiplier *float64 // Noise, if it was found for a target
	Solved          *Solved
	DeltaAt         *DeltaAt
	Attack          *Attack
	Person          *Person
	MoreThanLeast   bool // a little less noise may be enough: a warning has the reason
	Mechanism       string
	Batches         *input.Batches // nil if nothing is sampled
	Setting         *input.Setting // nil if the number of examples is unknown
	Base            *Report        // one run of a tuning
	Bounds          []Bound        // least first
	Parts           []Part         // entries of a plan, priced separately
	Warnings        []string
	LargeDelta      error // the warning about δ, or nil
	Statement       *accounting.Statement
	Ledger          *Ledger // nil unless it is about a file of releases
}

// Bound is one upper bound.
type Bound struct {
	Name    string            `json:"name"`
	Epsilon accounting.Number `json:"epsilon"`
	Method  string            `json:"method,omitempty"`
	Theorem string            `json:"theorem,omitempty"`
}

// AllWarnings returns the warnings, those of δ and of the guarantee included.
func (r Report) AllWarnings() []string {
	all := slices.Clone(r.Warnings)
	if r.LargeDelta != nil {
		all = append(all, r.LargeDelta.Error())
	}
	for _, w := range r.Guarantee.Warnings {
		all = append(all, w.Error())
	}
	return all
}

// price returns the price of an event by package auto. If the event has no selection, the bound of
// the Rényi accountant is added for comparison.
func price(accountant auto.Accountant, event accounting.Event, delta float64) (Report, error) {
	p, err := accountant.PriceAt(event, delta)
	if err != nil {
		return Report{}, err
	}
	r := Report{Guarantee: p.Guarantee, Event: event, Mechanism: event.String(), Batches: input.BatchesOf(event)}
	if b, ok := p.LeastPublished(); ok && !p.Least().Published {
		r.Published = fmt.Sprintf("ε ≤ %s, %s", accounting.FormatUpper(b.Epsilon), b.Theorem)
	}
	for _, b := range p.Bounds {
		r.Bounds = append(r.Bounds, Bound{Name: b.Name, Epsilon: accounting.Number(b.Epsilon), Method: b.Method, Theorem: b.Theorem})
	}
	comparison := rdp.Accountant{Relation: accountant.Neighboring()}
	if auto.HasSelection(event) || slices.ContainsFunc(r.Bounds, func(b Bound) bool { return b.Name == comparison.Name() }) {
		return r, nil
	}
	if g, err := comparison.EpsilonAt(event, delta); err == nil {
		r.Bounds = append(r.Bounds, Bound{Name: comparison.Name(), Epsilon: accounting.Number(g.Epsilon.Upper), Method: g.Method})
	}
	return r, nil
}

// Question is one validated command line. It asks for the price of an event at δ, or for the least
// noise that costs at most the target.
type Question struct {
	Event   func(noise float64) accounting.Event // the whole
	Run     func(noise float64) accounting.Event // one run of a tuning; nil if the whole is one run
	Delta   float64
	Noise   float64
	Target  float64        // > 0: find the noise
	At      At             // unless the whole is a tuning
	Batches *input.Batches // of the runs, from the flags
	Setting *input.Setting // of the runs, from the flags; may be nil
	Solved  *Solved        // a flag of the run that was found for a target; may be nil
}

// Report finds the noise, if the question asks for it, and returns the price.
func (q Question) Report() (Report, error) {
	if q.Target == 0 && !q.At.TPR.Given {
		return q.price()
	}
	find := q.leastNoise
	if q.At.TPR.Given {
		find = func() (noise float64, warning string, err error) {
			noise, err = q.At.leastNoise(q.attacked)
			return noise, "", err
		}
	}
	noise, warning, err := find()
	if err != nil {
		return Report{}, err
	}
	q.Noise = noise
	r, err := q.price()
	if err != nil {
		return Report{}, err
	}
	r.NoiseMultiplier, r.MoreThanLeast = &q.Noise, warning != ""
	if warning != "" {
		r.Warnings = append([]string{warning}, r.Warnings...)
	}
	return r, nil
}

// price prices the whole at the noise, and one run if the whole is a tuning.
func (q Question) price() (Report, error) {
	r, err := price(auto.NewAccountant(), q.Event(q.Noise), q.Delta)
	if err != nil {
		return Report{}, err
	}
	r.Noise, r.Batches, r.Setting, r.Solved = q.Noise, q.Batches, q.Setting, q.Solved
	r.LargeDelta = LargeDelta(q.Delta, q.Setting)
	if q.Run == nil {
		ends := bothEnds
		if q.Batches.IsShuffled() {
			if r.Batches.Neighbors, err = q.neighbors(r.Guarantee); err != nil {
				return Report{}, err
			}
			if ends = upperEnd; q.Batches.Bounded {
				r.Guarantee.Epsilon = ends(r.Guarantee.Epsilon)
			}
		}
		return r, q.At.answer(&r, q.attacked(q.Noise), ends)
	}
	one, err := price(auto.NewAccountant(), q.Run(q.Noise), q.Delta)
	if err != nil {
		return Report{}, err
	}
	one.Bounds, one.Batches = nil, nil
	if q.Batches.IsShuffled() && q.Batches.Bounded {
		one.Guarantee.Epsilon = upperEnd(one.Guarantee.Epsilon)
	}
	r.Base = &one
	return r, nil
}

// attacked is what a test for one example sees: of shuffled batches, the order too.
func (q Question) attacked(noise float64) accounting.Event {
	if q.Batches.IsShuffled() {
		return ask.Gaussians(q.Batches.Epochs, noise, ask.Moved)
	}
	return q.Event(noise)
}

// LargeDelta returns the warning about a δ that allows the publication of a record, or nil. setting
// is nil if the number of examples is unknown.
func LargeDelta(delta float64, setting *input.Setting) error {
	if setting == nil || delta*setting.Examples < 1 {
		return accounting.WarnOfDelta(delta)
	}
	return accounting.LargeDelta(fmt.Sprintf("delta %g is not below 1/examples = %.3g: publishing one example, chosen at random, meets such a delta", delta, 1/setting.Examples))
}

// neighbors prices shuffled batches under every relation. known is the price under AddOrRemoveOne.
func (q Question) neighbors(known accounting.Guarantee) ([]input.Neighbor, error) {
	list := []input.Neighbor{
		{Neighboring: accounting.ReplaceSpecial, If: "an example's gradient becomes zero and its place in the order stays; holds under add-or-remove-one too, if the place stays empty"},
		{Neighboring: accounting.ReplaceOne, If: "another example takes its place"},
		{Neighboring: accounting.AddOrRemoveOne, If: "the loader shuffles one example fewer; the number of steps and the divisor of the sums stay the same"},
		{Neighboring: accounting.AddOrRemoveOne, Epsilon: accounting.Number(math.Inf(1)), If: "the number of steps, or the divisor of the sums, depends on the number of examples"},
	}
	for i, distance := range []float64{ask.Empty, ask.Replaced, ask.Moved} {
		g, err := known, error(nil)
		switch relation := list[i].Neighboring; {
		case relation == known.Neighboring:
		case q.Batches.Bounded:
			g, err = auto.NewAccountant().EpsilonAt(ask.Gaussians(q.Batches.Epochs, q.Noise, distance), q.Delta)
		default:
			accountant, failed := auto.NewAccountantFor(relation)
			if failed != nil {
				return nil, failed
			}
			g, err = accountant.EpsilonAt(q.Event(q.Noise), q.Delta)
		}
		if err != nil {
			return nil, err
		}
		list[i].Epsilon, list[i].Checked = accounting.Number(g.Epsilon.Upper), g.Certificate != nil
		if !q.Batches.Bounded && g.Epsilon.HasLower {
			lower := accounting.Number(g.Epsilon.Lower)
			list[i].Lower = &lower
		}
	}
	return list, nil
}

// leastNoiseSearched and mostNoiseSearched are the ends of the searched noise multipliers.
const leastNoiseSearched, mostNoiseSearched = 1e-6, 1e9

// leastNoise returns the least noise multiplier that costs at most the target, rounded up. If it
// can only find one that is enough, it returns a warning with the reason. The quick accountant of
// the list finds a σ that is enough, and the tight one searches below it. So the tight one is
// never asked about a σ that is far off.
func (q Question) leastNoise() (noise float64, warning string, err error) {
	high := float64(mostNoiseSearched)
	for i, a := range []accounting.Accountant{auto.NewAccountant(rdp.NewAccountant()), auto.NewAccountant()} {
		search := accounting.Calibration{
			Accountant: a, Target: accounting.Target{Epsilon: q.Target, Delta: q.Delta}, Low: leastNoiseSearched, High: high,
			Event: q.Event,
		}
		if i > 0 && high < mostNoiseSearched { // mostly a few percent less
			search.Low = high / 1.25
		}
		noise, err := search.Least()
		if i == 0 && errors.Is(err, accounting.ErrUnsupportedEvent) {
			continue // no Rényi bound
		}
		if i > 0 && err == nil && noise == search.Low {
			search.Low = leastNoiseSearched
			noise, err = search.Least()
		}
		if err == nil && noise == leastNoiseSearched {
			return 0, "", fmt.Errorf("noise multiplier %g, the least that is searched, costs at most -target-epsilon %g at -delta %g: must be above it", noise, q.Target, q.Delta)
		}
		if err != nil && i > 0 && high < mostNoiseSearched {
			return high, fmt.Sprintf("the noise is enough but may not be the least: only Rényi bounds were searched (%v)", err), nil
		}
		if err != nil {
			return 0, "", fmt.Errorf("no noise multiplier in [%g, %g] costs at most -target-epsilon %g at -delta %g: %w", leastNoiseSearched, float64(mostNoiseSearched), q.Target, q.Delta, err)
		}
		high = noise
	}
	return high, "", nil
}
