package audit

import (
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/tails"
)

// The whole true curve lies in the band with chance at least 0.95: over 100 audits the count
// of misses is exceeded by chance at most 1e-8 of the time.
func TestBandHoldsEverywhere(t *testing.T) {
	const audits = 100
	missed := 0
	for i := range audits {
		rng := rand.New(rand.NewPCG(uint64(i), 31))
		band := must(NewBand(nulls[5].draw(rng, 150), Config{Confidence: 0.95}))
		for e := -400; e <= 0; e++ {
			v := tails.Logistic(float64(e) / 40)
			for _, v := range []float64{v, 1 - v} {
				truth := GDP{1}.TPR(v)
				if band.Lower.At(v) > truth+1e-12 || band.Upper.At(v) < truth-1e-12 {
					missed++
					e = 1
					break
				}
			}
		}
	}
	limit := sort.Search(audits, func(k int) bool { return tails.BinomialUpper(k+1, audits, 0.05) <= 1e-8 })
	if missed > limit {
		t.Errorf("the band missed the curve in %d of %d audits, want at most %d", missed, audits, limit)
	}
}

// discrete is a pair of laws on finitely many scores, with the largest score first.
type discrete struct {
	name              string
	member, nonMember []float64 // chances of the scores n-1, ..., 1, 0
}

var discreteLaws = []discrete{
	{"two scores", []float64{.8, .2}, []float64{.3, .7}},
	{"randomized response, ε = 3", []float64{.9525741, .0474259}, []float64{.0474259, .9525741}},
	{"three scores", []float64{.5, .3, .2}, []float64{.1, .2, .7}},
	{"mass on both ends", []float64{.02, .6, .38, 0}, []float64{0, .38, .6, .02}},
	{"one rare score", []float64{.02, .98}, []float64{.001, .999}},
	{"all equal", []float64{1}, []float64{1}},
	{"N(1, 1) rounded down", rounded(1), rounded(0)},
}

// rounded returns the chances of N(µ, 1) rounded down to -3, ..., 3, and cut off there.
func rounded(mu float64) []float64 {
	var out []float64
	rest := 1.0
	for t := 3.0; t > -3; t-- {
		below := numeric.NormalCDF(t - mu)
		out = append(out, rest-below)
		rest = below
	}
	return append(out, rest)
}

func (d discrete) draw(rng *rand.Rand, n1, n0 int) Scores {
	one := func(chances []float64) float64 {
		u := rng.Float64()
		for i, p := range chances {
			if u -= p; u < 0 {
				return float64(len(chances) - 1 - i)
			}
		}
		return 0
	}
	s := Scores{make([]float64, n1), make([]float64, n0)}
	for i := range s.Member {
		s.Member[i] = one(d.member)
	}
	for i := range s.NonMember {
		s.NonMember[i] = one(d.nonMember)
	}
	return s
}

// stairs returns the greatest TPR of a threshold with at most the FPR v; line the TPR at v
// of thresholds that toss a coin on ties.
func (d discrete) stairs(v float64) float64 {
	fpr, tpr := 0.0, 0.0
	for i := range d.member {
		if fpr+d.nonMember[i] > v+1e-12 {
			break
		}
		fpr, tpr = fpr+d.nonMember[i], tpr+d.member[i]
	}
	return tpr
}

func (d discrete) line(v float64) float64 {
	curve := ROC{FPR: []float64{0}, TPR: []float64{0}}
	fpr, tpr := 0.0, 0.0
	for i := range d.member {
		fpr, tpr = fpr+d.nonMember[i], tpr+d.member[i]
		curve.FPR, curve.TPR = append(curve.FPR, fpr), append(curve.TPR, tpr)
	}
	return curve.At(v)
}

// On tied scores the band holds as often as it says. A staircase lies below another if it does
// where it jumps, so that no grid is needed. 60 audits a law, 7 laws: more misses than the limit
// come by chance at most 7e-8 of the time.
func TestBandHoldsOnTies(t *testing.T) {
	const audits = 60
	limit := sort.Search(audits, func(k int) bool { return tails.BinomialUpper(k+1, audits, 0.05) <= 1e-8 })
	for _, d := range discreteLaws {
		below, above := 0, 0
		for i := range audits {
			n := []int{30, 300, 1000}[i%3]
			band := must(NewBand(d.draw(rand.New(rand.NewPCG(uint64(i), 37)), n, n), Config{Confidence: 0.95}))
			lo, up := false, false
			for j, v := range band.Lower.FPR {
				lo = lo || band.Lower.TPR[j] > d.stairs(v)+1e-9
			}
			for j := 1; j < len(band.Upper.FPR); j++ {
				up = up || band.Upper.TPR[j-1] < d.line(band.Upper.FPR[j])-1e-9 && band.Upper.FPR[j] > band.Upper.FPR[j-1]
			}
			if lo {
				below++
			}
			if up {
				above++
			}
		}
		if below+above > limit {
			t.Errorf("%s: the band is above the curve in %d and below it in %d of %d audits, want at most %d", d.name, below, above, audits, limit)
		}
	}
}

// Left of its first point the lower curve is 0.
func TestBandLeftOfItsFirstPoint(t *testing.T) {
	scores := Scores{Member: []float64{11, 12, 13, 14, 15, 16, 17, 18, 19, 20}, NonMember: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}
	band := must(NewBand(scores, Config{Confidence: 0.9}))
	if first := band.Lower.FPR[0]; first <= 0.1 {
		t.Fatalf("the first point is at %g, want one above 0.1", first)
	}
	for _, v := range []float64{0, 0.05, 0.1} {
		if got := band.Lower.At(v); got != 0 {
			t.Errorf("the lower curve at %g is %g, want 0", v, got)
		}
	}
	if got := (ROC{FPR: []float64{0.5, 0.5, 1}, TPR: []float64{0, 0.7, 1}}).At(0.5); got != 0.7 {
		t.Errorf("at the first point the curve is %g, want the upper end 0.7", got)
	}
}

func TestBandEnclosesTheEmpiricalCurve(t *testing.T) {
	scores := referenceScores(t)
	band, roc := must(NewBand(scores, Config{Confidence: 0.95})), must(NewROC(scores))
	for i, v := range roc.FPR {
		if band.Lower.At(v) > roc.At(v) || band.Upper.At(v) < roc.TPR[i] {
			t.Errorf("at FPR %g the band [%g, %g] misses the curve %g", v, band.Lower.At(v), band.Upper.At(v), roc.At(v))
		}
	}
	if at := band.Upper.At(0.01) - band.Lower.At(0.01); at > 0.35 {
		t.Errorf("the band is %g wide at FPR 0.01 with 1000 games of each", at)
	}
}

// The lower bound on δ inverts the same test as the bound on ε.
func TestDeltaLowerInvertsTheBound(t *testing.T) {
	scores := gaussianScores(500, 2)
	b := must(RankTwoTail(scores, 2, Config{Delta: 0.01}))
	near(t, "δ at the bound on ε", must(DeltaLower(scores, b.Epsilon, 2, Config{Confidence: 0.95})), 0.01, 1e-4, "the bound on ε at δ = 0.01")
	if got := must(DeltaLower(scores, b.Epsilon+2, 2, Config{Confidence: 0.95})); got != 0 {
		t.Errorf("δ lower at a large ε = %g, want 0", got)
	}
}
