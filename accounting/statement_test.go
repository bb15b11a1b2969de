package accounting_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
)

func statement() accounting.Statement {
	return accounting.Statement{
		Guarantee: accounting.Guarantee{
			Epsilon: accounting.UpperBound(2.59653), Delta: 1e-5, Neighboring: accounting.AddOrRemoveOne,
			Method: "RDP, order 8", Warnings: []error{errors.New("first doubt")}, Certificate: &accounting.Certificate{Claim: "a test"},
		},
		Subject: "the model", Unit: "one image", Theorem: "Theorem 7", Published: "ε ≤ 3.0000, Theorem 2",
		Mechanism:   "PoissonSampled(q=0.1, Gaussian(σ=5.150537144965789)), K from the Poisson law (mean 9.999545799255369)",
		Assumptions: []string{"the seed is secret", "batches are\n  sampled"}, NotCovered: []string{"the *running* time"},
		Included: []string{"truncated noise"}, Warnings: []error{errors.New("second doubt")},
	}
}

// public is a warning that the seed is public.
type public struct{}

func (public) Error() string { return "the seed is public" }

func (public) VoidsGuarantee() {}

const sentence = "Releasing the model is (ε, δ)-differentially private with ε ≤ 2.60 and δ = 1e-5, under adding or removing one image."

func TestStatement(t *testing.T) {
	for form, c := range map[string]struct{ got, want string }{
		"String": {statement().String(), sentence + " Warning: first doubt. Warning: second doubt."},
		"Full": {statement().Full(), sentence + `

Warnings:
- first doubt
- second doubt

Mechanism: PoissonSampled(q=0.1, Gaussian(σ=5.1506)), K from the Poisson law (mean ≈10.0)
Bound: ε ≤ 2.5966 (add-or-remove-one), RDP, order 8
Theorem: Theorem 7
Published results only: ε ≤ 3.0000, Theorem 2
Check: the bound was checked in outward-rounded arithmetic, by a test

Included in ε:
- truncated noise

Assumptions:
- the seed is secret
- batches are sampled

Not covered:
- the *running* time
`},
		"Markdown": {statement().Markdown(), "**" + sentence + `**

Warnings:
- first doubt
- second doubt

<details><summary>Mechanism, bound, assumptions and limits</summary>

- Mechanism: PoissonSampled(q=0.1, Gaussian(σ=5.1506)), K from the Poisson law (mean ≈10.0)
- Bound: ε ≤ 2.5966 (add-or-remove-one), RDP, order 8
- Theorem: Theorem 7
- Published results only: ε ≤ 3.0000, Theorem 2
- Check: the bound was checked in outward-rounded arithmetic, by a test

Included in ε:
- truncated noise

Assumptions:
- the seed is secret
- batches are sampled

Not covered:
- the \*running\* time

</details>
`},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", form, c.got, c.want)
		}
	}
}

// The sentence has ε, δ, the relation and the unit, whatever they are. Both numbers are at most one
// unit in the third digit above the exact ones, and never below.
func TestSentence(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for relation, words := range map[accounting.Neighboring]string{
		accounting.AddOrRemoveOne: "under adding or removing one image.",
		accounting.ReplaceOne:     "under replacing one image by another.",
		accounting.ReplaceSpecial: "under replacing one image by one that contributes nothing.",
	} {
		for range 3000 {
			s := statement()
			epsilon, delta := math.Exp(rng.Float64()*40-20), math.Exp(-rng.ExpFloat64()*10)
			s.Guarantee.Epsilon, s.Guarantee.Delta, s.Guarantee.Neighboring = accounting.UpperBound(epsilon), delta, relation
			text := s.String()
			numbers := strings.NewReplacer(",", " ").Replace(text)
			var printed [2]float64
			for i, name := range []string{"ε ≤ ", "δ = "} {
				_, after, _ := strings.Cut(numbers, name)
				word, _, _ := strings.Cut(after, " ")
				x, err := strconv.ParseFloat(word, 64)
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				printed[i] = x
			}
			if e, d := printed[0], printed[1]; e < epsilon || e > 1.0101*epsilon || d < delta || d > 1.0101*delta || d >= 1 {
				t.Fatalf("ε %g, δ %g: %s", epsilon, delta, text)
			}
			if !strings.HasPrefix(text, "Releasing the model is (ε, δ)-differentially private with ε ≤ ") || !strings.Contains(text, words) {
				t.Fatalf("%s: want %q", text, words)
			}
		}
	}
	for epsilon, want := range map[float64]string{0: "ε ≤ 0 ", 4.1982: "ε ≤ 4.20 ", 2.9999999: "ε ≤ 3.00 ", 3: "ε ≤ 3.00 ", 3.0000001: "ε ≤ 3.01 ", 10.5868: "ε ≤ 10.6 ", 0.87195: "ε ≤ 0.872 ", 213.2: "ε ≤ 214 "} {
		s := statement()
		s.Guarantee.Epsilon = accounting.UpperBound(epsilon)
		if !strings.Contains(s.String(), want) {
			t.Errorf("ε %v: %s: want %q", epsilon, s, want)
		}
	}
	if got := (accounting.Statement{Guarantee: statement().Guarantee}).String(); !strings.HasPrefix(got, "Releasing the output is ") || !strings.Contains(got, "adding or removing one record.") {
		t.Errorf("without subject and unit: %s", got)
	}
}

