package exact

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/dplab/dplab/accounting/numeric"
)

// nodesPerPanel is the number of Gauss-Legendre nodes n on a panel of half-width s, the
// standard deviation of a step.
const nodesPerPanel = 18

// band is how many standard deviations of a step are kept.
const band = 9.5

// legendreNodes grow, as the means of a half must. quad.Legendre returns them the other way around.
var legendreNodes, legendreWeights = func() (x, w [nodesPerPanel]float64) {
	quad.Legendre{}.FixedLocations(x[:], w[:], -1, 1)
	slices.Reverse(x[:])
	slices.Reverse(w[:])
	return x, w
}()

// grid is 2·half panels of width 2s, around u = θ - h = 0, where the drift jumps.
type grid struct {
	half int     // panels on each side
	s    float64 // half-width of a panel, standard deviation of a step
}

func (g grid) panels() int { return 2 * g.half }
func (g grid) nodes() int  { return g.panels() * nodesPerPanel }

func (g grid) node(i int) float64 {
	panel, a := i/nodesPerPanel, i%nodesPerPanel
	return g.s * (2*float64(panel-g.half) + 1 + legendreNodes[a])
}

func (g grid) weight(i int) float64 { return g.s * legendreWeights[i%nodesPerPanel] }

// quadratureError bounds the L1 error that one step adds by integrating panel by panel.
//
// The density p before a step is a mixture of Gaussians of standard deviation s or more. So
// |p(x+iy)| <= p(x) exp(y²/2s²) <= exp(y²/2s²)/(s√2π), and the same holds for the step's kernel. On
// the Bernstein ellipse with parameter ρ around a panel y is at most s(ρ-1/ρ)/2, and n nodes are
// off by at most
//
//	s · 64/15 · M ρ^(-2n)/(1-ρ^-2),  M = exp((ρ-1/ρ)²/4)/(2πs²),
//
// for each panel and each point of the next density. ρ = 2√n nearly minimizes it. Only the line of
// length R counts here. The truncation covers the rest.
//
// Reference: Trefethen (2008), SIAM Review 50(1), Theorem 4.5.
func (g grid) quadratureError() float64 {
	const n = nodesPerPanel
	rho := 2 * math.Sqrt(n)
	log := math.Pow(rho-1/rho, 2)/4 - 2*n*numeric.Log(rho) + numeric.Log(64.0/15/(2*math.Pi)/(1-1/(rho*rho)))
	length := 2 * g.s * float64(g.panels()) * 2 // twice the grid: a step reaches no farther within the band
	return math.Exp(log) / g.s * float64(g.panels()) * length
}

// kernel is the step as a matrix in blocks. at[side][offset-first[side]][b][a] is the density of
// node b of a panel, given node a of the panel that lies offset to its left. side 0 is below the
// threshold, 1 above.
type kernel struct {
	first [2]int
	at    [2][][nodesPerPanel][nodesPerPanel]float64
}

func (g grid) kernel(push float64) (k kernel) {
	for side, drift := range [2]float64{-push, push} {
		low := int(math.Floor((drift-band*g.s)/(2*g.s))) - 1
		high := int(math.Ceil((drift+band*g.s)/(2*g.s))) + 1
		k.first[side] = low
		for offset := low; offset <= high; offset++ {
			var block [nodesPerPanel][nodesPerPanel]float64
			for b, xb := range legendreNodes {
				for a, xa := range legendreNodes {
					z := 2*float64(offset) + xb - xa - drift/g.s
					block[b][a] = math.Exp(-z*z/2) / (math.Sqrt(2*math.Pi) * g.s)
				}
			}
			k.at[side] = append(k.at[side], block)
		}
	}
	return k
}

// step returns the density after a step at the nodes, from the weights before it.
func (g grid) step(k kernel, weights []float64) []float64 {
	const n = nodesPerPanel
	density := make([]float64, g.nodes())
	for target := range g.panels() {
		out := density[target*n : (target+1)*n]
		for side := range 2 {
			for i := range k.at[side] {
				source := target - (k.first[side] + i)
				if source < side*g.half || source >= (side+1)*g.half {
					continue
				}
				multiplyAdd(out, &k.at[side][i], weights[source*n:(source+1)*n])
			}
		}
	}
	return density
}

func multiplyAdd(out []float64, block *[nodesPerPanel][nodesPerPanel]float64, weights []float64) {
	w := (*[nodesPerPanel]float64)(weights)
	for b := range block {
		sum := 0.0
		for a, v := range block[b] {
			sum += v * w[a]
		}
		out[b] += sum
	}
}
