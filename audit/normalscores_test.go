package audit

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/audit/internal/auc"
	"github.com/dplab/dplab/audit/internal/tails"
)

// On normal scores the bound is above the truth in 5 % of audits, whatever their number, leak, place and scale: within three
// standard errors on either side, as it is exact.
func TestNormalScoresCoverage(t *testing.T) {
	audits := 10000
	if testing.Short() {
		audits = 1000
	}
	for i, c := range []struct {
		n1, n0 int
		mu     float64
	}{{2, 3, 1}, {8, 8, 1}, {10, 40, 3.95}, {50, 50, 0.2}, {50, 50, 6}} {
		rng, alarms := rand.New(rand.NewPCG(53, uint64(i))), 0
		law, scale := tails.NewNoncentralT(float64(c.n1+c.n0-2)), math.Sqrt(1/float64(c.n1)+1/float64(c.n0))
		for range audits {
			s := Scores{make([]float64, c.n1), make([]float64, c.n0)}
			for i := range s.Member {
				s.Member[i] = 7 - 3*(rng.NormFloat64()-c.mu)
			}
			for i := range s.NonMember {
				s.NonMember[i] = 7 + 3*rng.NormFloat64()
			}
			if law.AtLeast(tOf(s), c.mu/scale) <= 0.05 { // as the bound is above µ, without the search
				alarms++
			}
		}
		rate, slack := float64(alarms)/float64(audits), 3*math.Sqrt(0.05*0.95/float64(audits))
		t.Logf("%d + %d games, µ %g: %.4f of audits above the truth", c.n1, c.n0, c.mu, rate)
		if math.Abs(rate-0.05) > slack {
			t.Errorf("%d + %d games, µ %g: %.4f of audits above the truth, want 0.05 within %.4f", c.n1, c.n0, c.mu, rate, slack)
		}
	}
}

// Canaries of some trainings share what moves a training: all scores alike, and each by its own
// part. Since fair coins decide which are members, the bound is above 0 in 5 % of audits, within
// three standard errors, if nothing leaks, and above the leak µ in at most 5 % otherwise. The scores
// are not independent, so it is above the µ of the score's own curve more often than that.
func TestNormalScoresOfTrainings(t *testing.T) {
	const trainings, canaries, alike, parts = 10, 12, 0.4, 0.5
	audits := 4000
	if testing.Short() {
		audits = 1000
	}
	for _, mu := range []float64{0, 2.5} {
		rng, alarms, ownMu := rand.New(rand.NewPCG(56, 1)), 0, 0
		for range audits {
			var s Scores
			part := make([]float64, canaries)
			for j := range part {
				part[j] = parts * rng.NormFloat64()
			}
			for range trainings {
				moved, along := alike*rng.NormFloat64(), rng.NormFloat64()
				for _, p := range part {
					if x := moved + along*p + rng.NormFloat64(); rng.IntN(2) == 0 {
						s.Member = append(s.Member, x+mu)
					} else {
						s.NonMember = append(s.NonMember, x)
					}
				}
			}
			law, scale := tails.NewNoncentralT(trainings*canaries-2), math.Sqrt(1/float64(len(s.Member))+1/float64(len(s.NonMember)))
			if law.AtLeast(tOf(s), mu/math.Sqrt(1+alike*alike+parts*parts)/scale) <= 0.05 {
				ownMu++
			}
			if law.AtLeast(tOf(s), mu/scale) <= 0.05 {
				alarms++
			}
		}
		rate, slack := float64(alarms)/float64(audits), 3*math.Sqrt(0.05*0.95/float64(audits))
		t.Logf("µ %g: %.4f of audits above the leak, %.4f above the µ of the score's own curve", mu, rate, float64(ownMu)/float64(audits))
		if rate > 0.05+slack || mu == 0 && rate < 0.05-slack {
			t.Errorf("µ %g: %.4f of audits above the leak, want 0.05 within %.4f, or less", mu, rate, slack)
		}
	}
}

