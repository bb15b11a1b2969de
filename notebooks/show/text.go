package show

import (
	"fmt"
	"os"
	"strings"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// Text shows a formatted text as it is written, with its line breaks.
func Text(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	show(text, map[protocol.MIMEType]any{protocol.MIMETextPlain: text})
}

// Markdown shows Markdown. A report knows headings, **strong** and `code`; all else it prints as it is written.
func Markdown(text string) {
	show(text, map[protocol.MIMEType]any{protocol.MIMETextMarkdown: text})
}

// Findings shows, as a list, what results say of themselves: sentences whose numbers, and whose order of them, come from
// the result. Prose around a cell cannot know with which settings the cell was run; these can.
func Findings(results ...interface{ Findings() []string }) {
	var text strings.Builder
	for _, r := range results {
		for _, sentence := range r.Findings() {
			text.WriteString("- " + strings.ReplaceAll(sentence, "\n", " ") + "\n")
		}
	}
	Markdown(text.String())
}

func show(text string, data map[protocol.MIMEType]any) {
	if dir := os.Getenv(ArtifactsEnv); dir != "" {
		Check(figures.AddArtifact(dir, figures.Artifact{Kind: figures.KindText, Text: text}, nil))
	}
	if !gonbui.IsNotebook {
		fmt.Println(text)
		return
	}
	send(&protocol.DisplayData{Data: data})
}
