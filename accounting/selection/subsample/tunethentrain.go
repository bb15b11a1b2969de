package subsample

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/internal/certificate/settle"
	"github.com/dplab/dplab/accounting/internal/ranks"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Variant is the set of records that the last training of an [Event] reads.
type Variant int

// The variants of Koskela and Kulkarni (NeurIPS 2023). The zero value is neither.
const (
	RestOfData Variant = iota + 1 // variant 1: those that the tuning did not read
	AllData                       // variant 2: all
)

// String returns "rest of the data" or "all data".
func (v Variant) String() string {
	switch v {
	case RestOfData:
		return "rest of the data"
	case AllData:
		return "all data"
	}
	return fmt.Sprintf("Variant(%d)", int(v))
}

// Validate returns an error unless v is one of the two variants.
func (v Variant) Validate() error {
	if v != RestOfData && v != AllData {
		return fmt.Errorf("subsample: Variant %d: must be RestOfData or AllData", int(v))
	}
	return nil
}

// Event is a tuning on a Poisson sample of the data and one training after it. Each record joins
// the sample with chance TuningRate, and Tuning runs on the sample. Then Training runs on the
// Variant's records. It may use all that the tuning returned, the model included. All that both
// return may be published. The members of the sample must stay secret.
//
// Training must describe the last run for all hyper-parameters that the tuning may return, also if
// they are extrapolated to more data. A factor for the learning rate must come from the public
// rate, as 1/q or (1-q)/q, not from the number of records drawn.
type Event struct {
	TuningRate float64          // q in (0, 1]
	Tuning     selection.BestOf // the best of K runs on the sample
	Training   accounting.Event // the run after it
	Variant    Variant
}

var _ accounting.Holder = Event{}

// Validate returns every fault, joined.
func (e Event) Validate() error {
	errs := []error{validateRate("Event.TuningRate", e.TuningRate), e.Tuning.Validate(), e.Variant.Validate()}
	if e.Training == nil {
		errs = append(errs, errors.New("subsample: Event.Training is nil: must be an event"))
	} else {
		errs = append(errs, e.Training.Validate())
	}
	return errors.Join(errs...)
}

// String describes the event.
func (e Event) String() string {
	return fmt.Sprintf("%v, on a Poisson sample of rate %g; then %v, on %v", e.Tuning, e.TuningRate, e.Training, e.Variant)
}

// Holds returns the tuning and the training, each on the sample that it reads.
func (e Event) Holds() []accounting.Event {
	training := e.Training
	if e.Variant == RestOfData && e.TuningRate < 1 {
		rest := math.Min(1-e.TuningRate, math.Nextafter(1, 0)) // a small TuningRate hides the size too
		training = accounting.PoissonSampled{SamplingRate: rest, Event: training}
	}
	return []accounting.Event{accounting.PoissonSampled{SamplingRate: e.TuningRate, Event: e.Tuning}, training}
}

// check returns an error unless the event is valid and may be priced under AddOrRemoveOne.
func (e Event) check() error {
	node, err := accounting.Flatten(e)
	if err != nil {
		return err
	}
	return node.CheckRelation("subsample", accounting.AddOrRemoveOne)
}

const (
	papernot = "Papernot and Steinke (ICLR 2022)"
	kulkarni = "Koskela and Kulkarni (NeurIPS 2023)"
)

// PriceAt returns the ε at delta of event by every bound that applies:
//
//	published        variant 1: KoskelaTheorem6; variant 2: rdp.ZhuWang of the tuning, plus
//	                 the training. The tuning by Theorems 2 and 6 of Papernot and Steinke
//	sharpened RDP    variant 1: TrainOnRest; variant 2: rdp.PoissonAmplified of the tuning, plus
//	                 the training. The tuning by RDP
//	mixture          privacy profiles with δ split between the record's two fates; left out where
//	                 it is not the least
//	likelihood ratios  the pair of laws that dominates the tuning, with a profile of the training
//
// The Rényi accountant must know both events. The given accountants tighten the last two bounds.
// Laws other than TNB, Poisson and fixed have only these two, because an amplified curve would
// evaluate Lemma 7 at hundreds of orders. A price takes tens of milliseconds.
func PriceAt(event Event, delta float64, accountants ...accounting.Accountant) (accounting.Price, error) {
	p, err := Prepare(event, delta, accountants...)
	if err != nil {
		return accounting.NoPrice(), err
	}
	return p.PriceAt(event.TuningRate, event.Variant)
}

