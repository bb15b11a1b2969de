package certificate_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// Only the packages below this one make a certificate. Others could claim a check that was not
// made.
func TestMakersOfCertificates(t *testing.T) {
	const root, makers = "../../..", "accounting/internal/certificate/"
	found := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != root {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if made := certificatesIn(file); made > 0 {
			if found += made; !strings.HasPrefix(filepath.ToSlash(name), makers) {
				t.Errorf("%s makes an accounting.Certificate: must be a package below %s", name, makers)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found == 0 {
		t.Error("no package makes a certificate: this test looks in the wrong place")
	}
}

// certificatesIn counts the literals of accounting.Certificate with fields.
func certificatesIn(file *ast.File) (count int) {
	inside := file.Name.Name == "accounting"
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if !ok || len(literal.Elts) == 0 {
			return true
		}
		switch kind := literal.Type.(type) {
		case *ast.SelectorExpr:
			if of, ok := kind.X.(*ast.Ident); ok && of.Name == "accounting" && kind.Sel.Name == "Certificate" {
				count++
			}
		case *ast.Ident:
			if inside && kind.Name == "Certificate" {
				count++
			}
		}
		return true
	})
	return count
}
