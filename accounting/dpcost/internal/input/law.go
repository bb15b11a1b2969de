package input

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/dpcost/internal/flags"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Law is the flags of the law of the number of runs. -law names it, and -of the law inside it. Each
// parameter of a law that package law can read has a flag. A list has commas between its numbers.
// See Laws for the names.
type Law struct {
	Name, Of flags.Word
	numbers  map[string]*flags.Number
	lists    map[string]*flags.Word
}

// defaults are the values of optional parameters. With eta 0, TNB is the logarithmic law.
var defaults = map[string]float64{"eta": 0}

// Define adds the flags. Count is the flag -count. A law without this parameter leaves it to the
// base.
func (l *Law) Define(set *flag.FlagSet, count *flags.Number) {
	l.numbers, l.lists = map[string]*flags.Number{"count": count}, map[string]*flags.Word{}
	set.Var(&l.Name, "law", "")
	for _, f := range law.Formats() {
		for _, p := range f.Parameters {
			switch name := p.Name; {
			case set.Lookup(flagOf(p)) != nil:
			case p.Kind == law.Inner:
				set.Var(&l.Of, flagOf(p), "")
			case p.Kind == law.List:
				l.lists[name] = new(flags.Word)
				set.Var(l.lists[name], name, "")
			default:
				l.numbers[name] = cmp.Or(l.numbers[name], new(flags.Number))
				set.Var(l.numbers[name], name, "")
			}
		}
	}
}

// TakesCount reports whether -count is a parameter of the law.
func (l *Law) TakesCount() bool {
	return slices.ContainsFunc(l.formats(), func(f law.Format) bool {
		return slices.ContainsFunc(f.Parameters, func(p law.Parameter) bool { return p.Name == "count" })
	})
}

// formats returns the formats of the law of -law, and of the law inside it.
func (l *Law) formats() (list []law.Format) {
	for _, name := range []string{l.Name.Text, l.Of.Text} {
		if f, ok := lawNamed(name); ok {
			list = append(list, f)
		}
	}
	return list
}

// Law returns the law, from the flags that belong to it.
func (l *Law) Law() (law.Law, error) {
	if !l.Name.Given {
		return nil, fmt.Errorf("-law is missing: it is required, and must be %s", lawNames())
	}
	object, err := l.object("law", l.Name.Text)
	if err := errors.Join(err, l.refuseOthers()); err != nil {
		return nil, err
	}
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	o := eventjson.NewObject(text)
	k := law.Read(o)
	if err := o.Err(); err != nil {
		return nil, l.byFlags(err)
	}
	if err := k.Validate(); err != nil {
		return nil, l.byFlags(err)
	}
	return k, nil
}

// object returns the JSON object of the law with this name. named is the flag that has the name.
func (l *Law) object(named, name string) (map[string]any, error) {
	f, ok := lawNamed(name)
	if !ok {
		return nil, fmt.Errorf("-%s %q: must be %s", named, name, lawNames())
	}
	if mean := l.numbers["mean"]; byMean[name] != nil && mean.Given {
		k, err := byMean[name](mean.Value)
		if err != nil {
			return nil, l.byFlags(err)
		}
		return map[string]any{"type": "tnb", "eta": k.Eta, "gamma": k.Gamma}, nil
	}
	object := map[string]any{"type": name}
	var errs []error
	for _, p := range f.Parameters {
		value, err := l.value(p)
		if value != nil {
			object[p.Name] = value
		}
		errs = append(errs, err)
	}
	for _, p := range f.Parameters {
		errs = append(errs, l.checkGiven(f, p, object))
	}
	return object, errors.Join(errs...)
}

// checkGiven returns an error unless the object of a law has the parameter or one that replaces it,
// and not both.
func (l *Law) checkGiven(f law.Format, p law.Parameter, object map[string]any) error {
	if p.Instead != "" {
		if object[p.Name] != nil && object[p.Instead] != nil {
			return fmt.Errorf("-%s %v and -%s %v: must give one of them, not both", p.Name, object[p.Name], p.Instead, object[p.Instead])
		}
		return nil
	}
	if object[p.Name] != nil {
		return nil
	}
	for _, q := range f.Parameters {
		switch {
		case q.Instead != p.Name:
		case object[q.Name] != nil:
			return nil
		default:
			return fmt.Errorf("-%s is missing: -law %s needs -%s or -%s", q.Name, f.Name, q.Name, p.Name)
		}
	}
	return fmt.Errorf("-%s is missing: -law %s needs it, and it must be a %s", flagOf(p), f.Name, p.Kind)
}

// inner returns the JSON object of the law inside. That law must not have another one inside,
// because both would have the same flags.
func (l *Law) inner() (any, error) {
	f, _ := lawNamed(l.Of.Text)
	if slices.ContainsFunc(f.Parameters, func(p law.Parameter) bool { return p.Kind == law.Inner }) {
		return f, fmt.Errorf("-of %s: must not be a law that has another one inside", f.Name) // f: it is given
	}
	return l.object("of", l.Of.Text)
}

// value returns a parameter as a JSON value. It is nil if the parameter is not given.
func (l *Law) value(p law.Parameter) (any, error) {
	switch p.Kind {
	case law.Inner:
		if !l.Of.Given {
			return nil, nil
		}
		return l.inner()
	case law.List:
		w := l.lists[p.Name]
		if !w.Given {
			return nil, nil
		}
		var list []float64
		for _, text := range strings.Split(w.Text, ",") {
			v, err := check.Decimal(text)
			if err != nil {
				return list, fmt.Errorf("-%s %q: must be numbers with commas between them: %w", p.Name, w.Text, err)
			}
			list = append(list, v)
		}
		return list, nil
	}
	n := l.numbers[p.Name]
	byDefault, has := defaults[p.Name]
	switch {
	case n.Given && p.Kind == law.Whole:
		return json.Number(strconv.FormatFloat(n.Value, 'f', -1, 64)), flags.Obey(p.Name, *n, flags.WholeCount)
	case n.Given:
		return json.Number(n.String()), nil
	case has:
		return byDefault, nil
	}
	return nil, nil
}

// refuseOthers returns errors for given flags of other laws, if the named laws are known. -count
// may belong to the base.
func (l *Law) refuseOthers() error {
	for _, w := range []flags.Word{l.Name, l.Of} {
		if _, ok := lawNamed(w.Text); w.Given && !ok {
			return nil
		}
	}
	mine := map[string]bool{"count": true}
	for _, f := range l.formats() {
		for _, p := range f.Parameters {
			mine[flagOf(p)] = true
		}
	}
	with := "with -law " + l.Name.Text
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(l.numbers)) {
		if !mine[name] {
			errs = append(errs, flags.Refuse(name, *l.numbers[name], with))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.lists)) {
		if !mine[name] {
			errs = append(errs, flags.RefuseWord(name, *l.lists[name], with))
		}
	}
	if !mine["of"] {
		errs = append(errs, flags.RefuseWord("of", l.Of, with))
	}
	return errors.Join(errs...)
}
