package tails

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// The law without a shift is Student's, in both tails; with one, against a simulation, 5.6 standard
// errors.
func TestNoncentralT(t *testing.T) {
	for _, degrees := range []float64{2, 7, 60, 1998} {
		law, student := NewNoncentralT(degrees), distuv.StudentsT{Mu: 0, Sigma: 1, Nu: degrees}
		for _, x := range []float64{-3, 0, 0.5, 1.7, 4} {
			near(t, "P[T >= x]", law.AtLeast(x, 0), 1-student.CDF(x), 1e-8, "Student's t by gonum")
		}
	}
	const draws, degrees, d = 40000, 5, 2.5
	law, rng, over := NewNoncentralT(degrees), rand.New(rand.NewPCG(51, 52)), 0.
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
	p := law.AtLeast(4, d)
	near(t, "P[T >= 4] of d = 2.5", over/draws, p, 5.6*math.Sqrt(p*(1-p)/draws), "40,000 draws")
}

// Far from the middle, where leaks are strong or the confidence is near 1. The wanted chances are
// by mpmath, from the density of √(V/ν).
func TestNoncentralTFarOut(t *testing.T) {
	for _, c := range []struct{ degrees, x, d, want float64 }{
		{2, 4, 1, 0.103678502095}, {3, 51, 4.5, 0.00107988114653}, {18, 113, 59, 0.00102707866534}, {18, 374, 50, 1.82326734787e-13},
		{8, 262, 85, 0.000939945703804}, {8, 157.25, 40, 0.000154490609316}, {3, 2658, 10, 7.57996267762e-8}, {198, 613, 440, 1.77295778301e-9},
		{198, 43, 29, 5.16401301231e-10}, {398998, 13420, 13300, 7.24026844631e-16}, {2, 1000, 3000, 0.999876588098}, {798, 30, 25, 3.10637083938e-5},
	} {
		// From above, but for the digits of the wanted value; 1e-6 is what the error's estimate may
		// add.
		if p := NewNoncentralT(c.degrees).AtLeast(c.x, c.d); !(p >= c.want*(1-1e-11) && p <= c.want*(1+1e-6)) {
			t.Errorf("P[T >= %g] of %g degrees and d = %g is %.12g, want %.12g", c.x, c.degrees, c.d, p, c.want)
		}
	}
}

func near(t *testing.T, what string, got, want, tol float64, source string) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s = %.12g, want %.12g within %g (%s)", what, got, want, tol, source)
	}
}
