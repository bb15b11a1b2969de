package threshold

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/eventjson"
)

// Refresh is the time at which the threshold of an [Event] gets new noise.
type Refresh int

// The zero value is none of them.
const (
	EachTest     Refresh = iota + 1 // before every test, as in Algorithm 1 of ding2023
	EachPositive                    // after every positive: Algorithm 2 (Sparse) of Dwork and Roth (2014)
	Once                            // never again: Algorithm 1 of Lyu, Su and Li (2017)
)

// String returns "each test", "each positive" or "once".
func (r Refresh) String() string {
	switch r {
	case EachTest:
		return "each test"
	case EachPositive:
		return "each positive"
	case Once:
		return "once"
	}
	return fmt.Sprintf("Refresh(%d)", int(r))
}

// Event is the event of a search by noisy threshold tests. A test has a public threshold. It
// compares candidates one after the other,
//
//	score + Lap(ScoreNoise) >= threshold + Lap(ThresholdNoise),
//
// and stops at the first candidate above (a positive). Noise chooses between Laplace and
// exponential noise. The noise of the score is new for each comparison. Refresh is the time of new
// noise for the threshold.
//
// The search releases for each test the index of its positive, or that there is none. It releases
// no score and no noise. Candidates, thresholds and the decision to go on may depend on all that
// was released. The search makes at most MaxTests tests and stops at its MaxPositives-th positive.
// That it stopped there is released too.
//
// # Theorem
//
// This is for Laplace noise. [Noise] has the theorem for exponential noise. Let ε1 =
// Δ/ThresholdNoise, ε2 = 2Δ/ScoreNoise, c = MaxPositives and m the largest number of threshold
// noises drawn (MaxTests, MaxPositives or 1). For neighbors D, D', in either order, the whole
// release is dominated by
//
//	m times   (B, B')   randomized response:      loss ±ε1, +ε1 with chance 1/(1+e^-ε1)
//	c times   (J, J')   failures before the first success of a coin with chance 1/(1+e^-ε2)
//	                    of success, or e^-ε2/(1+e^-ε2):   loss (1-j) ε2 at j failures
//
// all independent: E f(dP/dQ) under Q is at most that of the product, for every convex f. With f
// the hockey stick it bounds δ (DeltaAt), and with a power the Rényi divergence (Curve). No loss is
// above m ε1 + c ε2 (PureEpsilon).
//
// Tests, candidates and comparisons without a positive are free, except for the threshold noise of
// each test with EachTest.
//
// Proof. Wherever the run on D draws the threshold noise ρ, let the run on D' use the noise ρ + Δ.
// Let the noises be released too; forgetting them and the shift is post-processing. Drawing ρ
// against ρ + Δ is a Laplace mechanism, (ε1, 0)-private, dominated by (B, B') (Kairouz, Oh and
// Viswanath 2015, Theorem 3.3). Given ρ, the distance of a candidate to its threshold grows by d =
// Δ + score(D) - score(D'), 0 <= d <= 2Δ. Its chance to be above is p on D and q on D' with q <= p,
// p <= e^ε2 q, 1-q <= e^ε2 (1-p), by the density of Lap(ScoreNoise). Such (p, q) lie in the
// triangle with corners (0, 0), (1, 1) and (p0, q0) = (1, e^-ε2)/(1+e^-ε2).
//
// Let W_{m,j}(x) be E f(x Πr) over the ratios r of m draws of B' and j of J'. It is convex
// in x, and by Jensen (the ratios have mean 1) does not fall with m or j. Claim: with m
// noises and j positives left and a ratio x so far, the rest of the search has
// E f <= W_{m,j}(x). By induction from the end: stopping gives f(x) = W_{0,0}(x). A noise
// gives at most W_{m,j}(x), since the pair dominates and W_{m-1,j} is convex. A
// comparison gives at most
//
//	q W_{m,j-1}(x p/q) + (1-q) W_{m,j}(x (1-p)/(1-q)),
//
// which is convex in (p, q), as a perspective. So it is at most its value at a corner: W_{m,j}(x)
// at (0, 0), W_{m,j-1}(x) at (1, 1), and W_{m,j}(x) again at (p0, q0). The last holds since J' is
// the first toss and, after a failure, J' afresh. ∎
//
// The pure bound for Once is Algorithm 1 of Lyu, Su and Li (PVLDB 10(6), 2017). For EachTest with m
// = c it is that of Theorem 3.23 of Dwork and Roth (2014) times the tests. The domination is ours.
// The noise must be new for each comparison, and positives must be capped. If one of the two is
// missing, nothing is guaranteed (Algorithms 3, 5 and 6 of Lyu, Su and Li; a test shows it).
type Event struct {
	Sensitivity    float64 // Δ > 0: the most that one record moves any candidate's score
	ThresholdNoise float64 // scale of the noise of a threshold, > 0, in units of the score
	ScoreNoise     float64 // scale of the noise of a comparison, > 0, in units of the score
	MaxTests       int     // T >= 1
	MaxPositives   int     // c, from 1 to MaxTests
	Refresh        Refresh
	Noise          Noise // the laws of the noises; 0 is Laplace
}

var _ accounting.Event = Event{}

// DoublingPositives returns a cap on the positives of a search by doubling steps: (maxTests+1)/2,
// rounded down. The step starts at 1, doubles after a positive, and halves after a test without
// one, from 1 to 0. At 0 the search ends. A search with P positives ends after 2P+1 tests. So one
// that reaches the cap cannot end within maxTests, and stopping it there loses nothing.
func DoublingPositives(maxTests int) int { return (maxTests + 1) / 2 }

