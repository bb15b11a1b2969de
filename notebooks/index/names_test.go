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

// Why a name of the library is there that nobody uses outside its package.
const (
	layers      = "one of the layers, losses, models or schedules to choose from"
	foreign     = "for laws of other modules"
	exactness   = "states how exact numbers are"
	environment = "the name of an environment variable"
)

var exportedUnused = map[string]string{
	"accounting/command/badinput.Refused":               "the tests of commands use it",
	"accounting/numeric.MillsSlope":                     "twins in tests use it",
	"accounting/command/badinput.Repeated":              "the tests of messages use it",
	"dptune/dpsgd/nn.BinaryCrossEntropy":                layers,
	"accounting/selection/law.RegisterFormat":           foreign,
	"accounting/selection/monotone.DivergenceTolerance": exactness,
}

// TestExportedNamesHaveUsers looks, by name alone, for functions, types and constants of the library that no other package, no cell and no
// example mentions. A type may be reached through the declarations of its package, a constant through its type's other values.
func TestExportedNamesHaveUsers(t *testing.T) {
	const root = "../.."
	type name struct{ dir, name string }
	declared := map[name]token.Pos{}
	users := map[string]map[string]bool{} // of a name: the folders in whose code it follows a dot; "" for a cell or an example
	mention := func(word, dir string) {
		if users[word] == nil {
			users[word] = map[string]bool{}
		}
		users[word][dir] = true
	}
	fset := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && strings.HasPrefix(d.Name(), "."), d.IsDir() && d.Name() == "testdata":
			return filepath.SkipDir
		case strings.HasSuffix(path, ".ipynb"):
			text, err := os.ReadFile(path)
			for _, m := range regexp.MustCompile(`\.([A-Z]\w*)`).FindAllStringSubmatch(string(text), -1) {
				mention(m[1], "")
			}
			return err
		case !strings.HasSuffix(path, ".go"):
			return nil
		}
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		dir, test := filepath.ToSlash(filepath.Dir(path)), strings.HasSuffix(path, "_test.go")
		library := !test && file.Name.Name != "main" && !strings.Contains(dir, "/internal") && !strings.Contains(dir, "/notebooks")
		for _, decl := range file.Decls {
			f, isFunc := decl.(*ast.FuncDecl)
			from := dir
			if test {
				if !isFunc || !strings.HasPrefix(f.Name.Name, "Example") {
					continue
				}
				from = ""
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					mention(s.Sel.Name, from)
				}
				return true
			})
			if !library {
				continue
			}
			if isFunc && f.Recv == nil && f.Name.IsExported() {
				declared[name{dir, f.Name.Name}] = f.Pos()
			}
			if g, ok := decl.(*ast.GenDecl); ok {
				for _, spec := range g.Specs {
					if s, ok := spec.(*ast.ValueSpec); ok && len(g.Specs) == 1 {
						for _, id := range s.Names {
							if id.IsExported() && !strings.HasPrefix(id.Name, "Err") {
								declared[name{dir, id.Name}] = id.Pos()
							}
						}
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for d, pos := range declared {
		used := false
		for dir := range users[d.name] {
			used = used || dir != d.dir
		}
		short := strings.TrimPrefix(d.dir, root+"/") + "." + d.name
		if why := exportedUnused[short]; !used && why == "" {
			t.Errorf("%s: %s is exported, and no other package, no cell and no example uses it: must be unexported, or have an example (or a reason in exportedUnused)", fset.Position(pos), short)
		} else if used && why != "" {
			t.Logf("%s is used now: exportedUnused need not name it", short)
		}
	}
	if len(declared) < 300 {
		t.Errorf("only %d exported functions, variables and constants found: is the module at %s?", len(declared), root)
	}
}
