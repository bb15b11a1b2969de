package figures

import (
	"fmt"
	"path"
	"reflect"
	"strings"

	"github.com/dplab/dplab/accounting/check"
)

// Faults returns the faults of a config's fields by their rules, which are in their tags:
//
//	type Config struct {
//		Delta float64       `rule:"in (0, 1)"`
//		Steps int           `rule:">= 1"`
//		Means []float64     `rule:"> 1; increasing; at least 2"`
//		Laws  []laws.Family // has Validate
//		Seed  uint64        // needs no rule
//	}
//
// A rule of a number is the text of one in package check, without "must be" and "and finite". The
// numbers of a list obey it one by one, and no list with a rule is empty. A field with a Validate,
// or a list of such, is validated. Rules of more than one field are added to the result, which is
// check.In("mine: Config.") for a config of the paper mine.
//
// Faults panics if a number with a sign, or a list of such, has no rule. The rule "any" is for one
// that needs none, and a list with it may be empty.
func Faults(config any) *check.Faults {
	v := reflect.ValueOf(config)
	paper, below, _ := strings.Cut(v.Type().PkgPath(), "/notebooks/figures/")
	if below != "" {
		paper, _, _ = strings.Cut(below, "/")
	}
	f := check.In(path.Base(paper) + ": " + v.Type().Name() + ".")
	for i := range v.NumField() {
		field := v.Type().Field(i)
		text := field.Tag.Get("rule")
		if text == "" && isNumber(reflect.Zero(field.Type)) {
			panic(fmt.Sprintf("figures: %v.%s has no rule", v.Type(), field.Name))
		}
		addFaults(f, field.Name, v.Field(i), strings.Split(text, "; "))
	}
	return f
}

// isNumber reports whether a value is a number with a sign, or a list of such.
func isNumber(v reflect.Value) bool {
	if v.Kind() == reflect.Slice {
		v = reflect.Zero(v.Type().Elem())
	}
	return v.CanInt() || v.CanFloat()
}

func addFaults(f *check.Faults, name string, v reflect.Value, rules []string) {
	if one, ok := v.Interface().(interface{ Validate() error }); ok {
		f.Below(name, one.Validate())
		return
	}
	if v.Kind() == reflect.Slice {
		addListFaults(f, name, v, rules)
		return
	}
	for _, text := range rules {
		if rule, ok := ruleOf(text); ok && v.CanInt() {
			f.That(rule.Holds(float64(v.Int())), name, v.Int(), rule.Text)
		} else if ok {
			f.Number(name, v.Float(), rule)
		}
	}
}

func addListFaults(f *check.Faults, name string, v reflect.Value, rules []string) {
	_, valid := reflect.Zero(v.Type().Elem()).Interface().(interface{ Validate() error })
	f.That(v.Len() > 0 || rules[0] == "" && !valid || rules[0] == "any", name, "is empty", "must hold at least one value")
	for i := range v.Len() {
		addFaults(f, fmt.Sprintf("%s[%d]", name, i), v.Index(i), rules)
	}
	for _, text := range rules {
		var least int
		switch n, _ := fmt.Sscanf(text, "at least %d", &least); {
		case n == 1:
			f.Count(name+": number of values", v.Len(), least)
		case text == "increasing":
			for i := 1; i < v.Len(); i++ {
				if x, before := float(v.Index(i)), float(v.Index(i-1)); !(x > before) {
					f.That(false, fmt.Sprintf("%s[%d]", name, i), x, fmt.Sprintf("must be above the one before, %g", before))
				}
			}
		}
	}
}

func float(v reflect.Value) float64 { return v.Convert(reflect.TypeFor[float64]()).Float() }

// ruleOf returns the rule of a number with a text. It is false for a rule of lists, and for "any".
func ruleOf(text string) (check.Rule, bool) {
	for _, r := range []check.Rule{check.Positive, check.NotNegative, check.Rate, check.OpenUnit, check.Unit, check.BelowOne, check.Finite} {
		if short := strings.TrimPrefix(r.Text, "must be "); text == short || text == strings.TrimSuffix(short, " and finite") {
			return r, true
		}
	}
	var low, high float64
	scan := func(format string, to ...any) bool {
		_, err := fmt.Sscanf(text+";", format+";", to...) // the whole text, as a rule has no ";"
		return err == nil
	}
	switch {
	case scan(">= %g", &low):
		return check.AtLeast(low), true
	case scan("> %g", &low):
		return check.Above(low), true
	case scan("in (0, %g]", &high):
		return check.UpTo(high), true
	case scan("in [%g, %g]", &low, &high):
		return check.Between(low, high), true
	case text == "" || text == "any" || text == "increasing" || scan("at least %g", &low):
		return check.Rule{}, false
	}
	panic(fmt.Sprintf("figures: no rule %q", text))
}
