package accounting_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
)

// raising is an accountant whose check raises every upper end.
type raising struct {
	gdp.Accountant
	raise float64
	asked *int
}

func (r raising) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	if r.raise > 0 {
		*r.asked++
	}
	g, err := r.Accountant.EpsilonAt(event, delta)
	g.Epsilon = accounting.UpperBound(g.Epsilon.Upper * (1 + r.raise))
	return g, err
}

func (r raising) Options() accounting.Options { return accounting.Options{Unchecked: r.raise == 0} }

func (r raising) WithOptions(o accounting.Options) accounting.Accountant {
	if o.Unchecked {
		r.raise = 0
	}
	return r
}

// A calibration searches without checks. Its answer meets the target with them.
func TestCalibrationOfChecked(t *testing.T) {
	target := accounting.Target{Epsilon: 2, Delta: 1e-6}
	noise := func(x float64) accounting.Event { return accounting.Gaussian{NoiseMultiplier: x} }
	for _, raise := range []float64{1e-12, 1e-9, 1e-6, 1e-4, 0.5} {
		asked := 0
		a := raising{gdp.NewAccountant(), raise, &asked}
		sigma, err := accounting.Calibration{Accountant: a, Event: noise, Target: target}.NoiseMultiplier()
		if err != nil {
			t.Fatal(err)
		}
		calls := asked
		g, err := a.EpsilonAt(noise(sigma), target.Delta)
		if err != nil || !(g.Epsilon.Upper <= target.Epsilon) || g.Epsilon.Upper < target.Epsilon*(1-1e-6) || calls < 1 || calls > 30 {
			t.Errorf("raise %g: σ %v, ε %v, %v, %d checks", raise, sigma, g.Epsilon, err, calls)
		}
	}
}

// An accountant that embeds another one is not replaced by that.
func TestUncheckedKeepsTheType(t *testing.T) {
	type wrapper struct{ gdp.Accountant }
	if _, same := accounting.Unchecked(wrapper{}).(wrapper); !same {
		t.Errorf("%T", accounting.Unchecked(wrapper{}))
	}
}

func TestCertificateInJSON(t *testing.T) {
	g, err := gdp.NewAccountant().EpsilonAt(accounting.Gaussian{NoiseMultiplier: 1}, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(g)
	if err != nil || !strings.Contains(string(text), `"certificate":{"claim":"the closed form of the Gaussian`) {
		t.Fatalf("%s, %v", text, err)
	}
	var back accounting.Guarantee
	if err := json.Unmarshal(text, &back); err != nil || back.Certificate == nil || back.Certificate.String() != g.Certificate.String() {
		t.Errorf("%v, %v", back.Certificate, err)
	}
	for _, g := range []accounting.Guarantee{{Epsilon: accounting.UpperBound(1), Delta: 1e-5, Neighboring: accounting.AddOrRemoveOne}, {Epsilon: accounting.UpperBound(math.Inf(1)), Delta: 1e-5, Neighboring: accounting.AddOrRemoveOne}} {
		if text, err := json.Marshal(g); err != nil || strings.Contains(string(text), "certificate") {
			t.Errorf("%s, %v", text, err)
		}
	}
}

// A certificate that was never made must not read as δ <= 0 at ε = 0.
func TestZeroCertificateIsNone(t *testing.T) {
	for _, c := range []*accounting.Certificate{nil, {}} {
		if got := c.String(); !strings.HasPrefix(got, "no certificate") {
			t.Errorf("%#v: %q, want no certificate", c, got)
		}
		if got := c.Summary(); !strings.HasPrefix(got, "not checked") {
			t.Errorf("%#v: summary %q, want not checked", c, got)
		}
	}
}
