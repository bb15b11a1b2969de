package audit

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/level"
	"github.com/dplab/dplab/audit/internal/repeats"
)

// Bounds returns every bound on the scores of independent games. The order of the scores within a
// class does not matter.
func Bounds(scores Scores, cfg Config) (Report, error) {
	if err := cfg.Validate(); err != nil {
		return Report{}, err
	}
	if cfg.Guesses != 0 {
		return Report{}, fmt.Errorf("audit: Config.Guesses %d: must be 0: only the canaries of one run are guessed, see package onerun", cfg.Guesses)
	}
	s, err := newSample(scores)
	if err != nil {
		return Report{}, err
	}
	cfg = cfg.withDefaults()
	if err := checkEnough(len(s.member), len(s.nonMember), cfg); err != nil {
		return Report{}, err
	}
	r, cfg := s.describe(cfg), cfg.Seeded()
	r.Seed = cfg.Seed
	if err := r.addBounds(s, cfg); err != nil {
		return Report{}, err
	}
	return r, nil
}

// Describe returns the report of [Bounds] without its bounds: the description of any scores.
func Describe(scores Scores, cfg Config) (Report, error) {
	if err := cfg.Validate(); err != nil {
		return Report{}, err
	}
	s, err := newSample(scores)
	if err != nil {
		return Report{}, err
	}
	return s.describe(cfg.withDefaults()), nil
}

func (s sample) describe(cfg Config) Report {
	r := Report{Members: len(s.member), NonMembers: len(s.nonMember), Delta: cfg.Delta, Confidence: cfg.Confidence}
	r.steps = s.steps()
	r.AUC = s.auc(cfg.Significance())
	for _, fpr := range []float64{0.1, 0.01, 0.001} {
		r.TPRAtFPR = append(r.TPRAtFPR, s.tprAtFPR(fpr, cfg.Significance()))
	}
	r.ROC = r.steps.roc()
	r.Advantage = r.ROC.advantage(r.Members, r.NonMembers, cfg.Significance())
	r.Tied = s.tiedShare()
	if r.AUC.Upper < 0.5 {
		r.Warnings = append(r.Warnings, errInverted)
	}
	r.Warnings = append(r.Warnings, s.doubts(cfg)...)
	if s.constant() {
		r.Warnings = append(r.Warnings, errors.New("all scores are equal: they carry no evidence and every bound is 0"))
	}
	return r
}

// doubts returns what may be wrong with the confidence, or with games that were played once each.
func (s sample) doubts(cfg Config) (doubts []error) {
	if doubt := level.Doubt(cfg.Confidence); doubt != nil {
		doubts = append(doubts, doubt)
	}
	return append(doubts, repeats.Doubts(s.member, s.nonMember)...)
}

var errInverted = errors.New("members score below non-members (the AUC's upper end is below 1/2): a score must grow with the evidence for membership; negate a loss before the audit, not after seeing its bounds")

// addBounds computes bounds by rank from the scores without ties. Bounds by threshold come from the
// scores themselves.
func (r *Report) addBounds(s sample, cfg Config) error {
	ranked := s.untied(cfg.Seed)
	k, err := cfg.rank(len(s.member), len(s.nonMember))
	if err != nil {
		return err
	}
	r.Bounds = append(r.Bounds, ranked.rankTwoTail(k, cfg), ranked.rankOneTail(k, cfg))
	if _, given := cfg.Rank.Value(); !given && cfg.ExpectedMu == 0 {
		r.Bounds[0].ChosenBefore, r.Bounds[1].ChosenBefore = byDefault(r.Bounds[0]), byDefault(r.Bounds[1])
	}
	if b := r.Bounds[0]; b.Ceiling == 0 {
		r.Warnings = append(r.Warnings, fmt.Errorf("%s: at rank %d even perfect scores of so few games would not show an ε above 0 at δ = %g", b.Name, k, b.Delta))
	}
	var atThreshold Counts
	threshold, given := cfg.Threshold.Value()
	if given {
		atThreshold = Scores{s.member, s.nonMember}.CountAt(threshold)
		r.Add(ClopperPearson(atThreshold, cfg))
	} else {
		r.Add(epsilonTest(cfg.Delta).uncorrected(r.steps, cfg), nil)
	}
	r.Bounds = append(r.Bounds, epsilonTest(cfg.Delta).bonferroni(ranked, cfg), s.clopperPearsonSplit(1, cfg, cfg.rand("split")))
	if cfg.Delta == 0 {
		r.Warnings = append(r.Warnings, errors.New("bounds under a Gaussian trade-off are left out: at δ = 0 it has no finite ε"))
		return nil
	}
	r.Add(ranked.gdpAUC(cfg, cfg.rand("auc")), nil)
	fifth := ranked.gdpRank(len(s.nonMember)/5, cfg)
	fifth.ChosenBefore = byDefault(fifth)
	r.Add(fifth, nil)
	if given {
		r.Add(GDPClopperPearson(atThreshold, cfg))
	} else {
		r.Add(muTest.uncorrected(r.steps, cfg), nil)
	}
	r.Add(muTest.bonferroni(ranked, cfg), nil)
	return nil
}

// byDefault returns what was fixed if the library fixed it, from the numbers of games only. Of a
// choice by the caller it knows no more than that it was stated.
func byDefault(b Bound) string {
	return strings.Replace(b.ChosenBefore, "stated as fixed", "fixed", 1)
}

// gamesNeeded returns the least n such that n member and n non-member games can give a bound above
// 0 at the given confidence. Without a leak, all members come above all non-members with
// probability 1/C(2n, n). No test of ranks is more extreme than that, and it must be below 1 -
// confidence. It returns 0 unless confidence is in (0, 1): then no number is enough.
func gamesNeeded(confidence float64) int {
	if !(confidence > 0 && confidence < 1) {
		return 0
	}
	n := 1
	for ; !canRefute(n, n, 1-confidence); n++ {
	}
	return n
}

// canRefute reports whether perfect scores refute some ε > 0. Where their p-value without a leak
// equals the significance, as at 3 + 3 games and 0.05, the bound is 0. The margin is for rounding.
func canRefute(n1, n0 int, significance float64) bool {
	return logPerfect(n1, n0) < numeric.Log(significance)-1e-9
}

// logPerfect returns ln(1/C(n1+n0, n1)), the chance of a perfect separation without a leak.
func logPerfect(n1, n0 int) float64 {
	all, _ := math.Lgamma(float64(n1 + n0 + 1))
	in, _ := math.Lgamma(float64(n1 + 1))
	out, _ := math.Lgamma(float64(n0 + 1))
	return in + out - all
}

func checkEnough(n1, n0 int, cfg Config) error {
	if !canRefute(n1, n0, cfg.Significance()) {
		return fmt.Errorf("audit: %d member and %d non-member scores: even perfect separation would not show an ε above 0 at confidence %g: must be at least %d of each",
			n1, n0, cfg.withDefaults().Confidence, gamesNeeded(cfg.withDefaults().Confidence))
	}
	return nil
}
