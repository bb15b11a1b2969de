package quickstart

import "testing"

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
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
	if err := r.Chart().Validate(); err != nil {
		t.Error(err)
	}
}
