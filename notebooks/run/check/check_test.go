package check

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dplab/dplab/notebooks/run/nbformat"
)

func TestCompareText(t *testing.T) {
	tests := []struct {
		name, expected, found string
		want                  string // "expected/found" of the first difference, empty for none
	}{
		{"equal", "ε = 2.5 at δ = 1e-5", "ε = 2.5 at δ = 1e-5", ""},
		{"spaces", "a  b\n\tc", "a b c\n", ""},
		{"last digits", "2.50000001", "2.5", ""},
		{"same number, other form", "0.00001", "1e-05", ""},
		{"minus signs", "\u22122.5", "-2.5", ""},
		{"beyond the tolerance", "ε = 2.50001", "ε = 2.5", "2.50001/2.5"},
		{"sign", "-2.5", "2.5", "-2.5/2.5"},
		{"word", "all bounds hold", "all bounds fail", "hold/fail"},
		{"case", "Upper", "upper", "Upper/upper"},
		{"shorter", "a b c", "a b", "c/the end"},
		{"longer", "a b", "a b c", "the end/c"},
		{"tiny against zero", "0", "1e-17", ""},
		{"small against zero", "0", "1e-9", "0/1e-9"},
		{"number against word", "1", "one", "1/one"},
		{"infinity", "+Inf", "-Inf", "+Inf/-Inf"},
		{"infinity and a number", "Inf", "7", "Inf/7"},
		{"colors", "\x1b[31merror\x1b[0m", "error", ""},
		{"image in HTML", `<img src="data:image/png;base64,AAAA">`, `<img src="data:image/png;base64,BBBB">`, ""},
		{"other tag", `<td>1</td>`, `<th>1</th>`, "td/th"},
	}
	for _, test := range tests {
		got := ""
		if d := compareText(test.expected, test.found, Tolerance); d != nil {
			got = d.expected + "/" + d.found
		}
		if got != test.want {
			t.Errorf("%s: first difference %q, want %q", test.name, got, test.want)
		}
	}
}

func TestCompareJSON(t *testing.T) {
	const chart = `{"name":"f","curves":[{"x":[1,2],"y":[0.5,"+Inf"],"label":"η = 1"}],"log":true,"none":null}`
	change := func(old, new string) string { return strings.Replace(chart, old, new, 1) }
	text, _ := json.Marshal(chart)
	tests := []struct{ name, found, want string }{
		{"equal", chart, ""},
		{"as a text that holds JSON", string(text), ""},
		{"last digits", change("0.5", "0.50000001"), ""},
		{"number", change("0.5", "0.6"), ".curves[0].y[0]: 0.5/0.6"},
		{"shorter list", change("[1,2]", "[1]"), ".curves[0].x: 2 items/1 items"},
		{"infinity", change(`"+Inf"`, "7"), `.curves[0].y[1]: "+Inf"/7`},
		{"truth value", change("true", "false"), ".log: true/false"},
		{"missing", change(`"log":true,`, ""), ".log: true/nothing"},
		{"more", change(`"log":true`, `"log":true,"new":1`), ".new: nothing/1"},
		{"null", change("null", "0"), ".none: null/0"},
		{"label", change("η = 1", "η = 2"), ".curves[0].label word 3: 1/2"},
		{"other type", `[]`, `: {"curves":[{"label":"η = 1","x":[1,2],"y":[0.5,"+Inf"]}],...` + "/[]"},
	}
	for _, test := range tests {
		got := ""
		if d := compareJSON([]byte(chart), []byte(test.found), Tolerance); d != nil {
			got = d.where + ": " + d.expected + "/" + d.found
		}
		if got != test.want {
			t.Errorf("%s: first difference %q, want %q", test.name, got, test.want)
		}
	}
}

func text(name, s string) nbformat.Output {
	return nbformat.Output{Type: nbformat.Stream, Name: name, Text: s}
}

