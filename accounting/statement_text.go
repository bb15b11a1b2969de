package accounting

import (
	"cmp"
	"fmt"
	"math"
	"strings"
)

// String returns one sentence that may be quoted, and after it one sentence for each warning. It
// names what is released, ε, δ, the neighboring relation and the unit. ε and δ are rounded up, to
// three significant digits. An ε without a certificate is in the words of an estimate.
//
// It begins with "No guarantee" if nothing was computed, if the relation is none of the three, or
// if a warning is [Voiding]. If ε is infinite or δ is 1, the sentence reports that the release has
// no guarantee.
func (s Statement) String() string {
	text := s.sentence()
	_, warnings := s.divided()
	for _, w := range warnings {
		text += " Warning: " + oneLine(w) + "."
	}
	return text
}

// Full returns the whole statement as text, one fact a line. It has the sentence of String, the
// warnings, the mechanism and the bound. Lists of what ε includes, of assumptions and of what is
// not covered follow. Parameters have five digits and are rounded as by [RoundParameters].
func (s Statement) Full() string {
	var b strings.Builder
	b.WriteString(s.sentence() + "\n")
	s.writeWarnings(&b, asIs)
	if facts := s.facts(); len(facts) > 0 {
		b.WriteString("\n")
		for _, f := range facts {
			fmt.Fprintf(&b, "%s: %s\n", f.name, oneLine(f.text))
		}
	}
	s.writeLists(&b, asIs)
	return b.String()
}

// Markdown returns what Full does for a page: the sentence in bold, the warnings, and the rest
// folded below them.
func (s Statement) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n", escape(s.sentence()))
	s.writeWarnings(&b, escape)
	var rest strings.Builder
	for _, f := range s.facts() {
		fmt.Fprintf(&rest, "- %s: %s\n", f.name, escape(oneLine(f.text)))
	}
	s.writeLists(&rest, escape)
	if rest.Len() > 0 {
		fmt.Fprintf(&b, "\n<details><summary>Mechanism, bound, assumptions and limits</summary>\n\n%s\n</details>\n", strings.TrimPrefix(rest.String(), "\n"))
	}
	return b.String()
}

// sentence is String without the warnings.
func (s Statement) sentence() string { return oneLine(s.claim()) }

func (s Statement) claim() string {
	g := s.Guarantee
	subject := cmp.Or(s.Subject, "the output")
	if !g.Epsilon.Computed() {
		return "No guarantee: nothing was computed."
	}
	if g.Neighboring.Validate() != nil {
		return "No guarantee: the relation of neighboring data sets is unknown."
	}
	voiding, _ := s.divided()
	void := ""
	if len(voiding) > 0 {
		void = fmt.Sprintf("No guarantee: %s. ", strings.Join(voiding, "; "))
	}
	if !s.bounds() {
		return void + fmt.Sprintf("Releasing %s has no differential privacy guarantee at δ = %s.", subject, quotedDelta(g.Delta))
	}
	sign, doubt := g.sign(" (", ")")
	values := fmt.Sprintf("ε %s %s%s and δ = %s, under %s", sign, quotedEpsilon(g.Epsilon.Upper), doubt, quotedDelta(g.Delta), s.relation())
	if void != "" {
		return void + fmt.Sprintf("Otherwise, releasing %s would have %s.", subject, values)
	}
	return fmt.Sprintf("Releasing %s is (ε, δ)-differentially private with %s.", subject, values)
}

// sign returns the sign of the upper end of ε: that of a bound, or of an estimate if it has no
// certificate. doubt repeats that, between two texts.
func (g Guarantee) sign(before, after string) (sign, doubt string) {
	if g.holds() {
		return "≤", ""
	}
	return "about", before + "estimated, not checked" + after
}

// bounds reports whether the guarantee bounds anything.
func (s Statement) bounds() bool {
	return s.Guarantee.Epsilon.Upper < math.Inf(1) && s.Guarantee.Delta < 1
}

// relation describes how neighboring data sets differ, with the unit.
func (s Statement) relation() string {
	unit := cmp.Or(s.Unit, "one record")
	switch s.Guarantee.Neighboring {
	case ReplaceOne:
		return fmt.Sprintf("replacing %s by another", unit)
	case ReplaceSpecial:
		return fmt.Sprintf("replacing %s by one that contributes nothing", unit)
	}
	return fmt.Sprintf("adding or removing %s", unit)
}

// fact is a line of a statement.
type fact struct{ name, text string }

// facts returns the mechanism and the bound.
func (s Statement) facts() (list []fact) {
	add := func(name, text string) {
		if text != "" {
			list = append(list, fact{name, text})
		}
	}
	add("Mechanism", describe(s.Mechanism))
	if g := s.Guarantee; g.Epsilon.Computed() {
		sign, doubt := g.sign("; ", "")
		bound := fmt.Sprintf("ε %s %s (%v%s)", sign, FormatUpper(g.Epsilon.Upper), g.Neighboring, doubt)
		if !s.bounds() {
			bound = "none"
		}
		add("Bound", strings.TrimSuffix(bound+", "+describe(g.Method), ", "))
	}
	add("Theorem", s.Theorem)
	add("Published results only", s.Published)
	if s.Guarantee.Epsilon.Computed() && s.bounds() {
		add("Check", "the bound was "+describe(s.Guarantee.Certificate.Summary()))
		if mark := s.Guarantee.Fingerprint(); mark != "" {
			add("Proof", "dpcost verify FILE checks this answer from its JSON; fingerprint "+mark)
		}
	}
	return list
}

func (s Statement) writeWarnings(b *strings.Builder, write func(string) string) {
	_, warnings := s.divided()
	writeList(b, "Warnings", warnings, write)
}

func (s Statement) writeLists(b *strings.Builder, write func(string) string) {
	writeList(b, "Included in ε", s.Included, write)
	writeList(b, "Assumptions", s.Assumptions, write)
	writeList(b, "Not covered", s.NotCovered, write)
}

// writeList writes a heading and one line for each item. Blank lines make it a list in Markdown
// too.
func writeList(b *strings.Builder, heading string, items []string, write func(string) string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", heading)
	for _, item := range items {
		fmt.Fprintf(b, "- %s\n", write(oneLine(item)))
	}
}

// oneLine returns text without line breaks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func asIs(text string) string { return text }

var markdownSigns = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "$", `\$`, "~", `\~`, "|", `\|`)

// escape returns text that Markdown shows as it is.
func escape(text string) string { return markdownSigns.Replace(text) }
