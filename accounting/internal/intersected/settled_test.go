package intersected

import (
	"errors"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
)

// A second opinion is asked for unless an answer is narrow, tells ε from 0, and has neither an
// infinite end nor a width of 0.
func TestSettled(t *testing.T) {
	for _, c := range []struct {
		epsilon accounting.Interval
		warning error
		settled bool
	}{
		{accounting.Certified(1, 1.005, 1.01), nil, true},
		{accounting.Certified(1, 1.005, 1.01), errors.New("wide"), false},
		{accounting.Exact(0), nil, true},
		{accounting.Certified(0, 0.005, 0.01), nil, false},
		{accounting.UpperBound(1), nil, false},
		{accounting.Exact(1), nil, false},
		{accounting.Exact(math.Inf(1)), nil, false},
		{accounting.Certified(1, math.Inf(1), math.Inf(1)), nil, false},
	} {
		g := accounting.Guarantee{Epsilon: c.epsilon}
		if c.warning != nil {
			g.Warnings = []error{c.warning}
		}
		if settled(g) != c.settled {
			t.Errorf("%v, warning %v: settled %v, want %v", c.epsilon, c.warning, !c.settled, c.settled)
		}
	}
}

// Both maps of ε are on the side asked for, at sampling rates down to the least float64 and where
// e^ε overflows. Wants: ln(1+q(e^ε-1)) and ln(1+(e^ε-1)/q) by Python's decimal with 400 digits.
func TestSamplingLemmaMapsToTheSideAskedFor(t *testing.T) {
	type row struct{ rate, epsilon, want float64 }
	check := func(name string, row row, at func(side float64) float64) {
		down, up := at(-1), at(+1)
		if !(down <= row.want && row.want <= up && up-down <= 64*unit*row.want) {
			t.Errorf("%s at rate %g, ε %g: %.17g to %.17g, want %.17g between", name, row.rate, row.epsilon, down, up, row.want)
		}
	}
	for _, row := range []row{
		{1e-304, 700, 0.70023800848071149948}, {1e-304, 705.5, 5.5181530578704733588}, {1e-310, 750, 36.198621171845835090}, {1e-320, 800, 63.172759109026093849}, {1e-320, 1500, 763.17275910902609385}, {0.01, 5, 0.90588946213773929788}, {0.5, 1e-12, 5.0000000000012498994e-13}, {0.3, 720, 718.79602719567406397},
	} {
		l := sampleLemma{rate: row.rate, hidden: true}
		check("sampled", row, func(side float64) float64 { return l.sampled(row.epsilon, side) })
	}
	for _, row := range []row{
		{1e-306, 1e-05, 693.07811799121191761}, {1e-310, 1e-12, 686.17035771222611687}, {1e-320, 3, 739.77617171003120456}, {1e-300, 720, 1410.7755278982137052}, {0.01, 5, 9.5984772707868711887}, {0.5, 1e-12, 1.9999999999989999598e-12},
	} {
		l := sampleLemma{rate: row.rate, hidden: true}
		check("unsampled", row, func(side float64) float64 { return l.unsampled(row.epsilon, side) })
	}
	for _, shown := range []float64{0, 1e-300, 1, 800} { // a sample that is shown: the same ε
		l := sampleLemma{rate: 0.1}
		if up, down := l.sampled(shown, +1), l.unsampled(shown, -1); up != shown || down != shown {
			t.Errorf("sample that is shown: ε %g becomes %g and %g", shown, up, down)
		}
	}
}
