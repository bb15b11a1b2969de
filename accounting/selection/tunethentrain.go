package selection

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
)

// Variant says which records the last training of a [TuneThenTrain] reads.
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
		return fmt.Errorf("selection: Variant %d: must be RestOfData or AllData", int(v))
	}
	return nil
}

// TuneThenTrain is a tuning on a Poisson sample of the data and one training after it:
// each record joins the sample with chance TuningRate, Tuning runs on the sample, and
// Training runs on the Variant's records with what the tuning returned, its model included.
// All that both return may be published; who is in the sample may not.
//
// Training is what the last run does whatever hyper-parameters the tuning returned, and
// however they were extrapolated to more data. A factor for the learning rate must come
// from the public rate, 1/q or (1-q)/q, not from how many records were drawn.
type TuneThenTrain struct {
	TuningRate float64          // q in (0, 1]
	Tuning     Event            // the best of K runs on the sample
	Training   accounting.Event // the run after it
	Variant    Variant
}

var _ accounting.Event = TuneThenTrain{}

// Validate returns every fault, joined.
func (e TuneThenTrain) Validate() error {
	errs := []error{validateRate("TuneThenTrain.TuningRate", e.TuningRate), e.Tuning.Validate(), e.Variant.Validate()}
	if e.Training == nil {
		errs = append(errs, errors.New("selection: TuneThenTrain.Training is nil: must be an event"))
	} else {
		errs = append(errs, e.Training.Validate())
	}
	return errors.Join(errs...)
}

// String describes the event.
func (e TuneThenTrain) String() string {
	return fmt.Sprintf("%v, on a Poisson sample of rate %g; then %v, on %v", e.Tuning, e.TuningRate, e.Training, e.Variant)
}

const kulkarni = "Koskela and Kulkarni (NeurIPS 2023)"

// TuneThenTrainPrice is what a TuneThenTrain costs at one δ.
type TuneThenTrainPrice struct {
	Event     TuneThenTrain
	Guarantee accounting.Guarantee // of the whole: the least of Bounds
	Training  accounting.Guarantee // of the last training alone, at the same δ
	Bounds    []Bound              // all that apply, least first
}

// Least returns the least bound.
func (p TuneThenTrainPrice) Least() Bound { return p.Bounds[0] }

// LeastPublished returns the least bound that stands in a paper as it is, and whether
// there is one.
func (p TuneThenTrainPrice) LeastPublished() (Bound, bool) {
	return Price{Bounds: p.Bounds}.LeastPublished()
}

// TuneThenTrainAt returns the ε at delta of event by every bound that applies:
//
//	published        variant 1: KoskelaTheorem6; variant 2: ZhuWang of the tuning, plus
//	                 the training. The tuning by Theorems 2 and 6 of Papernot and Steinke
//	sharpened RDP    variant 1: TrainOnRest; variant 2: PoissonAmplified of the tuning, plus
//	                 the training. The tuning by RDP
//	mixture          privacy profiles with δ split between the record's two fates
//
// The Rényi accountant must know both events; the given accountants tighten the mixture. Laws
// other than TNB, Poisson and fixed are priced by the mixture alone, inside of which Lemma7
// counts: an amplified curve would ask it at hundreds of orders. It takes tens of milliseconds.
func TuneThenTrainAt(event TuneThenTrain, delta float64, accountants ...accounting.Accountant) (TuneThenTrainPrice, error) {
	if err := event.Validate(); err != nil {
		return TuneThenTrainPrice{}, err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return TuneThenTrainPrice{}, fmt.Errorf("selection: %w", err)
	}
	s, err := newSubsampled(event, delta, accountants)
	if err != nil {
		return TuneThenTrainPrice{}, err
	}
	bounds, err := s.bounds()
	if err != nil {
		return TuneThenTrainPrice{}, err
	}
	slices.SortStableFunc(bounds, func(a, b Bound) int { return cmp.Compare(a.Epsilon, b.Epsilon) })
	return TuneThenTrainPrice{Event: event, Training: s.training.Guarantee(delta), Bounds: bounds, Guarantee: s.guarantee(bounds[0])}, nil
}

// subsampled is a TuneThenTrain with what is known of its parts.
type subsampled struct {
	TuneThenTrain
	delta          float64
	law            Distribution // of the tuning
	base, training Base
}

func newSubsampled(event TuneThenTrain, delta float64, accountants []accounting.Accountant) (subsampled, error) {
	base, err := NewBase(event.Tuning.Base, accountants...)
	if err != nil {
		return subsampled{}, err
	}
	training, err := NewBase(event.Training, accountants...)
	if err != nil {
		return subsampled{}, err
	}
	if base.Curve == nil || training.Curve == nil {
		return subsampled{}, fmt.Errorf("selection: tuning of %v, training of %v: one has no Rényi curve: %w", event.Tuning.Base, event.Training, accounting.ErrUnsupportedEvent)
	}
	return subsampled{event, delta, event.Tuning.Law.Distribution(), base.Prepared(), training.Prepared()}, nil
}

