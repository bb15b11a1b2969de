package tails

import (
	"cmp"
	"math"
	"slices"
)

// Nodes and weights of the 15-point Kronrod rule on [-1, 1] and of the 7-point Gauss rule
// inside it (every second node), from QUADPACK (Piessens et al. 1983). The tests check
// them by the degree of exactness, 22 and 13.
var (
	kronrodNodes   = [8]float64{0.991455371120812639206854697526329, 0.949107912342758524526189684047851, 0.864864423359769072789712788640926, 0.741531185599394439863864773280788, 0.586087235467691130294144691258130, 0.405845151377397166906606412076961, 0.207784955007898467600689403773245, 0}
	kronrodWeights = [8]float64{0.022935322010529224963732008058970, 0.063092092629978553290700663189204, 0.104790010322250183839876322541518, 0.140653259715525918745189590510238, 0.169004726639267902826583426598550, 0.190350578064785409913256402421014, 0.204432940075298892414161999234649, 0.209482141084727828012999174891714}
	gaussWeights   = [4]float64{0.129484966168869693270611432679082, 0.279705391489276667901467771423780, 0.381830050505118944950369775488975, 0.417959183673469387755102040816327}
)

// Node is one point of a quadrature rule, with its Kronrod weight and its weight in the Gauss rule
// inside. The latter is 0 at the nodes that only the Kronrod rule has.
type Node struct{ X, Kronrod, Gauss float64 }

// Rule appends the 15 nodes of [a, b] to nodes.
func Rule(nodes []Node, a, b float64) []Node {
	center, half := (a+b)/2, (b-a)/2
	for i, x := range kronrodNodes {
		n := Node{X: center - half*x, Kronrod: half * kronrodWeights[i]}
		if i%2 == 1 {
			n.Gauss = half * gaussWeights[i/2]
		}
		nodes = append(nodes, n)
		if x != 0 {
			n.X = center + half*x
			nodes = append(nodes, n)
		}
	}
	return nodes
}

type panel struct{ a, b, value, err float64 }

func newPanel(f func(float64) float64, a, b float64) panel {
	var buffer [15]Node
	p := panel{a: a, b: b}
	var gauss float64
	for _, n := range Rule(buffer[:0], a, b) {
		y := f(n.X)
		p.value += n.Kronrod * y
		gauss += n.Gauss * y
	}
	p.err = math.Abs(p.value - gauss)
	return p
}

// Integrate returns the integral of f over the consecutive intervals between breaks, and an error
// estimate. Breaks are ascending; put them at the kinks of f. The estimate is the sum over panels
// of the difference between the 15-point Kronrod and the 7-point Gauss rule. For a smooth f that is
// far above the Kronrod rule's own error. Panels are halved until the estimate is at most tol or
// maxPanels are in use.
func Integrate(f func(float64) float64, breaks []float64, tol float64, maxPanels int) (value, err float64) {
	var panels []panel
	for i := 1; i < len(breaks); i++ {
		if breaks[i] > breaks[i-1] {
			panels = append(panels, newPanel(f, breaks[i-1], breaks[i]))
		}
	}
	for len(panels) > 0 && len(panels) < maxPanels {
		var total float64
		for _, p := range panels {
			total += p.err
		}
		if total <= tol {
			break
		}
		panels = halveWorst(f, panels, tol/float64(2*len(panels)))
	}
	slices.SortFunc(panels, func(p, q panel) int { return cmp.Compare(p.value, q.value) })
	for _, p := range panels {
		value += p.value
		err += p.err
	}
	return value, err
}

// halveWorst halves every panel whose error is above small and above a tenth of the worst.
func halveWorst(f func(float64) float64, panels []panel, small float64) []panel {
	worst := slices.MaxFunc(panels, func(p, q panel) int { return cmp.Compare(p.err, q.err) }).err
	next := make([]panel, 0, 2*len(panels))
	for _, p := range panels {
		mid := p.a + (p.b-p.a)/2
		if p.err <= small || p.err < worst/10 || mid <= p.a || mid >= p.b {
			next = append(next, p)
			continue
		}
		next = append(next, newPanel(f, p.a, mid), newPanel(f, mid, p.b))
	}
	return next
}
