package onerun

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/audit"
)

var errIntervals = errors.New("the canaries of one run are not independent: the intervals of AUC and TPR describe this run only")

// Bounds returns every bound on the scores of the canaries of one run, of which all
// count, guessed or not. The member scores are those of the canaries that were included.
// Config.Threshold and Config.Rank must be nil: one run is guessed by Config.Guesses.
func Bounds(scores audit.Scores, cfg audit.Config) (audit.Report, error) {
	switch {
	case cfg.Threshold != nil:
		return audit.Report{}, fmt.Errorf("onerun: Config.Threshold %g: must be nil: one run is guessed by Config.Guesses", *cfg.Threshold)
	case cfg.Rank != nil:
		return audit.Report{}, fmt.Errorf("onerun: Config.Rank %d: must be nil: one run is guessed by Config.Guesses", *cfg.Rank)
	}
	report, err := audit.Describe(scores, cfg)
	if err != nil {
		return audit.Report{}, err
	}
	level := audit.Level{Delta: report.Delta, Confidence: report.Confidence}
	m := report.Members + report.NonMembers
	need := guessesNeeded(level)
	if m < need {
		return audit.Report{}, fmt.Errorf("onerun: %d canaries: even all guesses right would not show an ε above 0 at confidence %g; %d would do", m, level.Confidence, need)
	}
	cfg = cfg.Seeded()
	guesses, err := GuessesFor(scores, cfg)
	if err != nil {
		return audit.Report{}, err
	}
	report.OneRun, report.Seed = true, cfg.Seed
	report.Add(Bound(guesses, level))
	report.Add(Max(guesses, level))
	report.Add(FDP(guesses, level))
	adaptive, err := GuessInTurn(scores, guesses.Guessed, cfg.Seed)
	if err != nil {
		return audit.Report{}, err
	}
	report.Add(InTurn(adaptive, level))
	if !slices.ContainsFunc(report.Bounds, func(b audit.Bound) bool { return b.Assumption == audit.AssumeOneRun && b.Ceiling > 0 }) {
		report.Warnings = append(report.Warnings, fmt.Errorf("%d guesses of %d canaries: even if all were right they would not show an ε above 0 at confidence %g and δ = %g; at δ = 0 %d would",
			guesses.Guessed, m, level.Confidence, level.Delta, need))
	}
	report.Warnings = append(report.Warnings, errIntervals)
	return report, nil
}

// guessesNeeded returns the least number of guesses that can show an ε above 0: without a leak all r are right with chance 2^-r, which
// must be below the significance.
func guessesNeeded(level audit.Level) int {
	return int(math.Floor(1e-9-math.Log2(level.Significance()))) + 1
}
