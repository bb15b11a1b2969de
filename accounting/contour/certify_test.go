package contour

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/numeric"
)

// search has no checks, so its upper ends are those that were found.
var search = Accountant{options: accounting.Options{Unchecked: true}}

var questions = flag.Int("certificates", 0, "questions of TestEveryBoundIsChecked; 0 is 300, or 60 with -short")

// TestEveryBoundIsChecked draws DP-SGD runs. Each upper end has a certificate at the ε that is
// printed, or a warning. 99 of 100 have a certificate.
//
//	go test -run TestEveryBoundIsChecked ./accounting/contour -args -certificates 10000
func TestEveryBoundIsChecked(t *testing.T) {
	n := *questions
	if n == 0 {
		n = 300
		if testing.Short() {
			n = 60
		}
	}
	rng := rand.New(rand.NewPCG(33, 4))
	log := func(lo, hi float64) float64 { return lo * math.Exp(rng.Float64()*numeric.Log(hi/lo)) }
	raised := map[string]int{}
	for range n {
		q, sigma, steps, delta := log(1e-4, 1), log(0.4, 50), int(log(1, 1e5)), log(1e-12, 1e-3)
		before, err := search.EpsilonAt(sgd(q, sigma, steps), delta)
		if err != nil {
			t.Fatal(err)
		}
		g, err := NewAccountant().EpsilonAt(sgd(q, sigma, steps), delta)
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("q %g, σ %g, %d steps, δ %g", q, sigma, steps, delta)
		marked := len(g.Warnings) > 0 && errors.Is(g.Warnings[len(g.Warnings)-1], accounting.ErrUncertified)
		c := g.Certificate
		switch {
		case c == nil && marked:
			t.Logf("%s: %v", what, g.Warnings)
			raised["not checked"]++
		case c == nil || marked || c.Epsilon != g.Epsilon.Upper || c.DeltaUpper > delta || c.Claim == "":
			t.Errorf("%s: %v, certificate %+v, warnings %v", what, g.Epsilon, c, g.Warnings)
		case g.Epsilon.Upper < before.Epsilon.Upper || g.Epsilon.Upper > before.Epsilon.Upper*(1+1.001e-4)+1e-300 || g.Epsilon.Lower != before.Epsilon.Lower:
			t.Errorf("%s: %v after a search with %v", what, g.Epsilon, before.Epsilon)
		default:
			raised[fmt.Sprintf("raised by %.0e", g.Epsilon.Upper/math.Max(before.Epsilon.Upper, 1e-300)-1)]++
		}
	}
	t.Log(raised)
	if raised["not checked"] > n/100+1 {
		t.Errorf("%d of %d questions were not checked", raised["not checked"], n)
	}
}

// TestCheckKnowsTheTruth: a check succeeds slightly above the true ε, and fails slightly below
// it.
func TestCheckKnowsTheTruth(t *testing.T) {
	rows, source := readSlowRows(t, "slow_check.csv")
	for _, r := range rows {
		logDelta := math.Max(r.logDelta[0], r.logDelta[1])
		delta := math.Exp(logDelta)
		p, err := compiled(r.event())
		if err != nil {
			t.Fatal(err)
		}
		if r.epsilon == 0 || len(p.phases) == 0 {
			continue
		}
		_, check, err := Accountant{}.epsilonOf(flat(t, r.event()), logDelta)
		if err != nil {
			t.Fatal(err)
		}
		at := func(factor float64) bool {
			c, err := check(r.epsilon*factor, delta)
			return err == nil && c.DeltaUpper <= delta
		}
		if at(1 - 1e-6) {
			t.Errorf("%s: checked at ε = %g (1 - 1e-6), where δ is larger\n%s", r.id, r.epsilon, source)
		}
		if !at(1+1e-6) && !at(1+1e-4) {
			t.Errorf("%s: not checked at ε = %g (1 + 1e-4)", r.id, r.epsilon)
		}
	}
}

// TestWorstIsChecked: the check of alternatives is that of all of them.
func TestWorstIsChecked(t *testing.T) {
	small, large := sgd(0.01, 2, 1000), accounting.Gaussian{NoiseMultiplier: 2}
	for _, events := range [][]accounting.Event{{small, large}, {large, small}} {
		g, err := NewAccountant().EpsilonAt(accounting.WorstCase{Events: events}, 1e-5)
		if err != nil || g.Certificate == nil || g.Certificate.Epsilon != g.Epsilon.Upper {
			t.Fatalf("%v, %v, %v", g, g.Certificate, err)
		}
		_, check, err := Accountant{}.epsilonOf(flat(t, accounting.WorstCase{Events: events}), numeric.Log(1e-5))
		if err != nil {
			t.Fatal(err)
		}
		// ε of the smaller one, where the larger one has a larger δ
		alone, err := search.EpsilonAt(small, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		if c, err := check(alone.Epsilon.Upper*(1+1e-4), 1e-5); err == nil && c.DeltaUpper <= 1e-5 {
			t.Errorf("checked at ε %g of the cheaper event", c.Epsilon)
		}
	}
}

// TestZero: ε = 0 is checked where δ is above δ(0), by the distance of the laws or by the integral.
func TestZero(t *testing.T) {
	for _, c := range []struct {
		event accounting.Event
		delta float64
	}{{sgd(0.0004808805841229043, 2.0796738941841246, 14), 0.00081027028119362}, {sgd(0.01, 2, 100), 0.5}} {
		g, err := NewAccountant().EpsilonAt(c.event, c.delta)
		if err != nil || g.Epsilon.Upper != 0 || g.Certificate == nil || g.Certificate.Epsilon != 0 {
			t.Errorf("%v at δ %g: %v, certificate %v, warnings %v, %v", c.event, c.delta, g.Epsilon, g.Certificate, g.Warnings, err)
		}
	}
}

// TestOutOfRange: what the check does not reach has a warning.
func TestOutOfRange(t *testing.T) {
	for _, event := range []accounting.Event{sgd(1e-7, 0.3, 1e7), sgd(0.1, 1e-3, 100)} {
		g, err := NewAccountant().EpsilonAt(event, 1e-10)
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Warnings) == 0 || !errors.Is(g.Warnings[len(g.Warnings)-1], accounting.ErrUncertified) || g.Certificate != nil {
			t.Errorf("%v: %v, certificate %v, warnings %v", event, g.Epsilon, g.Certificate, g.Warnings)
		}
	}
	plain, err := accounting.Unchecked(NewAccountant()).EpsilonAt(sgd(0.1, 1, 100), 1e-5)
	if err != nil || plain.Certificate != nil || len(plain.Warnings) > 0 {
		t.Errorf("unchecked: %v, %v, warnings %v, %v", plain, plain.Certificate, plain.Warnings, err)
	}
}

func flat(t *testing.T, event accounting.Event) ask.Question {
	t.Helper()
	q, err := ask.Of("contour", event, accounting.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	return q
}
