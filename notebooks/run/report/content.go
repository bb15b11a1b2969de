package report

import (
	"bytes"
	"html/template"
	"net/url"
	"path"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown returns Markdown as HTML that is also well-formed XML. It leaves out HTML in the text,
// and links that would run a script. A notebook's headings go below the page's: its first two
// levels become h3, the next one h4. Relative links start at the folder base.
func markdown(source, base string) template.HTML {
	var out bytes.Buffer
	m := goldmark.New(
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(fitting{base}, 100))),
		goldmark.WithRendererOptions(html.WithXHTML()))
	if err := m.Convert([]byte(plain(source)), &out); err != nil {
		return template.HTML(template.HTMLEscapeString(source)) // writing to memory does not fail
	}
	return template.HTML(out.String())
}

// fitting fits a notebook's text into the page.
type fitting struct{ base string }

// Transform implements parser.ASTTransformer.
func (f fitting) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // returns the error of the function
		switch n := n.(type) {
		case *ast.Heading:
			if entering {
				n.Level = min(max(n.Level+1, 3), 6)
			}
		case *ast.Link:
			if u, err := url.Parse(string(n.Destination)); entering && err == nil && u.Scheme == "" && u.Host == "" && u.Path != "" && !path.IsAbs(u.Path) {
				u.Path = path.Join(f.base, u.Path)
				n.Destination = []byte(u.String())
			}
		}
		return ast.WalkContinue, nil
	})
}

// untitled returns the text of a notebook's first cell without its title, which is above the
// section.
func untitled(source string) string {
	root := goldmark.New().Parser().Parse(text.NewReader([]byte(source)))
	if h, ok := root.FirstChild().(*ast.Heading); ok && h.Level == 1 && h.Lines().Len() > 0 {
		return source[h.Lines().At(h.Lines().Len()-1).Stop:]
	}
	return source
}
