package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/internal/digits"
	"github.com/dplab/dplab/audit/onerun"
)

const claimHelp = "a `claim` to test, may be repeated: mu=1, or epsilon=3,delta=1e-5, or noise=2,rate=0.01,steps=5000 (DP-SGD by the contour accountant; also sigma, q, T). Claims with noise are about one added or removed record: replaced ones need another claim"

// claimNames maps every accepted key to its name.
var claimNames = map[string]string{
	"mu": "mu", "epsilon": "epsilon", "eps": "epsilon", "delta": "delta",
	"noise": "noise", "sigma": "noise", "rate": "rate", "q": "rate", "steps": "steps", "t": "steps",
}

// parseClaim turns key=value pairs into a ceiling on the ROC. If the claim gives no δ, it takes
// delta.
func parseClaim(text string, delta float64) (audit.Curve, error) {
	values, err := claimValues(text)
	if err != nil {
		return nil, err
	}
	has := func(names ...string) bool {
		for _, name := range names {
			if _, ok := values[name]; !ok {
				return false
			}
		}
		return len(values) == len(names)
	}
	if d, ok := values["delta"]; ok {
		delta = d
	} else {
		values["delta"] = delta
	}
	switch {
	case has("mu", "delta"):
		return gdpClaim(values["mu"])
	case has("epsilon", "delta"):
		claim := audit.EpsilonDelta{Epsilon: values["epsilon"], Delta: delta}
		return claim, claim.Validate()
	case has("noise", "delta"):
		if err := check.AtLeast(1/mostMu).Of("noise", values["noise"]); err != nil {
			return nil, err
		}
		return gdpClaim(1 / values["noise"])
	case has("noise", "rate", "steps", "delta"), has("noise", "steps", "delta"):
		return sgdClaim(values, delta)
	}
	return nil, fmt.Errorf("keys %s: must be mu, or epsilon and delta, or noise with rate and steps", strings.Join(slices.Sorted(maps.Keys(values)), ", "))
}

func claimValues(text string) (map[string]float64, error) {
	values := map[string]float64{}
	for pair := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(pair, "=")
		name := claimNames[strings.ToLower(strings.TrimSpace(key))]
		if !ok || name == "" {
			return nil, fmt.Errorf("%q: must be key=value with a key among mu, epsilon, delta, noise, rate, steps", pair)
		}
		if _, twice := values[name]; twice {
			return nil, fmt.Errorf("%s is given twice: must be given once", name)
		}
		x, err := check.Decimal(strings.TrimSpace(value))
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", name, value, err)
		}
		values[name] = x
	}
	return values, nil
}

// No scores can contradict claims above these, which numerical integration does not reach.
const (
	mostMu      = 50.0
	mostEpsilon = 650.0
)

func gdpClaim(mu float64) (audit.Curve, error) {
	return audit.GDP{Mu: mu}, check.Between(0, mostMu).Of("mu", mu)
}

// sgdClaim returns the whole profile of DP-SGD by the certified accountant.
func sgdClaim(values map[string]float64, delta float64) (audit.Curve, error) {
	rate, ok := values["rate"]
	if !ok {
		rate = 1
	}
	whole := check.Rule{Text: "must be a whole number in [1, 1e12]", Holds: func(x float64) bool { return x == math.Trunc(x) && x >= 1 && x <= 1e12 }}
	f := check.In("")
	f.Number("steps", values["steps"], whole)
	f.Number("rate", rate, check.Rate)
	f.Number("noise", values["noise"], check.Positive)
	f.Number("delta", delta, check.OpenUnit.With("for a DP-SGD claim"))
	if err := f.Err(); err != nil {
		return nil, err
	}
	event := accounting.SelfComposed{
		Event: accounting.PoissonSampled{SamplingRate: rate, Event: accounting.ClippedSum{NoiseMultiplier: values["noise"]}},
		Count: int(values["steps"]),
	}
	accountant := contour.NewAccountant()
	guarantee, err := accountant.EpsilonAt(event, delta)
	if err != nil {
		return nil, err
	}
	if guarantee.Epsilon.Upper > mostEpsilon {
		return nil, fmt.Errorf("DP-SGD with noise %g, rate %g, %g steps has ε up to %.4g at δ = %g: must be <= %g to be testable", values["noise"], rate, values["steps"], guarantee.Epsilon.Upper, delta, mostEpsilon)
	}
	profile, err := audit.ClaimOf(event, accountant)
	if err != nil {
		return nil, err
	}
	return profile.Named(fmt.Sprintf("DP-SGD with noise %g, rate %g, %g steps, a record added or removed (ε <= %s at δ = %s by %s)",
		values["noise"], rate, values["steps"], accounting.FormatUpper(guarantee.Epsilon.Upper), digits.Delta(delta), accountant.Name())), nil
}

// testClaims adds a verdict on each claim to the report.
func testClaims(report *audit.Report, scores audit.Scores, o auditOptions) error {
	for _, claim := range o.claims {
		verdict, err := testClaim(scores, claim, o)
		if err != nil {
			return err
		}
		report.Claims = append(report.Claims, verdict)
	}
	if len(o.claims) > 1 {
		report.Warnings = append(report.Warnings, fmt.Errorf("%d claims: each verdict holds with its confidence, not all together", len(o.claims)))
	}
	return nil
}

func testClaim(scores audit.Scores, claim audit.Curve, o auditOptions) (audit.Verdict, error) {
	if !o.oneRun {
		return audit.TestClaim(scores, claim, o.config)
	}
	guesses, err := onerun.GuessesFor(scores, o.config)
	if err != nil {
		return audit.Verdict{}, err
	}
	return onerun.TestClaim(guesses, claim, o.config)
}
