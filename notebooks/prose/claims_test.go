// Package prose checks that the text of a notebook claims no number that the notebook does not
// show. A reader may change any setting and run the notebook again. Only what the cells print
// changes then; the text between them does not.
//
// It promises nothing to other modules.
package prose

import (
	"fmt"
	"html"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/dplab/dplab/notebooks/run/nbformat"
)

// Claim is a number in a Markdown cell that occurs nowhere else in the notebook.
type Claim struct {
	Cell   int    // of the cell in the notebook, counted from 1
	Number string // as written
	Line   string // the words around it
}

// String returns the place of the claim and its words.
func (c Claim) String() string {
	return fmt.Sprintf("cell %d: %s in “%s”", c.Cell, c.Number, c.Line)
}

// Claims returns the numbers in the notebook's Markdown that need a source and have none, in order.
// A number needs a source if it has a decimal point or an exponent, is a percentage, or is 100 or
// more. Its source is the same number in a code cell, or in an output as text, table or Markdown. A
// percent sign and thousands separators do not matter. These need no source:
//
//   - text in quotation marks or in backticks, and links
//   - numbers of figures, sections, theorems and the like
//   - years from 1950 to 2030 after a name or in parentheses, before a punctuation mark
//   - numbers of papers at arXiv, and the name CIFAR-100
func Claims(n *nbformat.Notebook) (out []Claim) {
	shown := map[float64]bool{}
	for _, c := range n.Code() {
		addNumbers(shown, c.Source)
		for _, o := range c.Outputs {
			addNumbers(shown, o.Text)
			for _, mime := range []string{"text/plain", "text/markdown", "text/html"} {
				text, _ := o.DataText(mime)
				addNumbers(shown, html.UnescapeString(tag.ReplaceAllString(text, " ")))
			}
		}
	}
	for i, c := range n.Cells {
		if c.Type != "markdown" {
			continue
		}
		text := exempt.ReplaceAllString(c.Source, " … ")
		for _, at := range number.FindAllStringSubmatchIndex(text, -1) {
			written := strings.TrimSpace(text[at[2]:at[3]])
			if v := value(written); needsSource(written, v) && !shown[v] && !isYear(text[:at[2]], text[at[3]:], v) {
				out = append(out, Claim{i + 1, written, around(text, at[2], at[3])})
			}
		}
	}
	return out
}

const (
	digits = `(?:(?:\d+(?:\.\d+)?·)?10⁻?[⁰¹²³⁴-⁹]+|` + // 2·10⁻⁵
		`(?:\d{1,3}(?:(?:,|\{,\}|\x{202f}|\x{2009}|\x{00a0})\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+−]?\d+)?)`
	reference = `(?i:Figures?|Figs?\.|Tables?|Sections?|Theorems?|Lemmas?|Corollar(?:y|ies)|Appendi(?:x|ces)|Equations?|Eqs?\.|` +
		`Algorithms?|Propositions?|Definitions?|Examples?|Remarks?|Claims?|Chapters?|Pages?|Lines?)`
	item = `\(?[A-Z]?\.?\d+(?:\.\d+)*[a-z]?\)?`
)

var (
	tag    = regexp.MustCompile(`<[^<>]*>`)
	number = regexp.MustCompile(`(?:^|[^\w.])(` + digits + `(?:[\s\x{00a0}\x{202f}\x{2009}]?%)?)`)

	exempt = regexp.MustCompile("(?s)```.*?```|`[^`]*`" + // code
		`|"[^"\n]*(?:\n[^"\n]+)*"|“[^”]*”` + // quotations, within a paragraph
		`|\]\([^)]*\)|https?://[^\s)]+` + // links
		`|arXiv:\d{4}\.\d{4,5}(?:v\d+)?` +
		`|\bCIFAR-100\b` +
		`|\b` + reference + `\s+` + item + `(?:(?:\s*(?:,|and|or|to|–|-)\s*)+` + item + `)*\b`)

	beforeYear = regexp.MustCompile(`(?:\(|\bal\.,?\s|\b\p{Lu}[\pL.]*,?\s|\(.{0,40}[,;]\s)$`)
	afterYear  = regexp.MustCompile(`^(?:[a-z]?[).,;:]|\s*$|\s*\()`)
)

func addNumbers(shown map[float64]bool, text string) {
	for _, m := range number.FindAllStringSubmatch(text, -1) {
		shown[value(m[1])] = true
	}
}

// value returns the number as written, without its percent sign.
func value(written string) float64 {
	if strings.HasPrefix(written, "10") && strings.ContainsAny(written, "⁰¹²³⁴⁵⁶⁷⁸⁹") {
		written = "1·" + written
	}
	v, err := strconv.ParseFloat(plain.Replace(written), 64)
	if err != nil {
		return math.Inf(1) // beyond float64
	}
	return v
}

// plain turns a number as written into one that Go reads.
var plain = strings.NewReplacer("·10", "e", ",", "", "{", "", "}", "", "\u202f", "", "\u2009", "", "\u00a0", "", " ", "", "\n", "", "%", "", "−", "-", "⁻", "-",
	"⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")

func needsSource(written string, v float64) bool {
	return v >= 100 || strings.ContainsAny(written, ".eE%⁻")
}

func isYear(before, after string, v float64) bool {
	return v >= 1950 && v <= 2030 && v == float64(int(v)) && beforeYear.MatchString(before) && afterYear.MatchString(after)
}

// around returns the words near text[start:end], on one line.
func around(text string, start, end int) string {
	const reach = 50 // bytes
	from, to := max(0, start-reach), min(len(text), end+reach)
	return strings.Join(strings.Fields(strings.ToValidUTF8(text[from:to], "")), " ")
}
