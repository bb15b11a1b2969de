package quickstart

import (
	"context"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/notebooks/figures"
)

// backgroundExamples is how many images stand beside the canary in an audited step. They cost
// time and change nothing: their part is subtracted from the scores.
const backgroundExamples = 100

// Audit is what the scores of one step say.
type Audit struct {
	Config          Config
	NoiseMultiplier float64
	Exact           float64  // ε of an honest step
	Games           []Played // the engine as it is, and one that adds half of the noise it declares
}

// Played is one audit of one step.
type Played struct {
	Name    string
	Report  audit.Report
	Verdict audit.Verdict // on the claim that the step is a Gaussian of the declared noise
}

// AuditStep plays the one-step game against a crafted gradient that is in the batch for
// sure (q = 1), at the noise of a training step: once honestly, and once with an engine that
// adds half of the noise that it declares.
func AuditStep(ctx context.Context, c Config, progress func(done, of int)) (Audit, error) {
	p, err := c.load()
	if err != nil {
		return Audit{}, err
	}
	sigma, err := c.calibrateTo(c.Epsilon)
	if err != nil {
		return Audit{}, err
	}
	exact, err := gdp.NewAccountant().EpsilonAt(accounting.Gaussian{NoiseMultiplier: sigma}, c.Delta)
	if err != nil {
		return Audit{}, err
	}
	r := Audit{Config: c, NoiseMultiplier: sigma, Exact: exact.Epsilon.Upper}
	for i, engine := range []struct {
		name  string
		added float64
	}{{"the engine as it is", sigma}, {"an engine with half of its noise", sigma / 2}} {
		played, err := c.play(ctx, p, sigma, engine.added, func(done, of int) {
			if progress != nil {
				progress(i*of+done, 2*of)
			}
		})
		if err != nil {
			return Audit{}, err
		}
		played.Name = engine.name
		r.Games = append(r.Games, played)
	}
	return r, nil
}

// play audits a step with noise multiplier added against the claim of declared.
func (c Config) play(ctx context.Context, p parts, declared, added float64, progress func(done, of int)) (Played, error) {
	step := c.run(added, c.middle())
	step.SamplingRate, step.Steps, step.ExpectedBatchSize = 1, 1, backgroundExamples
	first := make([]int, min(backgroundExamples, p.train.Len()))
	for i := range first {
		first[i] = i
	}
	result, err := game.OneStep{
		Model: p.model, Background: p.train.Subset("background", first), Config: step, Games: c.Games / 2,
		Progress: func(g game.Progress) { progress(g.Games, g.Total) },
	}.Play(ctx, c.root().Child("audit"))
	if err != nil {
		return Played{}, err
	}
	settings := audit.Config{Delta: c.Delta, Confidence: c.Confidence, ExpectedMu: 1 / declared}
	report, err := audit.Bounds(result.Scores, settings)
	if err != nil {
		return Played{}, err
	}
	verdict, err := audit.TestClaim(result.Scores, audit.GDP{Mu: 1 / declared}, settings)
	return Played{Report: report, Verdict: verdict}, err
}

// Table lists every lower bound of both engines beside the exact ε of an honest step.
func (r Audit) Table() figures.Table {
	t := figures.Table{
		Name: "quickstart-audit",
		Title: fmt.Sprintf("Lower bounds on ε of one step at δ = %s; σ = %.4f allows ε = %.4f",
			figures.Scientific(r.Config.Delta), r.NoiseMultiplier, r.Exact),
		Columns: []string{"bound", "assumes", "confidence", "ceiling", r.Games[0].Name, r.Games[1].Name},
		Notes: []string{
			fmt.Sprintf("%d games each, half with the canary. A bound without confidence chose its threshold on the same scores.", r.Config.Games),
			r.Games[0].Name + ": " + r.Games[0].Verdict.String(),
			r.Games[1].Name + ": " + r.Games[1].Verdict.String(),
		},
	}
	for _, b := range r.Games[0].Report.Bounds {
		broken, ok := r.Games[1].Report.Bound(b.Name)
		if !ok {
			continue
		}
		confidence := "none"
		if b.Confidence > 0 {
			confidence = fmt.Sprint(b.Confidence)
		}
		t.Rows = append(t.Rows, []string{b.Name, string(b.Assumption), confidence,
			fmt.Sprintf("%.3f", b.Ceiling), audit.FormatLower(b.Epsilon), audit.FormatLower(broken.Epsilon)})
	}
	return t
}
