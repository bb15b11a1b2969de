package audits

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dplab/dplab/accounting/selection/monotone"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/figures/xiang2024/internal/base"
)

// setup is one column of Table 2 of the paper, on a network.
type setup struct {
	figure, name string
	empty, dirac bool // X is empty; z is the Dirac gradient
	sign         float64
	released     func(TuningScores) TunedScores
}

// setups are those of Figures 1 to 3: λ_b is λ_a - g where g is not manipulated, or else λ_a + g.
var setups = []setup{
	{figure: "Figure 1", name: "NTNV, foreign z", sign: -1, released: byValidation},
	{figure: "Figure 2", name: "NTCV, foreign z", sign: 1, released: byCanary},
	{figure: "Figure 3", name: "ETCV, foreign z", sign: 1, released: byCanary, empty: true},
	{figure: "Figure 1", name: "NTNV, Dirac gradient", sign: -1, released: byValidation, dirac: true},
	{figure: "Figure 2", name: "NTCV, Dirac gradient", sign: 1, released: byCoordinate, dirac: true},
}

func byValidation(s TuningScores) TunedScores { return s.ByValidation }
func byCanary(s TuningScores) TunedScores     { return s.ByCanary }
func byCoordinate(s TuningScores) TunedScores { return s.ByCoordinate }

// selects reports whether λ_a is the score up to scale: the first coordinate of the sums, which
// is w_0 - w_N.
func (s setup) selects() bool { return s.dirac && s.sign > 0 }

// worlds returns the games without z and with it.
func (s setup) worlds(a TuningAudits) (without, with TuningScores) {
	w := a.Normal
	if s.empty {
		w = a.Empty
	}
	if s.dirac {
		return w.Without, w.Dirac
	}
	return w.Without, w.Foreign
}

// scores returns λ_a of runs without selection, and λ_a and g of the released ones.
func (s setup) scores(t TuningScores) (single, a, g experiments.Floats) {
	released := s.released(t)
	if s.dirac {
		return t.BaseDirac, released.Dirac, released.Score
	}
	return t.BaseForeign, released.Foreign, released.Score
}

// exactEpsilon returns the ε of tuning with a monotone score.
func exactEpsilon(c TuningConfig, run base.Run) (float64, error) {
	exact, err := monotone.Gaussian{Law: c.Law, Mu: run.O.Mu}.EpsilonAt(c.Delta)
	return exact.Estimate, err
}

const tuningSide = 4 // pixels of an image are means of 2x2 of the digits'

// tuningImages returns count digits to train on, the digits that are kept to validate on, and
// the foreign example: the negative of a digit.
func tuningImages(count int) (on images, err error) {
	all, test, err := digits.Load()
	if err != nil {
		return on, err
	}
	var rows []int // evenly over the classes: rows are sorted by class
	for i := range count {
		rows = append(rows, i*all.Len()/count)
	}
	on.train, on.validation = halved(all.Subset("digits", rows)), halved(test)
	on.foreign, err = negative("", on.validation)
	return on, err
}

// halved returns the images with half the side.
func halved(d data.Dataset) data.Dataset {
	out := d
	out.Shape, out.Features = []int{tuningSide * tuningSide}, nil
	for i := range d.Len() {
		row := d.Row(i)
		for y := range tuningSide {
			for x := range tuningSide {
				at := 2*y*digits.Side + 2*x
				out.Features = append(out.Features, (row[at]+row[at+1]+row[at+digits.Side]+row[at+digits.Side+1])/4)
			}
		}
	}
	return out
}

// perceptronGradient returns the gradient of the cross entropy of an example at the weights of
// models.MLP(inputs, hidden, classes), clipped to norm clip. With a = tanh(W x + b), p = softmax(V
// a + c) and y the label it is
//
//	at c: p - e_y,  at V: (p - e_y) aᵀ,  at b: h = (1-a²) Vᵀ(p - e_y),  at W: h xᵀ
//
// Weights lie in the order W, b, V, c, row after row.
func perceptronGradient(z dpsgd.Example, hidden, classes int, clip float64) func(weights, gradient []float64) {
	inputs := len(z.Features)
	a, p, features := make([]float64, hidden), make([]float64, classes), make([]float64, inputs)
	for i, x := range z.Features {
		features[i] = float64(x)
	}
	featuresSquare := floats.Dot(features, features)
	return func(weights, gradient []float64) {
		w, b := weights[:hidden*inputs], weights[hidden*inputs:][:hidden]
		v, c := weights[hidden*(inputs+1):][:classes*hidden], weights[hidden*(inputs+1)+classes*hidden:]
		gw, gb := gradient[:hidden*inputs], gradient[hidden*inputs:][:hidden]
		gv, gc := gradient[hidden*(inputs+1):][:classes*hidden], gradient[hidden*(inputs+1)+classes*hidden:]
		for j := range a {
			a[j] = math.Tanh(b[j] + floats.Dot(w[j*inputs:][:inputs], features))
		}
		softmax(v, c, a, p)
		p[z.Label]--
		square := 0.0
		for k, e := range p {
			gc[k] = e
			square += e * e
			for j, x := range a {
				gv[k*hidden+j] = e * x
				square += e * e * x * x
			}
		}
		for j, x := range a {
			h := 0.0
			for k, e := range p {
				h += v[k*hidden+j] * e
			}
			h *= 1 - x*x
			gb[j] = h
			square += h * h * (1 + featuresSquare)
			floats.ScaleTo(gw[j*inputs:][:inputs], h, features)
		}
		if norm := math.Sqrt(square); norm > clip {
			floats.Scale(clip/norm, gradient)
		}
	}
}

// softmax sets p to softmax(V a + c).
func softmax(v, c, a, p []float64) {
	top, sum := math.Inf(-1), 0.0
	for k := range p {
		p[k] = c[k]
		for j, x := range a {
			p[k] += v[k*len(a)+j] * x
		}
		top = math.Max(top, p[k])
	}
	for k := range p {
		p[k] = math.Exp(p[k] - top)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
}
