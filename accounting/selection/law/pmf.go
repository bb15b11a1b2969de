package law

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/numeric"
)

// maxTerms is the largest number of runs of a law that is a list of chances.
const maxTerms = 1 << 16

// PMF is any law with finitely many values: P[K = k] = Weights[k], k = 0, 1, ...
//
// If Weights[0] > 0, a search may draw K = 0 and must then release its defined default output; see
// Poisson. If P[K = 1] = 0, only the price of publishing all runs stays finite for every Gaussian
// run.
type PMF struct {
	Weights []float64 // each >= 0, sum 1 to 1e-9, at most 65,537 of them; not all on 0
}

// Validate returns an error unless the weights are a distribution with some K >= 1.
func (l PMF) Validate() error {
	if len(l.Weights) < 2 || len(l.Weights) > maxTerms+1 {
		return fmt.Errorf("law: PMF.Weights has %d entries: must have from 2 to %d", len(l.Weights), maxTerms+1)
	}
	sum := 0.0
	for k, w := range l.Weights {
		if !(w >= 0) {
			return fmt.Errorf("law: PMF.Weights[%d] %g: must be >= 0", k, w)
		}
		sum += w
	}
	if !(math.Abs(sum-1) < 1e-9) {
		return fmt.Errorf("law: PMF.Weights sum to %.12g: must be 1", sum)
	}
	if sum == l.Weights[0] {
		return errors.New("law: PMF.Weights are all on K = 0: must have some K >= 1")
	}
	return nil
}

// String names the law.
func (l PMF) String() string {
	return fmt.Sprintf("law of %d weights (mean %.6g)", len(l.Weights), weights(l.Weights).normalized().mean())
}

// Distribution copies the weights, divided by their sum. Draws invert the distribution function.
func (l PMF) Distribution() Distribution {
	if err := l.Validate(); err != nil {
		return Distribution{l, invalid{err}}
	}
	return consistent(l, newList(l, weights(l.Weights).normalized(), nil))
}

// list is the form of a law that is a list of chances, made once.
type list struct {
	law        Law     // the law that made it
	weights    weights // the chances
	positive   weights // up to the last that is not 0
	mean       float64 // E[K]
	draw       draws   // how K is drawn; nil inverts the distribution function
	ranksTable func() *derivative

	// whole, if it has a form, is the law without its limit. excess is ln(E[K]/(E[K given K <= Max]
	// P[K <= Max])) for a truncated law, and never below 0. See Limited.
	whole  Distribution
	excess float64
}

// draws draws K.
type draws func(rng *rand.Rand) (int, error)

func newList(l Law, w weights, draw draws) *list {
	positive := w[:w.degree()+1]
	return &list{law: l, weights: w, positive: positive, mean: w.mean(), draw: draw, ranksTable: sync.OnceValue(positive.table)}
}

func (l *list) Mean() float64                        { return l.mean }
func (l *list) LogPMF(k int) float64                 { return l.weights.logPMF(k) }
func (l *list) PGF(x float64) float64                { return l.positive.pgf(x) }
func (l *list) LogPGFDerivative(x float64) float64   { return l.positive.logDerivative(numeric.Log(x)) }
func (l *list) SuccessProbability(p float64) float64 { return l.positive.success(p) }
func (l *list) ExpectedQuantile() float64            { return l.weights.quantile() }
func (l *list) logConvex() bool                      { return false }
func (l *list) chanceRatio(int) float64              { return math.Inf(1) }
func (l *list) lastRun() (int, bool)                 { return len(l.weights) - 1, true }

// MaxLogWeight searches the ranks that the profile allows, see ranks. For a truncated or withheld
// law it is never above the bound of Limited.
func (l *list) MaxLogWeight(order float64, base Profile) float64 {
	if l.whole.form == nil {
		return base.worstRanks(l.ranksTable(), order)
	}
	return Distribution{l.law, l}.Limited(order, func(d Distribution) float64 { return d.MaxLogWeight(order, base) })
}

func (l *list) tilted(x float64) (Distribution, bool) {
	w := make(weights, len(l.weights))
	for k, p := range l.weights {
		w[k] = p * math.Pow(x, float64(k))
	}
	if w = w.normalized(); !(w.mean() > 0) {
		return Distribution{}, false
	}
	return consistent(l.law, newList(l.law, w, nil)), true
}

func (l *list) Rand(rng *rand.Rand) (int, error) {
	if l.draw != nil {
		return l.draw(rng)
	}
	return l.weights.rand(rng), nil
}

// weights are the chances of K = 0, 1, ..., with sum 1.
type weights []float64

func (w weights) mean() float64 {
	sum := 0.0
	for k, p := range w {
		sum += float64(k) * p
	}
	return sum
}

func (w weights) logPMF(k int) float64 {
	if k < 0 || k >= len(w) {
		return math.Inf(-1)
	}
	return numeric.Log(w[k])
}

