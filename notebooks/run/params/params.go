// Package params reads and overrides the parameters of a notebook. They are the variables of the
// cell tagged "parameters", each declared by itself with a plain value:
//
//	var (
//		profile = "quick"
//		seeds   = 5
//	)
//
// An override is a cell that declares some of them again. In GoNB the later declaration wins. The
// cell is tagged "injected-parameters" and comes right after the parameters.
//
// It promises nothing to other modules.
package params

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dplab/dplab/accounting/check"
)

// The tags of the two cells.
const (
	Tag         = "parameters"
	InjectedTag = "injected-parameters"
)

// Parameter is one declared parameter.
type Parameter struct {
	Name    string
	Value   string // the Go literal
	keyword string // "var" or "const"
	goType  string // declared type, or empty
	kind    token.Token
	fault   string // why it cannot be set, or empty
}

// Set is the parameters of one notebook, by name.
type Set map[string]Parameter

// Parse reads the source of a parameters cell.
func Parse(source string) (Set, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+goLines(source), parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("params: the parameters cell is not Go: %w", err)
	}
	set := Set{}
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.VAR && gen.Tok != token.CONST {
			continue
		}
		for _, spec := range gen.Specs {
			set.add(gen.Tok.String(), spec.(*ast.ValueSpec))
		}
	}
	return set, nil
}

// goLines blanks the lines that are commands to GoNB. The number of lines stays the same.
func goLines(source string) string {
	lines := strings.Split(source, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "%") || strings.HasPrefix(line, "!") {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

func (s Set) add(keyword string, spec *ast.ValueSpec) {
	for _, name := range spec.Names {
		p := Parameter{Name: name.Name, keyword: keyword}
		if ident, ok := spec.Type.(*ast.Ident); ok {
			p.goType = ident.Name
		}
		switch {
		case len(spec.Names) != 1 || len(spec.Values) != 1:
			p.fault = "is not declared by itself with one value"
		case spec.Type != nil && p.goType == "":
			p.fault = "has a composite type"
		default:
			p.Value, p.kind = literal(spec.Values[0])
			if p.kind == token.ILLEGAL {
				p.fault = "has a value that is not a plain text, number or truth value"
			}
		}
		s[p.Name] = p
	}
}

// literal returns the text and the kind (STRING, INT, FLOAT, or IDENT for a truth value) of a plain
// value.
func literal(e ast.Expr) (string, token.Token) {
	switch v := e.(type) {
	case *ast.BasicLit:
		if v.Kind == token.STRING || v.Kind == token.INT || v.Kind == token.FLOAT {
			return v.Value, v.Kind
		}
	case *ast.Ident:
		if v.Name == "true" || v.Name == "false" {
			return v.Name, token.IDENT
		}
	case *ast.UnaryExpr:
		if text, kind := literal(v.X); v.Op == token.SUB && (kind == token.INT || kind == token.FLOAT) {
			return "-" + text, kind
		}
	}
	return "", token.ILLEGAL
}

// Names returns the names in order.
func (s Set) Names() []string { return slices.Sorted(maps.Keys(s)) }

// Text returns the value of a text parameter, unquoted, and whether it is one.
func (s Set) Text(name string) (string, bool) {
	p, ok := s[name]
	if !ok || p.kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(p.Value)
	return text, err == nil
}

// Inject returns the source of a cell that declares the given parameters again. Values are written
// as in a shell: a text has no quotes. A parameter that is not declared, or a value that does not
// fit the declared one, is an error.
func (s Set) Inject(values map[string]string) (string, error) {
	var lines []string
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(values)) {
		p, ok := s[name]
		if !ok {
			errs = append(errs, fmt.Errorf("params: %s: must be one of the declared parameters: %s", name, strings.Join(s.Names(), ", ")))
			continue
		}
		value, err := p.render(values[name])
		if err != nil {
			errs = append(errs, err)
			continue
		}
		declared := p.Name
		if p.goType != "" {
			declared += " " + p.goType
		}
		lines = append(lines, fmt.Sprintf("%s %s = %s", p.keyword, declared, value))
	}
	return strings.Join(lines, "\n"), errors.Join(errs...)
}

// render returns value as a Go literal of the parameter's kind.
func (p Parameter) render(value string) (string, error) {
	bad := func(rule string) error { return fmt.Errorf("params: %s = %q: must be %s", p.Name, value, rule) }
	switch {
	case p.fault != "":
		return "", fmt.Errorf("params: %s cannot be set: it %s", p.Name, p.fault)
	case p.kind == token.STRING:
		return strconv.Quote(value), nil
	case p.kind == token.INT && !strings.HasPrefix(p.goType, "float"):
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return "", bad("an integer in decimal digits, as the declared " + p.Value)
		}
		return strconv.FormatInt(n, 10), nil // in Go 010 is 8
	case p.kind == token.IDENT:
		if value != "true" && value != "false" {
			return "", bad("true or false")
		}
		return value, nil
	}
	v, err := check.Decimal(value)
	if err != nil {
		return "", fmt.Errorf("params: %s = %q: %w, as the declared %s", p.Name, value, err, p.Value)
	}
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0" // stays a float if the type comes from the value
	}
	return text, nil
}
