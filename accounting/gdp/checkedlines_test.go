package gdp_test

import (
	"errors"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/rdp"
)

// searched is an accountant whose search finds a share of ε, and whose checks find the truth.
type searched struct {
	accounting.Accountant
	share float64
}

func (s searched) Options() accounting.Options { return accounting.Options{Unchecked: s.share < 1} }

func (s searched) WithOptions(o accounting.Options) accounting.Accountant {
	if o.Unchecked {
		s.share = 0.9
	}
	return s
}

func (s searched) EpsilonAt(e accounting.Event, delta float64) (accounting.Guarantee, error) {
	g, err := s.Accountant.EpsilonAt(e, delta)
	if s.share < 1 {
		g.Epsilon, g.Certificate = accounting.UpperBound(g.Epsilon.Upper*s.share), nil
	}
	return g, err
}

// A search that finds too little moves no rate below the truth: the line that decides is checked.
func TestRatesRestOnCheckedLines(t *testing.T) {
	event := accounting.SelfComposed{Count: 1000, Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 1}}}
	right := tradeOff(t, contour.NewAccountant(), event)
	wrong := tradeOff(t, searched{contour.NewAccountant(), 1}, event)
	for _, alpha := range []float64{1e-6, 1e-3, 0.1, 0.5} {
		want, err := right.TPRAt(alpha)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := wrong.TPRAt(alpha); err != nil || got.Upper < want.Lower || got.Upper > 2*want.Upper {
			t.Errorf("TPR at %g: %v, %v, want at least %v", alpha, got, err, want)
		}
		if want, err = right.TypeIIAt(alpha); err != nil {
			t.Fatal(err)
		}
		if got, err := wrong.TypeIIAt(alpha); err != nil || got.Lower > want.Upper {
			t.Errorf("type II error at %g: %v, %v, want at most %v", alpha, got, err, want)
		}
	}
	if right.Uncertified() != nil || wrong.Uncertified() != nil {
		t.Errorf("rates by contour: %v, %v, want certificates", right.Uncertified(), wrong.Uncertified())
	}
	without := tradeOff(t, accounting.Unchecked(contour.NewAccountant()), event)
	if _, err := without.TPRAt(0.1); err != nil || !errors.Is(without.Uncertified(), accounting.ErrUncertified) {
		t.Errorf("rates without checks: %v, %v, want %v", err, without.Uncertified(), accounting.ErrUncertified)
	}
	curves := tradeOff(t, rdp.NewAccountant(), event)
	if _, err := curves.TPRAt(0.1); err != nil || curves.Uncertified() != nil {
		t.Errorf("rates by Rényi curves: %v, %v, want certificates", err, curves.Uncertified())
	}
}
