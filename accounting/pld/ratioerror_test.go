package pld

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting/pld/internal/lossgrid"
)

// True masses differ from those of a cell by up to eta of these, in any combination. Both laws on
// the grid must stay on their sides of the true profile at all four corners. eta is large here, so
// that an error of one eta shows.
func TestMassErrorsAtTheirCorners(t *testing.T) {
	const h, eta, slop = 0.1, 0.01, 1e-12
	rng := rand.New(rand.NewPCG(5, 2))
	for range 200 {
		var cells []cell
		var p, q []float64 // of the cells, as computed
		for j := -8; j < 8; j++ {
			loss := (float64(j) + rng.Float64()) * h / 2
			mass := rng.Float64()
			p, q = append(p, mass), append(q, mass*math.Exp(-loss))
			cells = append(cells, cell{j: j, p: mass, s: ratio(atom{p: mass, q: q[len(q)-1]}, float64(j)*h/2), eta: eta})
		}
		up, low := pessimistic(cells, 0, h), optimistic(cells, 0, h)
		for _, corner := range [][2]float64{{1 - eta, 1 - eta}, {1 - eta, 1 + eta}, {1 + eta, 1 - eta}, {1 + eta, 1 + eta}} {
			for k := -5; k <= 5; k++ {
				epsilon, truth := float64(k)*h, 0.0
				for i := range p {
					// The cell's true losses lie in it, whatever the corner.
					pi, lo := p[i]*corner[0], float64(cells[i].j)*h/2
					qi := math.Min(pi*math.Exp(-lo), math.Max(pi*math.Exp(-lo-h/2), q[i]*corner[1]))
					truth += math.Max(0, pi-math.Exp(epsilon)*qi)
				}
				if above, below := deltaOf(up, h, epsilon), deltaOf(low, h, epsilon); above < truth-slop || below > truth+slop {
					t.Fatalf("corner %v, ε = %g: δ in [%.15g, %.15g], the truth is %.15g", corner, epsilon, below, above, truth)
				}
			}
		}
	}
}

// deltaOf sums the profile of a law on the grid.
func deltaOf(law lossgrid.Law, h, epsilon float64) float64 {
	delta := law.Infinite
	for i, p := range law.P {
		delta += p * math.Max(0, -math.Expm1(epsilon-float64(law.First+i)*h))
	}
	return delta
}
