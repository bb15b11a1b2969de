package params

import (
	"reflect"
	"strings"
	"testing"
)

const cell = `%noautoget
import "time"

// The sizes of the experiment.
var (
	profile = "quick"
	seeds   = 5
	rate    = 0.5
	shift   = -1.5
	plot    = true
	wide int64 = 7
	half float64 = 1
	limit = 3 * time.Second
	a, b = 1, 2
)
const steps = 10
func unrelated() {}
`

func parsed(t *testing.T) Set {
	t.Helper()
	set, err := Parse(cell)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestParse(t *testing.T) {
	set := parsed(t)
	want := []string{"a", "b", "half", "limit", "plot", "profile", "rate", "seeds", "shift", "steps", "wide"}
	if got := set.Names(); !reflect.DeepEqual(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	if got, ok := set.Text("profile"); !ok || got != "quick" {
		t.Errorf("profile %q, %v, want quick", got, ok)
	}
	for _, name := range []string{"seeds", "none"} {
		if _, ok := set.Text(name); ok {
			t.Errorf("%s passes for a text", name)
		}
	}
	if _, err := Parse("var ("); err == nil {
		t.Error("a cell that is not Go is no error")
	}
}

// Wanted lines are Go declarations of the type that the cell declares.
func TestInject(t *testing.T) {
	tests := []struct{ name, value, want string }{
		{"profile", "full", `var profile = "full"`},
		{"profile", `a "b" \ ` + "\n", `var profile = "a \"b\" \\ \n"`},
		{"profile", "", `var profile = ""`},
		{"seeds", "7", "var seeds = 7"},
		{"seeds", "-7", "var seeds = -7"},
		{"seeds", "010", "var seeds = 10"}, // in Go 010 is 8
		{"rate", "0.25", "var rate = 0.25"},
		{"rate", "1", "var rate = 1.0"}, // 1 would make it an int
		{"rate", "1e-9", "var rate = 1e-09"},
		{"shift", "2.5", "var shift = 2.5"},
		{"plot", "false", "var plot = false"},
		{"wide", "8", "var wide int64 = 8"},
		{"half", "0.5", "var half float64 = 0.5"}, // declared with an integer, but of type float64
		{"steps", "20", "const steps = 20"},
	}
	for _, test := range tests {
		got, err := parsed(t).Inject(map[string]string{test.name: test.value})
		if err != nil || got != test.want {
			t.Errorf("%s=%q: %q, %v, want %q", test.name, test.value, got, err, test.want)
		}
	}
	got, err := parsed(t).Inject(map[string]string{"steps": "1", "plot": "true", "seeds": "2"})
	if want := "var plot = true\nvar seeds = 2\nconst steps = 1"; err != nil || got != want {
		t.Errorf("three: %q, %v, want %q", got, err, want)
	}
}

func TestInjectRefuses(t *testing.T) {
	tests := []struct{ name, value, want string }{
		{"seed", "7", "must be one of the declared parameters: a, b, half"},
		{"seeds", "7.5", "must be an integer"},
		{"seeds", "", "must be an integer"},
		{"seeds", "1_000", "must be an integer in decimal digits"},
		{"seeds", "0x10", "must be an integer in decimal digits"},
		{"rate", "1_0.5", "must be a finite number in decimal digits"},
		{"rate", "0x1p-2", "must be a finite number in decimal digits"},
		{"seeds", "7; os.Exit(1)", "must be an integer"},
		{"rate", "NaN", "must be a finite number"},
		{"rate", "+Inf", "must be a finite number"},
		{"rate", "x", "must be a finite number"},
		{"plot", "1", "must be true or false"},
		{"limit", "3", "cannot be set"},
		{"a", "3", "not declared by itself"},
	}
	for _, test := range tests {
		got, err := parsed(t).Inject(map[string]string{test.name: test.value})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s=%q: %q, error %v, want one with %q", test.name, test.value, got, err, test.want)
		}
	}
	_, err := parsed(t).Inject(map[string]string{"seeds": "x", "plot": "x"})
	if err == nil || !strings.Contains(err.Error(), "seeds") || !strings.Contains(err.Error(), "plot") {
		t.Errorf("error %v, want both faults", err)
	}
}