func (s subsampled) bounds() ([]Bound, error) {
	var bounds []Bound
	for _, family := range []func() ([]Bound, error){s.published, s.sharpened, s.mixture} {
		more, err := family()
		if err != nil {
			return nil, err
		}
		bounds = append(bounds, more...)
	}
	if len(bounds) == 0 {
		return nil, fmt.Errorf("selection: no bound applies to tuning with the %v on a sample, then training on %v", s.Tuning.Law, s.Variant)
	}
	for _, b := range bounds {
		if !(b.Epsilon >= 0) {
			return nil, fmt.Errorf("selection: bound %q came out as %g: must be >= 0", b.Name, b.Epsilon)
		}
	}
	return bounds, nil
}

// published prices by the paper's theorem, the tuning by the theorem that it cites.
func (s subsampled) published() ([]Bound, error) {
	tuning, cited, err := publishedCurve(s.Tuning.Law, s.base)
	if err != nil || tuning == nil {
		return nil, err
	}
	b := Bound{Name: "Theorem 6 of 2023", Theorem: "Theorem 6 of " + kulkarni + " with " + cited, Published: true}
	curve, err := KoskelaTheorem6(tuning, s.training.Curve, s.TuningRate)
	if s.Variant == AllData {
		b.Name, b.Theorem = "Theorem 4 of 2023", "Theorem 5 of Zhu and Wang (ICML 2019), as in Theorem 4 of "+kulkarni+", with "+cited
		curve, err = composedAfter(ZhuWang, tuning, s.training.Curve, s.TuningRate)
	}
	if err != nil {
		return nil, err
	}
	return []Bound{RDPBound(curve, s.delta, b)}, nil
}

// sharpened prices by our forms of the same theorems.
func (s subsampled) sharpened() ([]Bound, error) {
	curve, err := s.sharpenedCurve()
	if err != nil || curve == nil {
		return nil, err
	}
	b := Bound{Name: "sharpened RDP", Theorem: "Theorem 6 of " + kulkarni + " with a sharper second direction (selection.TrainOnRest)"}
	if s.Variant == AllData {
		b.Theorem = "Poisson amplification by the binomial sum in both directions (selection.PoissonAmplified), plus the training"
	}
	return []Bound{RDPBound(curve, s.delta, b)}, nil
}

// sharpenedCurve is the curve of sharpened; nil for a law whose tuning has no quick one.
func (s subsampled) sharpenedCurve() (rdp.Curve, error) {
	tuning, err := s.tuningCurve()
	if err != nil || tuning == nil {
		return nil, err
	}
	if s.Variant == AllData {
		return composedAfter(PoissonAmplified, tuning, s.training.Curve, s.TuningRate)
	}
	return TrainOnRest(tuning, s.training.Curve, s.TuningRate)
}

// publishedCurve returns the curve of Theorem 2 or 6, or of composition, and its citation;
// nil if none applies.
func publishedCurve(law Law, base Base) (rdp.Curve, string, error) {
	switch l := law.(type) {
	case TNB:
		curve, err := Theorem2(l, base.Curve)
		return curve, "Theorem 2 of " + papernot, err
	case Poisson:
		if l.MeanRepeats >= 1 {
			curve, err := Theorem6(l, base)
			return curve, "Theorem 6 of " + papernot, err
		}
	case Fixed:
		curve, err := RDP(l, base)
		return curve, "composition of all runs", err
	}
	return nil, "", nil
}

// composedAfter returns the amplified curve of the tuning plus that of the training.
func composedAfter(amplify func(rdp.Curve, float64) (rdp.Curve, error), tuning, training rdp.Curve, rate float64) (rdp.Curve, error) {
	curve, err := amplify(tuning, rate)
	if err != nil {
		return nil, err
	}
	return rdp.Sum(curve, training), nil
}

func (s subsampled) guarantee(least Bound) accounting.Guarantee {
	warnings := append(s.base.Warnings(), s.training.Warnings()...)
	return accounting.Guarantee{
		Epsilon:     accounting.UpperBound(least.Epsilon),
		Delta:       s.delta,
		Neighboring: accounting.AddOrRemoveOne,
		Method:      fmt.Sprintf("tuning on a Poisson sample of rate %g, training on %v: %s", s.TuningRate, s.Variant, least.Method),
		Warnings:    append(warnings, least.Warnings...),
	}
}
