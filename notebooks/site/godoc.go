package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"html/template"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const module = "github.com/dplab/dplab"

// machine is what build constraints are read for, on every machine.
var machine = func() build.Context {
	c := build.Default
	c.GOOS, c.GOARCH, c.CgoEnabled = "linux", "amd64", true
	return c
}()

// pkg is a package of the module.
type pkg struct {
	dir, url string
	doc      *doc.Package
	fset     *token.FileSet
	files    []string           // without tests, by name in the folder
	imports  map[string]string  // import paths by the names that files use
	anchors  map[string]*string // of the page, such as "Config.Validate", with the first sentence of their comments
}

// last is 1 for internal packages, which the navigation lists last.
func (p *pkg) last() int { return min(strings.Count("/"+p.dir+"/", "/internal/"), 1) }

// sorted returns the packages in the order of their folders.
func (s *site) sorted() (list []*pkg) {
	for _, dir := range slices.Sorted(maps.Keys(s.packages)) {
		list = append(list, s.packages[dir])
	}
	return list
}

// load reads the package in a folder, if there is one.
func (s *site) load(dir string) error {
	p := &pkg{dir: dir, url: path.Join("pkg", dir+".html"), fset: token.NewFileSet(), imports: map[string]string{}, anchors: map[string]*string{}}
	full := filepath.Join(s.root, filepath.FromSlash(dir))
	found, err := filepath.Glob(filepath.Join(full, "*.go"))
	if err != nil || strings.Contains(dir, "testdata") {
		return err
	}
	var parsed []*ast.File
	for _, file := range found {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		base := filepath.Base(file)
		test := strings.HasSuffix(base, "_test.go")
		if test && !bytes.Contains(data, []byte("func Example")) {
			continue
		}
		if ok, err := machine.MatchFile(full, base); err != nil || !ok {
			if err != nil {
				return err
			}
			continue
		}
		f, err := parser.ParseFile(p.fset, base, data, parser.ParseComments)
		if err != nil {
			return err
		}
		parsed = append(parsed, f)
		if test {
			continue
		}
		p.files = append(p.files, base)
		for _, i := range f.Imports {
			p.addImport(i)
		}
	}
	if len(p.files) == 0 {
		return nil
	}
	if p.doc, err = doc.NewFromFiles(p.fset, parsed, module+"/"+dir); err != nil {
		return err
	}
	s.packages[dir], s.shown[dir] = p, p.url
	p.findAnchors()
	if _, taken := s.byName[p.doc.Name]; taken || p.doc.Name == "main" {
		s.byName[p.doc.Name] = nil
	} else {
		s.byName[p.doc.Name] = p
	}
	return nil
}

var version = regexp.MustCompile(`/v\d+$`)

func (p *pkg) addImport(i *ast.ImportSpec) {
	from := strings.Trim(i.Path.Value, `"`)
	name := path.Base(version.ReplaceAllString(from, ""))
	if i.Name != nil {
		name = i.Name.Name
	}
	p.imports[name] = from
}

// findAnchors lists the exported names of the package, with fields and methods.
func (p *pkg) findAnchors() {
	if p.doc.Name == "main" {
		return
	}
	add := func(name, text string) {
		first := p.doc.Synopsis(text)
		p.anchors[name] = &first
	}
	values := func(list []*doc.Value) {
		for _, v := range list {
			for _, name := range v.Names {
				if ast.IsExported(name) {
					add(name, v.Doc)
				}
			}
		}
	}
	functions := func(list []*doc.Func, of string) {
		for _, f := range list {
			add(of+f.Name, f.Doc)
		}
	}
	values(p.doc.Consts)
	values(p.doc.Vars)
	functions(p.doc.Funcs, "")
	for _, t := range p.doc.Types {
		add(t.Name, t.Doc)
		values(t.Consts)
		values(t.Vars)
		functions(t.Funcs, "")
		functions(t.Methods, t.Name+".")
		for _, field := range fields(t) {
			for _, name := range field.Names {
				if name.IsExported() {
					add(t.Name+"."+name.Name, cmp.Or(field.Doc.Text(), field.Comment.Text()))
				}
			}
		}
	}
}

// fields returns the fields of a struct, or the methods of an interface.
func fields(t *doc.Type) (list []*ast.Field) {
	for _, spec := range t.Decl.Specs {
		switch at := spec.(*ast.TypeSpec).Type.(type) {
		case *ast.StructType:
			list = append(list, at.Fields.List...)
		case *ast.InterfaceType:
			list = append(list, at.Methods.List...)
		}
	}
	return list
}

// symbol returns the address of a name of a package, seen from a page. A name that the package's
// page lacks leads to its top.
func (s *site) symbol(importPath, name, at string) string {
	dir, ours := strings.CutPrefix(importPath, module+"/")
	p := s.packages[dir]
	if !ours || p == nil {
		return strings.TrimSuffix("https://pkg.go.dev/"+importPath+"#"+name, "#")
	}
	to := strings.Repeat("../", strings.Count(at, "/")) + p.url
	if p.url == at {
		to = ""
	}
	for ; name != ""; name = name[:max(strings.LastIndexByte(name, '.'), 0)] {
		if p.anchors[name] != nil {
			return to + "#" + name
		}
	}
	return cmp.Or(to, "#")
}

// named returns the address of what code in an article names: a package by its folder
// (`accounting/auto`), an exported name (`auto.NewAccountant`), or one of the package in the
// article's folder (`NewAccountant`). It is empty if there is none.
func (s *site) named(code string, a *article) string {
	if s.packages[code] != nil {
		return s.symbol(module+"/"+code, "", a.url)
	}
	code, _, _ = strings.Cut(code, "(")
	name, rest, _ := strings.Cut(code, ".")
	p := s.byName[name]
	if here := s.packages[a.dir]; p == nil && here != nil {
		p, rest = here, code
	}
	if p == nil || p.anchors[rest] == nil {
		return ""
	}
	return s.symbol(module+"/"+p.dir, rest, a.url)
}

