package output

import (
	"bytes"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/dpcost/internal/answer"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
)

// A noise that may not be the least is not called the least.
func TestNoiseThatMayNotBeTheLeast(t *testing.T) {
	sigma := 0.5
	for _, more := range []bool{false, true} {
		text := string(reportText(answer.Report{NoiseMultiplier: &sigma, MoreThanLeast: more}))
		if strings.Contains(text, "0.5, the least") == more || strings.Contains(text, "perhaps not the least") != more {
			t.Errorf("more than the least %t: %s", more, text)
		}
	}
}

// The printed ends differ by the printed distance. If they are the same number, it is printed once.
func TestPrintedEndsAgreeWithTheirWidth(t *testing.T) {
	for _, c := range []struct {
		lower, upper float64
		want         []string
	}{
		{2 - 1e-12, 2, []string{"epsilon <= 2 (certified to within 2e-12 of the exact value)"}}, // 1.0000889e-12 is rounded up
		{15.78271950673536, 15.7827195067354, []string{"epsilon <= 15.7828 (certified to within 5e-14 of the exact value)"}},
		{2, 2, []string{"epsilon <= 2 (certified to within 0 of the exact value)"}},
		{3.005, 3.01, []string{"epsilon <= 3.01", ">= 3.005 (certified, 0.005 apart)"}},
		{3.1415926, 3.14162, []string{"epsilon <= 3.14162", ">= 3.141592 (certified, 2.7e-05 apart)"}},
		{0, 1e-9, []string{"epsilon <= 1e-09", ">= 0 (certified, 1e-09 apart)"}},
		{0, math.Inf(1), []string{"epsilon <= +Inf"}},
	} {
		if got := ends(accounting.Certified(c.lower, c.upper, c.upper).WithLower(c.lower), true, nil); !slices.Equal(got, c.want) {
			t.Errorf("[%v, %v]: %q, want %q", c.lower, c.upper, got, c.want)
		}
	}
}

// ends returns the lines of two ends.
func ends(e accounting.Interval, checked bool, drawn *input.Batches) (lines []string) {
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	writeEnds(w, "epsilon", e, checked, drawn)
	w.Flush()
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return lines
}

// An end that was not checked is printed in the words of an estimate.
func TestUncheckedEndsAreEstimates(t *testing.T) {
	near, far, zero := accounting.Certified(2-1e-12, 2, 2), accounting.Certified(3.005, 3.005, 3.01), accounting.Certified(0, 0, 1e-9)
	attacked := &input.Batches{Scheme: input.Shuffled}
	for _, c := range []struct {
		e       accounting.Interval
		checked bool
		drawn   *input.Batches
		want    []string
	}{
		{near, true, nil, []string{"epsilon <= 2 (within about 2e-12 of the exact value, which is estimated, not checked)"}},
		{near.WithLower(near.Lower), false, nil, []string{"epsilon about 2 (estimated, not checked)"}},
		{near, false, nil, []string{"epsilon about 2 (estimated, not checked)"}},
		{far, true, nil, []string{"epsilon <= 3.01", "about 3.005 (estimated, not checked, 0.005 apart)"}},
		{far, false, nil, []string{"epsilon about 3.01 (estimated, not checked)", "about 3.005 (estimated, not checked, 0.005 apart)"}},
		{far.WithLower(3.005), false, nil, []string{"epsilon about 3.01 (estimated, not checked)", ">= 3.005 (certified, 0.005 apart)"}},
		{far, true, attacked, []string{"epsilon <= 3.01", "about 3.005 (by an attack, estimated, not checked, 0.005 apart)"}},
		{zero, false, nil, []string{"epsilon about 1e-09 (estimated, not checked)", ">= 0 (certified, 1e-09 apart)"}},
		{accounting.UpperBound(2), false, nil, []string{"epsilon about 2 (estimated, not checked)"}},
		{accounting.UpperBound(2), true, nil, []string{"epsilon <= 2"}},
		{accounting.UpperBound(math.Inf(1)), false, nil, []string{"epsilon <= +Inf"}},
	} {
		if got := ends(c.e, c.checked, c.drawn); !slices.Equal(got, c.want) {
			t.Errorf("%+v, checked %t: %q, want %q", c.e, c.checked, got, c.want)
		}
	}
}

// The text of every stored event has letters that the font of figures has.
func TestFigureOfEveryEvent(t *testing.T) {
	text, err := os.ReadFile("../../../eventjson/testdata/events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		p, err := input.ParsePlan([]byte(`{"neighboring": "replace-one", "events": [` + line + `]}`))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		c := answer.Curve{Kind: answer.Profile, Mechanism: p.Event().String(), Points: []answer.CurvePoint{{X: 1, Y: accounting.UpperBound(0.1)}}}
		if err := figure(c).Validate(); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}
