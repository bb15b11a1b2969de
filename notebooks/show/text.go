package show

import (
	"fmt"
	"os"

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
