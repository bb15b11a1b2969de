package selection

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate/selected"
	"github.com/dplab/dplab/accounting/internal/certificate/settle"
	"github.com/dplab/dplab/accounting/internal/certificate/unproved"
	"github.com/dplab/dplab/accounting/internal/ranks"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// found is a bound with what can show it in outward-rounded arithmetic.
type found = settle.Candidate

// pointwiseCheck returns the check of the bound that the profile of a run allows rank by rank.
func pointwiseCheck(k law.Distribution, known ranks.Bounds, at ranks.Found, delta float64) func() settle.Question {
	ask := settle.Asked(k.Law(), "the ranks that a privacy profile allows, one by one (selection.PointwiseAt)", givenProfile(known.Name), func(l selected.Law) selected.Check {
		run := selected.NewRun(known.Known())
		return selected.Pointwise(l, run, run, selected.Claim{Slopes: at.Slopes, Weights: at.Weights}, delta)
	})
	return settle.Proving(ask, func() (string, selected.Witness, []*accounting.Proof) {
		epsilons, shown := known.Proof()
		return selected.RulePointwise, selected.Witness{Run: []selected.Epsilons{epsilons}, Slopes: at.Slopes, Weights: at.Weights}, []*accounting.Proof{shown}
	})
}

// interleavedCheck returns the check of the bound with the ranks that the outputs take.
func interleavedCheck(k law.Distribution, known ranks.Bounds, at ranks.Found, delta float64) func() settle.Question {
	ask := settle.Asked(k.Law(), "the ranks that a privacy profile allows and the distinguishing outputs take (selection.PointwiseAt)", givenProfile(known.Name), func(l selected.Law) selected.Check {
		return selected.Interleaved(l, selected.NewRun(known.Known()), at.Masses, delta)
	})
	return settle.Proving(ask, func() (string, selected.Witness, []*accounting.Proof) {
		epsilons, shown := known.Proof()
		return selected.RuleInterleaved, selected.Witness{Run: []selected.Epsilons{epsilons}, Masses: at.Masses}, []*accounting.Proof{shown}
	})
}

func givenProfile(name string) []string {
	return []string{fmt.Sprintf("the privacy profile of one run by %s", name)}
}

// values are values of one profile of a run, with what shows them.
type values struct {
	source baserun.Source
	known  []baserun.Point
}

