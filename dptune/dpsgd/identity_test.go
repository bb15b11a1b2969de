package dpsgd

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/accounting"
)

// other returns a value of a type that is not its zero value.
func other(t *testing.T, typ reflect.Type) reflect.Value {
	t.Helper()
	v := reflect.New(typ).Elem()
	switch typ.Kind() {
	case reflect.Interface: // an event
		v.Set(reflect.ValueOf(accounting.NonPrivate{}))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64, reflect.Float32:
		v.SetFloat(0.25)
	case reflect.String:
		v.SetString("other")
	case reflect.Slice:
		v.Set(reflect.Append(v, other(t, typ.Elem())))
	case reflect.Pointer:
		v.Set(other(t, typ.Elem()).Addr())
	case reflect.Struct:
		v.Field(0).Set(other(t, typ.Field(0).Type))
	default:
		t.Fatalf("no other value of type %v: teach this test one", typ)
	}
	return v
}

// eachField calls visit with a name and a changed copy for every field of a struct, and of
// the structs within it.
func eachField(t *testing.T, name string, start reflect.Value, visit func(name string, changed reflect.Value)) {
	for i := range start.NumField() {
		field := start.Type().Field(i)
		at := func(value reflect.Value) reflect.Value {
			changed := reflect.New(start.Type()).Elem()
			changed.Set(start)
			changed.Field(i).Set(value)
			return changed
		}
		switch field.Type.Kind() {
		case reflect.Func, reflect.Interface:
			visit(name+field.Name, start) // tested by hand
		case reflect.Struct:
			eachField(t, name+field.Name+".", start.Field(i), func(name string, changed reflect.Value) { visit(name, at(changed)) })
		default:
			visit(name+field.Name, at(other(t, field.Type)))
		}
	}
}

func sameHash(a, b Plan) bool {
	first, _ := a.Identity(1 << 24)
	second, _ := b.Identity(1 << 24)
	return bytes.Equal(first, second)
}

// Every field of a config, a plan and a canary that a run's numbers depend on is in the plan's
// hash. So no run resumes from a checkpoint of another plan. A new field must be in the hash, or be
// named here.
func TestEveryFieldIsInTheHashOfThePlan(t *testing.T) {
	given := map[string]Plan{ // for fields that the general rule has no value for
		"Plan.Initial":      {Initial: &Parameters{Values: [][]float64{{1}}}},
		"Plan.Schedule":     {Schedule: func(int) float64 { return 0.5 }},
		"Config.Optimizer":  {Replicas: []Config{{Steps: 2, Optimizer: Adam{}}}},
		"Config.Clipping":   {Replicas: []Config{{Steps: 2, Clipping: AutomaticClipping{}}}},
		"Config.Sampling":   {Replicas: []Config{{Steps: 2, Sampling: FullBatch{}}}},
		"Canary.At":         {Canary: &Canary{In: []bool{true}, At: func(int) bool { return false }}},
		"Canaries.At":       {Canaries: &Canaries{In: [][]bool{{true}}, At: func(int) bool { return false }}},
		"Canary.GradientAt": {Canary: &Canary{In: []bool{true}, GradientAt: func(int, int) []float64 { return []float64{1} }}},
	}
	changeNothing := []string{"Plan.Generator", "Plan.Average", // in the identity by themselves, see engine.TestStoppedAverages
		"Plan.KeepSlots",
		"Plan.Progress", "Plan.EpsilonUpper", "Plan.Weights", "Plan.WeightsAt", "Plan.Evaluate", "Plan.Replicas", "Plan.Canary",
		"Plan.InitialFrom.Public", "Plan.InitialFrom.Event", "Plan.InitialFrom.TruncationDelta"} // what they cost, not what they are
	config := Config{Steps: 2}
	base := func() Plan { return Plan{Replicas: []Config{config}} }
	with := func() Plan { p := base(); p.Canary = &Canary{In: []bool{true}}; return p }
	check := func(name string, changed, from Plan) {
		if slices.Contains(changeNothing, name) {
			return
		}
		if p, ok := given[name]; ok {
			if p.Replicas == nil {
				p.Replicas = from.Replicas
			}
			changed = p
		}
		if sameHash(changed, from) {
			t.Errorf("%s is not in the hash of the plan: another one would take up its checkpoints", name)
		}
	}
	eachField(t, "Plan.", reflect.ValueOf(base()), func(name string, changed reflect.Value) {
		check(name, changed.Interface().(Plan), base())
	})
	eachField(t, "Config.", reflect.ValueOf(config), func(name string, changed reflect.Value) {
		p := base()
		p.Replicas[0] = changed.Interface().(Config)
		check(name, p, base())
	})
	for _, o := range []Optimizer{SGD{Momentum: 0.5}, Adam{}, foreignOptimizer{}} {
		with := func(o Optimizer) Plan { p := base(); p.Replicas[0].Optimizer = o; return p }
		eachField(t, fmt.Sprintf("%T.", o), reflect.ValueOf(o), func(name string, changed reflect.Value) {
			check(name, with(changed.Interface().(Optimizer)), with(o))
		})
	}
	for _, rule := range []Clipping{AutomaticClipping{}, PerLayerClipping{}} {
		with := func(rule Clipping) Plan { p := base(); p.Replicas[0].Clipping = rule; return p }
		eachField(t, fmt.Sprintf("%T.", rule), reflect.ValueOf(rule), func(name string, changed reflect.Value) {
			check(name, with(changed.Interface().(Clipping)), with(rule))
		})
	}
	for _, s := range schemeValues {
		with := func(s Sampling) Plan { p := base(); p.Replicas[0].Sampling = s; return p }
		eachField(t, schemeName(s)+".", reflect.ValueOf(s), func(name string, changed reflect.Value) {
			check(name, with(changed.Interface().(Sampling)), with(s))
		})
	}
	eachField(t, "Canary.", reflect.ValueOf(*with().Canary), func(name string, changed reflect.Value) {
		p, c := with(), changed.Interface().(Canary)
		if name == "Canary.In" {
			c.In = []bool{false}
		}
		p.Canary = &c
		check(name, p, with())
	})
	many := func() Plan { p := base(); p.Canaries = &Canaries{In: [][]bool{{true}}}; return p }
	eachField(t, "Canaries.", reflect.ValueOf(*many().Canaries), func(name string, changed reflect.Value) {
		p, c := many(), changed.Interface().(Canaries)
		if name == "Canaries.In" {
			c.In = [][]bool{{false}}
		}
		p.Canaries = &c
		check(name, p, many())
	})
	if sameHash(base(), with()) {
		t.Error("Plan.Canary is not in the hash of the plan")
	}
}

