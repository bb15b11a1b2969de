package accounting_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
)

// refused reads each changed text into a new value, and wants an error with these words.
func refused[T any](t *testing.T, intact string, changes map[string][2]string) {
	t.Helper()
	if err := json.Unmarshal([]byte(intact), new(T)); err != nil {
		t.Fatalf("%s: %v", intact, err)
	}
	for want, change := range changes {
		text := strings.Replace(intact, change[0], change[1], 1)
		if text == intact {
			t.Fatalf("%s does not have %s", intact, change[0])
		}
		var read T
		if err := json.Unmarshal([]byte(text), &read); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: read as %+v, error %v, want %q", text, read, err, want)
		}
	}
}

func written(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A field that is deleted or misspelled must not be read as 0, which is a stronger claim, and a
// number must be in its range.
func TestJSONIsReadStrictly(t *testing.T) {
	g := accounting.Guarantee{
		Epsilon: accounting.Certified(1, 1.25, 1.5), Delta: 1e-5, Neighboring: accounting.ReplaceOne, Method: "RDP",
		Certificate: &accounting.Certificate{Claim: "a closed form", Epsilon: 1.5, DeltaUpper: 1e-5, Work: 3},
	}
	refused[accounting.Guarantee](t, written(t, g), map[string][2]string{
		"accounting: guarantee.delta is missing: must be given":                                           {`"delta":0.00001,`, ``},
		"accounting: guarantee.detla is not a field: must be one of certificate, delta, epsilon":          {`"delta"`, `"detla"`},
		"accounting: guarantee.Delta is not a field":                                                      {`"delta"`, `"Delta"`},
		"accounting: guarantee.delta is null: must have a value":                                          {`"delta":0.00001`, `"delta":null`},
		"accounting: guarantee.delta is given more than once":                                             {`"delta":0.00001`, `"delta":0.1,"delta":0.00001`},
		"accounting: guarantee.delta -1: must be in [0, 1]":                                               {`"delta":0.00001`, `"delta":-1`},
		"accounting: guarantee.delta 1.5: must be in [0, 1]":                                              {`"delta":0.00001`, `"delta":1.5`},
		"accounting: guarantee.neighboring is missing":                                                    {`"neighboring":"replace-one",`, ``},
		"accounting: guarantee.method is missing":                                                         {`"method":"RDP",`, ``},
		"accounting: guarantee.epsilon.upper -1: must be >= 0":                                            {`"lower":1,"estimate":1.25,"upper":1.5`, `"upper":-1`},
		"accounting: interval.lowre is not a field: must be one of estimate, lower, lower_checked, upper": {`"lower"`, `"lowre"`},
		"accounting: interval.upper is missing: must be given":                                            {`,"upper":1.5`, ``},
		"accounting: interval.estimate 3: must be between lower and upper, at most 1.5":                   {`"estimate":1.25`, `"estimate":3`},
		"accounting: certificate.delta_uper is not a field":                                               {`"delta_upper"`, `"delta_uper"`},
		"accounting: certificate.delta_upper -1: must be >= 0":                                            {`"delta_upper":0.00001`, `"delta_upper":-1`},
		"accounting: certificate.epsilon is missing: must be given":                                       {`"epsilon":1.5,"delta_upper"`, `"delta_upper"`},
		"accounting: guarantee.warning is not a field: must be one of certificate, delta, epsilon, met":   {`"method"`, `"warning":["x"],"method"`},
	})
	void := statement()
	void.Warnings = append(void.Warnings, public{})
	refused[accounting.Statement](t, written(t, void), map[string][2]string{
		"accounting: Statement.Warning is not a field: must be one of Assumptions, Counts,":              {`"Warnings":`, `"Warning":`},
		`accounting: Statement.Void "the seed is public": must be one of Warnings or Guarantee.warnings`: {`,"the seed is public"],"Void"`, `],"Void"`},
		"\naccounting: Statement.Guarantee is missing: must be given":                                    {`"Guarantee":`, `"guarantee":`},
		"accounting: Statement.Unit is missing: must be given":                                           {`"Unit":"one image",`, ``},
		"accounting: guarantee.delta is missing: must be given":                                          {`"delta":0.00001,`, ``},
		"accounting: Statement.NotCoverd is not a field":                                                 {`"NotCovered"`, `"NotCoverd"`},
	})
	var back accounting.Guarantee
	if err := json.Unmarshal([]byte(written(t, g)), &back); err != nil || !reflect.DeepEqual(back, g) {
		t.Errorf("%v comes back as %v, %v", g, back, err)
	}
}

// The zero bound has no JSON form, as it would read as ε 0. A computed one comes back.
func TestBoundJSON(t *testing.T) {
	for _, none := range []accounting.Bound{{}, {Epsilon: 1}, accounting.NoBound()} {
		if text, err := json.Marshal(none); err == nil || !strings.Contains(err.Error(), "accounting: Bound.Name is empty: nothing was computed") {
			t.Errorf("%+v is written as %s, %v, want an error", none, text, err)
		}
	}
	for _, b := range []accounting.Bound{
		{Name: "RDP", Theorem: "Theorem 2", Method: "order 8", Epsilon: 1.5, Published: true, Warnings: []error{errors.New("a doubt")}},
		{Name: "none", Epsilon: math.Inf(1)}, {Name: "free"},
	} {
		var back accounting.Bound
		if err := json.Unmarshal([]byte(written(t, b)), &back); err != nil || !reflect.DeepEqual(back, b) {
			t.Errorf("%+v comes back as %+v, %v", b, back, err)
		}
	}
	refused[accounting.Bound](t, written(t, accounting.Bound{Name: "RDP", Epsilon: 1.5}), map[string][2]string{
		"accounting: Bound.Epsilon is missing":         {`"Epsilon":1.5,`, ``},
		"accounting: Bound.Epsilno is not a field":     {`"Epsilon"`, `"Epsilno"`},
		"accounting: Bound.Epsilon -1: must be >= 0":   {`1.5`, `-1`},
		"accounting: Bound.Name is empty: must name":   {`"RDP"`, `""`},
		"accounting: Bound.Epsilon is null: must have": {`1.5`, `null`},
	})
}
