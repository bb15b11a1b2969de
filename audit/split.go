package audit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dplab/dplab/accounting/check"
)

// ClopperPearsonSplit returns the lower bound on ε of [ClopperPearson]. The threshold is the best
// on a random half of the scores, and the counts are those of the other half. The split comes from
// rng and so does not depend on the scores.
//
// With splits > 1 the bound is the median of the bounds of that many random halvings, at half of
// the significance. It depends less on the luck of one split. It is valid by Meinshausen, Meier,
// Bühlmann (2009), JASA 104(488), Theorem 3.1 with γ = 1/2.
func ClopperPearsonSplit(scores Scores, splits int, cfg Config, rng *rand.Rand) (Bound, error) {
	s, err := newSample(scores)
	if err = errors.Join(err, cfg.Validate(), checkSplits(splits, rng)); err != nil {
		return Bound{}, err
	}
	b, each := s.clopperPearsonSplit(splits, cfg, rng), cfg.Significance()/2
	if splits > 1 {
		each /= 2
	}
	b.doubtCeiling(func(n int) bool {
		return epsilonTest(cfg.Delta).of(Counts{Members: n - n/2, NonMembers: n - n/2}, each) > 0
	})
	return b, nil
}

func checkSplits(splits int, rng *rand.Rand) error {
	f := check.In("audit: ")
	f.Count("splits", splits, 1)
	f.That(rng != nil, "rng", "is nil", "must be a random stream")
	return f.Err()
}

func (s sample) clopperPearsonSplit(splits int, cfg Config, rng *rand.Rand) Bound {
	b := NewBound("clopper-pearson-split", AssumeNothing, cfg, clopperPearsonReference)
	each := cfg.Significance() / 2
	b.ChosenBefore = "the threshold is from a random half of the scores, the bound from the other half"
	if splits > 1 {
		b.Name, each = "clopper-pearson-multi-split", each/2
		b.ChosenBefore = fmt.Sprintf("the median over %d random halvings of bounds at half of the significance, each threshold chosen on one half", splits)
	}
	var bounds []float64
	for range splits {
		bounds = append(bounds, s.oneSplit(cfg.Delta, each, rng))
	}
	slices.Sort(bounds)
	b.Epsilon = bounds[(len(bounds)-1)/2] // the lower median
	perfect := Counts{Members: len(s.member) - len(s.member)/2, NonMembers: len(s.nonMember) - len(s.nonMember)/2}
	b.Ceiling = epsilonTest(cfg.Delta).of(perfect, each)
	return b
}

// oneSplit spends significance each on the two error rates of the second half.
func (s sample) oneSplit(delta, significance float64, rng *rand.Rand) float64 {
	choose, test := s.halve(rng)
	if len(choose.member) == 0 || len(choose.nonMember) == 0 {
		return 0
	}
	st := choose.steps()
	best, top := epsilonTest(delta).best(st, significance)
	if top == 0 {
		return 0
	}
	return epsilonTest(delta).of(Scores{test.member, test.nonMember}.CountAt(choose.threshold(st, best)), significance)
}

// threshold returns a number just below the least of the scores called members at the step. Exactly
// those scores are above it.
func (s sample) threshold(st steps, step int) float64 {
	least := math.Inf(1)
	if k := int(st.tp[step]); k > 0 {
		least = s.member[st.n1-k]
	}
	if k := int(st.fp[step]); k > 0 {
		least = math.Min(least, s.nonMember[st.n0-k])
	}
	return math.Nextafter(least, math.Inf(-1))
}

// halve divides the scores of each class at random, the smaller part first.
func (s sample) halve(rng *rand.Rand) (first, second sample) {
	first.member, second.member = halveClass(s.member, rng)
	first.nonMember, second.nonMember = halveClass(s.nonMember, rng)
	return first, second
}

// halveClass keeps the order: the i-th score joins the first half with the chance that it
// still needs.
func halveClass(xs []float64, rng *rand.Rand) (first, second []float64) {
	need := len(xs) / 2
	first, second = make([]float64, 0, need), make([]float64, 0, len(xs)-need)
	for i, x := range xs {
		if rng.IntN(len(xs)-i) < need {
			first = append(first, x)
			need--
		} else {
			second = append(second, x)
		}
	}
	return first, second
}