// Config.Event is complete: every field of a config that changes the noise or the sampling changes
// the event. The others are post-processing or a bound of the same sensitivity.
func TestEveryFieldIsInTheEventOrCostsNothing(t *testing.T) {
	free := map[string]string{
		"ClipNorm":          "the noise is in units of it",
		"UnitsPerClip":      "post-processing of the Gaussian mechanism: integerrelease.go",
		"ExpectedBatchSize": "post-processing",
		"LearningRate":      "post-processing",
		"WeightDecay":       "post-processing",
		"Optimizer":         "post-processing, whatever it is: TestTheEventDoesNotAskTheRules",
		"Clipping":          "every rule bounds an example's part by ClipNorm: TestTheEventDoesNotAskTheRules, TestSensitivityOfEveryRule",
	}
	config := Config{NoiseMultiplier: 2, Sampling: Poisson{Rate: 0.5}, Steps: 6, ClipNorm: 1}
	text := func(c Config) string { return fmt.Sprintf("%#v", c.Event()) }
	eachField(t, "", reflect.ValueOf(config), func(name string, changed reflect.Value) {
		other := changed.Interface().(Config)
		if name == "Sampling" {
			other.Sampling = FullBatch{}
		}
		moves := text(other) != text(config)
		if _, isFree := free[name]; isFree == moves {
			t.Errorf("%s: moves the event: %v, and is said to cost nothing: %v", name, moves, isFree)
		}
	})
	for _, s := range schemeValues {
		config.Sampling = s
		eachField(t, schemeName(s)+".", reflect.ValueOf(s), func(name string, value reflect.Value) {
			other := config
			if other.Sampling = value.Interface().(Sampling); text(other) == text(config) {
				t.Errorf("%s does not move the event", name)
			}
		})
	}
}

// What an optimizer or a clipping is costs nothing, and cannot: the event does not ask them.
func TestTheEventDoesNotAskTheRules(t *testing.T) {
	config := Config{NoiseMultiplier: 2, Sampling: Poisson{Rate: 0.5}, Steps: 6, ClipNorm: 1}
	want := config.Event()
	for _, o := range []Optimizer{SGD{Momentum: 0.5}, Adam{Beta1: 0.5}, foreignOptimizer{1}} {
		if config.Optimizer = o; config.Event() != want {
			t.Errorf("%v: event %v, want %v", o, config.Event(), want)
		}
	}
	for _, rule := range []Clipping{AutomaticClipping{Stability: 2}, PerLayerClipping{Norms: []float64{0.1}}, nil} {
		if config.Clipping = rule; config.Event() != want {
			t.Errorf("%v: event %v, want %v", rule, config.Event(), want)
		}
	}
}

// foreignOptimizer is one that is not the package's own, as far as its type goes.
type foreignOptimizer struct{ Rate float64 }

func (o foreignOptimizer) String() string                { return fmt.Sprintf("foreign(%v)", o.Rate) }
func (foreignOptimizer) Validate() error                 { return nil }
func (foreignOptimizer) Slots() int                      { return 0 }
func (foreignOptimizer) Coefficients(u Update) []float64 { return []float64{u.LearningRate} }
func (o foreignOptimizer) Move(weights, sum *graph.Node, n, slots []*graph.Node) (*graph.Node, []*graph.Node) {
	return graph.Sub(weights, graph.Mul(sum, n[0])), slots
}

// A config with an optimizer of the user's own has no whole hash.
func TestForeignOptimizersHaveNoHash(t *testing.T) {
	for o, want := range map[Optimizer]bool{nil: true, SGD{}: true, Adam{}: true, foreignOptimizer{}: false} {
		if _, own := (Config{Optimizer: o}).Identity(); own != want {
			t.Errorf("%v: own %v, want %v", o, own, want)
		}
	}
}
