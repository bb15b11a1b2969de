package selection

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Bound is one upper bound on the ε of a tuning. Where the bounds are from ("ours": the proof stands in the doc comment that is named):
//
//	bound                  source
//	Theorem 2, 6           Papernot and Steinke (ICLR 2022)
//	Lemma 7                the same, with P[K=0] added and the supremum over ranks bounded by
//	                       the base's profile (Lemma7, ours)
//	Lemma 20, 22           the same, Appendix E (Approximate, Lemma22)
//	Sharpened              Lemma 7, by a path of ranks and Green's theorem (ours)
//	profile                Koskela, Redberg and Wang (ICML 2024), on every profile of a run
//	sharpened profile      the same with the least constant the profile allows (MaxLogWeight)
//	pointwise              the ranks that the profile allows, one by one (PointwiseAt, ours)
//	interleaved            the same with the ranks that the outputs take (PointwiseAt, ours)
//	total variation        TruncatedDelta, CappedDelta (ours)
//	composition            the most runs that there may be, all published
//	published runs         convexity over K of the cost of publishing all K runs
type Bound struct {
	Name      string  // short, unique in its Price
	Theorem   string  // the result that gives it, with its source
	Method    string  // what was computed, with the order or the profile
	Epsilon   float64 // in nats; never below the truth
	Published bool    // false if part of the proof is ours, see the doc comment it names
	Warnings  []error
}

// String returns the bound in one line.
func (b Bound) String() string {
	if b.Name == "" {
		return "no bound: nothing was computed"
	}
	text := fmt.Sprintf("ε <= %s, %s", accounting.FormatUpper(b.Epsilon), b.Name)
	if b.Theorem != "" {
		text += ": " + b.Theorem
	}
	return text
}

// Price is what the best of K runs costs at one δ.
type Price struct {
	Law       law.Law
	Guarantee accounting.Guarantee // of the tuning: the least of Bounds
	Base      accounting.Guarantee // of one run, at the same δ
	Bounds    []Bound              // all that apply, least first
}

// String returns the guarantee in one line, and below it one line for each bound, least first.
func (p Price) String() string { return FormatPrice(p.Guarantee, p.Bounds) }

// FormatPrice returns a guarantee in one line, and below it one line for each bound.
func FormatPrice(g accounting.Guarantee, bounds []Bound) string {
	lines := []string{g.String()}
	if g.Epsilon.Computed() {
		for _, b := range bounds {
			lines = append(lines, "  "+b.String())
		}
	}
	return strings.Join(lines, "\n")
}

// NoPrice is the price with an error: no bound, and ε is +Inf.
func NoPrice() Price {
	return Price{Guarantee: accounting.NoGuarantee(), Base: accounting.NoGuarantee()}
}

// NoBound is the bound with an error, or where there is none: ε is +Inf.
func NoBound() Bound { return Bound{Method: "nothing was computed", Epsilon: math.Inf(1)} }

// Least returns the least bound; [NoBound] if there is none.
func (p Price) Least() Bound { return leastOf(p.Bounds) }

// leastOf returns the first of bounds that are sorted.
func leastOf(bounds []Bound) Bound {
	if len(bounds) == 0 {
		return NoBound()
	}
	return bounds[0]
}

// LeastPublished returns the least bound that stands in a paper as it is, and whether
// there is one.
func (p Price) LeastPublished() (Bound, bool) {
	for _, b := range p.Bounds {
		if b.Published {
			return b, true
		}
	}
	return NoBound(), false
}

// PriceAt returns the ε at delta of the best of K runs of base, K drawn from law and kept
// secret, by every bound that applies; the package comment has the table.
//
// It asks about one run: ε at four to six values of δ, and once its profile, at 1,025 values of ε in one list; an
// accountant that answers one question at a time is asked at most 100 (TestQuestionsAboutOneRun). The list is kept for other laws of about that mean.
// With accounting/contour that takes 20 to 50 ms (BenchmarkPrice), up to 85 at σ < 1, and 0.12 s for a fixed K, where "interleaved" is asked. Runs on a grid (accounting/pld) cost some tens of milliseconds a
// question. In corners where contour certifies little, at δ far below qT, the list is most of the price: 1.3 s of
// processor time at q = 1e-6, σ = 1, T = 1e6.
func PriceAt(law law.Law, base Base, delta float64) (Price, error) {
	k, err := validatePair(law, base)
	if err != nil {
		return NoPrice(), err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return NoPrice(), fmt.Errorf("selection: %w", err)
	}
	return priceAt(law, k, base.Prepared(), delta)
}

// priceAt is PriceAt of what is valid and prepared.
func priceAt(l law.Law, k law.Distribution, base Base, delta float64) (Price, error) {
	base = base.listedFor(k, delta)
	var bounds []Bound
	for _, family := range []func(law.Distribution, Base, float64) ([]Bound, error){
		theoremBounds, sharpenedBounds, lemma7Bounds, profileBounds, sharpenedProfileBounds, interleavedBounds, truncationBounds, approximateBounds, compositionBounds, publishedRunsBounds,
	} {
		more, err := family(k, base, delta)
		if err != nil {
			return NoPrice(), err
		}
		bounds = append(bounds, more...)
	}
	if len(bounds) == 0 {
		return NoPrice(), fmt.Errorf("selection: no bound applies to the %v with this base", l)
	}
	for i, b := range bounds {
		if !(b.Epsilon >= 0) {
			return NoPrice(), fmt.Errorf("selection: bound %q came out as %g: must be >= 0", b.Name, b.Epsilon)
		}
		bounds[i].Epsilon = b.Epsilon * (1 + lastDigits)
	}
	slices.SortStableFunc(bounds, func(a, b Bound) int { return cmp.Compare(a.Epsilon, b.Epsilon) })
	return Price{Law: l, Base: base.Guarantee(delta), Bounds: bounds, Guarantee: leastGuarantee(l, base, delta, bounds[0])}, nil
}

// lastDigits is what every bound is raised by, relative: its last sums and logarithms are off by some
// units in the last place.
const lastDigits = 8 * 0x1p-53

// EventAt is PriceAt of an event, with the exact Gaussian profile where it applies, and
// the profiles of the given accountants, which must know the event.
func EventAt(event Event, delta float64, accountants ...accounting.Accountant) (Price, error) {
	if err := event.Validate(); err != nil {
		return NoPrice(), err
	}
	base, err := NewBase(event.Base, accountants...)
	if err != nil {
		return NoPrice(), err
	}
	return PriceAt(event.Law, base, delta)
}

func leastGuarantee(l law.Law, base Base, delta float64, least Bound) accounting.Guarantee {
	return accounting.Guarantee{
		Epsilon:     accounting.UpperBound(least.Epsilon),
		Delta:       delta,
		Neighboring: base.neighboring(),
		Method:      fmt.Sprintf("best of K runs, K from the %v: %s", l, least.Method),
		Warnings:    append(base.Warnings(), least.Warnings...),
	}
}

// Guarantee returns the least ε of one run over all that is known of it.
func (b Base) Guarantee(delta float64) accounting.Guarantee {
	g := accounting.Guarantee{Epsilon: accounting.UpperBound(math.Inf(1)), Delta: delta, Neighboring: b.neighboring(), Method: "no finite bound"}
	for _, s := range b.sources() {
		if epsilon := s.epsilonAt(delta); epsilon < g.Epsilon.Upper {
			g.Epsilon, g.Method = accounting.UpperBound(epsilon), s.name
		}
	}
	return g
}
