package accounting_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
)

// A price is printed with its guarantee first, and each bound in a line below it. One that was not
// computed states it, and the least of its bounds is none.
func TestPriceText(t *testing.T) {
	p := accounting.Price{Guarantee: accounting.Guarantee{Epsilon: accounting.UpperBound(2), Delta: 1e-5, Neighboring: accounting.AddOrRemoveOne}, Bounds: []accounting.Bound{
		{Name: "loose", Theorem: "Theorem 2", Epsilon: 3, Published: true}, {Name: "tight", Epsilon: 2}, {Name: "as tight", Epsilon: 2}}}
	accounting.LeastFirst(p.Bounds)
	lines := strings.Split(fmt.Sprint(p), "\n")
	if want := []string{p.Guarantee.String(), "  ε <= 2.0000, tight", "  ε <= 2.0000, as tight", "  ε <= 3.0000, loose: Theorem 2"}; strings.Join(lines, "|") != strings.Join(want, "|") {
		t.Errorf("prints as\n%v", p)
	}
	published, ok := p.LeastPublished()
	loose, found := p.Find("loose")
	if p.Least().Name != "tight" || !ok || published.Name != "loose" || !found || loose.Epsilon != 3 {
		t.Errorf("least %v, published %v, found %v", p.Least(), published, loose)
	}
	if p.OneRun.Epsilon = accounting.UpperBound(0.5); p.Overhead() != 1.5 {
		t.Errorf("overhead %g, want 2 - 0.5", p.Overhead())
	}
	for want, v := range map[string]any{
		"no guarantee: nothing was computed": accounting.Price{}, "no guarantee: nothing was computed ": fmt.Sprint(accounting.NoPrice(), " "),
		"no bound: nothing was computed": accounting.Bound{}, "no bound: nothing was computed ": fmt.Sprint(accounting.Price{}.Least(), " "),
	} {
		if got := fmt.Sprint(v); got != want {
			t.Errorf("%#v prints %q, want %q", v, got, want)
		}
	}
	published, ok = accounting.Price{}.LeastPublished()
	for _, b := range []accounting.Bound{accounting.Price{}.Least(), accounting.NoBound(), published} {
		if !math.IsInf(b.Epsilon, 1) || ok {
			t.Errorf("no bound has ε %g, want +Inf", b.Epsilon)
		}
	}
}
