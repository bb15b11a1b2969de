package quickstart

import (
	"strings"
	"testing"
)

// The engine as it is must not be accused, and half of its noise must be. At n = 400 games of
// each world the honest test rejects with chance at most 5 %, whatever the root; this root is
// fixed, so that the test is deterministic. With half the noise µ doubles from 0.56 to 1.11: the
// AUC differs from the claim's by 7 of its standard errors.
func TestAuditCatchesHalfTheNoise(t *testing.T) {
	c := Defaults("quick")
	c.Games = 800
	r, err := AuditStep(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Games[0].Verdict.Contradicted {
		t.Errorf("%s: %v", r.Games[0].Name, r.Games[0].Verdict)
	}
	if !r.Games[1].Verdict.Contradicted {
		t.Errorf("%s: %v", r.Games[1].Name, r.Games[1].Verdict)
	}
	for _, b := range r.Games[0].Report.Bounds {
		if b.Confidence > 0 && b.Epsilon > r.Exact {
			t.Errorf("honest step: %s says ε >= %g, above the exact %g", b.Name, b.Epsilon, r.Exact)
		}
	}
	if b, ok := r.Games[1].Report.Bound("gdp-auc"); !ok || b.Epsilon <= r.Exact {
		t.Errorf("half the noise: gdp-auc says ε >= %g, want above the declared %g", b.Epsilon, r.Exact)
	}
	said := strings.Join(r.Findings(), "\n")
	if !strings.Contains(said, "half of its noise contradicts the declared guarantee") || !strings.Contains(said, "the engine as it is does not contradict") {
		t.Errorf("findings:\n%s", said)
	}
	// The second game alone: were its bound that assumes nothing above the claim, nothing would be said of it.
	half := r
	half.Games = r.Games[1:]
	for _, c := range []struct {
		exact float64
		want  bool
	}{{r.Exact, true}, {0.01, false}} {
		half.Exact = c.exact
		if got := strings.Contains(strings.Join(half.Findings(), "\n"), "its bounds on ε that assume nothing reach"); got != c.want {
			t.Errorf("exact ε %g: the bounds that assume nothing are mentioned: %v, want %v", c.exact, got, c.want)
		}
	}
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
	if err := r.Chart().Validate(); err != nil {
		t.Error(err)
	}
}
