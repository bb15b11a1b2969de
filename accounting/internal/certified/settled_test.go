package certified

import (
	"errors"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
)

// A second opinion is asked for unless an answer is narrow, tells ε from 0, and has neither an infinite end nor a width of 0.
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