// valuesOf returns all values of one run that a price at delta has asked for, and the names of
// their sources.
//
// A list of few values allows a larger ratio of f' than the search found. So the fast sources are
// also asked around the ε that decides it.
func valuesOf(k law.Distribution, base baserun.Run, delta, order float64) (all []values, names []string) {
	target := delta / math.Max(1, k.Mean())
	lists := base.ProfileSources()
	for _, s := range lists {
		if known, _, ok := s.Around(target); ok {
			all, names = append(all, values{s, known}), append(names, s.Name)
		}
	}
	for i, s := range base.Sources() {
		v := values{source: s}
		for _, small := range []float64{target, 1e-3 * target} { // as Source.Around asks
			if e := s.EpsilonAt(small); e < steepChord || small < target {
				v.known = append(v.known, baserun.Point{E: e, Delta: small})
			} else {
				small *= 1 - 1e-9
				v.known = append(v.known, baserun.Point{E: s.EpsilonAt(small), Delta: small})
			}
		}
		if all = append(all, v); i == 0 && len(names) == 0 || !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	for _, s := range base.FastSources() {
		v := values{source: s}
		for _, e := range deciding(k, s, order) {
			v.known = append(v.known, baserun.Point{E: e, Delta: s.DeltaAt(e)})
		}
		slices.SortFunc(v.known, func(a, b baserun.Point) int { return cmp.Compare(a.E, b.E) })
		all = append(all, v)
	}
	return all, names
}

// givenRun returns these values without their proofs, and the largest loss.
func givenRun(k law.Distribution, base baserun.Run, delta, order float64) (selected.Run, []string) {
	lists, names := valuesOf(k, base, delta, order)
	var all []selected.Known
	for _, v := range lists {
		for _, p := range v.known {
			all = append(all, selected.Known{Epsilon: p.E, Delta: p.Delta})
		}
	}
	if base.Curve != nil {
		all = append(all, selected.Known{Epsilon: base.Curve(math.Inf(1)), Delta: 0})
	}
	slices.SortFunc(all, func(a, b selected.Known) int {
		return cmp.Or(cmp.Compare(a.Epsilon, b.Epsilon), cmp.Compare(a.Delta, b.Delta))
	})
	return selected.NewRun(all), givenProfile(strings.Join(names, " and "))
}

// steepChord is an ε above which chords of a profile, in e^ε, fall too slowly to pay for rounding.
const steepChord = 20

// provenRun returns what shows these values, and their ε. Values without a proof are left out.
func provenRun(k law.Distribution, base baserun.Run, delta, order float64) (run []selected.Epsilons, of []*accounting.Proof) {
	lists, _ := valuesOf(k, base, delta, order)
	for _, v := range lists {
		v.known = slices.DeleteFunc(slices.Clone(v.known), func(p baserun.Point) bool { return !(p.E <= math.MaxFloat64) })
		if len(v.known) == 0 {
			continue
		}
		if epsilons, shown := v.source.Proof(v.known); shown != nil {
			run, of = append(run, epsilons), append(of, shown)
		}
	}
	if shown := base.ProveLargestLoss(); shown != nil {
		run, of = append(run, selected.Epsilons{List: []float64{base.Curve(math.Inf(1)) * (1 + 1e-12)}}), append(of, shown)
	}
	if len(of) == 0 {
		of = []*accounting.Proof{nil}
	}
	return run, of
}

// deciding returns ε at which a profile decides the largest ratio of f' at an order.
func deciding(k law.Distribution, s baserun.Source, order float64) []float64 {
	at := math.NaN()
	switch l := k.Law().(type) {
	case law.TNB:
		at = s.Crossing((1 - l.Gamma) / l.Gamma)
	case law.Binomial:
		at = s.Crossing(l.P / (1 - l.P))
	case law.Poisson:
		return []float64{0, math.Log1p(1 / (order - 1))}
	}
	var all []float64
	for _, off := range []float64{1e-5, 1e-4, 1e-3, 1e-2} {
		all = append(all, at*(1-off), at*(1+off))
	}
	return append(all, at)
}

// profileCheck returns the check of ε of one run at δ/E[K], plus the logarithm of the largest ratio
// of f'.
func profileCheck(k law.Distribution, base baserun.Run, delta float64) func() settle.Question {
	return func() settle.Question {
		run, given := givenRun(k, base, delta, math.Inf(1))
		ask := settle.Asked(k.Law(), "a privacy profile of one run, moved by the largest ratio of f' at the ranks that it allows ("+koskela+")", given, func(l selected.Law) selected.Check {
			return selected.Profile(l, run)
		})
		return settle.Proving(ask, func() (string, selected.Witness, []*accounting.Proof) {
			run, of := provenRun(k, base, delta, math.Inf(1))
			return selected.RuleProfile, selected.Witness{Run: run}, of
		})()
	}
}

// renyiCheck returns the check of a Rényi bound at one order. law.Law decides whether it is that of
// Lemma 7 or of Sharpened.
func renyiCheck(k law.Distribution, base baserun.Run, delta, order float64) func() settle.Question {
	return func() settle.Question {
		run, given := givenRun(k, base, delta, order)
		given = append(given, fmt.Sprintf("its Rényi divergence at order %.6g", order))
		ask := settle.Asked(k.Law(), "the Rényi divergence of the best of K runs, converted (selection, rdpbounds.go, Sharpened)", given, func(l selected.Law) selected.Check {
			return selected.Renyi(l, run, order, base.Curve(order))
		})
		return settle.Proving(ask, func() (string, selected.Witness, []*accounting.Proof) {
			run, of := provenRun(k, base, delta, order)
			of = append([]*accounting.Proof{base.ProveDivergence(order)}, of...)
			return selected.RuleRenyi, selected.Witness{Run: run, Order: accounting.Number(order)}, of
		})()
	}
}

// compositionCheck returns the check of the cost of publishing most runs.
func compositionCheck(composed baserun.Run, s baserun.Source, most int, delta float64) func() settle.Question {
	return func() settle.Question {
		return settle.Question{
			Claim: "a post-processing of all runs (selection, composition.go)",
			Given: []string{fmt.Sprintf("ε of %d runs by %s", most, s.Name)},
			Check: settle.PostProcessed(s.EpsilonAt(delta), delta),
			Prove: func() (string, selected.Witness, []*accounting.Proof) {
				at := s.EpsilonAt(delta)
				_, shown := s.Proof([]baserun.Point{{E: at, Delta: delta}})
				if pure := composed.ProveLargestLoss(); pure != nil && at >= composed.Curve(math.Inf(1))*(1-1e-12) {
					shown = pure
				}
				return selected.RulePublished, selected.Witness{Counts: []int{most}}, []*accounting.Proof{shown}
			},
		}
	}
}

// publishedCheck returns the check of the mean cost of publishing all runs.
func publishedCheck(k law.Distribution, base baserun.Run, most int, epsilon float64) func() settle.Question {
	family, name := base.ComposedDelta()
	given := []string{fmt.Sprintf("the privacy profiles of 1 to %d runs by %s", most, name)}
	ask := settle.Asked(k.Law(), "the convexity of the privacy profile in the pair of laws (selection, composition.go)", given, func(l selected.Law) selected.Check {
		return unproved.Published(l, most, family)
	})
	return settle.Proving(ask, func() (_ string, w selected.Witness, of []*accounting.Proof) {
		for count := 1; count <= most; count++ {
			w.Counts, of = append(w.Counts, count), append(of, base.ProveRuns(count, epsilon))
		}
		return selected.RulePublished, w, of
	})
}

// mixtureCheck returns the check of Lemma 20 with ε0 of one run at δ0.
func mixtureCheck(k law.Distribution, s baserun.Source, failure float64) func() settle.Question {
	given := []string{fmt.Sprintf("ε of one run at δ = %.6g by %s", failure, s.Name)}
	return settle.Asked(k.Law(), "Lemma 20 of "+papernot+" with pure runs (selection.Approximate)", given, func(l selected.Law) selected.Check {
		return unproved.Mixture(l, s.EpsilonAt(failure), failure)
	})
}
