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
	both          func(p float64) (first, second float64)
}

// Both returns First and Second at p, to the last digit, in about the time of one of them.
func (d Derivatives) Both(p float64) (first, second float64) { return d.both(p) }

// closedForms is for laws in closed form. Both functions are those of of(p).
func closedForms(of func(p float64) float64, first, second func(x float64) float64) Derivatives {
	return Derivatives{
		First:  func(p float64) float64 { return first(of(p)) },
		Second: func(p float64) float64 { return second(of(p)) },
		Slack:  1e-12,
		both: func(p float64) (float64, float64) {
			x := of(p)
			return first(x), second(x)
		},
	}
}

// logRest returns ln(1-p).
func logRest(p float64) float64 { return math.Log1p(-p) }

func (invalid) derivatives() Derivatives {
	unknown := func(float64) float64 { return math.NaN() }
	return closedForms(unknown, unknown, unknown)
}

// derivatives uses f' = E[K] (1+κp)^-(η+1), with κ = 1/γ - 1.
func (l tnb) derivatives() Derivatives {
	odds, logMean := l.odds(), numeric.Log(l.Mean())
	second := logMean + numeric.Log((l.Eta+1)*odds)
	return closedForms(
		func(p float64) float64 { return math.Log1p(odds * p) },
		func(x float64) float64 { return logMean - (l.Eta+1)*x },
		func(x float64) float64 { return second - (l.Eta+2)*x })
}

// derivatives uses f' = µ e^(-µp).
func (l poisson) derivatives() Derivatives {
	logMean := numeric.Log(l.MeanRepeats)
	return closedForms(
		func(p float64) float64 { return l.MeanRepeats * p },
		func(x float64) float64 { return logMean - x },
		func(x float64) float64 { return 2*logMean - x })
}

// derivatives uses f' = nP (1-Pp)^(n-1).
func (l binomial) derivatives() Derivatives {
	logMean := numeric.Log(l.Mean())
	second := logMean + numeric.Log(float64(l.Trials-1)*l.P)
	return closedForms(
		func(p float64) float64 { return math.Log1p(-l.P * p) },
		func(x float64) float64 { return logMean + numeric.Times(l.Trials-1, x) },
		func(x float64) float64 { return second + numeric.Times(max(0, l.Trials-2), x) })
}

// derivatives uses f' = n (1-p)^(n-1).
func (l fixed) derivatives() Derivatives {
	logMean := numeric.Log(l.Mean())
	second := logMean + numeric.Log(float64(l.Count-1))
	return closedForms(logRest,
		func(x float64) float64 { return logMean + numeric.Times(l.Count-1, x) },
		func(x float64) float64 { return second + numeric.Times(max(0, l.Count-2), x) })
}

// derivatives uses f' = s + (1-s) L (1-p)^(L-1).
func (l *twoPoint) derivatives() Derivatives {
	single, rest := numeric.Log(l.Single), math.Log1p(-l.Single)+numeric.Log(float64(l.Runs))
	second := rest + numeric.Log(float64(l.Runs-1))
	return closedForms(logRest,
		func(x float64) float64 { return numeric.Add(single, rest+numeric.Times(l.Runs-1, x)) },
		func(x float64) float64 { return second + numeric.Times(l.Runs-2, x) })
}

func (l *list) derivatives() Derivatives {
	first, second := l.positive.series(), l.positive.secondWeights().series()
	degree := len(l.positive) - 1
	d := closedForms(logRest, first.logAt, second.logAt)
	d.Slack = 1e-11 + 8*float64(degree)*0x1p-53 + 2*numeric.ChanceRounding(degree)
	d.both = func(p float64) (float64, float64) {
		logX := logRest(p)
		x := math.Exp(logX)
		return first.at(logX, x), second.at(logX, x)
	}
	return d
}

// secondWeights returns the weights v whose first derivative is f”: Σ j v_j x^(j-1), with v_j =
// (j+1) P[K=j+1].
func (w weights) secondWeights() weights {
	v := make(weights, max(2, len(w)-1))
	for k := 2; k < len(w); k++ {
		v[k-1] = float64(k) * w[k]
	}
	return v
}
