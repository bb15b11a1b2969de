package law_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/internal/enumerate"
)

// Every law of this package keeps the contract, and so does one of another package.
func TestContract(t *testing.T) {
	for _, l := range enumerate.Laws {
		keepsContract(t, l)
	}
	keepsContract(t, zipf{Most: 100, Exponent: 1.5})
}

// A type of this package that is a law is among those that TestContract runs.
func TestEveryLawIsInTheContract(t *testing.T) {
	run := map[string]bool{}
	for _, l := range enumerate.Laws {
		run[reflect.TypeOf(l).Name()] = true
	}
	declared := lawsOf(t, ".")
	if len(declared) < 9 {
		t.Fatalf("laws %v: the package has at least nine", declared)
	}
	for _, name := range declared {
		if !run[name] {
			t.Errorf("law.%s: must be in enumerate.Laws, which TestContract checks", name)
		}
	}
}

// lawsOf returns the exported types of a folder with a method Distribution.
func lawsOf(t *testing.T, folder string) (names []string) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			method, ok := decl.(*ast.FuncDecl)
			if !ok || method.Recv == nil || method.Name.Name != "Distribution" {
				continue
			}
			if of, ok := method.Recv.List[0].Type.(*ast.Ident); ok && of.IsExported() {
				names = append(names, of.Name)
			}
		}
	}
	return names
}
