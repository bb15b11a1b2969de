package audit

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/dplab/dplab/audit/internal/tails"
)

// Band is a confidence band of the ROC: with the stated confidence the whole curve of the
// threshold attack lies between Lower and Upper. Both are step functions that grow; Lower is
// (0, 0) to the left of its first point.
type Band struct {
	Lower, Upper ROC
	Confidence   float64
}

// NewBand returns a simultaneous band that is exact for any law of the scores, from the
// thresholds of a grid of ranks (2 log2 n of them) with Bonferroni's correction: at each,
// both rates get a two-sided interval, which makes a box that the curve must pass. Between
// boxes the curve can only grow.
func NewBand(scores Scores, confidence float64) (Band, error) {
	level := Level{Confidence: confidence}.withDefaults()
	s, err := newSample(scores)
	if err = errors.Join(err, level.Validate()); err != nil {
		return Band{}, err
	}
	boxes := s.boxes(level.significance())
	band := Band{Confidence: level.Confidence}
	for _, b := range boxes { // to the right of fprHi the curve is at least tprLo
		band.Lower.climb(b.fprHi, b.tprLo)
	}
	band.Lower.climb(1, 1)
	low := 1.0 // to the left of fprLo the curve is at most tprHi
	upper := ROC{FPR: []float64{1}, TPR: []float64{1}}
	for i := len(boxes) - 1; i >= 0; i-- {
		if b := boxes[i]; b.tprHi < low && b.fprLo > 0 {
			upper.FPR = append(upper.FPR, b.fprLo, b.fprLo)
			upper.TPR = append(upper.TPR, low, b.tprHi)
			low = b.tprHi
		}
	}
	upper.FPR, upper.TPR = append(upper.FPR, 0), append(upper.TPR, low)
	slices.Reverse(upper.FPR)
	slices.Reverse(upper.TPR)
	band.Upper = upper
	return band, nil
}

// climb appends a step to (x, y), if it is higher than the curve so far.
func (r *ROC) climb(x, y float64) {
	last := 0.0
	if n := len(r.TPR); n > 0 {
		last = r.TPR[n-1]
	}
	if y > last {
		r.FPR = append(r.FPR, x, x)
		r.TPR = append(r.TPR, last, y)
	}
}

// box is where the curve's point at one threshold lies.
type box struct{ threshold, fprLo, fprHi, tprLo, tprHi float64 }

// boxes returns one box a threshold, in the order of growing rates.
func (s sample) boxes(significance float64) []box {
	n1, n0 := len(s.member), len(s.nonMember)
	tops, bottoms := rankGrid(n0), rankGrid(n1)
	each := significance / float64(4*(len(tops)+len(bottoms)))
	var out []box
	for _, k := range tops {
		t := s.nonMember[n0-1-k]
		out = append(out, box{
			t,
			tails.BetaLowerQuantile(each, float64(k+1), float64(n0-k)), tails.BetaUpperQuantile(each, float64(k+1), float64(n0-k)),
			RateLower(above(s.member, t), n1, each), RateUpper(n1-below(s.member, t), n1, each),
		})
	}
	for _, k := range bottoms {
		t := s.member[k]
		out = append(out, box{
			t,
			RateLower(above(s.nonMember, t), n0, each), RateUpper(n0-below(s.nonMember, t), n0, each),
			1 - tails.BetaUpperQuantile(each, float64(k+1), float64(n1-k)), 1 - tails.BetaLowerQuantile(each, float64(k+1), float64(n1-k)),
		})
	}
	slices.SortFunc(out, func(a, b box) int { return cmp.Compare(b.threshold, a.threshold) })
	for i := 1; i < len(out); i++ { // thresholds fall along the list, so rates can only grow
		out[i].tprLo = math.Max(out[i].tprLo, out[i-1].tprLo)
		out[i].fprLo = math.Max(out[i].fprLo, out[i-1].fprLo)
	}
	for i := len(out) - 2; i >= 0; i-- {
		out[i].tprHi = math.Min(out[i].tprHi, out[i+1].tprHi)
		out[i].fprHi = math.Min(out[i].fprHi, out[i+1].fprHi)
	}
	return out
}
