package accounting_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
)

// What was not computed reads as no guarantee, and has no JSON form. Only a constructor, or JSON,
// makes an answer.
func TestNothingWasComputed(t *testing.T) {
	for want, values := range map[string][]any{
		"not computed": {accounting.Interval{}, accounting.Interval{Upper: 1}, accounting.NoEpsilon(), accounting.NoDelta()},
		"no guarantee: nothing was computed": {
			accounting.Guarantee{}, accounting.NoGuarantee(), accounting.Guarantee{Delta: 1e-5, Neighboring: accounting.AddOrRemoveOne, Method: "RDP"},
		},
		"No guarantee: nothing was computed.": {accounting.Statement{}, accounting.NoStatement()},
	} {
		for _, v := range values {
			if got := fmt.Sprint(v); got != want {
				t.Errorf("%#v prints %q, want %q", v, got, want)
			}
			if text, err := json.Marshal(v); err == nil {
				t.Errorf("%#v has the JSON form %s, want an error", v, text)
			}
		}
	}
	if e, d := accounting.NoEpsilon(), accounting.NoDelta(); e.Upper != math.Inf(1) || d.Upper != 1 || e.Computed() || d.Computed() {
		t.Errorf("ε %#v and δ %#v that were not computed", e, d)
	}
	for _, i := range []accounting.Interval{accounting.UpperBound(0), accounting.Exact(0), accounting.Certified(0, 0, 0)} {
		text, err := json.Marshal(i)
		var back accounting.Interval
		if err := json.Unmarshal(text, &back); err != nil || back != i || !back.Computed() {
			t.Errorf("%v: %v comes back from %s, %v", i, back, text, err)
		}
		if err != nil || strings.Contains(i.String(), "not computed") {
			t.Errorf("%v: error %v", i, err)
		}
	}
	var g accounting.Guarantee
	if err := json.Unmarshal([]byte(`{"delta":1e-5,"neighboring":"add-or-remove-one","method":"x"}`), &g); err == nil || !strings.Contains(err.Error(), "guarantee.epsilon is missing") {
		t.Errorf("a guarantee without ε is read as %v, error %v", g, err)
	}
}
