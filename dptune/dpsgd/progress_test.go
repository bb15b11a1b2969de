package dpsgd

import (
	"strings"
	"testing"
	"time"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
)

// An accountant's failure gives no guarantee, not a good one.
func TestEpsilonUpperAtOfAnUnknownEvent(t *testing.T) {
	if got := EpsilonUpperAt(1e-5, contour.NewAccountant())(accounting.SelfComposed{}); got < 1e300 {
		t.Errorf("ε %g of an event that is not valid, want +Inf", got)
	}
}

func TestProgressLine(t *testing.T) {
	p := Progress{Step: 120, Steps: 300, Remaining: 12345 * time.Millisecond, ExamplesPerSecond: 34999.6, EpsilonUpper: 1.2345678}
	const line = "step 120 of 300, ε <= 1.2346, 35000 examples/s, 12s left"
	end := Progress{Step: 300, Steps: 300}
	const last = "step 300 of 300, 0 examples/s, 0s left"
	var terminal, file strings.Builder
	show, write := progressLine(&terminal, true, time.Hour), progressLine(&file, false, time.Hour)
	for _, p := range []Progress{p, p, end} {
		show(p)
		write(p)
	}
	if want := strings.Repeat("\r\x1b[K"+line, 2) + "\r\x1b[K" + last + "\n"; terminal.String() != want {
		t.Errorf("on a terminal %q, want %q", terminal.String(), want)
	}
	if want := line + "\n" + last + "\n"; file.String() != want {
		t.Errorf("elsewhere %q, want %q", file.String(), want)
	}
	var public strings.Builder // not a terminal
	ProgressLine(&public)(end)
	if want := last + "\n"; public.String() != want {
		t.Errorf("ProgressLine writes %q, want %q", public.String(), want)
	}
}
