package input

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/selection/law"
)

// byMean are the laws that have a name in package law and no format. Each is a TNB given by its
// mean.
var byMean = map[string]func(mean float64) (law.TNB, error){"geometric": law.Geometric, "logarithmic": law.Logarithmic}

// Laws returns the laws of -law, sorted by name: all that package law can read, and the geometric
// and the logarithmic one by their mean.
func Laws() []law.Format {
	list := law.Formats()
	for name := range byMean {
		list = append(list, law.Format{Name: name, Parameters: []law.Parameter{{Name: "mean", Kind: law.Number}}})
	}
	slices.SortFunc(list, func(f, g law.Format) int { return cmp.Compare(f.Name, g.Name) })
	return list
}

// lawNamed returns the law with this name, and whether there is one.
func lawNamed(name string) (law.Format, bool) {
	laws := Laws()
	if at := slices.IndexFunc(laws, func(f law.Format) bool { return f.Name == name }); at >= 0 {
		return laws[at], true
	}
	return law.Format{}, false
}

// flagOf returns the flag of a parameter. For a law inside another one it is -of.
func flagOf(p law.Parameter) string {
	if p.Kind == law.Inner {
		return "of"
	}
	return p.Name
}

// fieldOfLaw matches the start of an error of package law: a field of a type, or a parameter.
var fieldOfLaw = regexp.MustCompile(`^(?:eventjson: |law: )+(?:law\.)?(?:[A-Z]\w*\.)?(\w+)(\[\d+\])?:?`)

// useFixed is the advice of package law for a fixed number of runs.
var useFixed = regexp.MustCompile(`use [Ff]ixed`)

// byFlags returns the errors of package law with flags instead of fields.
func (l *Law) byFlags(err error) error {
	var errs []error
	for _, line := range strings.Split(err.Error(), "\n") {
		m := fieldOfLaw.FindStringSubmatch(line)
		if m == nil {
			errs = append(errs, errors.New(line))
			continue
		}
		rest := useFixed.ReplaceAllString(strings.TrimPrefix(line, m[0]), "use -law fixed")
		errs = append(errs, fmt.Errorf("-%s%s%s", l.flagNamed(m[1]), m[2], rest))
	}
	return errors.Join(errs...)
}

// flagNamed returns the flag of a field. The field's name begins with the parameter.
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

// lawNames returns the names of all laws, for messages.
func lawNames() string {
	var names []string
	for _, f := range Laws() {
		names = append(names, f.Name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Parameters returns the parameters of a law, each after the prefix: "-" for flags, "" for JSON
// fields.
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
