package selection

import (
	"fmt"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/internal/certificate/settle"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// PriceAt returns the ε at delta of the best of K runs of base, by every bound that applies. K is
// drawn from law and kept secret. The package comment has the table of bounds.
//
// It asks for ε of one run at four to six values of δ, and once for its profile at a list of 1,025
// values of ε. An accountant that answers one question at a time is asked at most 100
// (TestQuestionsAboutOneRun). The list is kept for other laws of about the same mean.
//
// At last the least bound is checked in intervals that are rounded outward, by code that shares
// nothing with the search for it. Guarantee.Certificate has the result. The bound is raised until
// it is shown, by at most 1e-4 of itself, and mostly not at all. If the check fails, the next bound
// is the price if it is shown and within 1e-3. Otherwise a warning that wraps
// accounting.ErrUncertified names the bound. A bound without a check (Theorem 2, Theorem 6, Lemma
// 22, total variation) is the price only if none that is shown is within 1e-4 of it, with the same
// warning. The check takes the profile of one run as given.
//
// With accounting/contour a price takes 20 to 50 ms (BenchmarkPrice), and up to 85 ms at σ < 1. A
// fixed K takes 0.12 s, as it needs "interleaved". Runs on a grid (accounting/pld) take some tens
// of milliseconds a question. At δ far below qT contour certifies little, and the list takes most
// of the time. It takes 1.3 s of processor time at q = 1e-6, σ = 1, T = 1e6.
func PriceAt(l law.Law, base baserun.Run, delta float64) (accounting.Price, error) {
	k, base, err := prepared(l, base, delta)
	if err != nil {
		return accounting.NoPrice(), err
	}
	return priceAt(l, k, base, delta, true)
}

// prepared returns the distribution of a valid law and a prepared run, for a question at delta.
func prepared(l law.Law, base baserun.Run, delta float64) (law.Distribution, baserun.Run, error) {
	k, err := validatePair(l, base)
	if err != nil {
		return k, base, err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return k, base, fmt.Errorf("selection: %w", err)
	}
	return k, base.Prepared(), nil
}

// preparedEvent is prepared of an event, with all that the accountants know of one run.
func preparedEvent(event BestOf, delta float64, accountants []accounting.Accountant) (law.Distribution, baserun.Run, error) {
	if err := event.Validate(); err != nil {
		return law.Distribution{}, baserun.Run{}, err
	}
	base, err := baserun.New(event.Base, accountants...)
	if err != nil {
		return law.Distribution{}, base, err
	}
	return prepared(event.Law, base, delta)
}

// priceAt is PriceAt of a valid law and a prepared run. Without checks the price has no
// certificate, and no warning about that.
func priceAt(l law.Law, k law.Distribution, base baserun.Run, delta float64, checks bool) (accounting.Price, error) {
	base = base.ListedFor(k, delta)
	var bounds []found
	for _, family := range families {
		more, err := family(k, base, delta)
		if err != nil {
			return accounting.NoPrice(), err
		}
		bounds = append(bounds, more...)
	}
	if len(bounds) == 0 {
		return accounting.NoPrice(), fmt.Errorf("selection: no bound applies to the %v with this base", l)
	}
	for i, b := range bounds {
		if !(b.Epsilon >= 0) {
			return accounting.NoPrice(), fmt.Errorf("selection: bound %q came out as %g: must be >= 0", b.Name, b.Epsilon)
		}
		bounds[i].Epsilon = b.Epsilon * (1 + lastDigits)
	}
	choose := settle.Settle
	if !checks {
		choose = settle.Sorted
	}
	shown := choose(bounds, delta, base.Shows(BestOf{l, base.Event()}))
	return accounting.Price{OneRun: base.Guarantee(delta), Bounds: shown.Bounds, Guarantee: leastGuarantee(l, base, delta, shown)}, nil
}

// family returns the bounds of one kind that apply.
type family func(k law.Distribution, base baserun.Run, delta float64) ([]found, error)

// families has every kind of bound. TestEveryFamilyIsOnItsSide checks them.
var families = []family{
	theoremBounds, sharpenedBounds, lemma7Bounds, profileBounds, sharpenedProfileBounds,
	interleavedBounds, truncationBounds, approximateBounds, compositionBounds, publishedRunsBounds,
}

// lastDigits is the relative amount that is added to every bound. Its last sums and logarithms are
// off by some units in the last place.
const lastDigits = 8 * 0x1p-53

// EventAt is PriceAt of an event. It uses the exact Gaussian profile where that applies, and the
// profiles of the given accountants. One of them must know the event.
func EventAt(event BestOf, delta float64, accountants ...accounting.Accountant) (accounting.Price, error) {
	k, base, err := preparedEvent(event, delta, accountants)
	if err != nil {
		return accounting.NoPrice(), err
	}
	return priceAt(event.Law, k, base, delta, attach.Wanted(accountants...))
}

func leastGuarantee(l law.Law, base baserun.Run, delta float64, shown settle.Settled) accounting.Guarantee {
	least := shown.Bounds[0]
	return accounting.Guarantee{
		Epsilon:     accounting.UpperBound(least.Epsilon),
		Delta:       delta,
		Neighboring: base.Relation(),
		Method:      fmt.Sprintf("best of K runs, K from the %v: %s", l, least.Method),
		Warnings:    slices.Concat(base.Warnings(), least.Warnings, shown.Warnings),
		Certificate: settle.About(shown.Certificate, BestOf{l, base.Event()}),
	}
}