// tOf is Student's T by the definition.
func tOf(s Scores) float64 {
	moments := func(xs []float64) (mean, squares float64) {
		for _, x := range xs {
			mean += x / float64(len(xs))
		}
		for _, x := range xs {
			squares += (x - mean) * (x - mean)
		}
		return mean, squares
	}
	in, a := moments(s.Member)
	out, b := moments(s.NonMember)
	n, m := float64(len(s.Member)), float64(len(s.NonMember))
	return (in - out) / math.Sqrt((a+b)/(n+m-2)*(1/n+1/m))
}

// The bound is where the p-value is the significance, nearer to the truth than that of the AUC at a strong leak, and in doubt
// of scores that are not normal.
func TestNormalScores(t *testing.T) {
	rng := rand.New(rand.NewPCG(55, 56))
	draw := func(member, nonMember func() float64) Scores { return fill(rng, 400, member, nonMember) }
	s := draw(func() float64 { return rng.NormFloat64() + 3.95 }, rng.NormFloat64)
	b := must(NormalScores(s, level95))
	near(t, "p at the bound", tails.NewNoncentralT(798).AtLeast(tOf(s), b.Mu/math.Sqrt(2./400)), 0.05, 1e-6, "the law")
	if !(b.Mu < 3.95 && b.Epsilon < b.Ceiling) || len(b.Warnings) > 0 {
		t.Errorf("%v: want less than 3.95, without a doubt", b)
	}
	var more []float64
	audits := 300
	if testing.Short() {
		audits = 150
	}
	for range audits {
		s := draw(func() float64 { return rng.NormFloat64() + 3.95 }, rng.NormFloat64)
		sorted := must(newSample(s))
		byAUC, _ := auc.MuOfLosses(160000-float64(auc.Wins(sorted.member, sorted.nonMember)), 400, 400, 0.05)
		more = append(more, must(NormalScores(s, level95)).Mu-byAUC)
	}
	mean, deviation := stat.MeanStdDev(more, nil)
	stdErr := deviation / math.Sqrt(float64(audits))
	t.Logf("µ is %.3f ± %.3f larger than by the AUC", mean, stdErr)
	if !(mean > 5*stdErr) {
		t.Errorf("µ is %.3f ± %.3f larger than by the AUC, want more by five standard errors", mean, stdErr)
	}
	for words, s := range map[string]Scores{
		"variances":    draw(func() float64 { return 2*rng.NormFloat64() + 1 }, rng.NormFloat64),
		"skewness and": draw(func() float64 { return laplaceDraw(rng) + 1 }, func() float64 { return laplaceDraw(rng) }),
	} {
		if b := must(NormalScores(s, level95)); len(b.Warnings) == 0 || !strings.Contains(b.Warnings[0].Error(), words) {
			t.Errorf("%v: warnings %v, want one about %s", b, b.Warnings, words)
		}
	}
	if b := must(NormalScores(draw(rng.NormFloat64, func() float64 { return rng.NormFloat64() + 3 }), level95)); b.Mu != 0 || b.Epsilon != 0 {
		t.Errorf("members below non-members: %v, want 0", b)
	}
	for want, s := range map[string]Scores{
		"at least 2 of each": {[]float64{1}, []float64{0, 1}}, "all equal": {[]float64{1, 1}, []float64{0, 0}}, "is empty": {nil, []float64{1}},
	} {
		if _, err := NormalScores(s, level95); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that names %q", err, want)
		}
	}
	if _, err := NormalScores(s, Config{}); err == nil || !strings.Contains(err.Error(), "delta 0") {
		t.Errorf("δ = 0: error %v", err)
	}
	if b := must(NormalScores(Scores{[]float64{1e9, 1e9 + 1e-5}, []float64{0, 1e-5}}, level95)); math.IsInf(b.Epsilon, 0) || b.Epsilon > b.Ceiling {
		t.Errorf("scores far apart: %v, want a finite bound", b)
	}
}