// Validate returns every fault, joined.
func (e Event) Validate() error {
	var errs []error
	for _, f := range []struct {
		name  string
		value float64
	}{{"Sensitivity", e.Sensitivity}, {"ThresholdNoise", e.ThresholdNoise}, {"ScoreNoise", e.ScoreNoise}} {
		errs = append(errs, check.Positive.Of("threshold: Event."+f.name, f.value))
	}
	if e.MaxTests < 1 || e.MaxTests > maxTests {
		errs = append(errs, fmt.Errorf("threshold: Event.MaxTests %d: must be 1 to %d", e.MaxTests, maxTests))
	}
	if e.MaxPositives < 1 || e.MaxPositives > e.MaxTests {
		errs = append(errs, fmt.Errorf("threshold: Event.MaxPositives %d: must be 1 to MaxTests", e.MaxPositives))
	}
	if e.Refresh < EachTest || e.Refresh > Once {
		errs = append(errs, fmt.Errorf("threshold: Event.Refresh %d: must be EachTest, EachPositive or Once", int(e.Refresh)))
	}
	if e.Noise < Laplace || e.Noise > Exponential {
		errs = append(errs, fmt.Errorf("threshold: Event.Noise %d: must be Laplace or Exponential", int(e.Noise)))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if pure := e.PureEpsilon(); !(pure > 0) || pure > maxPureEpsilon {
		return fmt.Errorf("threshold: the search has a pure ε of %g: must be > 0 and at most %g", pure, float64(maxPureEpsilon))
	}
	return nil
}

const (
	maxTests       = 10_000
	maxPureEpsilon = 1e6
)

// String describes the event.
func (e Event) String() string {
	laws := ""
	if e.Noise != Laplace {
		laws = e.Noise.String() + " noise, "
	}
	return fmt.Sprintf("AboveThreshold(Δ=%g, %sthreshold noise %g new %v, score noise %g, at most %d tests and %d positives)",
		e.Sensitivity, laws, e.ThresholdNoise, e.Refresh, e.ScoreNoise, e.MaxTests, e.MaxPositives)
}

// ThresholdEpsilon returns ε1, the pure price of one threshold noise, rounded up.
func (e Event) ThresholdEpsilon() float64 { return quotient(e.Sensitivity, e.ThresholdNoise) }

// PositiveEpsilon returns ε2, the pure price of one positive, rounded up.
func (e Event) PositiveEpsilon() float64 { return quotient(2*e.Sensitivity, e.ScoreNoise) }

// quotient returns sensitivity/noise, rounded up, and +Inf where one of them is not valid.
func quotient(sensitivity, noise float64) float64 {
	if ratio := sensitivity / noise; sensitivity > 0 && noise > 0 && !math.IsNaN(ratio) {
		return up(ratio)
	}
	return math.Inf(1)
}

// Thresholds returns m, the largest number of threshold noises drawn.
func (e Event) Thresholds() int {
	switch e.Refresh {
	case EachTest:
		return e.MaxTests
	case EachPositive:
		return e.MaxPositives
	}
	return 1
}

// PureEpsilon returns m ε1 + c ε2: the search is (PureEpsilon, 0)-private. Only the cap on
// positives makes it finite.
func (e Event) PureEpsilon() float64 {
	if e.MaxPositives < 1 || e.Thresholds() < 1 { // not valid
		return math.Inf(1)
	}
	return up(float64(e.Thresholds())*e.ThresholdEpsilon() + float64(e.MaxPositives)*e.PositiveEpsilon())
}

// up raises x by some rounding errors.
func up(x float64) float64 { return x * (1 + 8*0x1p-53) }

func init() {
	eventjson.Register("above_threshold", fields, read)
}

// fields returns the fields of the JSON form. Laplace noise is left out.
func fields(e Event) []eventjson.Field {
	all := []eventjson.Field{
		{Name: "sensitivity", Value: e.Sensitivity},
		{Name: "threshold_noise", Value: e.ThresholdNoise}, {Name: "score_noise", Value: e.ScoreNoise},
		{Name: "max_tests", Value: e.MaxTests}, {Name: "max_positives", Value: e.MaxPositives},
		{Name: "refresh", Value: e.Refresh.String()},
	}
	if e.Noise != Laplace {
		all = append(all, eventjson.Field{Name: "noise", Value: e.Noise.jsonName()})
	}
	return all
}

func read(o *eventjson.Object) Event {
	e := Event{
		Sensitivity: o.Float("sensitivity"), ThresholdNoise: o.Float("threshold_noise"), ScoreNoise: o.Float("score_noise"),
		MaxTests: o.Int("max_tests"), MaxPositives: o.Int("max_positives"), Refresh: EachTest,
	}
	refresh := o.Text("refresh")
	for e.Refresh <= Once && e.Refresh.String() != refresh {
		e.Refresh++
	}
	if e.Refresh > Once {
		o.Fault("refresh", "%q: must be %q, %q or %q", refresh, EachTest, EachPositive, Once)
	}
	if o.Has("noise") {
		switch noise := o.Text("noise"); noise {
		case Laplace.jsonName():
		case Exponential.jsonName():
			e.Noise = Exponential
		default:
			o.Fault("noise", "%q: must be %q or %q", noise, Laplace.jsonName(), Exponential.jsonName())
		}
	}
	return e
}