// pgf returns Σ w_k x^k. Horner's rule in x^4 for four sums, which do not wait for each other.
func (w weights) pgf(x float64) float64 {
	x2 := x * x
	x4 := x2 * x2
	var a, b, c, d float64
	k := len(w) &^ 3
	for j := len(w) - 1; j >= k; j-- {
		a = a*x + w[j]
	}
	for k -= 4; k >= 0; k -= 4 {
		v := w[k : k+4 : k+4]
		a = a*x4 + v[0]
		b = b*x4 + v[1]
		c = c*x4 + v[2]
		d = d*x4 + v[3]
	}
	return math.Min(1, (a+c*x2)+(b+d*x2)*x)
}

// success returns Σ w_k (1 - (1-p)^k), in blocks: with F_k = (1-p)^k - 1 that of the j-th term
// after k is F_k + (1+F_k) F_j. All terms have one sign, so the digits of a small p are kept.
func (w weights) success(p float64) float64 {
	const block = 32
	logFailure := math.Log1p(-p)
	var within [block]float64
	for j := 1; j < block; j++ {
		within[j] = math.Expm1(float64(j) * logFailure)
	}
	sum := 0.0
	for k := 0; k < len(w); k += block {
		mass, inner := 0.0, 0.0
		for j, weight := range w[k:min(k+block, len(w))] {
			mass += weight
			inner += weight * within[j]
		}
		if mass == 0 {
			continue
		}
		before := 0.0
		if k > 0 {
			before = math.Expm1(float64(k) * logFailure)
		}
		sum -= before*mass + (1+before)*inner
	}
	return math.Min(1, sum)
}

func (w weights) quantile() float64 {
	sum := 1.0
	for k, p := range w {
		sum -= p / float64(k+1)
	}
	return sum
}

// logDerivative returns ln f'(x) at ln x <= 0.
func (w weights) logDerivative(logX float64) float64 { return w.series().logAt(logX) }

// first is the least k >= 1 with a weight.
func (w weights) first() int {
	k := 1
	for w[k] == 0 {
		k++
	}
	return k
}

// series is f' of some weights, as a power series.
type series struct {
	weights
	least int     // the least k >= 1 with a weight
	sum   float64 // f'(1), 0 without such a k
}

func (w weights) series() series {
	s := series{weights: w, sum: w.mean()}
	if s.sum > 0 {
		s.least = w.first()
	}
	return s
}

// logAt returns ln f'(x) at ln x <= 0; -Inf if the series has no term.
func (s series) logAt(logX float64) float64 { return s.at(logX, math.Exp(logX)) }

// at is logAt with x given. The power of the first term is kept as a logarithm, so nothing
// underflows. Terms that can no longer matter are left out. Four sums, each of every fourth term,
// do not wait for each other.
func (s series) at(logX, x float64) float64 {
	w, mean := s.weights, s.sum
	if mean == 0 {
		return math.Inf(-1)
	}
	x2 := x * x
	x4 := x2 * x2
	var a, b, c, d float64
	power, k, j := 1.0, s.least, float64(s.least)
	for ; k+3 < len(w); k += 4 {
		v := w[k : k+4 : k+4]
		a += j * v[0] * power
		b += (j + 1) * v[1] * power
		c += (j + 2) * v[2] * power
		d += (j + 3) * v[3] * power
		j += 4
		if power *= x4; power*mean <= 1e-18*a {
			break
		}
	}
	sum := (a + c*x2) + (b+d*x2)*x
	for ; k < len(w) && power*mean > 1e-18*sum; k++ {
		sum += float64(k) * w[k] * power
		power *= x
	}
	return numeric.Times(s.least-1, logX) + numeric.Log(sum)
}

func (w weights) rand(rng *rand.Rand) int {
	u := uniformOpen(rng)
	last := 0
	for k, p := range w {
		if p > 0 {
			last = k
		}
		if u -= p; u < 0 {
			return k
		}
	}
	return last
}

// degree is the largest k with a weight.
func (w weights) degree() int {
	k := len(w) - 1
	for w[k] == 0 {
		k--
	}
	return k
}

func (w weights) table() *derivative {
	degree := w.degree()
	return newDerivative(w.series().logAt, float64(degree), 2*numeric.ChanceRounding(degree)) // of chances and their sum
}

// normalized returns the weights, divided by their sum.
func (w weights) normalized() weights {
	sum := 0.0
	for _, p := range w {
		sum += p
	}
	out := make(weights, len(w))
	for k, p := range w {
		out[k] = p / sum
	}
	return out
}

// chances returns P[K = k] for k = 0..most.
func chances(law Distribution, most int) weights {
	w := make(weights, most+1)
	for k := range w {
		w[k] = math.Exp(law.LogPMF(k))
	}
	return w
}

func init() {
	RegisterFormat("pmf",
		func(l PMF) []eventjson.Field {
			return []eventjson.Field{field("weights", l.Weights)}
		},
		func(o *eventjson.Object) PMF {
			return PMF{Weights: o.Floats("weights")}
		})
}
