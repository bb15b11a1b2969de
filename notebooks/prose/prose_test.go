package prose

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dplab/dplab/notebooks/run/nbformat"
)

// exceptions are numbers that no cell can show, by notebook.
var exceptions = map[string]map[string]string{}

// Every number in the text of the notebooks is shown by a cell, quoted, or excepted with a reason.
func TestNotebooksClaimWhatTheyShow(t *testing.T) {
	files, err := filepath.Glob("../*.ipynb")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d notebooks (%v)", len(files), err)
	}
	for _, file := range files {
		n, err := nbformat.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		used := map[string]bool{}
		for _, c := range Claims(n) {
			if exceptions[name][c.Number] == "" {
				t.Errorf("%s, %v: the number must stand in a cell's source or output, or in quotation marks", name, c)
			}
			used[c.Number] = true
		}
		for number := range exceptions[name] {
			if !used[number] {
				t.Errorf("%s: the exception for %s is not needed", name, number)
			}
		}
	}
}

// What the page of notebooks states of the quickstart, the quickstart shows.
func TestReadmeQuotesTheQuickstart(t *testing.T) {
	data, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(data), "<!-- quickstart -->\n")
	text, _, ok2 := strings.Cut(text, "<!-- end of quickstart -->\n")
	if !ok || !ok2 {
		t.Fatal("notebooks/README.md has no lines <!-- quickstart --> and <!-- end of quickstart -->")
	}
	n, err := nbformat.ReadFile("../quickstart.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	n.Cells = append(n.Cells, &nbformat.Cell{Type: "markdown", Source: text})
	for _, c := range Claims(n) {
		if c.Cell == len(n.Cells) {
			t.Errorf("notebooks/README.md, %v: the quickstart does not show it", c)
		}
	}
}

// notebook returns one with a code cell, an output of each kind, and one Markdown cell.
func notebook(t *testing.T, markdown string) *nbformat.Notebook {
	code := nbformat.NewCode("code", "%%\nepsilon := 2.5")
	text := func(s string) json.RawMessage {
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	code.Outputs = []nbformat.Output{
		{Type: nbformat.Stream, Text: "12,345 steps"},
		{Type: nbformat.DisplayData, Data: map[string]json.RawMessage{"text/plain": text("31.4 %"), "text/html": text("<td style=\"width:777px\">0.125</td>"),
			"text/markdown": text("- ε is 6.02e-5"), "application/vnd.dplab.chart+json": text("[8.5]")}},
	}
	return &nbformat.Notebook{Cells: []*nbformat.Cell{code, {Type: "markdown", Source: markdown}}}
}

func TestClaims(t *testing.T) {
	for _, right := range []string{
		"ε of 2.5 in 12,345 or 12345 steps, 31.4% or 31.4, 0.125 and 6.02e-5.", // shown
		"Three of 99 runs, CIFAR10, CIFAR-100, x2.5.", "No number.", "6.02·10⁻⁵ is 6.02e-5, 1.2345·10⁴ is 12345, and 10¹ is ten.",
		"The paper says \"around 7.5\nor 300\" and “40 %”, `-delta 1e-9`, [there](https://a.b/1234).",
		"```\nx := 1234.5\n```", "See https://a.b/2.75 and arXiv:1905.02383v2.",
		"Figure 2.1, Figures 3.1 and 4.2, Section 5.1.2, Sections C.1 to C.3, Table 101, Theorem 3.4, Appendix D.2, Lemma 1.5, Equation (2.7), Example 3.3.",
		"Dong, Roth and Su (2022), Mironov 2017, Nasr et al. (2021), ICLR 2022 (v2, 2021).",
	} {
		if got := Claims(notebook(t, right)); len(got) > 0 {
			t.Errorf("%q: %v", right, got)
		}
	}
	for wrong, number := range map[string]string{
		"It falls to 2.6.":                                      "2.6",
		"It is 8.5 in the figure's data.":                       "8.5", // no reader sees the data
		"The column is 777 wide.":                               "777", // nor the style
		"It needs 12,346 steps.":                                "12,346",
		"It needs 12\u202f346 steps.":                           "12\u202f346",
		"About 40 % of the runs.":                               "40 %",
		"About 40\u202f% of the runs.":                          "40\u202f%",
		"About 40% of the runs.":                                "40%",
		"At δ = 1e-9 it holds.":                                 "1e-9",
		"At δ = 10⁻⁹ it holds.":                                 "10⁻⁹",
		"At δ = 2·10⁻⁹ it holds.":                               "2·10⁻⁹",
		"It needs 10⁴ steps.":                                   "10⁴",
		"We drew 2000 runs.":                                    "2000",
		"“Quoted” and then 7.5.":                                "7.5",
		"In Figure 3 the loss is 7.5 (2019).":                   "7.5",
		"An unpaired \" mark.\n\nThen 7.5.\n\nAnother \" mark.": "7.5",
		"−7.5 is negative.":                                     "7.5",
	} {
		got := Claims(notebook(t, wrong))
		if len(got) != 1 || got[0].Number != number || got[0].Cell != 2 {
			t.Errorf("%q: %v, want %s in cell 2", wrong, got, number)
		}
	}
}