// Prepared has all that is known of a tuning and a training at one δ, for every sample. Prices at
// many sampling rates, and of both variants, share it. It is safe for concurrent use.
type Prepared struct{ parts subsampled }

// Prepare returns what is common to the prices of event at all TuningRates and Variants.
func Prepare(event Event, delta float64, accountants ...accounting.Accountant) (Prepared, error) {
	if err := event.check(); err != nil {
		return Prepared{}, err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return Prepared{}, fmt.Errorf("subsample: %w", err)
	}
	s, err := newSubsampled(event, delta, accountants)
	if err != nil {
		return Prepared{}, err
	}
	return Prepared{s}, nil
}

// PriceAt returns the result of the function PriceAt for the event with this TuningRate and
// Variant.
func (p Prepared) PriceAt(rate float64, variant Variant) (accounting.Price, error) {
	s, event, delta := p.parts, p.parts.Event, p.parts.delta
	event.TuningRate, event.Variant = rate, variant
	if err := event.check(); err != nil {
		return accounting.NoPrice(), err
	}
	s.Event = event
	bounds, err := s.bounds()
	if err != nil {
		return accounting.NoPrice(), err
	}
	choose := settle.Sorted
	if s.checks {
		choose = settle.Settle
	}
	shown := choose(bounds, delta, s.base.Shows(event))
	return accounting.Price{OneRun: s.training.Guarantee(delta), Bounds: shown.Bounds, Guarantee: s.guarantee(shown)}, nil
}

// subsampled is an Event with all that is known of its parts.
type subsampled struct {
	Event
	delta          float64
	law            law.Distribution // of the tuning
	base, training baserun.Run
	checks         bool // of the price

	// These describe tuning and training for every sample. They are computed on first use.
	curve     func() (rdp.Curve, error) // tuningCurve
	published func() (cited, error)     // publishedCurve
	pair      func() (shownPair, error) // dominates the tuning
	trainings func() []ranks.Bounds     // profiles of the training
}

func newSubsampled(event Event, delta float64, accountants []accounting.Accountant) (subsampled, error) {
	base, training, err := basesOf(event, accountants)
	if err != nil {
		return subsampled{}, err
	}
	if base.Curve == nil || training.Curve == nil {
		return subsampled{}, fmt.Errorf("subsample: tuning of %v, training of %v: one has no Rényi curve: %w", event.Tuning.Base, event.Training, accounting.ErrUnsupportedEvent)
	}
	k, err := law.Of(event.Tuning.Law)
	if err != nil {
		return subsampled{}, err
	}
	s := subsampled{Event: event, delta: delta, law: k, base: base, training: training, checks: attach.Wanted(accountants...)}
	s.published = sync.OnceValues(func() (cited, error) { return publishedCurve(k, base) })
	s.curve = sync.OnceValues(s.tuningCurve)
	s.pair = sync.OnceValues(func() (shownPair, error) {
		pair, shown, err := selection.ShownPairOf(prepared{event.Tuning.Law, k}, base, delta)
		return shownPair{pair, shown}, err
	})
	s.trainings = sync.OnceValue(func() []ranks.Bounds { return ranks.Around(training, delta/10) })
	return s, nil
}

// shownPair is a pair of laws with what shows values of a profile that it is above.
type shownPair struct {
	pld.DiscretePair
	shown selection.Shown
}

