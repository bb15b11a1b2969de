package dptune

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The README's table of protocols is complete: it has a row for each type with a Run method, whose last cell names an example that
// is there.
func TestReadmeListsEveryProtocol(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	examples, protocols := map[string]bool{}, map[string]bool{}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			switch {
			case !ok:
			case f.Recv == nil && strings.HasPrefix(f.Name.Name, "Example"):
				examples[f.Name.Name] = true
			case f.Recv != nil && f.Name.Name == "Run":
				if receiver, ok := f.Recv.List[0].Type.(*ast.IndexListExpr); ok {
					protocols[receiver.X.(*ast.Ident).Name] = true
				}
			}
		}
	}
	for protocol := range protocols {
		_, row, found := strings.Cut(string(page), "\n| `"+protocol+"` | ")
		row, _, _ = strings.Cut(row, "\n")
		if example := "Example" + protocol; !found || !strings.Contains(row, "`"+example) || !examples[example] {
			t.Errorf("README.md has no row for %s with %s, which must be in the tests: %q", protocol, example, row)
		}
	}
	if len(protocols) < 5 {
		t.Errorf("protocols %v: want five at least", protocols)
	}
}
