package onerun

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/audit"
)

var errIntervals = errors.New("the canaries of one run are not independent: the intervals of AUC, TPR - FPR and TPR describe this run only")

// Bounds returns every bound on the scores of the canaries of one run. All canaries count, guessed
// or not. The member scores are those of the canaries that were included. Config.Threshold and
// Config.Rank must not be given: Config.Guesses sets the guesses of one run.
func Bounds(scores audit.Scores, cfg audit.Config) (audit.Report, error) {
	if t, given := cfg.Threshold.Value(); given {
		return audit.Report{}, fmt.Errorf("onerun: Config.Threshold %g: must not be given: one run is guessed by Config.Guesses", t)
	}
	if k, given := cfg.Rank.Value(); given {
		return audit.Report{}, fmt.Errorf("onerun: Config.Rank %d: must not be given: one run is guessed by Config.Guesses", k)
	}
	report, err := audit.Describe(scores, cfg)
	if err != nil {
		return audit.Report{}, err
	}
	cfg.Confidence = report.Confidence
	m := report.Members + report.NonMembers
	need := guessesNeeded(cfg)
	if m < need {
		return audit.Report{}, fmt.Errorf("onerun: %d canaries: even with all guesses right they would not show an ε above 0 at confidence %g: must be at least %d", m, cfg.Confidence, need)
	}
	cfg = cfg.Seeded()
	guesses, err := GuessesFor(scores, cfg)
	if err != nil {
		return audit.Report{}, err
	}
	report.OneRun, report.Seed = true, cfg.Seed
	report.Add(Bound(guesses, cfg))
	report.Add(Max(guesses, cfg))
	report.Add(FDP(guesses, cfg))
	adaptive, err := GuessInTurn(scores, guesses.Guessed, cfg.Seed)
	if err != nil {
		return audit.Report{}, err
	}
	report.Add(InTurn(adaptive, cfg))
	if !slices.ContainsFunc(report.Bounds, func(b audit.Bound) bool { return b.Assumption == audit.AssumeOneRun && b.Ceiling > 0 }) {
		report.Warnings = append(report.Warnings, fmt.Errorf("%d guesses of %d canaries: even if all were right, they would not show an ε above 0 at confidence %g and δ = %g; at δ = 0, %d guesses would",
			guesses.Guessed, m, cfg.Confidence, cfg.Delta, need))
	}
	if cfg.Guesses == 0 && cfg.ExpectedMu == 0 { // the default, from the number of canaries only
		for i, b := range report.Bounds {
			report.Bounds[i].ChosenBefore = strings.Replace(b.ChosenBefore, "stated as fixed", "fixed", 1)
		}
	}
	report.Warnings = append(report.Warnings, errIntervals)
	return report, nil
}

// guessesNeeded returns the least number of guesses that can show an ε above 0. Without a leak all
// r are right with chance 2^-r, which must be below the significance.
func guessesNeeded(cfg audit.Config) int {
	return int(math.Floor(1e-9-math.Log2(cfg.Significance()))) + 1
}