// What protects nobody does not read as if it did, in any form.
func TestStatementWithoutGuarantee(t *testing.T) {
	changed := func(change func(s *accounting.Statement)) accounting.Statement {
		s := statement()
		change(&s)
		return s
	}
	for want, s := range map[string]accounting.Statement{
		"No guarantee: nothing was computed.":                                    changed(func(s *accounting.Statement) { s.Guarantee.Epsilon = accounting.NoEpsilon() }),
		"No guarantee: the relation of neighboring data sets is unknown.":        changed(func(s *accounting.Statement) { s.Guarantee.Neighboring = 0 }),
		"Releasing the model has no differential privacy guarantee at δ = 1e-5.": changed(func(s *accounting.Statement) { s.Guarantee.Epsilon = accounting.UpperBound(math.Inf(1)) }),
		"Releasing the model has no differential privacy guarantee at δ = 2e-5.": changed(func(s *accounting.Statement) {
			s.Guarantee.Epsilon, s.Guarantee.Delta = accounting.UpperBound(math.NaN()), 2e-5
		}),
		"Releasing the model has no differential privacy guarantee at δ = 1.": changed(func(s *accounting.Statement) { s.Guarantee.Delta = 1 }),
		"No guarantee: the seed is public. Otherwise, releasing the model would have ε ≤ 2.60 and δ = 1e-5, under adding or removing one image.": changed(func(s *accounting.Statement) {
			s.Warnings = append(s.Warnings, public{})
		}),
		"No guarantee: wrapped: the seed is public; the seed is public. Releasing the model has no differential privacy guarantee at δ = 1e-5.": changed(func(s *accounting.Statement) {
			s.Guarantee.Epsilon = accounting.UpperBound(math.Inf(1))
			s.Guarantee.Warnings = append(s.Guarantee.Warnings, fmt.Errorf("wrapped: %w", public{}))
			s.Warnings = append(s.Warnings, public{})
		}),
	} {
		text := s.String()
		if text != want+" Warning: first doubt. Warning: second doubt." || strings.Contains(text, "private") {
			t.Errorf("%s\nwant %s, and both warnings", text, want)
		}
		if !strings.HasPrefix(s.Full(), want+"\n") || !strings.HasPrefix(s.Markdown(), "**"+want+"**\n") || strings.Contains(s.Full()+s.Markdown(), "private") {
			t.Errorf("Full and Markdown do not begin as String does:\n%s\n%s", s.Full(), s.Markdown())
		}
	}
}

func TestStatementLeavesOutWhatIsEmpty(t *testing.T) {
	s := statement()
	s.Theorem, s.Published, s.Mechanism, s.Included, s.Assumptions, s.NotCovered, s.Warnings, s.Guarantee.Warnings, s.Guarantee.Method = "", "", "", nil, nil, nil, nil, nil, ""
	if got, want := s.Full(), sentence+"\n\nBound: ε ≤ 2.5966 (add-or-remove-one)\nCheck: the bound was checked in outward-rounded arithmetic, by a test\n"; got != want || s.String() != sentence {
		t.Errorf("statement without lists:\n%q\nwant\n%q", got, want)
	}
	if got, want := accounting.NoStatement().Full(), "No guarantee: nothing was computed.\n"; got != want {
		t.Errorf("no statement: %q, want %q", got, want)
	}
	if got, want := accounting.NoStatement().Markdown(), "**No guarantee: nothing was computed.**\n"; got != want {
		t.Errorf("no statement: %q, want %q", got, want)
	}
}

func TestGuaranteeString(t *testing.T) {
	g := statement().Guarantee
	for _, sign := range []string{"<=", "about"} {
		want := "ε " + sign + " 2.59653, δ = 1e-05, add-or-remove-one, RDP, order 8"
		if got := g.String(); got != want {
			t.Errorf("guarantee reads %q, want %q", got, want)
		}
		g.Certificate = nil
	}
}

