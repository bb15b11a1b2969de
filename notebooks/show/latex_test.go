package show

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

func TestLatexTable(t *testing.T) {
	got := latexTable(figures.Table{Name: "t", Title: "Table 4: runs & prices", Columns: []string{"law", "ε ≤"},
		Rows: [][]string{{"best_of K", "4.2"}, {"[10 %]", "−3 ± 0.1"}}, Notes: []string{"Two\nlines."}})
	const want = `% Needs \usepackage{booktabs}, and UTF-8 input, which is LaTeX's default.
% Runs \& prices
% Two lines.
\begin{tabular}{lr}
\toprule
law & $\varepsilon$ $\le$ \\
\midrule
best\_of K & 4.2 \\
{}[10 \%] & $-$3 $\pm$ 0.1 \\
\bottomrule
\end{tabular}
`
	if got != want {
		t.Errorf("table\n%s\nwant\n%s", got, want)
	}
}

func TestLatexText(t *testing.T) {
	for text, want := range map[string]string{
		`a\b{c}`:       `a\textbackslash{}b\{c\}`,
		"2·10⁻⁵, x²":   `2$\cdot$10$^{-5}$, x$^{2}$`,
		"$1 #2 ^3 ~4":  `\$1 \#2 \textasciicircum{}3 \textasciitilde{}4`,
		"a < b | c":    `a $<$ b $|$ c`,
		"Rényi “µ”":    `Rényi “$\mu$”`,
		"over\ntwo\t ": "over two",
	} {
		if got := latexText(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A comparison is written as it is shown: without empty columns, with its verdicts.
func TestSaveTableWritesLatex(t *testing.T) {
	dir := t.TempDir()
	printed := papers.Value{Quantity: "ε", Number: 4.66, Source: papers.Source{Paper: "Author (2022)", Where: "Section 3", Read: papers.Printed, AbsErr: 0.005}}
	SaveTable(dir, figures.Comparison{Name: "ours", Title: "Ours", Rows: []figures.ComparisonRow{figures.Against(printed, 4.6571)}})
	text, err := os.ReadFile(filepath.Join(dir, "ours-comparison.tex"))
	if err != nil {
		t.Fatal(err)
	}
	const row = `$\varepsilon$ & 4.6571 & 4.66 & $-$0.0029 & $\pm$ 0.005 & agrees & Author (2022), Section 3, printed \\`
	if !strings.Contains(string(text), row) || strings.Contains(string(text), "note") {
		t.Errorf("table\n%s\nwant the row\n%s", text, row)
	}
}
