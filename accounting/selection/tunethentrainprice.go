package selection

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
)

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
