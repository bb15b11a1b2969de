// Package joint makes one program of the cells of a notebook. So a batch run links one program for
// each notebook, not one for each cell. Every cell still runs in its own process.
//
// GoNB composes a program for each cell: the declarations of all cells up to it, and a function
// main. Here it is called the cell's program. The joint program holds the declarations once, and
// every function main under another name. It runs the cell that the variable CellVariable names.
//
// A cell that the joint program runs does what the cell's program does:
//
//  1. The cell's program compiles. Join type-checks it.
//  2. Both have the same declarations. A cell is left out unless the last cell has each of its
//     declarations, letter for letter. So a cell is left out if a later one declares a name again.
//  3. Names mean the same. A cell is left out if it uses a predeclared name that the last cell
//     declares. If two cells import different packages under one name, the joint program does not
//     compile.
//  4. Types have the same methods. A cell is left out if a later cell adds a method to a type.
//  5. The same variables are set, in the same order. Package-level variables have no initial
//     value in the joint program. Its function main sets those that the cell's program has, in the
//     order of that program.
//  6. Arguments, input, outputs, folder and environment are those that GoNB gives, because GoNB
//     runs the cell. GoCommand puts the joint program in the place of the one that GoNB builds. It
//     does so only if GoNB has composed the program that was joined, byte for byte.
//
// For 5, the order in the cell's program is the order in the last cell's program, restricted to the
// cell's variables. Proof: Go repeatedly takes the first declared variable that is ready, which
// means that all variables it depends on are set. The set V of the cell's variables is closed under
// dependence, by 2. GoNB sorts variables by name, so V is declared in one order in both programs.
// When the last cell's program takes a member of V, no earlier member of V is ready. So it is the
// first ready one of V, whatever is set outside of V. By induction both orders of V are equal.
//
// Some things differ: the files and lines of the program, its path in os.Args[0], addresses, and
// the packages that only other cells import, whose init functions run too. The name of a generic
// type has another number if its argument is a type declared in main, such as main.List[main.T·2].
// If a cell fails, the caller runs the cell's program, so an error has the words of that program.
//
// Left out on purpose: cells with func init, var _ (GoNB keeps each, in a random order), an import
// named _ or ., cgo, or a call of main.
//
// It promises nothing to other modules.
package joint

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// CellVariable is the environment variable that names the cell. The joint program removes it before
// the cell begins.
const CellVariable = "DPLAB_CELL"

// Cell is the program that GoNB has composed for a cell.
type Cell struct {
	Number int // each its own
	Source string
}

// Program is a joint program.
type Program struct {
	Files map[string]string // name and source
	Cells []Cell            // that it runs
}

// Join makes one program of cells, in the order in which they ran. It leaves out the cells that it
// cannot join, and all cells from the first that does not compile. Fewer than two cells are an
// error. exports maps the path of each package that the cells import to its file of export data.
func Join(cells []Cell, exports map[string]string) (Program, error) {
	var all []*composed
	var why error
	imports := newImporter(exports)
	for _, cell := range cells {
		c, err := compose(cell, imports)
		if err != nil {
			why = fmt.Errorf("joint: cell [%d]: %w", cell.Number, err)
			break
		}
		all = append(all, c)
	}
	if len(all) < 2 {
		if why == nil {
			why = fmt.Errorf("joint: %d cells: must be at least two", len(all))
		}
		return Program{}, why
	}
	last := all[len(all)-1]
	all = slices.DeleteFunc(all, func(c *composed) bool {
		err := c.fits(last)
		if err != nil {
			why = fmt.Errorf("joint: cell [%d]: %w", c.Number, err)
		}
		return err != nil
	})
	if len(all) < 2 {
		return Program{}, why
	}
	p := Program{Files: map[string]string{"main.go": dispatch(all), "cells.go": declarations(all)}}
	for _, c := range all {
		p.Cells = append(p.Cells, c.Cell)
	}
	return p, nil
}

// declarations returns the file with the declarations of all cells and their functions main.
func declarations(all []*composed) string {
	last := all[len(all)-1]
	imports, names := map[string]bool{}, map[string]string{}
	for _, c := range all {
		maps.Copy(names, c.imports)
		for _, spec := range c.file.Imports {
			imports[c.text(spec)] = true
		}
	}
	var body strings.Builder
	for _, decl := range last.file.Decls {
		if keep(decl) {
			fmt.Fprintln(&body, last.text(decl))
		}
	}
	qualifier := func(p *types.Package) string {
		if p == last.pkg {
			return ""
		}
		if names[p.Path()] == "" { // the type of a variable, whose package no cell imports
			name := fmt.Sprintf("joint_import_%d", len(names))
			names[p.Path()] = name
			imports[name+" "+strconv.Quote(p.Path())] = true
		}
		return names[p.Path()]
	}
	for _, v := range last.variables {
		fmt.Fprintf(&body, "var %s %s\n", v.Name(), types.TypeString(v.Type(), qualifier))
	}
	for i, set := range last.initial {
		fmt.Fprintf(&body, "func joint_set_%d() { %s = %s }\n", i, strings.Join(set.names, ", "), set.value)
	}
	for _, c := range all {
		fmt.Fprintf(&body, "func joint_main_%d%s\n", c.Number, c.main)
	}
	return "package main\n\nimport (\n" + strings.Join(slices.Sorted(maps.Keys(imports)), "\n") + "\n)\n\n" + body.String()
}

// keep reports whether a declaration is written as it is. Functions main and variables are not.
func keep(decl ast.Decl) bool {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		return !isMain(d)
	case *ast.GenDecl:
		return d.Tok.String() == "type" || d.Tok.String() == "const"
	}
	return false
}

// dispatch returns the file with the function main of the joint program.
func dispatch(all []*composed) string {
	last := all[len(all)-1]
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport joint_os \"os\"\n\nfunc main() {\n\tcell := joint_os.Getenv(%q)\n\tjoint_os.Unsetenv(%q)\n\tswitch cell {\n", CellVariable, CellVariable)
	for _, c := range all {
		fmt.Fprintf(&b, "\tcase \"%d\":\n", c.Number)
		for i, set := range last.initial {
			if c.texts[set.text] {
				fmt.Fprintf(&b, "\t\tjoint_set_%d()\n", i)
			}
		}
		fmt.Fprintf(&b, "\t\tjoint_main_%d()\n", c.Number)
	}
	fmt.Fprintf(&b, "\tdefault:\n\t\tpanic(\"%s names no cell\")\n\t}\n}\n", CellVariable)
	return b.String()
}
