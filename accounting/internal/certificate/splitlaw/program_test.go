package splitlaw

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
)

// normal returns X of a Gaussian at distance s, at the nodes of a trapezoidal sum. For sums that
// are smoothed by a wider Gaussian, its error falls faster than any power of the distance of nodes.
func normal(s float64) (x exact) {
	const apart = 0.5
	for y := -8.0; y <= 8+s; y += apart {
		x.z = append(x.z, math.Exp(s*y-s*s/2))
		x.mass = append(x.mass, apart*math.Exp(-y*y/2)/math.Sqrt(2*math.Pi))
	}
	return x
}

// slowly returns both δ of a program with a Gaussian. It sums over all nodes of all factors. The
// Gaussian has the formula of Black and Scholes.
func slowly(p Program, epsilon float64) (remove, add float64) {
	whole := exact{[]float64{1}, []float64{1}}
	for _, f := range p.Factors {
		for range f.Count {
			sum := exact{[]float64{0}, []float64{1}}
			for range f.Period {
				sum = sum.of(normal(f.Distance), func(x, y float64) float64 { return x + y })
			}
			whole = whole.of(sum, func(x, y float64) float64 { return x * (1 - f.Rate + f.Rate*y/float64(f.Period)) })
		}
	}
	cdf := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	g, c := p.Gaussian, math.Exp(epsilon)
	for i, z := range whole.z {
		d := numeric.Log(z/c)/g + g/2
		remove += whole.mass[i] * (z*cdf(d) - c*cdf(d-g))
		d = numeric.Log(z*c)/g + g/2
		add += whole.mass[i] * (cdf(g-d) - c*z*cdf(-d))
	}
	return remove, add
}

// TestPrograms compares whole programs with slow sums: bounds are not below them, and at most two
// thousandths of δ above. The sums and Erfc err by far less than 1e-9 of δ.
func TestPrograms(t *testing.T) {
	for _, p := range []Program{
		{Gaussian: 1.3},
		{Factors: []Factor{{1, 2, 1, 1}, {0.7, 1, 0.2, 1}}, Gaussian: 1.2},
		{Factors: []Factor{{0.9, 1, 0.3, 3}}, Gaussian: 1},
		{Factors: []Factor{{0.5, 3, 0.6, 1}}, Gaussian: 0.8},
		{Factors: []Factor{{0.5, 1, 1, 1}, {0.8, 2, 1, 1}}, Gaussian: 0.9},
	} {
		curve, err := CurveOf(p, Grid{Cells: 1000, LogTail: -30})
		if err != nil {
			t.Fatal(err)
		}
		for _, epsilon := range []float64{0, 0.4, 1.5, 3} {
			remove, add := slowly(p, epsilon)
			for side, v := range map[string][2]float64{"remove": {curve.At(of(epsilon), false), remove}, "add": {curve.At(of(epsilon), true), add}} {
				if !(v[0] >= v[1]*(1-1e-9) && v[0] <= v[1]*(1+2e-3)) {
					t.Errorf("%+v, %s, ε %g: δ <= %.12g, want %.12g or slightly more", p, side, epsilon, v[0], v[1])
				}
			}
		}
	}
}
