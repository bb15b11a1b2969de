package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
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

// Each record of a person joins by its own coin. The values are of the exact pair, by a quadrature
// (TestMixtureOfGaussians of pld); dp_accounting 0.6.0 gives 1.23989 and 2.62768. Group privacy
// gives more: its δ at the same ε is above 1e-5.
func TestPersonOfSampledSteps(t *testing.T) {
	for _, c := range []struct {
		line           string
		noise, records float64
		want           float64
	}{
		{"sgd -rate 0.01 -noise 4 -steps 1000", 4, 4, 1.2398769727693022},
		{"sgd -rate 0.01 -noise 8 -steps 1000", 8, 16, 2.6276763637707425},
	} {
		a := askPerson(t, c.line+" -records-per-person "+flagText(c.records))
		if p := a.Person; p.Epsilon < c.want*(1-1e-6) || p.Epsilon > c.want+0.01 || p.Records != c.records || p.Delta != 1e-5 || !strings.Contains(p.Theorem, "mixture") {
			t.Errorf("%s: %+v, want %v", c.line, p, c.want)
		}
		sum := 0.0
		for i := range int(c.records) {
			sum += math.Exp(float64(i) * a.Person.Epsilon / c.records)
		}
		delta, err := auto.NewAccountant().DeltaAt(poissonSteps(0.01, c.noise, 1000), a.Person.Epsilon/c.records)
		if err != nil || !(delta.Lower*sum > 1e-5) {
			t.Errorf("%s: %+v, not below group privacy: δ %v of one record, %v", c.line, a.Person, delta, err)
		}
	}
}

// Where the mixture is out of the grid's range, the price is that of group privacy: k times an ε
// whose δ, times the sum of e^{iε}, is δ.
func TestPersonByGroupPrivacy(t *testing.T) {
	const k = 3
	a := askPerson(t, "sgd -rate 0.01 -noise 1e17 -steps 1000 -delta 1e-24 -records-per-person 3")
	epsilon, sum := a.Person.Epsilon/k, 0.0
	for i := range k {
		sum += math.Exp(float64(i) * epsilon)
	}
	delta, err := auto.NewAccountant().DeltaAt(poissonSteps(0.01, 1e17, 1000), epsilon)
	if err != nil {
		t.Fatal(err)
	}
	if got := delta.Upper * sum; got > 1e-24 || !strings.Contains(a.Person.Theorem, "Lemma 2.2") {
		t.Errorf("%+v: δ %v, want at most 1e-24, by group privacy", a.Person, got)
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
		if exact := math.Max(added, removed); exact > delta || !(exact > 0.9*delta) {
			t.Errorf("ε %v of 3 records: δ is %g, want at most %g, and not much less", p.Epsilon, exact, delta)
		}
	}
}

// One step on m of n examples without replacement, k of them of one person, all others at -1 and
// the person's at 1. The number of the person's examples in the batch is hypergeometric, and each
// takes the place of another. So the exact δ is a closed form on both sides of a threshold. The
// printed ε is on it, from above.
func TestPersonOnBatchesWithoutReplacement(t *testing.T) {
	for _, c := range []struct {
		m, n, k      int
		sigma, delta float64
		want         float64 // of a search in another program: 0 if it was not asked
	}{
		{1, 100, 5, 0.2, 0.0495, 22.609}, {10, 100, 2, 0.2, 0.1905, 18.718},
		{1, 7, 3, 0.569250463953468, 0.33254168328473815, 1.684178},
		{3, 20, 2, 1.5, 1e-5, 0}, {8, 30, 6, 3, 1e-7, 0}, {2, 9, 7, 1, 0.3, 0}, {5, 9, 4, 0.7, 0.05, 0},
	} {
		if testing.Short() && c.sigma < 0.5 { // seconds each
			continue
		}
		choose := func(n, k int) float64 {
			c, _ := new(big.Float).SetInt(new(big.Int).Binomial(int64(n), int64(k))).Float64()
			return c
		}
		var weights []float64
		for j := 0; j <= min(c.m, c.k); j++ {
			weights = append(weights, choose(c.k, j)*choose(c.n-c.k, c.m-j)/choose(c.n, c.m))
		}
		mix := func(f func(move float64) float64) (sum float64) {
			for j, w := range weights {
				sum += w * f(2*float64(j)/c.sigma)
			}
			return sum
		}
		exact := func(epsilon float64) float64 { // in units of σ
			ratio := func(x float64) float64 {
				return mix(func(s float64) float64 { return math.Exp(s*x - s*s/2) })
			}
			high, low := quantile(ratio, math.Exp(epsilon)), quantile(ratio, math.Exp(-epsilon))
			added := mix(func(s float64) float64 { return phi(s - high) }) - math.Exp(epsilon)*phi(-high)
			removed := phi(low) - math.Exp(epsilon)*mix(func(s float64) float64 { return phi(low - s) })
			return math.Max(added, removed)
		}
		least, most := 0.0, 100.0
		for range 80 {
			if middle := (least + most) / 2; exact(middle) > c.delta {
				least = middle
			} else {
				most = middle
			}
		}
		if c.want > 0 && math.Abs(most-c.want) > 1e-3 {
			t.Errorf("%+v: the closed form gives %g", c, most)
		}
		line := fmt.Sprintf("sgd -batches without-replacement -examples %d -batch %d -steps 1 -noise %v -delta %v -records-per-person %d", c.n, c.m, c.sigma, c.delta, c.k)
		p := askPerson(t, line).Person
		if p.Epsilon < most*(1-1e-9) || p.Epsilon > most*1.01+0.01 || !strings.Contains(p.Theorem, "hypergeometric") || strings.Contains(p.Theorem, "coin") {
			t.Errorf("%s: %+v, want ε %v", line, p, most)
		}
	}
}

// A batch of m needs m examples without the person, and group privacy compares n-k+1 with n-k
// examples.
func TestPersonWithFewOthers(t *testing.T) {
	const line = "sgd -batches without-replacement -examples 10 -batch 7 -steps 1 -noise 2 -records-per-person 4"
	if stdout, stderr, code := call(t, line); code != 1 || stdout != "" || !strings.Contains(stderr, "-records-per-person 4: SampledWithoutReplacement(7 of 10, ClippedSum(σ=2)): must leave enough other examples") {
		t.Errorf("%s: code %d, %s%s", line, code, stdout, stderr)
	}
	a := askPerson(t, "sgd -batches without-replacement -examples 10 -batch 5 -steps 1000 -noise 1e17 -delta 1e-24 -records-per-person 4")
	epsilon, sum := a.Person.Epsilon/4, 0.0
	for i := range 4 {
		sum += math.Exp(float64(i) * epsilon)
	}
	fewest := accounting.SampledWithoutReplacement{SampleSize: 5, PopulationSize: 7, Event: accounting.ClippedSum{NoiseMultiplier: 1e17}}
	delta, err := auto.NewAccountant().DeltaAt(accounting.SelfComposed{Event: fewest, Count: 1000}, epsilon)
	if err != nil {
		t.Fatal(err)
	}
	if got := delta.Lower * sum; got > 1e-24 || !strings.Contains(a.Person.Theorem, "Lemma 2.2") {
		t.Errorf("%+v: δ %v with 7 examples, want at most 1e-24, by group privacy", a.Person, got)
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
