package audit

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// The law without a shift is Student's, in both tails; with one, against a simulation, 5.6 standard errors.
func TestNoncentralT(t *testing.T) {
	for _, degrees := range []float64{2, 7, 60, 1998} {
		law, student := newNoncentralT(degrees), distuv.StudentsT{Mu: 0, Sigma: 1, Nu: degrees}
		for _, x := range []float64{-3, 0, 0.5, 1.7, 4} {
			near(t, "P[T >= x]", law.atLeast(x, 0), 1-student.CDF(x), 1e-8, "Student's t by gonum")
		}
	}
	const draws, degrees, d = 40000, 5, 2.5
	law, rng, over := newNoncentralT(degrees), rand.New(rand.NewPCG(51, 52)), 0.
	for range draws {
		sum := 0.
		for range degrees {
			z := rng.NormFloat64()
			sum += z * z
		}
		if (rng.NormFloat64()+d)/math.Sqrt(sum/degrees) >= 4 {
			over++
		}
	}
	p := law.atLeast(4, d)
	near(t, "P[T >= 4] of d = 2.5", over/draws, p, 5.6*math.Sqrt(p*(1-p)/draws), "40,000 draws")
}

// Far from the middle, where leaks are strong or the confidence is near 1. The wanted chances are by mpmath, from the density of √(V/ν).
func TestNoncentralTFarOut(t *testing.T) {
	for _, c := range []struct{ degrees, x, d, want float64 }{
		{2, 4, 1, 0.103678502095}, {3, 51, 4.5, 0.00107988114653}, {18, 113, 59, 0.00102707866534}, {18, 374, 50, 1.82326734787e-13},
		{8, 262, 85, 0.000939945703804}, {8, 157.25, 40, 0.000154490609316}, {3, 2658, 10, 7.57996267762e-8}, {198, 613, 440, 1.77295778301e-9},
		{198, 43, 29, 5.16401301231e-10}, {398998, 13420, 13300, 7.24026844631e-16}, {2, 1000, 3000, 0.999876588098}, {798, 30, 25, 3.10637083938e-5},
	} {
		// From above, but for the digits of the wanted value; 1e-6 is what the error's estimate may add.
		if p := newNoncentralT(c.degrees).atLeast(c.x, c.d); !(p >= c.want*(1-1e-11) && p <= c.want*(1+1e-6)) {
			t.Errorf("P[T >= %g] of %g degrees and d = %g is %.12g, want %.12g", c.x, c.degrees, c.d, p, c.want)
		}
	}
}

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
		law, scale := newNoncentralT(float64(c.n1+c.n0-2)), math.Sqrt(1/float64(c.n1)+1/float64(c.n0))
		for range audits {
			s := Scores{make([]float64, c.n1), make([]float64, c.n0)}
			for i := range s.Member {
				s.Member[i] = 7 - 3*(rng.NormFloat64()-c.mu)
			}
			for i := range s.NonMember {
				s.NonMember[i] = 7 + 3*rng.NormFloat64()
			}
			if law.atLeast(tOf(s), c.mu/scale) <= 0.05 { // as the bound is above µ, without the search
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
	near(t, "p at the bound", newNoncentralT(798).atLeast(tOf(s), b.Mu/math.Sqrt(2./400)), 0.05, 1e-6, "the law")
	if !(b.Mu < 3.95 && b.Epsilon < b.Ceiling) || len(b.Warnings) > 0 {
		t.Errorf("%v: want less than 3.95, without a doubt", b)
	}
	var more []float64
	const audits = 300
	for range audits {
		s := draw(func() float64 { return rng.NormFloat64() + 3.95 }, rng.NormFloat64)
		auc, _ := muOfLosses(160000-float64(must(newSample(s)).wins()), 400, 400, 0.05)
		more = append(more, must(NormalScores(s, level95)).Mu-auc)
	}
	mean, deviation := stat.MeanStdDev(more, nil)
	stdErr := deviation / math.Sqrt(audits)
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
