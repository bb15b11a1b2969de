package index

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every name that the table of the papers' theorems calls is exported by its package: a function, a type, or a method.
func TestTheoremsAreCallable(t *testing.T) {
	const root = "../.."
	page, err := os.ReadFile(root + "/accounting/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "<!-- theorems -->")
	table, _, _ = strings.Cut(table, "<!-- end of theorems -->")
	exported := map[string]bool{}
	for _, folder := range []string{"accounting", "dptune", "audit"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "internal" || d.Name() == "testdata"):
				return filepath.SkipDir
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, decl := range file.Decls {
				switch d := decl.(type) {
				case *ast.FuncDecl:
					name := d.Name.Name
					if d.Recv != nil {
						name = bareType(d.Recv.List[0].Type) + "." + name
					}
					exported[file.Name.Name+"."+name] = true
				case *ast.GenDecl:
					for _, spec := range d.Specs {
						if s, ok := spec.(*ast.TypeSpec); ok {
							exported[file.Name.Name+"."+s.Name.Name] = true
						}
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	calls := regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(table, -1)
	for _, call := range calls {
		if !exported[call[1]] || !ast.IsExported(call[1][strings.LastIndex(call[1], ".")+1:]) {
			t.Errorf("accounting/README.md: the table of theorems calls %s, which is not there", call[1])
		}
	}
	rows := 0
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) == 5 && !strings.Contains(line, "---") {
			if rows++; rows > 1 && !strings.Contains(cells[3], "`") {
				t.Errorf("no call in %s", line)
			}
		}
	}
	if rows < 25 || len(calls) < 50 {
		t.Errorf("%d rows with %d calls: is the table there?", rows, len(calls))
	}
}
