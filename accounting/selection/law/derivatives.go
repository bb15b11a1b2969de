package law

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// Derivatives is ln f' and ln f” at 1-p, as functions of p in [0, 1]. They keep their digits for
// small p. Both fall with p, as f' and f” are power series with terms >= 0. They are -Inf if the
// series has no term.
type Derivatives struct {
	First, Second func(p float64) float64
	Slack         float64 // bound on their rounding
}

// closedForms is for laws in closed form.
func closedForms(first, second func(p float64) float64) Derivatives {
	return Derivatives{first, second, 1e-12}
}

func (invalid) derivatives() Derivatives {
	unknown := func(float64) float64 { return math.NaN() }
	return closedForms(unknown, unknown)
}

// derivatives uses f' = E[K] (1+κp)^-(η+1), with κ = 1/γ - 1.
func (l tnb) derivatives() Derivatives {
	odds, logMean := l.odds(), numeric.Log(l.Mean())
	second := logMean + numeric.Log((l.Eta+1)*odds)
	return closedForms(
		func(p float64) float64 { return logMean - (l.Eta+1)*math.Log1p(odds*p) },
		func(p float64) float64 { return second - (l.Eta+2)*math.Log1p(odds*p) })
}

// derivatives uses f' = µ e^(-µp).
func (l poisson) derivatives() Derivatives {
	logMean := numeric.Log(l.MeanRepeats)
	return closedForms(
		func(p float64) float64 { return logMean - l.MeanRepeats*p },
		func(p float64) float64 { return 2*logMean - l.MeanRepeats*p })
}

// derivatives uses f' = nP (1-Pp)^(n-1).
func (l binomial) derivatives() Derivatives {
	logMean := numeric.Log(l.Mean())
	second := logMean + numeric.Log(float64(l.Trials-1)*l.P)
	return closedForms(
		func(p float64) float64 { return logMean + numeric.Times(l.Trials-1, math.Log1p(-l.P*p)) },
		func(p float64) float64 { return second + numeric.Times(max(0, l.Trials-2), math.Log1p(-l.P*p)) })
}

// derivatives uses f' = n (1-p)^(n-1).
func (l fixed) derivatives() Derivatives {
	logMean := numeric.Log(l.Mean())
	second := logMean + numeric.Log(float64(l.Count-1))
	return closedForms(
		func(p float64) float64 { return logMean + numeric.Times(l.Count-1, math.Log1p(-p)) },
		func(p float64) float64 { return second + numeric.Times(max(0, l.Count-2), math.Log1p(-p)) })
}

// derivatives uses f' = s + (1-s) L (1-p)^(L-1).
func (l *twoPoint) derivatives() Derivatives {
	single, rest := numeric.Log(l.Single), math.Log1p(-l.Single)+numeric.Log(float64(l.Runs))
	second := rest + numeric.Log(float64(l.Runs-1))
	return closedForms(
		func(p float64) float64 { return numeric.Add(single, rest+numeric.Times(l.Runs-1, math.Log1p(-p))) },
		func(p float64) float64 { return second + numeric.Times(l.Runs-2, math.Log1p(-p)) })
}

func (l *list) derivatives() Derivatives {
	first, second := l.positive.derivatives()
	degree := len(l.positive) - 1
	return Derivatives{first, second, 1e-11 + 8*float64(degree)*0x1p-53 + 2*numeric.ChanceRounding(degree)}
}

// derivatives returns ln f' and ln f” at 1-p. f” is Σ j v_j x^(j-1), with v_j = (j+1) P[K=j+1].
func (w weights) derivatives() (first, second func(p float64) float64) {
	v := make(weights, max(2, len(w)-1))
	for k := 2; k < len(w); k++ {
		v[k-1] = float64(k) * w[k]
	}
	at := func(w weights) func(p float64) float64 {
		mean := w.mean()
		if mean == 0 {
			return func(float64) float64 { return math.Inf(-1) }
		}
		first := w.first()
		return func(p float64) float64 { return w.derivativeFrom(first, mean, math.Log1p(-p)) }
	}
	return at(w), at(v)
}
