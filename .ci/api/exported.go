package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// exported returns the exported names of packages of the module in root, sorted, one line each.
// They are those of a build for Linux on amd64 without cgo and tags.
func exported(root string, packages []string) ([]string, error) {
	list := func(args ...string) ([]string, error) {
		cmd := exec.Command("go", append([]string{"list"}, args...)...)
		cmd.Dir, cmd.Stderr = root, os.Stderr
		cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOWORK=off")
		text, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list %s: %w", strings.Join(args, " "), err)
		}
		return strings.Fields(string(text)), nil
	}
	args := []string{"-export", "-deps", "-f", "{{if .Export}}{{.ImportPath}} {{.Export}}{{end}}"}
	for _, folder := range packages {
		args = append(args, "./"+folder)
	}
	listed, err := list(args...)
	if err != nil {
		return nil, err
	}
	module, err := list("-m")
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for pair := range slices.Chunk(listed, 2) {
		exports[pair[0]] = pair[1]
	}
	compiled := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	var all []string
	for _, folder := range packages {
		pkg, err := compiled.Import(module[0] + "/" + folder)
		if err != nil {
			return nil, err
		}
		all = append(all, printer{module[0], pkg}.names()...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// printer prints the exported names of a package of module.
type printer struct {
	module string
	pkg    *types.Package
}

func (p printer) path(pkg *types.Package) string {
	return strings.TrimPrefix(strings.TrimPrefix(pkg.Path(), p.module), "/")
}

// typ prints a type, with the names of parameters left out of functions, and without the path of
// this package and of the module.
func (p printer) typ(t types.Type) string {
	return types.TypeString(unnamed(t), func(pkg *types.Package) string {
		if pkg == p.pkg {
			return ""
		}
		return p.path(pkg)
	})
}

// signature prints the parameters and results of a function.
func (p printer) signature(t types.Type) string { return strings.TrimPrefix(p.typ(t), "func") }

// unnamed returns a type without the names of parameters.
func unnamed(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.Pointer:
		return types.NewPointer(unnamed(t.Elem()))
	case *types.Slice:
		return types.NewSlice(unnamed(t.Elem()))
	case *types.Array:
		return types.NewArray(unnamed(t.Elem()), t.Len())
	case *types.Map:
		return types.NewMap(unnamed(t.Key()), unnamed(t.Elem()))
	case *types.Signature:
		tuple := func(list *types.Tuple) *types.Tuple {
			var all []*types.Var
			for v := range list.Variables() {
				all = append(all, types.NewParam(token.NoPos, nil, "", unnamed(v.Type())))
			}
			return types.NewTuple(all...)
		}
		return types.NewSignatureType(nil, nil, nil, tuple(t.Params()), tuple(t.Results()), t.Variadic())
	}
	return t
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
			add("func %s%s%s", name, p.params(o.Signature().TypeParams()), p.signature(o.Type()))
		case *types.TypeName:
			p.typeNames(o, add)
		}
	}
	return all
}

// typeNames adds a type, its fields and its methods, those of embedded fields included.
func (p printer) typeNames(o *types.TypeName, add func(string, ...any)) {
	if o.IsAlias() {
		add("type %s = %s", o.Name(), p.typ(types.Unalias(o.Type())))
		return
	}
	named := o.Type().(*types.Named)
	name := o.Name() + p.params(named.TypeParams())
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
				add("method (%s) %s%s", o.Name(), m.Name(), p.signature(m.Type()))
			}
		}
		return
	default:
		add("type %s %s", name, p.typ(u))
	}
	values := types.NewMethodSet(named)
	for s := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		m := s.Obj()
		if !m.Exported() {
			continue
		}
		receiver := o.Name()
		if values.Lookup(m.Pkg(), m.Name()) == nil {
			receiver = "*" + receiver
		}
		add("method (%s) %s%s", receiver, m.Name(), p.signature(s.Type()))
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
		if !types.IsInterface(t) {
			all = append(all, p.typ(t))
		}
	}
	return strings.Join(all, ", ")
}

// params prints type parameters with their constraints.
func (p printer) params(list *types.TypeParamList) string {
	var all []string
	for t := range list.TypeParams() {
		all = append(all, t.Obj().Name()+" "+p.typ(t.Constraint()))
	}
	if all == nil {
		return ""
	}
	return "[" + strings.Join(all, ", ") + "]"
}
