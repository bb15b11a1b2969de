package kernel

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// printed begins a print with the names of fields.
const printed = `fmt.Printf("%+v\n", `

// Shown returns the source of a cell that prints its last value, if the cell ends with a value that
// Go refuses as unused: an expression that is not a call. A cell that is only such an expression
// needs no %%. Other cells, and what is not Go, are returned unchanged. Lines keep their numbers
// below %%.
func Shown(source string) string {
	if HasCommand(source) {
		return source
	}
	above, below, found := strings.Cut("\n"+source, "\n%%\n")
	if !found {
		if x, err := parser.ParseExpr(source); err == nil && isValue(x) {
			return "%%\n" + printed + strings.TrimSpace(source) + ")"
		}
		return source
	}
	const head = "package p;func main() {"
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", head+below+"\n}", parser.SkipObjectResolution)
	if err != nil || len(file.Decls) != 1 {
		return source
	}
	body := file.Decls[0].(*ast.FuncDecl).Body.List
	if len(body) == 0 {
		return source
	}
	last, ok := body[len(body)-1].(*ast.ExprStmt)
	if !ok || !isValue(last.X) {
		return source
	}
	at := func(p token.Pos) int { return files.Position(p).Offset - len(head) }
	from, to := at(last.Pos()), at(last.End())
	return (above + "\n%%\n" + below[:from] + printed + below[from:to] + ")" + below[to:])[1:]
}

// isValue reports whether Go refuses an expression as a statement, whatever its type.
func isValue(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return isValue(x.X)
	case *ast.CallExpr, *ast.BadExpr, *ast.FuncLit:
		return false
	case *ast.UnaryExpr:
		return x.Op != token.ARROW
	}
	return true
}

// HasCommand reports whether a cell has a command to GoNB: a line that begins with ! or %, except
// for %%.
func HasCommand(source string) bool {
	for line := range strings.Lines(source) {
		line = strings.TrimPrefix(line, "//gonb:")
		if strings.HasPrefix(line, "!") || strings.HasPrefix(line, "%") && strings.Fields(line)[0] != "%%" {
			return true
		}
	}
	return false
}