// text returns a doc comment as HTML. Its headings' anchors begin with prefix.
func (s *site) text(p *pkg, source, prefix string) template.HTML {
	parse := p.doc.Parser()
	lookup := parse.LookupPackage
	parse.LookupPackage = func(name string) (string, bool) {
		if found, ok := lookup(name); ok {
			return found, ok
		}
		if other := s.byName[name]; other != nil {
			return module + "/" + other.dir, true
		}
		return "", false
	}
	known := newArticle("", p.url)
	show := comment.Printer{
		HeadingLevel: 4,
		HeadingID: func(h *comment.Heading) string {
			return prefix + "-" + string(known.Generate([]byte(h.DefaultID()), 0))
		},
		DocLinkURL: func(l *comment.DocLink) string {
			return s.symbol(cmp.Or(l.ImportPath, module+"/"+p.dir), strings.TrimPrefix(l.Recv+"."+l.Name, "."), p.url)
		},
	}
	return template.HTML(show.HTML(parse.Parse(source)))
}

// declared is one declaration of a package's page.
type declared struct {
	Kind, Name, ID, Source string
	Code, Text             template.HTML
	Examples               []example
	Inner                  []declared // of a type
}

type example struct {
	Name, Output string
	Code, Text   template.HTML
}

// showPackage writes the page of a package.
func (s *site) showPackage(p *pkg) error {
	kind := "package"
	if p.doc.Name == "main" {
		kind = "command"
	}
	s.entries = append(s.entries, entry{p.dir, kind, p.url, p.doc.Synopsis(p.doc.Doc)})
	for _, name := range slices.Sorted(maps.Keys(p.anchors)) {
		s.entries = append(s.entries, entry{p.doc.Name + "." + name, p.dir, p.url + "#" + name, *p.anchors[name]})
	}
	var sources, below []link
	for _, file := range p.files {
		sources = append(sources, link{file, s.to(p.url, path.Join(p.dir, file))})
	}
	for _, other := range s.sorted() {
		if rest, ok := strings.CutPrefix(other.dir, p.dir+"/"); ok {
			below = append(below, link{rest, s.symbol(module+"/"+other.dir, "", p.url)})
		}
	}
	var list []declared
	if kind == "package" {
		list = slices.Concat(s.values(p, "const", p.doc.Consts), s.values(p, "var", p.doc.Vars), s.functions(p, "func", "", p.doc.Funcs))
		for _, t := range p.doc.Types {
			d := s.declare(p, declared{Kind: "type", Name: t.Name, ID: t.Name, Examples: s.examples(p, t.Examples)}, t.Decl, t.Doc)
			d.Inner = slices.Concat(s.values(p, "const", t.Consts), s.values(p, "var", t.Vars), s.functions(p, "func", "", t.Funcs),
				s.functions(p, "method", t.Name+".", t.Methods))
			list = append(list, d)
		}
	}
	var body bytes.Buffer
	err := templates.ExecuteTemplate(&body, "package", map[string]any{
		"Kind": kind, "Path": module + "/" + p.dir, "Name": path.Base(p.dir), "Text": s.text(p, p.doc.Doc, "doc"), "Examples": s.examples(p, p.doc.Examples),
		"List": list, "Sources": sources, "Below": below,
	})
	if err != nil {
		return err
	}
	return s.put(p.url, p.dir, template.HTML(body.String()))
}

func (s *site) values(p *pkg, kind string, list []*doc.Value) (out []declared) {
	for _, v := range list {
		out = append(out, s.declare(p, declared{Kind: kind}, v.Decl, v.Doc))
	}
	return out
}

func (s *site) functions(p *pkg, kind, of string, list []*doc.Func) (out []declared) {
	for _, f := range list {
		out = append(out, s.declare(p, declared{Kind: kind, Name: of + f.Name, ID: of + f.Name, Examples: s.examples(p, f.Examples)}, f.Decl, f.Doc))
	}
	return out
}

// declare fills in the code, the comment and the place of a declaration.
func (s *site) declare(p *pkg, d declared, decl ast.Decl, text string) declared {
	at := p.fset.Position(decl.Pos())
	d.Source = fmt.Sprintf("%s#L%d", s.to(p.url, path.Join(p.dir, at.Filename)), at.Line)
	d.Code = s.code(p, decl, d.ID)
	d.Text = s.text(p, text, cmp.Or(d.ID, fmt.Sprintf("%s-%d", at.Filename, at.Line)))
	return d
}

func (s *site) examples(p *pkg, list []*doc.Example) (out []example) {
	for _, e := range list {
		var code bytes.Buffer
		if err := format.Node(&code, p.fset, &printer.CommentedNode{Node: e.Code, Comments: e.Comments}); err != nil {
			continue // it was parsed, so it can be printed
		}
		text := code.String()
		if _, block := e.Code.(*ast.BlockStmt); block {
			text = strings.ReplaceAll(strings.Trim(text, "{}\n"), "\n\t", "\n")
			text, _, _ = strings.Cut(strings.TrimPrefix(text, "\t"), "\n// Output:")
			text, _, _ = strings.Cut(text, "\n// Unordered output:")
		}
		out = append(out, example{e.Suffix, e.Output, template.HTML(template.HTMLEscapeString(text)), s.text(p, e.Doc, "example-"+e.Name)})
	}
	return out
}