// basesOf returns all that is known of one run of the tuning and of the training. They share a
// cache if they are the same event.
func basesOf(event Event, accountants []accounting.Accountant) (base, training baserun.Run, err error) {
	if base, err = baserun.New(event.Tuning.Base, accountants...); err != nil {
		return base, training, err
	}
	base = base.Prepared()
	if reflect.DeepEqual(event.Training, event.Tuning.Base) {
		return base, base, nil
	}
	training, err = baserun.New(event.Training, accountants...)
	return base, training.Prepared(), err
}

// prepared is a law with its Distribution computed.
type prepared struct {
	law.Law
	made law.Distribution
}

func (p prepared) Distribution() law.Distribution { return p.made }

func (s subsampled) bounds() ([]settle.Candidate, error) {
	var bounds []settle.Candidate
	least := math.Inf(1)
	mixture := func() ([]settle.Candidate, error) { return s.mixture(least) }
	for _, family := range []func() ([]settle.Candidate, error){s.byTheorems, s.sharpened, s.likelihood, mixture} {
		more, err := family()
		if err != nil {
			return nil, err
		}
		for _, b := range more {
			least = math.Min(least, b.Epsilon)
		}
		bounds = append(bounds, more...)
	}
	if len(bounds) == 0 {
		return nil, fmt.Errorf("subsample: no bound applies to tuning with the %v on a sample, then training on %v", s.Tuning.Law, s.Variant)
	}
	for _, b := range bounds {
		if !(b.Epsilon >= 0) {
			return nil, fmt.Errorf("subsample: bound %q came out as %g: must be >= 0", b.Name, b.Epsilon)
		}
	}
	return bounds, nil
}

// byTheorems prices the event by the paper's theorem, and the tuning by the theorem that it cites.
func (s subsampled) byTheorems() ([]settle.Candidate, error) {
	tuning, err := s.published()
	if err != nil || tuning.curve == nil {
		return nil, err
	}
	b := accounting.Bound{Name: "Theorem 6 of 2023", Theorem: "Theorem 6 of " + kulkarni + " with " + tuning.theorem, Published: true}
	curve, err := KoskelaTheorem6(tuning.curve, s.training.Curve, s.TuningRate)
	if s.Variant == AllData {
		b.Name, b.Theorem = "Theorem 4 of 2023", "Theorem 5 of Zhu and Wang (ICML 2019), as in Theorem 4 of "+kulkarni+", with "+tuning.theorem
		curve, err = composedAfter(rdp.ZhuWang, tuning.curve, s.training.Curve, s.TuningRate)
	}
	if err != nil {
		return nil, err
	}
	return []settle.Candidate{{Bound: selection.RDPBound(curve, s.delta, b)}}, nil
}

// sharpened prices the event by our forms of the same theorems.
func (s subsampled) sharpened() ([]settle.Candidate, error) {
	curve, err := s.sharpenedCurve()
	if err != nil || curve == nil {
		return nil, err
	}
	b := accounting.Bound{Name: "sharpened RDP", Theorem: "Theorem 6 of " + kulkarni + " with a sharper second direction (subsample.TrainOnRest)"}
	if s.Variant == AllData {
		b.Theorem = "Poisson amplification by the binomial sum in both directions (rdp.PoissonAmplified), plus the training"
	}
	return []settle.Candidate{{Bound: selection.RDPBound(curve, s.delta, b)}}, nil
}

// sharpenedCurve returns the curve of sharpened. It is nil if the tuning has no quick curve.
func (s subsampled) sharpenedCurve() (rdp.Curve, error) {
	tuning, err := s.curve()
	if err != nil || tuning == nil {
		return nil, err
	}
	if s.Variant == AllData {
		return composedAfter(rdp.PoissonAmplified, tuning, s.training.Curve, s.TuningRate)
	}
	return TrainOnRest(tuning, s.training.Curve, s.TuningRate)
}

// cited is a Rényi curve with its theorem.
type cited struct {
	curve   rdp.Curve // nil if no theorem applies
	theorem string
}

