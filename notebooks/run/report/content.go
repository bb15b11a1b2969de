package report

import (
	"bytes"
	"fmt"
	"html/template"
	"net/url"
	"path"
	"regexp"
	"strconv"

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

var (
	paths    = regexp.MustCompile(` d="[^"]*"`)
	decimals = regexp.MustCompile(`\d+\.\d{2,}`)
	styles   = regexp.MustCompile(`\s+style="([^"&<]*)"`)
	opening  = regexp.MustCompile(`<svg [^>]*>`)
)

// slim makes an SVG of a figure about a third smaller. Paths get one decimal, a tenth of a point. A
// style that many elements share is written once. Use it only for figures embedded as images:
// inside a page, the styles' names would collide with others.
func slim(svg []byte) []byte {
	head := opening.FindIndex(svg)
	if head == nil || bytes.Contains(svg, []byte("<style")) || bytes.Contains(svg, []byte(` class="`)) {
		return svg
	}
	body := paths.ReplaceAllFunc(svg[head[1]:], func(path []byte) []byte {
		return decimals.ReplaceAllFunc(path, func(number []byte) []byte {
			x, err := strconv.ParseFloat(string(number), 64)
			if err != nil {
				return number
			}
			return bytes.TrimSuffix(strconv.AppendFloat(nil, x, 'f', 1, 64), []byte(".0"))
		})
	})
	var sheet bytes.Buffer
	names := map[string]string{}
	body = styles.ReplaceAllFunc(body, func(attribute []byte) []byte {
		style := string(styles.FindSubmatch(attribute)[1])
		name, ok := names[style]
		if !ok {
			name = fmt.Sprintf("s%d", len(names))
			names[style] = name
			fmt.Fprintf(&sheet, ".%s{%s}", name, style)
		}
		return []byte(` class="` + name + `"`)
	})
	if len(names) == 0 {
		return append(bytes.Clone(svg[:head[1]]), body...)
	}
	return bytes.Join([][]byte{svg[:head[1]], []byte("<style>"), sheet.Bytes(), []byte("</style>"), body}, nil)
}