func display(pairs ...string) nbformat.Output {
	o := nbformat.Output{Type: nbformat.DisplayData, Data: map[string]json.RawMessage{}}
	for i := 0; i < len(pairs); i += 2 {
		raw := json.RawMessage(pairs[i+1])
		if !nbformat.IsJSON(pairs[i]) {
			raw, _ = json.Marshal(pairs[i+1])
		}
		o.Data[pairs[i]] = raw
	}
	return o
}

func TestOutputs(t *testing.T) {
	type list = []nbformat.Output
	const chart = "application/vnd.dplab.chart+json"
	figure := func(pixels, numbers string) nbformat.Output { return display("image/png", pixels, chart, numbers) }
	failed := nbformat.Output{Type: nbformat.ErrorOutput, ErrorName: "ERROR", ErrorValue: "exit status 2"}
	tests := []struct {
		name             string
		tags             []string
		committed, found list
		kindsOnly        bool
		want             string
	}{
		{name: "pixels do not count", committed: list{figure("AA", `{"y":[1]}`)}, found: list{figure("BB", `{"y":[1]}`)}},
		{name: "numbers do", committed: list{figure("AA", `{"y":[1]}`)}, found: list{figure("AA", `{"y":[2]}`)},
			want: "cell [7], output 1 " + chart + " .y[0]: expected 1, found 2"},
		{name: "figure is gone", committed: list{figure("AA", `{}`)}, found: nil, want: "cell [7], outputs: expected 1 figures, tables or errors, found 0 figures, tables or errors"},
		{name: "image is gone", committed: list{figure("AA", `{}`)}, found: list{display(chart, `{}`)},
			want: "cell [7], output 1 kind: expected " + chart + " + image/png, found " + chart},
		{name: "cut of streams", committed: list{text("stdout", "a b"), figure("A", "{}"), text("stdout", " c")}, found: list{text("stdout", "a b c"), figure("A", "{}")}},
		{name: "text", committed: list{text("stdout", "ε 1.25")}, found: list{text("stdout", "ε 1.5")}, want: "cell [7], stdout word 2: expected 1.25, found 1.5"},
		{name: "tolerance", tags: []string{"tolerance:0.2"}, committed: list{text("stdout", "ε 1.25")}, found: list{text("stdout", "ε 1.5")}},
		{name: "stderr", committed: nil, found: list{text("stderr", "warning")}, want: "cell [7], stderr word 1: expected the end, found warning"},
		{name: "nondeterministic", tags: []string{Nondeterministic}, committed: list{text("stdout", "7 s")}, found: list{text("stdout", "8 s")}},
		{name: "nondeterministic without text", tags: []string{Nondeterministic}, committed: list{text("stdout", "7 s")}, found: nil,
			want: "cell [7], stdout: expected some text, found no text"},
		{name: "kinds only", kindsOnly: true, committed: list{figure("A", `{"y":1}`)}, found: list{figure("A", `{"y":2}`)}},
		{name: "kinds only, another", kindsOnly: true, committed: list{figure("A", `{"y":1}`)}, found: list{display("text/html", "x")},
			want: "cell [7], output 1 kind: expected " + chart + " + image/png, found text/html"},
		{name: "expected error", tags: []string{RaisesException}, committed: list{text("stderr", "at main.go:17"), failed}, found: list{text("stderr", "at main.go:18"), failed}},
		{name: "no error", tags: []string{RaisesException}, committed: list{failed}, found: nil, want: "cell [7], outputs: expected an error, found no error"},
	}
	for _, test := range tests {
		got := ""
		if m := Outputs(7, nbformat.NewCode("a", "", test.tags...), test.committed, test.found, test.kindsOnly, 0); m != nil {
			got = m.String()
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestCellTolerance(t *testing.T) {
	tests := []struct {
		tag  string
		want float64
	}{{"other", Tolerance}, {"tolerance:0.02", 0.02}, {"tolerance:0", 0}, {"tolerance:x", 0}, {"tolerance:1", 0}, {"tolerance:NaN", 0}}
	for _, test := range tests {
		got, err := CellTolerance(nbformat.NewCode("a", "", test.tag))
		if got != test.want || (err != nil) != (test.want == 0) {
			t.Errorf("tag %s: %g, %v, want %g", test.tag, got, err, test.want)
		}
	}
}