// publishedCurve returns the curve of Theorem 2 or 6, or of composition.
func publishedCurve(k law.Distribution, base baserun.Run) (c cited, err error) {
	switch l := k.Law().(type) {
	case law.TNB:
		c.theorem = "Theorem 2 of " + papernot
		c.curve, err = selection.Theorem2(l, base.Curve)
	case law.Poisson:
		if l.MeanRepeats < 1 {
			return c, nil
		}
		c.theorem = "Theorem 6 of " + papernot
		c.curve, err = selection.Theorem6(l, base)
	case law.Fixed:
		c.theorem = "composition of all runs"
		c.curve, err = selection.RDP(l, base)
	}
	if c.curve != nil {
		c.curve = rdp.Memoized(c.curve)
	}
	return c, err
}

// composedAfter returns the amplified curve of the tuning plus that of the training.
func composedAfter(amplify func(rdp.Curve, float64) (rdp.Curve, error), tuning, training rdp.Curve, rate float64) (rdp.Curve, error) {
	curve, err := amplify(tuning, rate)
	if err != nil {
		return nil, err
	}
	return rdp.Sum(curve, training), nil
}

func (s subsampled) guarantee(shown settle.Settled) accounting.Guarantee {
	least := shown.Bounds[0]
	return accounting.Guarantee{
		Epsilon:     accounting.UpperBound(least.Epsilon),
		Delta:       s.delta,
		Neighboring: accounting.AddOrRemoveOne,
		Method:      fmt.Sprintf("tuning on a Poisson sample of rate %g, training on %v: %s", s.TuningRate, s.Variant, least.Method),
		Warnings:    distinct(s.base.Warnings(), s.training.Warnings(), least.Warnings, shown.Warnings),
		Certificate: settle.About(shown.Certificate, s.Event),
	}
}

// distinct returns all warnings in their order, each text once. Tuning and training often give the
// same ones.
func distinct(lists ...[]error) []error {
	var once []error
	for _, err := range slices.Concat(lists...) {
		if !slices.ContainsFunc(once, func(e error) bool { return e.Error() == err.Error() }) {
			once = append(once, err)
		}
	}
	return once
}

// CurveOf returns the Rényi curve, in nats, of the sharpened bound. TNB, Poisson and fixed laws
// have one. The accountants price one run: see baserun.New.
func CurveOf(event Event, accountants ...accounting.Accountant) (rdp.Curve, error) {
	if err := event.check(); err != nil {
		return nil, err
	}
	s, err := newSubsampled(event, 0, accountants)
	if err != nil {
		return nil, err
	}
	curve, err := s.sharpenedCurve()
	if err == nil && curve == nil {
		err = fmt.Errorf("subsample: Rényi curve of tuning with the %v on a sample: %w", event.Tuning.Law, accounting.ErrUnsupportedEvent)
	}
	return curve, err
}

func init() {
	eventjson.Register("tune_then_train",
		func(e Event) []eventjson.Field {
			return []eventjson.Field{
				{Name: "tuning_rate", Value: e.TuningRate}, {Name: "tuning", Value: e.Tuning},
				{Name: "training", Value: e.Training}, {Name: "variant", Value: e.Variant.String()},
			}
		},
		func(o *eventjson.Object) Event {
			inner := o.Event("tuning")
			tuning, ok := inner.(selection.BestOf)
			if inner != nil && !ok {
				o.Fault("tuning", "%v: must be a selection", inner)
			}
			return Event{TuningRate: o.Float("tuning_rate"), Tuning: tuning, Training: o.Event("training"), Variant: named(o, "variant", RestOfData, AllData)}
		})
}

// named reads a field that has the name of one of values.
func named[T fmt.Stringer](o *eventjson.Object, field string, values ...T) T {
	var none T
	name := o.Text(field)
	for _, v := range values {
		if v.String() == name {
			return v
		}
	}
	o.Fault(field, "%q: must be one of %q", name, values)
	return none
}
