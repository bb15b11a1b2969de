package selection_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

// A price is printed with its guarantee first, and each bound in a line below it. One that was not
// computed says so, and the least of its bounds is none.
func TestPriceText(t *testing.T) {
	p, err := selection.EventAt(selection.Event{Law: law.Fixed{Count: 3}, Base: accounting.Gaussian{NoiseMultiplier: 2}}, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(fmt.Sprint(p), "\n")
	if lines[0] != p.Guarantee.String() || !strings.HasPrefix(lines[0], "ε <= ") || len(lines) != 1+len(p.Bounds) {
		t.Errorf("a price of %d bounds prints as\n%v", len(p.Bounds), p)
	}
	for i, b := range p.Bounds {
		if want := "  ε <= " + accounting.FormatUpper(b.Epsilon) + ", " + b.Name + ": " + b.Theorem; lines[1+i] != want {
			t.Errorf("bound %d prints as %q, want %q", i, lines[1+i], want)
		}
	}
	for want, v := range map[string]any{
		"no guarantee: nothing was computed": selection.Price{}, "no guarantee: nothing was computed ": fmt.Sprint(selection.NoPrice(), " "),
		"no bound: nothing was computed": selection.Bound{}, "no bound: nothing was computed ": fmt.Sprint(selection.Price{}.Least(), " "),
	} {
		if got := fmt.Sprint(v); got != want {
			t.Errorf("%#v prints %q, want %q", v, got, want)
		}
	}
	published, ok := selection.Price{}.LeastPublished()
	for _, b := range []selection.Bound{selection.Price{}.Least(), selection.NoBound(), published} {
		if fmt.Sprint(b.Epsilon) != "+Inf" || ok {
			t.Errorf("no bound has ε %g, want +Inf", b.Epsilon)
		}
	}
}
