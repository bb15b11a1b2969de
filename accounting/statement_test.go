package accounting_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
)

func statement() accounting.Statement {
	return accounting.Statement{
		Guarantee: accounting.Guarantee{
			Epsilon: accounting.UpperBound(2.59653), Delta: 1e-5, Neighboring: accounting.AddOrRemoveOne,
			Method: "RDP, order 8", Warnings: []error{errors.New("first doubt")},
		},
		Subject: "the model", Unit: "one image", Theorem: "Theorem 7", Mechanism: "DP-SGD",
		Assumptions: []string{"the seed is secret", "the sampling is Poisson"}, NotCovered: []string{"the running time"},
		Warnings: []error{errors.New("second doubt")},
	}
}

func TestStatement(t *testing.T) {
	want := "Releasing the model satisfies (ε, δ)-differential privacy with ε <= 2.5966 and δ = 1e-05, " +
		"where neighboring data sets are related by add-or-remove-one and one record is one image. " +
		"Mechanism: DP-SGD. Bound: Theorem 7; RDP, order 8. " +
		"It assumes that the seed is secret; the sampling is Poisson. It does not cover the running time. " +
		"Warning: first doubt. Warning: second doubt."
	if got := statement().String(); got != want {
		t.Errorf("statement:\n%s\nwant:\n%s", got, want)
	}
}

// No finite ε is no guarantee, and must not read like one.
func TestStatementWithoutGuarantee(t *testing.T) {
	for _, epsilon := range []float64{math.Inf(1), math.NaN()} {
		s := statement()
		s.Guarantee.Epsilon = accounting.UpperBound(epsilon)
		if got := s.String(); strings.Contains(got, "satisfies") || !strings.Contains(got, "no differential privacy guarantee") {
			t.Errorf("ε = %g: %s", epsilon, got)
		}
	}
}

func TestStatementLeavesOutWhatIsEmpty(t *testing.T) {
	s := statement()
	s.Theorem, s.Mechanism, s.Assumptions, s.NotCovered = "", "", nil, nil
	for _, part := range []string{"Mechanism", "Bound: ;", "It assumes", "It does not cover"} {
		if got := s.String(); strings.Contains(got, part) {
			t.Errorf("statement has %q without content: %s", part, got)
		}
	}
}

func TestGuaranteeString(t *testing.T) {
	want := "ε <= 2.59653, δ = 1e-05, add-or-remove-one, RDP, order 8"
	if got := statement().Guarantee.String(); got != want {
		t.Errorf("guarantee reads %q, want %q", got, want)
	}
}

// What was written with the field Counts, and warnings without their texts, is read as before.
func TestStatementJSON(t *testing.T) {
	s := statement()
	s.Included = []string{"truncated noise"}
	text, err := json.Marshal(s)
	if err != nil || strings.Contains(string(text), "Counts") {
		t.Fatalf("wrote %s, %v", text, err)
	}
	earlier := strings.Replace(strings.Replace(string(text), `"Included":`, `"Counts":`, 1), `"second doubt"`, "{}", 1)
	for _, c := range []struct{ text, want string }{
		{string(text), s.String()}, {earlier, strings.Replace(s.String(), "second doubt", "a warning that was stored without its text", 1)},
	} {
		var back accounting.Statement
		if err := json.Unmarshal([]byte(c.text), &back); err != nil || back.String() != c.want {
			t.Errorf("%s: read %v, %v, want %s", c.text, back, err, c.want)
		}
	}
	if _, err := json.Marshal(accounting.Statement{}); err == nil {
		t.Error("a statement of nothing was written")
	}
	if err := json.Unmarshal([]byte(`{"Subject": "a model"}`), &s); err == nil {
		t.Error("a statement without a guarantee was read")
	}
}
