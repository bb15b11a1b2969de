package audit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dplab/dplab/audit"
)

// A report that is printed names every bound with its ε, as dpaudit does, and not the arrays behind the ROC.
func TestReportIsReadable(t *testing.T) {
	report, err := audit.Bounds(games(300, 1), audit.Config{Seed: 1, Delta: 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(report)
	for _, b := range report.Ordered() {
		if !strings.Contains(text, "\n"+b.Name+" ") && !strings.Contains(text, "\n"+b.Name+": ") || !strings.Contains(text, audit.FormatLower(b.Epsilon)) {
			t.Errorf("no line of %s, ε >= %s:\n%s", b.Name, audit.FormatLower(b.Epsilon), text)
		}
	}
	if !strings.Contains(text, "\n300 member and 300 non-member scores, δ = 1e-5, confidence 0.95\n") || strings.Count(text, "\n") > 60 {
		t.Errorf("the report is\n%s", text)
	}
	described, err := audit.Describe(games(300, 1), audit.Config{Delta: 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	if text := described.String(); strings.Contains(text, "ε >=") || !strings.Contains(text, "AUC") {
		t.Errorf("a report without bounds is\n%s", text)
	}
}
