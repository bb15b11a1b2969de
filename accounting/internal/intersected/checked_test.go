package intersected_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/internal/intersected"
	"github.com/dplab/dplab/accounting/rdp"
)

// Every way to a closed form or to a Rényi divergence leaves a certificate of the upper end.
func TestCertificates(t *testing.T) {
	laplace, gaussian := accounting.Laplace{NoiseMultiplier: 1}, accounting.Gaussian{NoiseMultiplier: 1}
	zcdp := accounting.ZCDP{Rho: 0.01}
	for _, c := range []struct {
		event    accounting.Event
		relation accounting.Neighboring
		claim    string
	}{
		{gaussian, accounting.AddOrRemoveOne, "Gaussian"},
		{laplace, accounting.AddOrRemoveOne, "Laplace"},
		{accounting.RandomizedResponse{Truth: 0.9}, accounting.ReplaceSpecial, "randomized response"},
		{accounting.PoissonSampled{SamplingRate: 0.01, Event: laplace}, accounting.AddOrRemoveOne, "sampling lemma"},
		{accounting.PoissonSampled{SamplingRate: 0.01, Event: gaussian}, accounting.AddOrRemoveOne, "Poisson sample"},
		{accounting.PoissonSampled{SamplingRate: 1e-6, Event: zcdp}, accounting.AddOrRemoveOne, "sampling rate"},
		{accounting.Parallel{Events: []accounting.Event{laplace, gaussian}}, accounting.AddOrRemoveOne, "Laplace"},
		{accounting.SelfComposed{Event: zcdp, Count: 2}, accounting.AddOrRemoveOne, ""},
	} {
		a, err := intersected.NewAccountantFor(c.relation)
		if err != nil {
			t.Fatal(err)
		}
		q, err := ask.Asked(a, c.event)
		if err != nil {
			t.Fatal(err)
		}
		g, answers, err := a.Ask(q, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		if cert := g.Certificate; cert == nil || cert.Epsilon != g.Epsilon.Upper || !(cert.DeltaUpper <= 1e-5) || !strings.Contains(cert.Claim, c.claim) {
			if c.claim != "" || cert != nil {
				t.Errorf("%v: %v, certificate %v, want one by %q", c.event, g, cert, c.claim)
			}
		}
		least := math.Inf(1)
		for _, answer := range answers {
			least = math.Min(least, answer.Guarantee.Epsilon.Upper)
		}
		if least != g.Epsilon.Upper {
			t.Errorf("%v: ε <= %.17g, and the least of the answers is %.17g", c.event, g.Epsilon.Upper, least)
		}
		plain, err := accounting.Unchecked(a).EpsilonAt(c.event, 1e-5)
		if err != nil || plain.Certificate != nil || !(plain.Epsilon.Upper <= g.Epsilon.Upper && plain.Epsilon.Upper*(1+1e-9) >= g.Epsilon.Upper) {
			t.Errorf("%v unchecked: %v, %v, certificate %v", c.event, plain, err, plain.Certificate)
		}
	}
}

// An upper end that is false is not printed without a warning, and gives way to one that is
// checked.
func TestFalseAnswers(t *testing.T) {
	event := accounting.Gaussian{NoiseMultiplier: 1} // ε is 4.377 at δ 1e-5
	low := says{"low", accounting.UpperBound(4.3)}
	g, err := intersected.Accountant{Named: []accounting.Accountant{low}}.EpsilonAt(event, 1e-5)
	if err != nil || g.Certificate != nil || len(g.Warnings) != 1 || !errors.Is(g.Warnings[0], accounting.ErrUncertified) {
		t.Errorf("%v, %v, warnings %v", g, err, g.Warnings)
	}
	zcdp := accounting.SelfComposed{Event: accounting.ZCDP{Rho: 0.1}, Count: 2}
	known, err := rdp.NewAccountant().EpsilonAt(zcdp, 1e-5)
	if err != nil || known.Certificate == nil {
		t.Fatal(known, err)
	}
	for factor, replaced := range map[float64]bool{1 - 1e-4: true, 0.5: false} { // a far one does not replace it
		failed := failing{says{"failed", accounting.UpperBound(factor * known.Epsilon.Upper)}}
		for _, named := range [][]accounting.Accountant{{failed, rdp.NewAccountant()}, {rdp.NewAccountant(), failed}} {
			g, err := intersected.Accountant{Named: named}.EpsilonAt(zcdp, 1e-5)
			want := failed.epsilon.Upper
			if replaced {
				want = known.Epsilon.Upper
			}
			if err != nil || g.Epsilon.Upper != want || (g.Certificate != nil) != replaced || attach.Failed(g) == replaced {
				t.Errorf("%v, %v, certificate %v, warnings %v; want %g", g, err, g.Certificate, g.Warnings, want)
			}
		}
	}
}

// failing is says, with the warning of a failed check.
type failing struct{ says }

func (f failing) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	g, err := f.says.EpsilonAt(event, delta)
	g.Warnings = []error{accounting.ErrUncertified}
	return g, err
}

// Where the check of the line integral fails, likelihood ratios have one, and are the price.
func TestRatiosWhereACheckFails(t *testing.T) {
	g, err := intersected.NewAccountant().EpsilonAt(sgd(0.00031461382231978073, 1.1433302764990405, 2), 4.183725687492012e-06)
	if err != nil || g.Certificate == nil || len(g.Warnings) > 0 || !(g.Epsilon.Upper <= g.Epsilon.Lower*1.0001) {
		t.Errorf("%v, %v, %v, %v", g, g.Certificate, g.Warnings, err)
	}
}
