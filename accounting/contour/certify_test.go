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
// printed, or a warning. 99 of 100 have a certificate. Lower ends are checked in five of six.
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
		case g.Epsilon.Upper < before.Epsilon.Upper || g.Epsilon.Upper > before.Epsilon.Upper*(1+1.001e-3)+1e-300 || g.Epsilon.Lower > before.Epsilon.Lower || g.Epsilon.Lower < before.Epsilon.Lower*(1-1.001e-4):
			t.Errorf("%s: %v after a search with %v", what, g.Epsilon, before.Epsilon)
		default:
			raised[fmt.Sprintf("raised by %.0e", g.Epsilon.Upper/math.Max(before.Epsilon.Upper, 1e-300)-1)]++
		}
		if g.Epsilon.LowerChecked {
			raised["lower end checked"]++
		}
	}
	t.Log(raised)
	if least := n * 5 / 6; raised["lower end checked"] < least {
		t.Errorf("%d of %d lower ends were checked, want %d", raised["lower end checked"], n, least)
	}
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
			c, err := check.above(r.epsilon*factor, delta)
			return err == nil && c.DeltaUpper <= delta
		}
		if at(1 - 1e-6) {
			t.Errorf("%s: checked at ε = %g (1 - 1e-6), where δ is larger\n%s", r.id, r.epsilon, source)
		}
		if !at(1+1e-6) && !at(1+1e-4) {
			t.Errorf("%s: not checked at ε = %g (1 + 1e-4)", r.id, r.epsilon)
		}
		if got := check.below(r.epsilon); got > delta*(1+1e-12*math.Abs(logDelta)) {
			t.Errorf("%s: δ >= %.17g at ε %g, and it is %.17g\n%s", r.id, got, r.epsilon, delta, source)
		}
	}
}

// TestLowerEnds: a lower end that was checked is not above the true ε. Those of runs of 10 steps
// and more are checked, but for rates of large losses, and near it.
func TestLowerEnds(t *testing.T) {
	far, all, near := 0, 0, 0
	for _, name := range []string{"slow_check.csv", "truths.csv"} {
		rows, source := readSlowRows(t, name)
		for i, r := range rows {
			logDelta := math.Max(r.logDelta[0], r.logDelta[1])
			if math.IsNaN(logDelta) || testing.Short() && i%3 > 0 {
				continue
			}
			g, err := NewAccountant().EpsilonAtLogDelta(r.event(), logDelta)
			if err != nil {
				t.Fatal(err)
			}
			if !(g.Delta > 0) || r.epsilon == 0 {
				continue
			}
			all++
			slop := 3*r.accuracy + 1e-15*r.epsilon // as in TestTruths
			switch e := g.Epsilon; {
			case !e.LowerChecked:
			case e.Lower > r.epsilon+slop:
				t.Errorf("%s: ε >= %.17g, and it is %.17g\n%s", r.id, e.Lower, r.epsilon, source)
			case e.Lower > r.epsilon*(1-1e-7)-slop:
				near++
			default:
				far++
			}
		}
	}
	t.Logf("%d of %d lower ends are checked within 1e-7, and %d farther away", near, all, far)
	if near < all/2 {
		t.Errorf("%d of %d lower ends are checked within 1e-7", near, all)
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
		if c, err := check.above(alone.Epsilon.Upper*(1+1e-4), 1e-5); err == nil && c.DeltaUpper <= 1e-5 {
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
	for _, event := range []accounting.Event{sgd(1.2856e-5, 0.91, 24428), sgd(0.1, 1e-3, 100)} {
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
