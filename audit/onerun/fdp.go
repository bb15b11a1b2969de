package onerun

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/internal/level"
	"github.com/dplab/dplab/audit/internal/tails"
)

const fdpReference = "Mahloujifar, Melis, Chaudhuri (2024), arXiv:2410.22235, Theorem 3.1 and its recursion"

// FDP returns the lower bound on µ, and so on ε, from the guesses of one run. It holds if the
// mechanism's trade-off curve is Gaussian.
func FDP(g Guesses, cfg audit.Config) (audit.Bound, error) {
	if err := errors.Join(g.Validate(), cfg.Validate(), validateGDPDelta(cfg.Delta)); err != nil {
		return audit.Bound{}, err
	}
	b := audit.NewBound("one-run-fdp", audit.AssumeOneRunGDP, cfg, fdpReference)
	b.ChosenBefore = g.fixed()
	bound := func(g Guesses) float64 {
		return largestTrue(70, func(mu float64) bool { return refuted(g, audit.GDP{Mu: mu}, cfg.Significance()) })
	}
	b.Mu = bound(g)
	b.Epsilon, b.Ceiling = epsilonOfMu(b.Mu, cfg.Delta), epsilonOfMu(bound(g.perfect()), cfg.Delta)
	doubtCeiling(&b, g, func(g Guesses) bool { return refuted(g, audit.GDP{Mu: muOfZero(cfg.Delta)}, cfg.Significance()) })
	return b, nil
}

func validateGDPDelta(delta float64) error {
	if delta == 0 {
		return errors.New("onerun: delta 0: must be > 0 for a bound under a Gaussian trade-off, which has no finite ε at δ = 0")
	}
	return nil
}

func epsilonOfMu(mu, delta float64) float64 {
	eps, err := audit.EpsilonOfMu(mu, delta)
	if err != nil {
		return 0 // no guarantee is the safe side of a lower bound
	}
	return eps
}

// muOfZero returns the largest µ whose ε at delta is 0: 2Φ(µ/2) - 1 = delta.
func muOfZero(delta float64) float64 { return 2 * tails.NormalQuantile((1+delta)/2) }

// largestTrue returns the largest θ in [0, limit] with isRefuted(θ), rounded down to 1e-9. The
// predicate turns false once. The result is 0 if it is never true.
func largestTrue(limit float64, isRefuted func(float64) bool) float64 {
	notRefuted := func(theta float64) float64 {
		if isRefuted(theta) {
			return -1
		}
		return 1
	}
	theta, _ := tails.LastBelowFrom(notRefuted, 0, 0, 1, limit, 1e-9)
	return theta
}

// refuted reports whether a mechanism under the ceiling g shows at least v correct guesses with a
// chance below significance τ.
//
// Suppose the chance were τ. Take the mass of runs with at least i correct guesses, divided by m.
// Let r_i be that mass weighted by the share of right guesses, and h_i weighted by the share of
// wrong ones. The ceiling demands r <= G(h) on these events, that is h >= G^-1(r). One correct
// guess less moves i/(c-i) of the added wrong mass to the right mass:
//
//	r_v = τ v/m,  h_v = τ (c-v)/m,  c the number of guesses
//	h_i = max(h_{i+1}, G^-1(r_{i+1})),  r_i = r_{i+1} + i/(c-i) (h_i - h_{i+1})
//
// All mass together is c/m. If r_0+h_0 exceeds it the supposition is false, and so it is for every
// larger τ. The sums only grow, and the loop may stop early.
func refuted(g Guesses, ceiling audit.Curve, significance float64) bool {
	m, c, v := float64(g.Canaries), float64(g.Guessed), g.Correct
	right := significance * float64(v) / m
	wrong := significance * (c - float64(v)) / m
	for i := v - 1; i >= 0; i-- {
		next := math.Max(wrong, ceiling.FPR(math.Min(1, right)))
		right += float64(i) / (c - float64(i)) * (next - wrong)
		wrong = next
		if right+wrong > c/m {
			return true
		}
	}
	return false
}

// TestClaim tests a claim on the guesses of one run by the f-DP recursion. It uses Confidence of
// cfg. The verdict is TooFew if right guesses only could not contradict the claim.
func TestClaim(g Guesses, claim audit.Curve, cfg audit.Config) (audit.Verdict, error) {
	if cfg.Confidence == 0 {
		cfg.Confidence = audit.DefaultConfidence
	}
	if err := errors.Join(g.Validate(), cfg.Validate(), audit.ValidateClaim(claim)); err != nil {
		return audit.Verdict{PValue: 1}, err
	}
	// The p-value is the least significance that is not enough, on a logarithmic scale.
	logP, _ := tails.LastBelow(func(x float64) float64 {
		if refuted(g, claim, math.Exp(x)) {
			return 1
		}
		return -1
	}, 0, -700, 0, 1e-9)
	p := math.Min(1, math.Exp(logP+2e-9))
	v := audit.Verdict{
		Claim: claim.String(), PValue: p, Confidence: cfg.Confidence, Contradicted: p <= cfg.Significance(),
		Assumption: string(audit.AssumeOneRun),
		Method:     fmt.Sprintf("%d of %d guesses right, %s", g.Correct, g.Guessed, fdpReference),
	}
	if doubt := level.Doubt(cfg.Confidence); doubt != nil {
		v.Warnings = append(v.Warnings, doubt)
	}
	if !v.Contradicted && !refuted(g.perfect(), claim, cfg.Significance()) {
		v.TooFew, v.Warnings = true, append(v.Warnings, tooFewFor(g, claim, cfg))
	}
	return v, nil
}
