package transform

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// level is one layer of the density of the tilted loss. A uniform law of the given width, with at
// least the given mass, lies under the density.
type level struct{ mass, width float64 }

// levelSets cuts the density f of the tilted loss l into layers. p[j] is h times the tilted density
// of x at the nodes.
//
// Proof. With p_α(x) ∝ e^{αl(x)} ρ(x), f = p_α(x) / l'(x). The second derivative of log f in x is
// at most κ = ((|α+1| max r(1-r)/σ² - 1)/σ²)_+. So between neighboring nodes f is at least the
// smaller of its two end values times e^{-κh²/8}. If both ends of every cell of a run are above s,
// f > s e^{-κh²/8} on the whole run: a rectangle in the layer below s. Any number of humps is
// covered, as each run is its own interval.
//
// The large or small part of a law (cut.go) has a further factor Φ(±u), the trimmed law (trim.go)
// e^{-e^u}. Both are log-concave, so κ is still a bound. For a replaced record see replaced.go.
func (w *Law) levelSets(p []float64, alpha float64, from, to int) []level {
	n := to - from
	logf := make([]float64, n)
	s2 := w.Sigma * w.Sigma
	r := w.posterior(float64(w.first+to) * w.Step)
	if r > 0.5 {
		r = 0.5
	}
	sag := w.Step * w.Step / 8 * math.Max(0, math.Abs(alpha+1)*r*(1-r)/s2-1) / s2
	if w.Replaced {
		sag = w.Step * w.Step / 8 * math.Max(0, (alpha*r*(1-r)+slopeBend)/s2-1) / s2
	}
	top := math.Inf(-1)
	norm := 2*numeric.Log(w.Sigma) - numeric.Log(w.Step) - numeric.Log(w.Q) - sag
	for i := range n {
		x := float64(w.first+from+i) * w.Step
		l := w.loss[from+i]
		v := (2*x - 1) / (2 * s2)
		logf[i] = numeric.Log(p[i]) + l - v + norm // l - v - log q = -log r
		if w.Replaced {
			logf[i] = numeric.Log(p[i]) + norm - w.logSlope(x)
		}
		top = max(top, logf[i])
	}
	var out []level
	total := 0.0
	for s, k := top, 0; total < 0.9999 && k < 72; k++ {
		drop := 0.25
		if k >= 24 {
			drop = 0.8
		}
		next := s - drop
		height := math.Exp(s) - math.Exp(next)
		for i := 0; i < n; {
			if logf[i] < s {
				i++
				continue
			}
			start := i
			for i < n && logf[i] >= s {
				i++
			}
			if width := w.loss[from+i-1] - w.loss[from+start]; width > 0 {
				out = append(out, level{height * width, width})
				total += height * width
			}
		}
		s = next
	}
	return out
}

// deficit returns a lower bound of 1 - |φ(t)|, increasing with t. The density is a mixture of
// uniform laws of widths W_k and masses m_k and of the rest, so
//
//	|φ(t)| <= 1 - Σ m_k (1 - S(t W_k/2)),  S(v) = sin v/v up to π/2, 1/v after.
//
// S decreases and is at least |sin v/v|.
func deficit(levels []level, t float64) float64 {
	var sum float64
	for _, l := range levels {
		v := t * l.width / 2
		switch {
		case v < 0.1:
			sum += l.mass * v * v / 6 * (1 - v*v/20)
		case v < math.Pi/2:
			sum += l.mass * (1 - math.Sin(v)/v)
		default:
			sum += l.mass * (1 - 1/v)
		}
	}
	return sum
}

// logPhi returns an upper bound of log |φ(t)|, decreasing in t >= 0.
func (s *tilted) logPhi(t float64) float64 {
	best := 0.0
	if d := deficit(s.levels, t); d < 1 {
		best = math.Log1p(-d)
	} else {
		best = math.Inf(-1)
	}
	if s.line.lines != nil {
		best = math.Min(best, s.line.logPhi(t))
	}
	return best
}
