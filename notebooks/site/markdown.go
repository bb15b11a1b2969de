package main

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/url"
	"path"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/dplab/dplab/notebooks/run/nbformat"
)

var commonMark = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// article is a page that is made of Markdown.
type article struct {
	dir, url string // of its source in the repository, and of the page
	anchors  map[string]bool
	title    string // its first heading
	section  entry  // under the last heading
	images   int    // that its cells have shown
}

func newArticle(name, url string) *article {
	return &article{dir: path.Dir(name), url: url, anchors: map[string]bool{}}
}

// Generate names the anchor of a heading as GitHub does. It and Put implement parser.IDs.
func (a *article) Generate(heading []byte, _ ast.NodeKind) []byte {
	name := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, string(heading))
	unique := name
	for i := 1; a.anchors[unique]; i++ {
		unique = fmt.Sprintf("%s-%d", name, i)
	}
	a.anchors[unique] = true
	return []byte(unique)
}

// Put is part of parser.IDs.
func (a *article) Put(id []byte) { a.anchors[string(id)] = true }

// endSection lets the search find the section that ends.
func (s *site) endSection(a *article) {
	if a.section.Title != "" {
		a.section.Text = strings.Join(strings.Fields(a.section.Text), " ")
		s.entries = append(s.entries, a.section)
	}
}

// markdown returns Markdown of an article as HTML.
func (s *site) markdown(a *article, source string) (template.HTML, error) {
	src := []byte(source)
	doc := commonMark.Parser().Parse(text.NewReader(src), parser.WithContext(parser.NewContext(parser.WithIDs(a))))
	var spans []*ast.CodeSpan
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			s.endSection(a)
			id, _ := n.AttributeString("id")
			name, _ := id.([]byte)
			heading := words(n, src)
			a.title = cmp.Or(a.title, heading)
			a.section = entry{Title: heading, Kind: a.title, URL: a.url + "#" + string(name)}
		case *ast.CodeSpan:
			if _, linked := n.Parent().(*ast.Link); !linked {
				spans = append(spans, n)
			}
		case *ast.Text:
			a.section.Text += string(n.Segment.Value(src))
			if n.SoftLineBreak() {
				a.section.Text += " "
			}
		default:
			if n.Type() == ast.TypeBlock {
				a.section.Text += " "
			}
		}
		return ast.WalkContinue, s.relink(a, n)
	})
	if err != nil {
		return "", err
	}
	for _, span := range spans {
		if target := s.named(words(span, src), a); target != "" {
			l := ast.NewLink()
			l.Destination = []byte(target)
			span.Parent().ReplaceChild(span.Parent(), span, l)
			l.AppendChild(l, span)
		}
	}
	var out bytes.Buffer
	err = commonMark.Renderer().Render(&out, src, doc)
	return template.HTML(out.String()), err
}

// words returns the text of a node.
func words(n ast.Node, src []byte) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it returns what the function does
		if t, ok := n.(*ast.Text); ok && entering {
			out.Write(t.Segment.Value(src))
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

// relink makes a link or an image of the repository one of the site.
func (s *site) relink(a *article, n ast.Node) error {
	var destination *[]byte
	switch n := n.(type) {
	case *ast.Link:
		destination = &n.Destination
	case *ast.Image:
		destination = &n.Destination
	default:
		return nil
	}
	u, err := url.Parse(string(*destination))
	if err != nil {
		return err
	}
	if u.Scheme == "" && u.Host == "" && u.Path != "" {
		u.Path = s.to(a.url, path.Join(a.dir, u.Path))
		*destination = []byte(u.String())
	}
	return nil
}

// output returns what one output of a notebook's cell shows.
func (s *site) output(a *article, o nbformat.Output) (out output, err error) {
	if o.Type == nbformat.Stream {
		return output{Text: o.Text}, nil
	}
	out.Text, _ = o.DataText("text/plain")
	if svg, ok := o.DataText("image/svg+xml"); ok {
		out.Image = s.image(a, ".svg", []byte(svg))
	} else if encoded, ok := o.DataText("image/png"); ok {
		image, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(encoded, "\n", ""))
		if err != nil {
			return output{}, err
		}
		out.Image = s.image(a, ".png", image)
	} else if html, ok := o.DataText("text/html"); ok {
		out.HTML = template.HTML(html)
	} else if source, ok := o.DataText("text/markdown"); ok {
		out.HTML, err = s.markdown(a, source)
	}
	return out, err
}

// image adds an image of a page to the site, and returns its address from the page.
func (s *site) image(a *article, suffix string, data []byte) string {
	a.images++
	name := fmt.Sprintf("%s-%d%s", strings.TrimSuffix(a.url, ".html"), a.images, suffix)
	s.files[name] = data
	return path.Base(name)
}
