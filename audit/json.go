package audit

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/audit/internal/level"
)

// Results as JSON. A reader restores the whole value, or returns an error and leaves the zero
// value, which prints that nothing was computed. So an ignored error never reads as a result.

type verdictJSON struct {
	Claim        string   `json:"claim"`
	PValue       *float64 `json:"p_value"`
	Confidence   *float64 `json:"confidence"`
	Contradicted *bool    `json:"contradicted"`
	Assumption   string   `json:"assumption"`
	Method       string   `json:"method"`
	Seed         uint64   `json:"seed,omitempty"`
	TooFew       bool     `json:"too_few"`
	Warnings     []string `json:"warnings"`
}

// MarshalJSON writes the verdict with the names of its tags. The zero Verdict is an error.
func (v Verdict) MarshalJSON() ([]byte, error) {
	if v.Claim == "" {
		return nil, errors.New("audit: the verdict was never computed: must come from TestClaim")
	}
	return json.Marshal(verdictJSON{v.Claim, &v.PValue, &v.Confidence, &v.Contradicted, v.Assumption, v.Method, v.Seed, v.TooFew, messages(v.Warnings)})
}

// UnmarshalJSON reads what MarshalJSON writes. It refuses a verdict that lacks a field, or whose
// contradicted does not follow from its p_value and confidence. With an error v is the zero
// Verdict.
func (v *Verdict) UnmarshalJSON(text []byte) error {
	*v = Verdict{}
	var in verdictJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	f := check.In("audit: verdict.")
	f.That(in.Claim != "", "claim", "is missing", "must be a text")
	f.That(in.Assumption != "", "assumption", "is missing", "must be a text")
	f.That(in.Method != "", "method", "is missing", "must be a text")
	required(f, "audit: verdict.p_value", in.PValue, check.Unit.Of)
	required(f, "audit: verdict.confidence", in.Confidence, level.Of)
	f.That(in.Contradicted != nil, "contradicted", "is missing", "must be true or false")
	if err := f.Err(); err != nil {
		return err
	}
	follows := *in.PValue <= 1-*in.Confidence
	f.That(*in.Contradicted == follows, "contradicted", *in.Contradicted,
		fmt.Sprintf("must be %v for p_value %g at confidence %g", follows, *in.PValue, *in.Confidence))
	f.That(!follows || !in.TooFew, "too_few", in.TooFew, "must be false for a claim that is contradicted")
	if err := f.Err(); err != nil {
		return err
	}
	*v = Verdict{in.Claim, *in.PValue, *in.Confidence, follows, in.Assumption, in.Method, in.Seed, in.TooFew, plainErrors(in.Warnings)}
	return nil
}

// required adds a fault unless x is given and obeys the rule.
func required(f *check.Faults, name string, x *float64, rule func(name string, x float64) error) {
	if x == nil {
		f.Add(fmt.Errorf("%s is missing: must be a number", name))
		return
	}
	f.Add(rule(name, *x))
}

type boundJSON struct {
	Name            string     `json:"name"`
	Epsilon         *float64   `json:"epsilon"`
	Delta           *float64   `json:"delta"`
	Mu              *float64   `json:"mu,omitempty"`
	Assumption      Assumption `json:"assumption"`
	Confidence      *float64   `json:"confidence"`
	AskedConfidence *float64   `json:"nominal_confidence"`
	Ceiling         *float64   `json:"ceiling"`
	ChosenBefore    string     `json:"fixed"`
	Reference       string     `json:"reference"`
	Warnings        []string   `json:"warnings"`
}

// UnmarshalJSON reads what MarshalJSON writes, and refuses a bound that lacks a field. With an
// error b is the zero Bound.
func (b *Bound) UnmarshalJSON(text []byte) error {
	*b = Bound{}
	var in boundJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	f := check.In("audit: bound.")
	f.That(in.Name != "", "name", "is missing", "must be a text")
	f.That(in.Assumption.known(), "assumption", in.Assumption, "must be one of package audit")
	required(f, "audit: bound.epsilon", in.Epsilon, check.NotNegative.OfAnySize().Of)
	required(f, "audit: bound.delta", in.Delta, check.BelowOne.Of)
	required(f, "audit: bound.nominal_confidence", in.AskedConfidence, level.Of)
	required(f, "audit: bound.ceiling", in.Ceiling, check.NotNegative.OfAnySize().Of)
	required(f, "audit: bound.confidence", in.Confidence, func(name string, x float64) error {
		if x == 0 { // none is guaranteed
			return nil
		}
		return level.Of(name, x)
	})
	if in.Assumption.boundsMu() {
		required(f, "audit: bound.mu", in.Mu, check.NotNegative.OfAnySize().Of)
	}
	if err := f.Err(); err != nil {
		return err
	}
	*b = Bound{
		Name: in.Name, Epsilon: *in.Epsilon, Delta: *in.Delta, Assumption: in.Assumption, Confidence: *in.Confidence, AskedConfidence: *in.AskedConfidence,
		Ceiling: *in.Ceiling, ChosenBefore: in.ChosenBefore, Reference: in.Reference, Warnings: plainErrors(in.Warnings),
	}
	if in.Mu != nil {
		b.Mu = *in.Mu
	}
	return nil
}

// known reports whether a is an assumption of this package.
func (a Assumption) known() bool { return a.Describe() != string(a) }

// boundsMu reports whether a bound under a is about µ.
func (a Assumption) boundsMu() bool {
	return a == AssumeGDP || a == AssumeOneRunGDP || a == AssumeNormalScores
}

type rateJSON struct {
	FPR      *float64 `json:"fpr"`
	Lower    *float64 `json:"lower"`
	Estimate *float64 `json:"estimate"`
	Upper    *float64 `json:"upper"`
	Warnings []string `json:"warnings"`
}

// UnmarshalJSON reads what MarshalJSON writes, and refuses a rate that lacks a field. With an
// error r is the zero Rate.
func (r *Rate) UnmarshalJSON(text []byte) error {
	*r = Rate{}
	var in rateJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	f := check.In("audit: rate.")
	required(f, "audit: rate.fpr", in.FPR, check.OpenUnit.Of)
	required(f, "audit: rate.lower", in.Lower, check.Unit.Of)
	required(f, "audit: rate.estimate", in.Estimate, check.Unit.Of)
	required(f, "audit: rate.upper", in.Upper, check.Unit.Of)
	if err := f.Err(); err != nil {
		return err
	}
	if !(*in.Lower <= *in.Estimate && *in.Estimate <= *in.Upper) {
		return fmt.Errorf("audit: rate %g, %g, %g: must be lower <= estimate <= upper", *in.Lower, *in.Estimate, *in.Upper)
	}
	*r = Rate{*in.FPR, accounting.Certified(*in.Lower, *in.Estimate, *in.Upper), plainErrors(in.Warnings)}
	return nil
}

// UnmarshalJSON always returns an error, and leaves the zero Report. The JSON of a report lacks the
// points of its ROC. Its bounds, rates and claims can be read, each as a value of its type.
func (r *Report) UnmarshalJSON([]byte) error {
	*r = Report{}
	return errors.New("audit: a Report cannot be read from JSON, which lacks its ROC: must come from Bounds or Describe; read headline, bounds and claims as Bound and Verdict")
}

func plainErrors(texts []string) (errs []error) {
	for _, text := range texts {
		errs = append(errs, errors.New(text))
	}
	return errs
}

func messages(errs []error) []string {
	out := make([]string, len(errs))
	for i, err := range errs {
		out[i] = err.Error()
	}
	return out
}
