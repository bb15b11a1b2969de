package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// listed is what go list -json prints of a package.
type listed struct {
	ImportPath, Name, Dir, Export string
	GoFiles                       []string
	Module                        *struct {
		Path string
		Main bool
	}
}

// exported returns the exported names of the module in root, sorted, one line each. They are those
// of a build for Linux on amd64 without cgo and tags.
func exported(root string) ([]string, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Name,Dir,Export,GoFiles,Module", "./...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	exports := map[string]string{}
	var promised []listed
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		exports[p.ImportPath] = p.Export
		if p.Module == nil || !p.Module.Main {
			continue
		}
		ok, err := promises(p)
		if err != nil {
			return nil, err
		}
		if ok {
			promised = append(promised, p)
		}
	}
	compiled := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		file := exports[path]
		if file == "" {
			return nil, fmt.Errorf("%s has no export data", path)
		}
		return os.Open(file)
	})
	var all []string
	for _, p := range promised {
		pkg, err := compiled.Import(p.ImportPath)
		if err != nil {
			return nil, err
		}
		all = append(all, printer{p.Module.Path, pkg}.names()...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// promisesNothing is in the comment of a package whose names may change at any time.
const promisesNothing = "It promises nothing to other modules."

// promises reports whether a package keeps its exported names from one version to the next.
func promises(p listed) (bool, error) {
	if len(p.GoFiles) == 0 || p.Name == "main" || slices.Contains(strings.Split(p.ImportPath, "/"), "internal") {
		return false, nil
	}
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			return false, err
		}
		if strings.Contains(strings.Join(strings.Fields(file.Doc.Text()), " "), promisesNothing) {
			return false, nil
		}
	}
	return true, nil
}

// printer prints the exported names of a package of module.
type printer struct {
	module string
	pkg    *types.Package
}

// qualifier writes nothing before names of the package itself, and the path of another package in
// the module before its names.
func (p printer) qualifier(pkg *types.Package) string {
	if pkg == p.pkg {
		return ""
	}
	return p.path(pkg)
}

func (p printer) path(pkg *types.Package) string {
	return strings.TrimPrefix(strings.TrimPrefix(pkg.Path(), p.module), "/")
}

// names returns the exported names, one line each.
func (p printer) names() []string {
	var all []string
	add := func(format string, args ...any) {
		all = append(all, p.path(p.pkg)+", "+fmt.Sprintf(format, args...))
	}
	for _, name := range p.pkg.Scope().Names() {
		if !ast.IsExported(name) {
			continue
		}
		switch o := p.pkg.Scope().Lookup(name).(type) {
		case *types.Const:
			add("const %s %s", name, p.typ(o.Type()))
		case *types.Var:
			add("var %s %s", name, p.typ(o.Type()))
		case *types.Func:
			s := o.Signature()
			add("func %s%s%s", name, p.params(s.TypeParams()), p.signature(s))
		case *types.TypeName:
			p.typeNames(o, add)
		}
	}
	return all
}

// typeNames adds a type, its fields and its methods, those of embedded fields included.
func (p printer) typeNames(o *types.TypeName, add func(string, ...any)) {
	name := o.Name()
	if o.IsAlias() {
		add("type %s = %s", name, p.typ(types.Unalias(o.Type())))
		return
	}
	named := o.Type().(*types.Named)
	name += p.params(named.TypeParams())
	switch u := named.Underlying().(type) {
	case *types.Struct:
		add("type %s struct", name)
		for f := range u.Fields() {
			if f.Exported() {
				add("type %s struct, %s %s", name, f.Name(), p.typ(f.Type()))
			}
		}
	case *types.Interface:
		add("type %s interface {%s}", name, p.interfaceMethods(u))
		for m := range u.Methods() {
			if m.Exported() {
				add("method (%s) %s%s", o.Name(), m.Name(), p.signature(m.Signature()))
			}
		}
		return
	default:
		add("type %s %s", name, p.typ(u))
	}
	values := types.NewMethodSet(named)
	for s := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		m := s.Obj().(*types.Func)
		if !m.Exported() {
			continue
		}
		receiver := o.Name()
		if values.Lookup(m.Pkg(), m.Name()) == nil {
			receiver = "*" + receiver
		}
		add("method (%s) %s%s", receiver, m.Name(), p.signature(s.Type().(*types.Signature)))
	}
}

// interfaceMethods lists what another package must implement, and only that there is something
// which it cannot if a method is unexported.
func (p printer) interfaceMethods(u *types.Interface) string {
	var all []string
	for m := range u.Methods() {
		if !m.Exported() {
			return "unexported methods"
		}
		all = append(all, m.Name())
	}
	for t := range u.EmbeddedTypes() {
		if _, ok := t.Underlying().(*types.Interface); !ok {
			all = append(all, p.typ(t))
		}
	}
	return strings.Join(all, ", ")
}

// params prints type parameters with their constraints.
func (p printer) params(list *types.TypeParamList) string {
	if list.Len() == 0 {
		return ""
	}
	var all []string
	for t := range list.TypeParams() {
		all = append(all, t.Obj().Name()+" "+p.typ(t.Constraint()))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// signature prints parameters and results without their names.
func (p printer) signature(s *types.Signature) string {
	var in, out []string
	for v := range s.Params().Variables() {
		in = append(in, p.typ(v.Type()))
	}
	if s.Variadic() {
		in[len(in)-1] = "..." + strings.TrimPrefix(in[len(in)-1], "[]")
	}
	for v := range s.Results().Variables() {
		out = append(out, p.typ(v.Type()))
	}
	text := "(" + strings.Join(in, ", ") + ")"
	switch len(out) {
	case 0:
		return text
	case 1:
		return text + " " + out[0]
	}
	return text + " (" + strings.Join(out, ", ") + ")"
}

// typ prints a type, with the names of parameters left out of functions.
func (p printer) typ(t types.Type) string {
	switch t := t.(type) {
	case *types.Pointer:
		return "*" + p.typ(t.Elem())
	case *types.Slice:
		return "[]" + p.typ(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), p.typ(t.Elem()))
	case *types.Map:
		return "map[" + p.typ(t.Key()) + "]" + p.typ(t.Elem())
	case *types.Signature:
		return "func" + p.signature(t)
	}
	return types.TypeString(t, p.qualifier)
}
