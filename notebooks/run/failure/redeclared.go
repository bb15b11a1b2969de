package failure

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
)

var (
	// misfit matches the compiler's complaints about a name that has another type than its user
	// expects.
	misfit = regexp.MustCompile(`cannot use |arguments in call to \w+\n|assignment mismatch: |mismatched types|` +
		`cannot call |used as value|is not a type|has no field or method|unknown field |invalid operation: |cannot range over `)
	word = regexp.MustCompile(`\w+`)
)

// redeclared is the hint for a name that two cells declare in different ways, if the error is about
// the type of the name. Otherwise it is the empty string. The later declaration holds, and the
// error may be in a cell that uses the earlier one.
func (c Cells) redeclared(said string) string {
	if !misfit.MatchString(said) {
		return ""
	}
	earlier := slices.Clone(c.Earlier)
	slices.SortFunc(earlier, func(a, b Ran) int { return cmp.Compare(b.Number, a.Number) }) // the latest first
	own, used := declared(c.Failed), map[string]bool{}
	for _, name := range word.FindAllString(said, -1) {
		if used[name] {
			continue
		}
		used[name] = true
		now, where := own[name], "this cell"
		for _, ran := range earlier {
			line := declared(ran.Source)[name]
			switch {
			case line == "" || line == now:
			case now == "":
				now, where = line, fmt.Sprintf("cell [%d]", ran.Number)
			default:
				return fmt.Sprintf("%s is declared twice, and the later one holds: in cell [%d] as “%s”, in %s as “%s”. Rename one, or change the cells that use it.",
					name, ran.Number, line, where, now)
			}
		}
	}
	return ""
}
