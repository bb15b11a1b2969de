package show

import (
	"fmt"
	"os"
	"strings"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/dplab/dplab/notebooks/figures"
)

// Text shows a formatted text as it is written, with its line breaks.
func Text(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	show(figures.KindText, text, protocol.MIMETextPlain)
}

// Markdown shows Markdown.
func Markdown(text string) {
	show(figures.KindMarkdown, text, protocol.MIMETextMarkdown)
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

func show(kind, text string, mime protocol.MIMEType) {
	if dir := os.Getenv(ArtifactsEnv); dir != "" {
		Check(figures.AddArtifact(dir, figures.Artifact{Kind: kind, Text: text}, nil))
	}
	if !gonbui.IsNotebook {
		fmt.Println(text)
		return
	}
	send(&protocol.DisplayData{Data: map[protocol.MIMEType]any{mime: text}})
}
