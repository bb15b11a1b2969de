package failure

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// declared returns the names that a cell declares for later cells, each with the line that does.
func declared(source string) map[string]string {
	above, _, _ := strings.Cut("\n"+source, "\n%%")
	lines := strings.Split(above, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "%") || strings.HasPrefix(line, "!") {
			lines[i] = "" // a command to GoNB
		}
	}
	files := token.NewFileSet()
	file, _ := parser.ParseFile(files, "", "package p\n"+strings.Join(lines, "\n"), parser.SkipObjectResolution) // what is not Go is left out
	out := map[string]string{}
	if file == nil {
		return out
	}
	add := func(id *ast.Ident) {
		if line := files.Position(id.Pos()).Line - 2; line >= 0 && line < len(lines) && id.Name != "_" {
			out[id.Name] = strings.TrimSpace(lines[line])
		}
	}
	for _, d := range file.Decls {
		eachName(d, add)
	}
	return out
}

// eachName calls add for each name that a top-level declaration declares, except methods.
func eachName(d ast.Decl, add func(*ast.Ident)) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			add(d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				add(spec.Name)
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					add(id)
				}
			}
		}
	}
}

// packages returns the folders of the repository's packages by the last element of their paths.
func (c Cells) packages() map[string][]string {
	if c.Root == "" {
		return nil
	}
	return packagesBelow(c.Root, "testdata", "internal", "lab", "out")
}

// goPackages returns the folders of Go's own packages. It is empty without a go command.
var goPackages = sync.OnceValue(func() map[string][]string {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil
	}
	return packagesBelow(filepath.Join(strings.TrimSpace(string(root)), "src"), "testdata", "internal", "vendor", "cmd", "builtin")
})

var version = regexp.MustCompile(`^v\d+$`)

// packagesBelow returns the folders with packages by the names of the packages. It leaves out the
// folders with the given names.
func packagesBelow(root string, without ...string) map[string][]string {
	out := map[string][]string{}
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error { // what cannot be read is left out
		if err != nil || !entry.IsDir() {
			return nil
		}
		name := entry.Name()
		if path != root && (strings.HasPrefix(name, ".") || slices.Contains(without, name)) {
			return filepath.SkipDir
		}
		if version.MatchString(name) { // as math/rand/v2
			name = filepath.Base(filepath.Dir(path))
		}
		if sources, _ := filepath.Glob(filepath.Join(path, "*.go")); len(sources) > 0 {
			out[name] = append(out[name], path)
		}
		return nil
	})
	return out
}

// exported returns the exported names of the repository's packages of a name, or the exported
// fields and methods of one of their types.
func (c Cells) exported(pkg, typ string) []string { return exportedIn(c.packages()[pkg], typ) }

// exportedIn returns the exported names of the packages in these folders, or the exported fields
// and methods of one of their types.
func exportedIn(folders []string, typ string) (names []string) {
	add := func(id *ast.Ident) {
		if id.IsExported() {
			names = append(names, id.Name)
		}
	}
	for _, folder := range folders {
		entries, _ := os.ReadDir(folder) // what cannot be read is left out
		for _, entry := range entries {
			if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, entry.Name()), nil, parser.SkipObjectResolution)
			if err != nil {
				continue
			}
			for _, d := range file.Decls {
				if typ == "" {
					eachName(d, add)
				} else {
					eachMember(d, typ, add)
				}
			}
		}
	}
	return names
}

// eachMember calls add for each field and method of the type that a declaration declares.
func eachMember(d ast.Decl, typ string, add func(*ast.Ident)) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil && len(d.Recv.List) == 1 && baseName(d.Recv.List[0].Type) == typ {
			add(d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			t, ok := spec.(*ast.TypeSpec)
			if !ok || t.Name.Name != typ {
				continue
			}
			fields := &ast.FieldList{}
			switch u := t.Type.(type) {
			case *ast.StructType:
				fields = u.Fields
			case *ast.InterfaceType:
				fields = u.Methods
			}
			for _, f := range fields.List {
				for _, id := range f.Names {
					add(id)
				}
			}
		}
	}
}

// baseName returns the name of a type, without pointer and type parameters.
func baseName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return baseName(e.X)
	case *ast.IndexExpr:
		return baseName(e.X)
	case *ast.IndexListExpr:
		return baseName(e.X)
	}
	return ""
}

// nearest returns the names that a misspelt one may have meant: those at the smallest distance, at
// most two, or none if all are too far. A name that contains the misspelt one, or is contained in
// it, is taken if no name is nearer.
func nearest(wrong string, names []string) (near []string) {
	farthest := max(1, len(wrong)/4)
	if len(wrong) < 3 {
		farthest = 0 // capitals only
	}
	least := farthest + 1
	for _, name := range names {
		a, b := strings.ToLower(wrong), strings.ToLower(name)
		d := distance(a, b)
		if d > farthest && min(len(a), len(b)) > 3 && (strings.Contains(a, b) || strings.Contains(b, a)) {
			d = farthest + 1
		} else if d > farthest {
			continue
		}
		if d < least {
			least, near = d, nil
		}
		if d == least && !slices.Contains(near, name) {
			near = append(near, name)
		}
	}
	slices.SortFunc(near, func(a, b string) int {
		return cmp.Or(len(a)-len(b), strings.Compare(a, b))
	})
	return near[:min(2, len(near))]
}

// distance returns how many letters must be inserted, removed, replaced or swapped with their
// neighbor to turn a into b, each at most once (optimal string alignment).
func distance(a, b string) int {
	row := func() []int { return make([]int, len(b)+1) }
	before, last, now := row(), row(), row()
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		now[0] = i
		for j := 1; j <= len(b); j++ {
			differ := 1
			if a[i-1] == b[j-1] {
				differ = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+differ)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		before, last, now = last, now, before
	}
	return last[len(b)]
}
