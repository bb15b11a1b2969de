package law_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/selection/law"
)

// lying says one thing and makes the next law of a list.
type lying struct {
	law.Law
	name string
	made []law.Law
	next *int
}

func (l lying) String() string { return l.name }
func (l lying) Distribution() law.Distribution {
	made := l.made[*l.next%len(l.made)]
	*l.next++
	return made.Distribution()
}

// Each check finds the law that is wrong in its way.
func TestFaultsAreFound(t *testing.T) {
	one, ten := law.Law(law.Fixed{Count: 1}), law.Law(law.Fixed{Count: 10})
	liar := func(name string, made ...law.Law) law.Law { return lying{one, name, made, new(int)} }
	for _, c := range []struct {
		check func(law.Law, size) []error
		law   law.Law
		want  string
	}{
		{value, nil, "nil"},
		{value, law.Poisson{}, "MeanRepeats"},
		{value, liar("", one), "String is empty"},
		{value, liar("moody", one, one, ten), "differ"}, // law.Of asks first
		{sums, law.Poisson{MeanRepeats: 1e6}, "sum to"},
		{roundTrip, liar("without a format", one), "RegisterFormat"},
	} {
		faults := c.check(c.law, sizeOf(true))
		if len(faults) == 0 || !strings.Contains(fmt.Sprint(faults), c.want) {
			t.Errorf("%v: faults %v, want one with %q", c.law, faults, c.want)
		}
	}
}

// A statistic of draws from another law is above the limit, and that of its own below.
func TestChiSquare(t *testing.T) {
	fair := []float64{0.5, 0.3, 0.2}
	if s, cells := chiSquare(fair, []float64{510, 290, 200}, 0, 1000); cells != 3 || !(s > 0.53 && s < 0.54) { // 100/500 + 100/300
		t.Errorf("chi-square %g in %d cells, want 8/15 in 3", s, cells)
	}
	if s, _ := chiSquare(fair, []float64{200, 300, 500}, 0, 1000); !(s > 400) {
		t.Errorf("chi-square %g of exchanged chances, want above 400", s)
	}
}

// A bound that is too low is found: what one run costs does not cover the best of ten.
func TestWorst(t *testing.T) {
	run := enumerate.Of([]float64{0.9, 0.1}, []float64{0.95, 0.05}) // δ 0.0325 for one run, 0.11 for the best of ten, whose better output has chances 0.65 and 0.40
	if one, ten := worst(law.Fixed{Count: 1}, run, 0.3), worst(law.Fixed{Count: 10}, run, 0.3); !(ten > 1.5*one) {
		t.Errorf("δ %g of one run, %g of the best of ten: want more", one, ten)
	}
}
