package verify_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/verify"
)

// spot is a value in an answer, with the map or the list that holds it.
type spot struct {
	value any
	set   func(any)
}

// spots lists all values below one, in an order that does not change.
func spots(value any, all []spot) []spot {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			all = spots(value[name], append(all, spot{value[name], func(v any) { value[name] = v }}))
		}
	case []any:
		for i, inner := range value {
			all = spots(inner, append(all, spot{inner, func(v any) { value[i] = v }}))
		}
	}
	return all
}

// spoil makes an edit at a spot: it moves a number, swaps, drops or repeats parts, gives a step the
// rule of another, runs a step inside itself, drops a step around another, or runs an event twice
// or on a sample.
func spoil(rng *rand.Rand, s spot) {
	switch value := s.value.(type) {
	case float64:
		factors := []float64{0.5, 0.99, 1.01, 2, -1, 0, 1e6, 1e-6}
		if s.set(value * factors[rng.IntN(len(factors))]); value == math.Trunc(value) && rng.IntN(2) == 0 {
			s.set(value + float64(rng.IntN(5)-2))
		}
	case bool:
		s.set(!value)
	case string:
		words := append([]string{"composed", "parallel", "worst_case", "gaussian", "selection", "first_above", "once"}, verify.StepRules()...)
		s.set(words[rng.IntN(len(words))])
	case []any:
		at := rng.IntN(max(1, len(value)))
		switch kind := rng.IntN(3); {
		case len(value) == 0:
		case kind == 0:
			s.set(append(slices.Clone(value[:at]), value[at+1:]...))
		case kind == 1:
			s.set(append(slices.Clone(value), value[at]))
		default:
			swapped := slices.Clone(value)
			swapped[0], swapped[at] = swapped[at], swapped[0]
			s.set(swapped)
		}
	case map[string]any:
		of, _ := value["of"].([]any)
		switch kind := rng.IntN(3); {
		case value["type"] != nil && kind == 0:
			s.set(map[string]any{"type": "self_composed", "count": 2, "event": value})
		case value["type"] != nil:
			s.set([]map[string]any{
				{"type": "poisson_sampled", "sampling_rate": 0.5, "event": value}, {"type": "parallel", "events": []any{value, value}},
			}[kind-1])
		case value["rule"] != nil && value["version"] == nil && kind == 0:
			s.set(map[string]any{"rule": value["rule"], "witness": value["witness"], "of": []any{value}})
		case value["rule"] != nil && value["version"] == nil && len(of) > 0:
			s.set(of[rng.IntN(len(of))])
		case value["neighboring"] != nil:
			value["neighboring"] = []string{"add-or-remove-one", "replace-one", "replace-special"}[kind]
		}
	}
}

// An answer with a drawn edit is not verified, or its claim is true: its ε is not below the lower
// end of the accountant, which no upper end was found by.
func TestDrawnEdits(t *testing.T) {
	rng := rand.New(rand.NewPCG(52, 3))
	edits, accepted := 0, 0
	for _, c := range lies {
		priced, epsilon := c.priced.priced(t)
		text := priced.answer(epsilon)
		lower := believed(text).Epsilon.Lower
		for range sparse(10, 2) {
			var whole map[string]any
			if err := json.Unmarshal([]byte(text), &whole); err != nil {
				t.Fatal(err)
			}
			all := append(spots(whole, nil), spot{value: whole})
			spoil(rng, all[rng.IntN(len(all))])
			if inner, ok := whole["certificate"].(map[string]any); ok && lower > 0 && rng.IntN(2) == 0 { // a lie by any steps
				inner["epsilon"], whole["epsilon"] = lower*(1-1e-7), map[string]any{"upper": lower * (1 - 1e-7)}
			}
			wrong, err := json.Marshal(whole)
			if err != nil {
				t.Fatal(err)
			}
			edits++
			if verified(string(wrong)) != nil {
				continue
			}
			accepted++
			if word := untrue(string(wrong)); word != "" {
				t.Errorf("%s: %s\n%s", c.rule, word, wrong)
			}
		}
	}
	t.Logf("%d edits, %d accepted", edits, accepted)
}

