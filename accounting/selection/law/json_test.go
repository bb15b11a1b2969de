package law_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/selection/law"
)

// The parameters are the fields of the JSON that the package comment of eventjson promises to read
// for ever, in the order in which they are written.
func TestFormatsListTheParametersOfEachLaw(t *testing.T) {
	want := map[string]string{
		"binomial":  "trials whole number, p number",
		"capped":    "law law, max whole number",
		"fixed":     "count whole number",
		"pmf":       "weights list of numbers",
		"poisson":   "mean number",
		"tnb":       "eta number, gamma number, mean number instead of gamma",
		"truncated": "law law, max whole number",
		"two_point": "runs whole number, single number",
		"withheld":  "law law, max whole number",
	}
	for _, f := range law.Formats() {
		var list []string
		for _, p := range f.Parameters {
			text := fmt.Sprintf("%s %v", p.Name, p.Kind)
			if p.Instead != "" {
				text += " instead of " + p.Instead
			}
			list = append(list, text)
		}
		if got := strings.Join(list, ", "); got != want[f.Name] && want[f.Name] != "" {
			t.Errorf("%s: %q, want %q", f.Name, got, want[f.Name])
		}
		delete(want, f.Name)
	}
	for name := range want {
		t.Errorf("no format of %s", name)
	}
}
