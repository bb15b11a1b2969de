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
	printed := func(bounds ...string) {
		t.Helper()
		if want := append([]string{p.Guarantee.String()}, bounds...); fmt.Sprint(p) != strings.Join(want, "\n  ") {
			t.Errorf("prints as\n%v", p)
		}
	}
	const estimated = ", estimated, not checked"
	printed("ε about 2.0000, tight"+estimated, "ε about 2.0000, as tight"+estimated, "ε about 3.0000, loose: Theorem 2"+estimated)
	p.Guarantee.Certificate = &accounting.Certificate{Claim: "a test", Epsilon: 2}
	printed("ε <= 2.0000, tight", "ε <= 2.0000, as tight", "ε <= 3.0000, loose: Theorem 2")
	p.Guarantee.Certificate.Epsilon = 2.5
	printed("ε about 2.0000, tight"+estimated, "ε about 2.0000, as tight"+estimated, "ε <= 3.0000, loose: Theorem 2")
	p.Guarantee.Certificate = nil
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