// A witness cannot ask for more work than any answer needs: these took minutes and gigabytes.
func TestLargeWitnesses(t *testing.T) {
	const answer = `{"certificate": {"claim": "c", "delta_upper": 1e-5, "epsilon": 1.3333333423361182, "proof": {"event": {"type": "self_composed", "count": 4, "event": {"type": "laplace", "noise_multiplier": 3}},
		"rule": "laws on a grid", "version": 1, "witness": [{"add": false, "beyond": 40, "first": -1024, "laws": [{"first": FIRST, "points": POINTS}], "points": 4096, "step": 0.01, "tilt": 4}]}, "work": 1},
		"delta": 1e-5, "epsilon": {"upper": 1.3333333423361182}, "neighboring": "add-or-remove-one"}`
	for _, law := range [][2]string{{"-800000000", "1601"}, {"800000000", "1601"}, {"-9223372036854775808", "1601"}, {"-800", "5000000"}} {
		text := strings.NewReplacer("FIRST", law[0], "POINTS", law[1]).Replace(answer)
		if err := verified(text); err == nil || !strings.Contains(err.Error(), "a law that does not fit") {
			t.Errorf("%v: %v", law, err)
		}
	}
	begin := strings.Index(answer, `"witness": [`) + len(`"witness": [`)
	end := strings.Index(answer, `]}, "work"`)
	many := answer[:begin] + strings.Repeat(answer[begin:end]+", ", 16) + answer[begin:]
	many = strings.NewReplacer("FIRST", "-800", "POINTS", "1601").Replace(many)
	if err := verified(many); err == nil || !strings.Contains(err.Error(), "17 grids: must be at most 16") {
		t.Errorf("17 grids: %v", err)
	}
}

// Values of a profile that take a million steps each end: sixteen thousand of them took minutes.
func TestManyLargeValues(t *testing.T) {
	search := `{"type":"above_threshold","sensitivity":1,"threshold_noise":1e6,"score_noise":1e6,"max_tests":10000,"max_positives":1,"refresh":"each test"}`
	values := using("values of a profile", `{"run":[{"step":0.001,"end":16384,"far":1,"count":16384}]}`, `{"rule":"threshold tests","witness":{"by":"tests"}}`)
	grid := strings.TrimSuffix(onGrid(false), "}") + `,"of":[` + values + `]}`
	c := claim{listed("composed", search, laplace3), addOrRemove, strings.Replace(grid, `"laws":[`, `"laws":[{"first":-800,"points":1601},`, 1)}
	if err := verified(c.answer(1)); err == nil || !strings.Contains(err.Error(), "the laws on the grid show δ") {
		t.Errorf("%v", err)
	}
}

// claimed is what an answer claims.
type claimed struct {
	Delta       float64
	Neighboring accounting.Neighboring
	Certificate struct {
		Epsilon float64
		Proof   struct{ Event json.RawMessage }
	}
}

// believed returns the answer of the accountant to the question of a text, or none.
func believed(text string) accounting.Guarantee {
	var c claimed
	if json.Unmarshal([]byte(text), &c) != nil {
		return accounting.NoGuarantee()
	}
	event, err := eventjson.Unmarshal(c.Certificate.Proof.Event)
	if err != nil {
		return accounting.NoGuarantee()
	}
	a, err := auto.NewAccountantFor(c.Neighboring)
	if err != nil {
		return accounting.NoGuarantee()
	}
	g, err := a.EpsilonAt(event, c.Delta)
	if err != nil {
		return accounting.NoGuarantee()
	}
	return g
}

// untrue returns why the accountant does not believe an answer.
func untrue(text string) string {
	var c claimed
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err.Error()
	}
	if g := believed(text); g.Certificate == nil || c.Certificate.Epsilon < g.Epsilon.Lower*(1-1e-9) {
		return fmt.Sprintf("ε <= %v, and %v", c.Certificate.Epsilon, g)
	}
	return ""
}
