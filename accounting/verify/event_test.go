package verify

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// The verifier reads events whose Go types belong to searches by itself. Package eventjson knows
// them only in programs that import the search.
func TestReadsSelections(t *testing.T) {
	const base = `{"type":"gaussian","noise_multiplier":2}`
	for _, text := range []string{
		`{"type":"selection","law":{"type":"poisson","mean":10},"base":` + base + `}`,
		`{"type":"first_above","law":{"type":"poisson","mean":10},"base":` + base + `}`,
		`{"type":"above_threshold","sensitivity":1,"threshold_noise":1,"score_noise":2,"max_tests":100,"max_positives":1,"refresh":"once"}`,
	} {
		for _, around := range []string{text, `{"type":"composed","events":[` + text + `]}`} {
			if n, err := read([]byte(around)); err != nil || n.source != nil {
				t.Errorf("%s: %v, read as %v", around, err, n.source)
			}
		}
		if _, err := read([]byte(strings.Replace(text, ":2", ":-2", 1))); err == nil && strings.Contains(text, base) {
			t.Errorf("%s: read with a negative noise", text)
		}
	}
	if _, err := read([]byte(`{"type":"selection","law":{"type":"poisson","mean":-1},"base":` + base + `}`)); err == nil {
		t.Error("read a law with a negative mean")
	}
}

// Numbers of runs that float64 does not have exactly would be rounded to the wrong side.
func TestRefusesInexactRuns(t *testing.T) {
	for count, want := range map[string]string{
		"67108864": "", "134217728": "", "134217729": "must be at most 2^53", "9007199254740992": "must be at most 2^53",
	} {
		_, err := read([]byte(`{"type":"self_composed","count":67108864,"event":{"type":"self_composed","count":` + count + `,"event":{"type":"laplace","noise_multiplier":3}}}`))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("2^26 of %s runs: %v, want %q", count, err, want)
		}
	}
	for _, field := range []string{`"sample_size":0,"population_size":5`, `"sample_size":1.5,"population_size":5`, `"sample_size":6,"population_size":5`, `"sample_size":1,"population_size":0`} {
		if _, err := read([]byte(`{"type":"sampled_without_replacement",` + field + `,"event":{"type":"gaussian","noise_multiplier":2}}`)); err == nil {
			t.Errorf("read a sample with %s", field)
		}
	}
}

// The README has each rule, so that another program can be written from it.
func TestREADMEHasTheRules(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(rules)), maps.Keys(profilers))
	if len(names) < 20 {
		t.Errorf("only %d rules", len(names))
	}
	for _, name := range names {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("README.md does not have the rule %q", name)
		}
	}
}
