package quickstart

import (
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// audited plays 800 games on an engine that adds another noise than it declares.
func audited(t *testing.T, name string, declared, added float64) Game {
	t.Helper()
	model, err := models.MLP(64, 32, 10)
	if err != nil {
		t.Fatal(err)
	}
	background, _, err := digits.Load()
	if err != nil {
		t.Fatal(err)
	}
	played, err := game.OneStep{
		Model: model, Background: background.Subset("ten", []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), Games: 400,
		Config: dpsgd.Config{Sampling: dpsgd.Poisson{Rate: 1}, Steps: 1, ExpectedBatchSize: 10, NoiseMultiplier: added, LearningRate: 1, ClipNorm: 1},
	}.Run(t.Context(), streams.Fixed("audit test"))
	if err != nil {
		t.Fatal(err)
	}
	claim := audit.GDP{Mu: 1 / declared}
	c := audit.Config{Seed: 1, Delta: 1e-5, Confidence: 0.95, ExpectedMu: claim.Mu}
	report, err := audit.Bounds(played.Scores, c)
	if err != nil {
		t.Fatal(err)
	}
	verdict, err := audit.TestClaim(played.Scores, claim, c)
	if err != nil {
		t.Fatal(err)
	}
	return Game{Name: name, Report: report, Verdict: verdict}
}

// The engine as it is must not be accused, and half of its noise must be. At n = 400 games of
// each world the honest test rejects with chance at most 5 %, whatever the root; this root is
// fixed, so that the test is deterministic. With half the noise µ doubles from 0.60 to 1.19: the
// AUC differs from the claim's by 7 of its standard errors.
func TestAuditCatchesHalfTheNoise(t *testing.T) {
	const sigma = 1.6747
	exact, err := gdp.NewAccountant().EpsilonAt(accounting.Gaussian{NoiseMultiplier: sigma}, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	r := Audit{NoiseMultiplier: sigma, Exact: exact.Epsilon.Upper, Games: []Game{
		audited(t, "the engine as it is", sigma, sigma), audited(t, "an engine with half of its noise", sigma, sigma/2),
	}}
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
	// A test of the whole claim sees more than the bound that was fixed beforehand.
	if b, ok := r.Games[1].Report.Headline(); !ok || b.Epsilon > r.Exact {
		t.Errorf("half the noise: %s says ε >= %g, above the exact %g", b.Name, b.Epsilon, r.Exact)
	}
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
	if err := r.Figure().Validate(); err != nil {
		t.Error(err)
	}
}
