package nbformat

import (
	"go/scanner"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Imports returns the import paths that the code cells declare, in order.
func (n *Notebook) Imports() []string {
	paths := map[string]bool{}
	for _, c := range n.Code() {
		for _, path := range importsOf(c.Source) {
			paths[path] = true
		}
	}
	return slices.Sorted(maps.Keys(paths))
}

// importsOf scans for import declarations. A cell need not be a Go file: it may start with statements and with commands to
// GoNB, so it is read token by token and what is not Go is passed over.
func importsOf(source string) []string {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", fset.Base(), len(source)), []byte(source), func(token.Position, string) {}, 0)
	var paths []string
	inside, group := false, false
	for {
		_, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			return paths
		case tok == token.IMPORT:
			inside, group = true, false
		case inside && tok == token.LPAREN:
			group = true
		case inside && tok == token.STRING:
			if path, err := strconv.Unquote(text); err == nil && !strings.ContainsAny(path, " \\") {
				paths = append(paths, path)
			}
		case inside && (tok == token.IDENT || tok == token.PERIOD || tok == token.SEMICOLON && group):
		default:
			inside = false
		}
	}
}
