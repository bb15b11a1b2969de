package input

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/dplab/dplab/accounting/selection/law"
)

// flagOf returns the flag of a parameter. That of a law inside another one is not -law.
func flagOf(p law.Parameter) string {
	if p.Kind == law.Inner {
		return "of"
	}
	return p.Name
}

// fieldOfLaw is how an error of package law begins: with a field of a type, or a parameter.
var fieldOfLaw = regexp.MustCompile(`^(?:eventjson: |law: )+(?:law\.)?(?:[A-Z]\w*\.)?(\w+)(\[\d+\])?:?`)

// byFlags returns the errors of package law with the flags in the place of its fields.
func (l *Law) byFlags(err error) error {
	var errs []error
	for _, line := range strings.Split(err.Error(), "\n") {
		m := fieldOfLaw.FindStringSubmatch(line)
		if m == nil {
			errs = append(errs, errors.New(line))
			continue
		}
		errs = append(errs, fmt.Errorf("-%s%s%s", l.flagNamed(m[1]), m[2], strings.TrimPrefix(line, m[0])))
	}
	return errors.Join(errs...)
}

// flagNamed returns the flag of a field: a parameter begins the field's name.
func (l *Law) flagNamed(field string) string {
	field = strings.ToLower(field)
	for _, f := range l.formats() {
		for _, p := range f.Parameters {
			if strings.HasPrefix(field, p.Name) {
				return flagOf(p)
			}
		}
	}
	return field
}

// lawNames returns the laws that there are, for messages.
func lawNames() string {
	var names []string
	for _, f := range law.Formats() {
		names = append(names, f.Name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Parameters returns the parameters of a law, each behind the prefix: flags behind "-", fields of
// JSON behind nothing.
func Parameters(f law.Format, prefix string) string {
	var list []string
	for _, p := range f.Parameters {
		name := prefix + p.Name
		if prefix != "" {
			name = prefix + flagOf(p)
		}
		if p.Instead != "" {
			list[len(list)-1] += " or " + name
			continue
		}
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}
