package show

import (
	"regexp"
	"strings"

	"github.com/dplab/dplab/accounting/chart/render"
	"github.com/dplab/dplab/notebooks/figures"
)

// latexTable writes the table as a tabular in the style of the package booktabs, for \input. Title,
// without another paper's number, and notes are comments above it, for the caption. Columns of
// numbers are aligned at the right.
func latexTable(t figures.Table) string {
	var out strings.Builder
	out.WriteString("% Needs \\usepackage{booktabs}, and UTF-8 input, which is LaTeX's default.\n")
	for _, text := range append([]string{render.Unnumbered(t.Title)}, t.Notes...) {
		if text != "" {
			out.WriteString("% " + latexText(text) + "\n")
		}
	}
	out.WriteString(`\begin{tabular}{`)
	for i := range t.Columns {
		if numeric(t, i) {
			out.WriteByte('r')
		} else {
			out.WriteByte('l')
		}
	}
	out.WriteString("}\n\\toprule\n" + latexRow(t.Columns) + "\\midrule\n")
	for _, row := range t.Rows {
		out.WriteString(latexRow(row))
	}
	out.WriteString("\\bottomrule\n\\end{tabular}\n")
	return out.String()
}

// latexRow writes a row. An empty group before it keeps a cell that begins with a bracket from
// being read as an argument of the line break before.
func latexRow(cells []string) string {
	escaped := make([]string, len(cells))
	for i, cell := range cells {
		escaped[i] = latexText(cell)
	}
	if strings.HasPrefix(escaped[0], "[") || strings.HasPrefix(escaped[0], "*") {
		escaped[0] = "{}" + escaped[0]
	}
	return strings.Join(escaped, " & ") + ` \\` + "\n"
}

// latexText writes a text on one line, as LaTeX prints it unchanged.
func latexText(text string) string {
	text = latexEscapes.Replace(strings.Join(strings.Fields(text), " "))
	return raised.ReplaceAllStringFunc(text, func(digits string) string {
		return "$^{" + latexPowers.Replace(digits) + "}$"
	})
}

var (
	raised      = regexp.MustCompile(`[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+`)
	latexPowers = strings.NewReplacer("⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4",
		"⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")

	// LaTeX commands for what it reads as markup, and for what its default fonts lack.
	latexEscapes = strings.NewReplacer(
		`\`, `\textbackslash{}`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`,
		`&`, `\&`, `%`, `\%`, `$`, `\$`, `#`, `\#`, `_`, `\_`, `{`, `\{`, `}`, `\}`,
		`<`, `$<$`, `>`, `$>$`, `|`, `$|$`, `"`, `''`,
		"−", "$-$", "±", `$\pm$`, "·", `$\cdot$`, "×", `$\times$`, "∞", `$\infty$`, "‖", `$\|$`, "√", `$\surd$`,
		"≤", `$\le$`, "≥", `$\ge$`, "≈", `$\approx$`, "≠", `$\ne$`, "→", `$\to$`, "∈", `$\in$`,
		"α", `$\alpha$`, "β", `$\beta$`, "γ", `$\gamma$`, "δ", `$\delta$`, "Δ", `$\Delta$`, "ε", `$\varepsilon$`,
		"ζ", `$\zeta$`, "η", `$\eta$`, "θ", `$\theta$`, "κ", `$\kappa$`, "λ", `$\lambda$`,
		"µ", `$\mu$`, "μ", `$\mu$`, "ν", `$\nu$`, "ξ", `$\xi$`, "π", `$\pi$`, "ρ", `$\rho$`, "σ", `$\sigma$`,
		"Σ", `$\Sigma$`, "τ", `$\tau$`, "φ", `$\varphi$`, "Φ", `$\Phi$`, "χ", `$\chi$`, "ψ", `$\psi$`, "ω", `$\omega$`)
)
