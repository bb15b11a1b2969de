package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/auto"
)

type personAnswer struct {
	jsonAnswer
	Person *struct {
		Records, Epsilon, Delta float64
		Theorem                 string
	}
}

func askPerson(t *testing.T, line string) personAnswer {
	t.Helper()
	stdout, stderr, code := call(t, line+" -json")
	var a personAnswer
	if err := json.Unmarshal([]byte(stdout), &a); err != nil || code != 0 || stderr != "" || a.Person == nil {
		t.Fatalf("%s: code %d, %s, %v in %s", line, code, stderr, err, stdout)
	}
	return a
}

// k records of a Gaussian are one record with 1/k of the noise.
func TestPersonOfGaussians(t *testing.T) {
	for line, want := range map[string]string{
		"gaussian -noise 4 -count 4 -records-per-person 2":                "gaussian -noise 1",
		"gaussian -noise 30 -records-per-person 10":                       "gaussian -noise 3",
		"sgd -batches fixed -epochs 16 -noise 8 -records-per-person 2":    "gaussian -noise 1",
		"sgd -rate 1 -steps 4 -noise 6 -records-per-person 3":             "gaussian -noise 1",
		"sgd -batches shuffled -epochs 2 -noise 20 -records-per-person 2": "sgd -batches shuffled -epochs 2 -noise 10",
	} {
		one, ok := ask(t, want).Epsilon.Upper.(float64) // its check may raise it by 1e-13
		if p := askPerson(t, line).Person; !ok || p.Epsilon < one*(1-2e-13) || p.Epsilon > one*(1+1e-9) || !strings.Contains(p.Theorem, "Theorem 2.14") {
			t.Errorf("%s: %+v, want ε %v of %s", line, p, one, want)
		}
	}
}

// The price of k records is k times an ε whose δ, times the sum of e^{iε}, is δ.
func TestPersonOfSampledSteps(t *testing.T) {
	for _, k := range []float64{2, 3, 7} {
		a := askPerson(t, "sgd -rate 0.01 -noise 4 -steps 1000 -records-per-person "+flagText(k))
		epsilon, sum := a.Person.Epsilon/k, 0.0
		for i := range int(k) {
			sum += math.Exp(float64(i) * epsilon)
		}
		delta, err := auto.NewAccountant().DeltaAt(poissonSteps(0.01, 4, 1000), epsilon)
		if err != nil {
			t.Fatal(err)
		}
		if got := delta.Upper * sum; got > 1e-5 || got < 0.9999e-5 {
			t.Errorf("%g records: ε %v has δ %v, want 1e-5 from below", k, a.Person.Epsilon, got)
		}
		if one, ok := a.Epsilon.Upper.(float64); !ok || a.Person.Epsilon <= k*one || a.Person.Records != k || a.Person.Delta != 1e-5 {
			t.Errorf("%g records: %+v, one record has %v", k, a.Person, a.Epsilon.Upper)
		}
	}
}

// One sampled step, and all records of the person with the same gradient: the sum of the person's
// gradients has a binomial law, and the likelihood ratio rises with the output. So the exact δ is a
// closed form on both sides of a threshold. It must not be above the δ of the price.
func TestPersonIsNotBelowAnAttack(t *testing.T) {
	const sigma = 1.5
	weights := []float64{0.512, 0.384, 0.096, 0.008} // binomial, 3 coins of 0.2
	with := func(x float64) (sum float64) {          // the distribution function with the person
		for j, w := range weights {
			sum += w * phi((x-float64(j))/sigma)
		}
		return sum
	}
	ratio := func(x float64) (sum float64) { // of densities, with the person and without
		for j, w := range weights {
			sum += w * math.Exp((float64(j)*x-float64(j*j)/2)/(sigma*sigma))
		}
		return sum
	}
	above := func(x float64) (sum float64) {
		for j, w := range weights {
			sum += w * phi((float64(j)-x)/sigma)
		}
		return sum
	}
	for _, delta := range []float64{1e-3, 1e-5, 1e-8} {
		p := askPerson(t, "sgd -rate 0.2 -noise 1.5 -steps 1 -records-per-person 3 -delta "+flagText(delta)).Person
		high, low := quantile(ratio, math.Exp(p.Epsilon)), quantile(ratio, math.Exp(-p.Epsilon))
		added := above(high) - math.Exp(p.Epsilon)*phi(-high/sigma)
		removed := phi(low/sigma) - math.Exp(p.Epsilon)*with(low)
		if exact := math.Max(added, removed); exact > delta || !(added > 0) {
			t.Errorf("ε %v of 3 records: δ is %g, want at most %g", p.Epsilon, exact, delta)
		}
	}
}

func TestPersonWithoutABound(t *testing.T) {
	const line = "sgd -rate 0.2 -noise 0.5 -steps 10 -records-per-person 1e6"
	if stdout, stderr, code := call(t, line); code != 1 || stdout != "" || !strings.Contains(stderr, "-records-per-person 1e+06: group privacy bounds nothing") {
		t.Errorf("%s: code %d, %s%s", line, code, stdout, stderr)
	}
	if p := askPerson(t, "sgd -rate 1e-12 -noise 1e6 -steps 1 -delta 0.5 -records-per-person 2").Person; p.Epsilon != 0 {
		t.Errorf("ε is %v, want 0 where δ at 0 is far below 0.5", p.Epsilon)
	}
	text, _, code := call(t, "gaussian -noise 4 -count 4 -records-per-person 2")
	if code != 0 || !strings.Contains(text, "epsilon <= 4.37718 for 2 records") {
		t.Errorf("code %d, %s", code, text)
	}
}
