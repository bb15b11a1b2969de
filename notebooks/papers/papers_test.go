package papers

import (
	"fmt"
	"math"
	"reflect"
	"testing"
)

func ExampleValue() {
	v := Papernot2022.Figure1.BestHingeWeight
	fmt.Println(v.Quantity, "=", v.Number)
	fmt.Println(v.Source)
	// Output:
	// hinge weight of the best accuracy, with outliers = 8
	// Papernot and Steinke (ICLR 2022), Section 2: "around α = 8", printed
}

// Every Source that can be reached from a paper names the paper, the place and the way it
// was read, and has an error that is not negative.
func TestEverySourceIsComplete(t *testing.T) {
	found := 0
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		if s, ok := v.Interface().(Source); ok {
			found++
			if s.Paper == "" || s.Where == "" || s.Read < Printed || s.Read > Recomputed || !(s.AbsErr >= 0) {
				t.Errorf("%s: source %+v", path, s)
			}
			return
		}
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				walk(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		case reflect.Slice, reflect.Array:
			for i := range v.Len() {
				walk(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
			}
		}
	}
	walk("Papernot2022", reflect.ValueOf(Papernot2022))
	if found < 60 {
		t.Errorf("%d sources found: want at least the 60 that the paper has", found)
	}
}

// The recomputed numbers of the laws that have elementary closed forms, derived here:
//
//	geometric  E[1/(K+1)] = γ/(1-γ)² (ln(1/γ) - (1-γ)),  1 - f(1-p) = p/(γ + (1-γ)p)
//	Poisson    E[1/(K+1)] = (1-e^-µ)/µ,                  1 - f(1-p) = 1 - e^(-µp)
func TestRecomputedAgainstClosedForms(t *testing.T) {
	const gamma, mean, p = 0.1, 10.0, 0.01
	quantiles := map[LawID]float64{
		tnbLaw(1, mean):  1 - gamma/((1-gamma)*(1-gamma))*(math.Log(1/gamma)-(1-gamma)),
		poissonLaw(mean): 1 - (1-math.Exp(-mean))/mean,
		fixedLaw(1):      0.5,
	}
	successes := map[LawID]float64{
		tnbLaw(1, mean):  p / (gamma + (1-gamma)*p),
		poissonLaw(mean): 1 - math.Exp(-mean*p),
	}
	check := func(values []LawValue, want map[LawID]float64) {
		seen := 0
		for _, v := range values {
			w, ok := want[v.Law]
			if !ok {
				continue
			}
			seen++
			if math.Abs(v.Number-w) > v.Source.AbsErr {
				t.Errorf("%s of %+v: %.12g: want %.12g (%v)", v.Quantity, v.Law, v.Number, w, v.Source)
			}
		}
		if seen != len(want) {
			t.Errorf("%d of %d laws found", seen, len(want))
		}
	}
	check(Papernot2022.Figure5.Quantiles, quantiles)
	check(Papernot2022.Figure6, successes)
}
