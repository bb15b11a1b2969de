package joint

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"runtime"
)

// composed is a cell's program, parsed and type-checked.
type composed struct {
	Cell
	file      *ast.File
	files     *token.FileSet
	pkg       *types.Package
	info      types.Info
	texts     map[string]bool   // its declarations, as they are written
	imports   map[string]string // path and name
	main      string            // its function main, from the parameters on
	variables []*types.Var      // of the package
	initial   []initial         // in the order in which they are set
}

// initial is the initial value of one variable, or of several that one call sets.
type initial struct {
	names       []string
	value, text string // text is the whole declaration
}

// newImporter returns an importer that reads the files of export data.
func newImporter(exports map[string]string) types.Importer {
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		file := exports[path]
		if file == "" {
			return nil, fmt.Errorf("package %s: no export data", path)
		}
		return os.Open(file)
	})
}

// compose parses and type-checks a cell's program.
func compose(cell Cell, imports types.Importer) (*composed, error) {
	c := &composed{Cell: cell, files: token.NewFileSet(), texts: map[string]bool{}, imports: map[string]string{}}
	c.info = types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{}}
	var err error
	if c.file, err = parser.ParseFile(c.files, "main.go", cell.Source, parser.ParseComments|parser.SkipObjectResolution); err != nil {
		return nil, err
	}
	config := types.Config{Importer: imports, Sizes: types.SizesFor("gc", runtime.GOARCH)}
	if c.pkg, err = config.Check("main", c.files, []*ast.File{c.file}, &c.info); err != nil {
		return nil, err
	}
	for _, spec := range c.file.Imports {
		if spec.Name != nil && (spec.Name.Name == "_" || spec.Name.Name == ".") || spec.Path.Value == `"C"` {
			return nil, fmt.Errorf("import %s: must not be named _ or ., and not be C", c.text(spec))
		}
		name := c.info.Implicits[spec]
		if spec.Name != nil {
			name = c.info.Defs[spec.Name]
		}
		c.imports[name.(*types.PkgName).Imported().Path()] = name.Name()
	}
	values := map[ast.Expr]string{} // and the declaration of each
	for _, decl := range c.file.Decls {
		if err := c.declared(decl, values); err != nil {
			return nil, err
		}
	}
	for _, init := range c.info.InitOrder {
		set := initial{value: c.text(init.Rhs), text: values[init.Rhs]}
		for _, v := range init.Lhs {
			set.names = append(set.names, v.Name())
		}
		c.initial = append(c.initial, set)
	}
	return c, nil
}

// declared reads one declaration. It adds the initial values of variables to values.
func (c *composed) declared(decl ast.Decl, values map[ast.Expr]string) error {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		switch {
		case isMain(d):
			c.main = c.Source[c.offset(d.Name.End()):c.offset(d.End())]
		case d.Recv == nil && d.Name.Name == "init":
			return errors.New("func init: must not be declared")
		default:
			c.texts[c.text(d)] = true
		}
	case *ast.GenDecl:
		if d.Tok == token.TYPE || d.Tok == token.CONST {
			c.texts[c.text(d)] = true
		}
		for _, spec := range d.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR {
				text := "var " + c.text(v)
				c.texts[text] = true
				for _, value := range v.Values {
					values[value] = text
				}
				for _, name := range v.Names {
					if name.Name == "_" {
						return errors.New("var _: must not be declared")
					}
					c.variables = append(c.variables, c.info.Defs[name].(*types.Var))
				}
			}
		}
	}
	return nil
}

// isMain reports whether a function is the function main.
func isMain(f *ast.FuncDecl) bool { return f.Recv == nil && f.Name.Name == "main" }

// fits returns the reason why the cell cannot run in a program with the declarations of the last
// cell. The package comment numbers the rules.
func (c *composed) fits(last *composed) error {
	for text := range c.texts {
		if !last.texts[text] { // rule 2
			return fmt.Errorf("a later cell changes its declaration %q", text)
		}
	}
	for name, object := range c.info.Uses {
		switch {
		case object == c.pkg.Scope().Lookup("main"):
			return errors.New("it uses the name main")
		case object.Parent() == types.Universe && last.pkg.Scope().Lookup(name.Name) != nil: // rule 3
			return fmt.Errorf("a later cell declares %s, which it uses as predeclared", name.Name)
		}
	}
	for _, name := range c.pkg.Scope().Names() {
		own, ok := c.pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		if a, b := methods(own), methods(last.pkg.Scope().Lookup(name)); a != b { // rule 4; by rule 2 its own are among them
			return fmt.Errorf("a later cell adds a method to type %s", name)
		}
	}
	return nil
}

// methods returns the number of methods that are declared for a type.
func methods(of types.Object) int {
	if named, ok := types.Unalias(of.Type()).(*types.Named); ok && named.Obj().Pkg() == of.Pkg() {
		return named.NumMethods()
	}
	return 0
}

// text returns a part of the source. That of a function includes its comment, which may hold a
// directive.
func (c *composed) text(node ast.Node) string {
	from := node.Pos()
	if f, ok := node.(*ast.FuncDecl); ok && f.Doc != nil {
		from = f.Doc.Pos()
	}
	return c.Source[c.offset(from):c.offset(node.End())]
}

func (c *composed) offset(at token.Pos) int { return c.files.PositionFor(at, false).Offset }
