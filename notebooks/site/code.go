package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/scanner"
	"go/token"
	"html/template"
	"slices"
	"strings"
)

// code returns a declaration as HTML. Names lead to where they are declared. Those that it declares
// are anchors; of is the type or function that has one already.
func (s *site) code(p *pkg, decl ast.Decl, of string) template.HTML {
	elide(p.fset, decl)
	var out bytes.Buffer
	if err := format.Node(&out, p.fset, decl); err != nil {
		return template.HTML(template.HTMLEscapeString(err.Error()))
	}
	src := out.Bytes()
	marks := s.marks(p, decl, of)
	var html strings.Builder
	var scan scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(src))
	scan.Init(file, src, nil, scanner.ScanComments)
	done := 0
	for {
		pos, tok, text := scan.Scan()
		if tok == token.EOF {
			break
		}
		at := file.Offset(pos)
		if tok != token.IDENT || len(marks) == 0 {
			continue
		}
		mark := marks[0]
		marks = marks[1:]
		if mark.name != text {
			s.fail(fmt.Errorf("%s: %s is printed where %s was parsed", p.dir, text, mark.name))
		}
		if mark.id == "" && mark.href == "" {
			continue
		}
		html.WriteString(template.HTMLEscapeString(string(src[done:at])))
		if mark.id != "" {
			html.WriteString(`<span id="` + mark.id + `">` + text + `</span>`)
		} else {
			html.WriteString(`<a href="` + template.HTMLEscapeString(mark.href) + `">` + text + `</a>`)
		}
		done = at + len(text)
	}
	html.WriteString(template.HTMLEscapeString(string(src[done:])))
	return template.HTML(html.String())
}

// identMark is an identifier of a declaration, with its anchor or where it leads.
type identMark struct{ name, id, href string }

// marks returns the marks of all identifiers, in the order of the text.
func (s *site) marks(p *pkg, decl ast.Decl, of string) []identMark {
	marks, idents := map[*ast.Ident]identMark{}, []*ast.Ident{}
	anchor := func(prefix string, names ...*ast.Ident) {
		for _, n := range names {
			marks[n] = identMark{}
			if p.anchors[prefix+n.Name] != nil && n.IsExported() {
				marks[n] = identMark{id: prefix + n.Name}
			}
		}
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			marks[n.Name] = identMark{}
		case *ast.TypeSpec:
			marks[n.Name] = identMark{}
			switch t := n.Type.(type) {
			case *ast.StructType:
				for _, f := range t.Fields.List {
					anchor(of+".", f.Names...)
				}
			case *ast.InterfaceType:
				for _, f := range t.Methods.List {
					anchor(of+".", f.Names...)
				}
			}
		case *ast.ValueSpec:
			anchor("", n.Names...)
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && p.imports[x.Name] != "" {
				marks[x], marks[n.Sel] = identMark{}, identMark{href: s.symbol(p.imports[x.Name], n.Sel.Name, p.url)}
			} else {
				marks[n.Sel] = identMark{}
			}
		case *ast.KeyValueExpr:
			if x, ok := n.Key.(*ast.Ident); ok {
				marks[x] = identMark{}
			}
		case *ast.Field:
			for _, name := range n.Names {
				if _, ok := marks[name]; !ok {
					marks[name] = identMark{}
				}
			}
		case *ast.Ident:
			if n.Name == ellipsis {
				return true
			}
			idents = append(idents, n)
			if _, ok := marks[n]; ok {
				return true
			}
			if p.anchors[n.Name] != nil && n.IsExported() {
				marks[n] = identMark{href: "#" + n.Name}
			}
		}
		return true
	})
	slices.SortStableFunc(idents, func(a, b *ast.Ident) int { return int(a.Pos() - b.Pos()) })
	var list []identMark
	for _, n := range idents {
		list = append(list, identMark{n.Name, marks[n].id, marks[n].href})
	}
	return list
}

const (
	ellipsis  = "…"
	longValue = 8 // lines of a value that are shown
)

// elide leaves out long values of variables and the bodies of functions in them.
func elide(fset *token.FileSet, decl ast.Decl) {
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if fset.Position(n.End()).Line-fset.Position(n.Pos()).Line > longValue {
				n.Elts, n.Rbrace = []ast.Expr{ast.NewIdent(ellipsis)}, n.Lbrace
			}
		case *ast.FuncLit:
			n.Body.List, n.Body.Rbrace = nil, n.Body.Lbrace
		}
		return true
	})
}