// An ε without a certificate is an estimate.
func TestStatementWithoutCertificate(t *testing.T) {
	s := statement()
	s.Guarantee.Certificate = nil
	const about = "Releasing the model is (ε, δ)-differentially private with ε about 2.60 (estimated, not checked) and δ = 1e-5, under adding or removing one image."
	if got := s.String(); !strings.HasPrefix(got, about+" Warning") {
		t.Errorf("%q, want %q", got, about)
	}
	for _, text := range []string{s.Full(), s.Markdown()} {
		if !strings.Contains(text, "Bound: ε about 2.5966 (add-or-remove-one; estimated, not checked), RDP, order 8\n") || strings.Contains(strings.Replace(text, s.Published, "", 1), "≤") {
			t.Errorf("an ε without a certificate as a bound: %s", text)
		}
	}
}

// What was written with the field Counts, warnings without their texts, or a fixed root that was
// only a warning, is read as before. What is void stays void.
func TestStatementJSON(t *testing.T) {
	s, void := statement(), statement()
	void.Warnings = append(void.Warnings, public{})
	text, err := json.Marshal(s)
	if err != nil || strings.Contains(string(text), "Counts") || strings.Contains(string(text), "Void") {
		t.Fatalf("wrote %s, %v", text, err)
	}
	voided, err := json.Marshal(void)
	if err != nil || !strings.Contains(string(voided), `"Warnings":["second doubt","the seed is public"]`) {
		t.Fatalf("wrote %s, %v", voided, err)
	}
	earlier := strings.Replace(strings.Replace(string(text), `"Included":`, `"Counts":`, 1), `"second doubt"`, "{}", 1)
	const seeded = "the random draws came from a fixed, named root: who knows its name can undo the noise, so that this release reproduces a result and protects nobody"
	for _, c := range []struct{ text, want string }{
		{string(text), s.Full()}, {string(voided), void.Full()},
		{earlier, strings.Replace(s.Full(), "second doubt", "a warning that was stored without its text", 1)},
		{strings.Replace(string(text), "second doubt", seeded, 1), "No guarantee: " + seeded + ". Otherwise, releasing"},
		{strings.Replace(string(text), "first doubt", seeded, 1), "No guarantee: " + seeded + ". Otherwise, releasing"},
	} {
		var back accounting.Statement
		if err := json.Unmarshal([]byte(c.text), &back); err != nil || !strings.HasPrefix(back.Full(), c.want) {
			t.Errorf("%s: read %s, %v, want %s", c.text, back.Full(), err, c.want)
		}
		again, err := json.Marshal(back)
		var twice accounting.Statement
		if err := errors.Join(err, json.Unmarshal(again, &twice)); err != nil || twice.Full() != back.Full() {
			t.Errorf("read twice: %s, %v, want %s", twice.Full(), err, back.Full())
		}
	}
	if _, err := json.Marshal(accounting.Statement{}); err == nil {
		t.Error("a statement of nothing was written")
	}
	if err := json.Unmarshal([]byte(`{"Subject": "a model"}`), &s); err == nil {
		t.Error("a statement without a guarantee was read")
	}
}

// A large δ is said in every form, once, also after JSON. A caller's own warning about δ, such as
// one with the number of records, takes its place.
func TestStatementWarnsOfALargeDelta(t *testing.T) {
	const warning = "δ = 0.1 is large: with this chance, anything about a record may be revealed; choose δ well below 1/n for n records"
	at := func(delta float64, warnings ...error) accounting.Statement {
		s := statement()
		s.Guarantee.Delta, s.Warnings = delta, warnings
		return s
	}
	text, err := json.Marshal(at(0.1))
	var back accounting.Statement
	if err := errors.Join(err, json.Unmarshal(text, &back)); err != nil || back.Full() != at(0.1).Full() {
		t.Fatalf("%s: read as %s, %v", text, back.Full(), err)
	}
	own := at(0.1, fmt.Errorf("mine: %w", accounting.LargeDelta("above 1/n")))
	for _, c := range []struct {
		s     accounting.Statement
		count int
	}{{at(0.1), 1}, {back, 1}, {own, 0}, {at(1), 0}, {at(1e-5), 0}} {
		for _, form := range []string{c.s.String(), c.s.Full(), c.s.Markdown()} {
			if got := strings.Count(form, warning); got != c.count {
				t.Errorf("δ %g: %d warnings, want %d in\n%s", c.s.Guarantee.Delta, got, c.count, form)
			}
		}
	}
	if got := own.String(); !strings.Contains(got, "Warning: mine: above 1/n.") {
		t.Errorf("a caller's own warning is missing: %s", got)
	}
	for delta, large := range map[float64]bool{1e-3: true, 0.99: true, math.Nextafter(1e-3, 0): false, 0: false} {
		if got := at(delta).String(); strings.Contains(got, "is large") != large {
			t.Errorf("δ %g, warned of: want %t: %s", delta, large, got)
		}
	}
}
