package selection_test

import (
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

// On every row of Gaussian runs: the least bound is not below what the worst order of the
// outputs costs, and not above the reference's Rényi value; for truncated negative binomial
// laws the profile bound lies strictly below it. The same laws, truncated and capped at
// four means, on every third row, are above the worst order too.
func TestEveryGaussianRow(t *testing.T) {
	v := readVectors(t)
	for i, row := range v.Selection.Gaussian.Rows {
		if testing.Short() && i%6 != 0 {
			continue
		}
		var l law.Law = law.TNB{Eta: row.Eta, Gamma: row.Gamma}
		if row.Dist == "poisson" {
			l = law.Poisson{MeanRepeats: row.Mean}
		}
		event := accounting.Gaussian{NoiseMultiplier: 1 / row.Mu}
		p := price(t, l, event, row.Delta)
		least := p.Least().Epsilon
		if got := adversarialDelta(l, row.Mu, least); got > row.Delta {
			t.Errorf("%v, µ %g: %s gives %.9g, where an order of the outputs has δ = %g > %g", l, row.Mu, p.Least().Name, least, got, row.Delta)
		}
		if least > row.RDP {
			t.Errorf("%v, µ %g, δ %g: least %.9g above the Rényi value %.9g (%s)", l, row.Mu, row.Delta, least, row.RDP, v.Source)
		}
		if row.Dist != "poisson" {
			for _, name := range []string{"sharpened profile, exact Gaussian", "profile, exact Gaussian"} {
				if got := boundOf(t, p, name); !(got < row.RDP && got < boundOf(t, p, "Theorem 2")) {
					t.Errorf("%v, µ %g, δ %g: %s %.9g, want strictly below the Rényi value %.9g (%s)", l, row.Mu, row.Delta, name, got, row.RDP, v.Source)
				}
			}
		}
		if most := int(4 * row.Mean); most < 60 && i%3 == 0 {
			for _, limited := range []law.Law{law.Truncated{Law: l, Max: most}, law.Capped{Law: l, Max: most}} {
				p := price(t, limited, event, row.Delta)
				if got := adversarialDelta(limited, row.Mu, p.Least().Epsilon); got > row.Delta {
					t.Errorf("%v, µ %g: %s gives %.9g, where an order of the outputs has δ = %g > %g", limited, row.Mu, p.Least().Name, p.Least().Epsilon, got, row.Delta)
				}
			}
		}
	}
}

// On every row of DP-SGD runs the profile bounds lie strictly below the reference's Rényi
// value and below Theorem 2.
func TestEverySGDRow(t *testing.T) {
	v := readVectors(t)
	for i, row := range v.Selection.DPSGD.Rows {
		if testing.Short() && i%6 != 0 {
			continue
		}
		l := law.TNB{Eta: row.Shape, Gamma: row.Gamma}
		p, err := selection.EventAt(selection.BestOf{Law: l, Base: sgd(row.Q, row.Sigma, row.Steps)}, row.Delta, contour.NewAccountant())
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"sharpened profile, contour", "profile, contour"} {
			if got := boundOf(t, p, name); !(got < row.RDP && got < boundOf(t, p, "Theorem 2")) {
				t.Errorf("%v, σ %g, q %g: %s %.9g, want strictly below the Rényi value %.9g (%s)", l, row.Sigma, row.Q, name, got, row.RDP, v.Selection.DPSGD.Source)
			}
		}
	}
}

// The corner that was slow: a heavy tail over very rarely sampled runs. It must stay an
// upper bound on one run, and not hang.
func TestRareSamplesAndHeavyTail(t *testing.T) {
	if testing.Short() {
		t.Skip("one price of seconds")
	}
	p, err := selection.EventAt(selection.BestOf{Law: law.TNB{Eta: 0, Gamma: 1e-9}, Base: sgd(1e-6, 1, 1_000_000)}, 1e-5, contour.NewAccountant())
	if err != nil {
		t.Fatal(err)
	}
	if least := p.Least().Epsilon; !(least > p.OneRun.Epsilon.Upper && least < 40) {
		t.Errorf("ε %g (%s), one run %g", least, p.Least().Name, p.OneRun.Epsilon.Upper)
	}
}
