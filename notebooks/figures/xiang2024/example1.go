package xiang2024

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Example1Result is Example 1: the tight example for pure differential privacy.
type Example1Result struct {
	Tuned        [2][]float64 // chances of the outputs A, B, C of the best run
	Pure         float64      // ε at δ = 0
	Approximate  float64      // ε at δ = 1e-5
	Bound        float64      // (2+η)ε, Corollary 3 of Papernot and Steinke
	BoundAtDelta float64      // their Theorem 2, at δ = 1e-5
	Tops         [2]int       // first and last largest order at which a reading of it is as printed; 0 is none
}

// Example1 reproduces Example 1: three outputs with g(C) > g(B) > g(A), and
//
//	P  = (1 - b e^ε - db, b e^ε, db),    P' = (1 - b - db e^ε, b, db e^ε)
func Example1() (Example1Result, error) {
	e := papers.Xiang2024.Example1
	law := law.TNB{Eta: e.Eta, Gamma: e.Nu}
	grown := math.Exp(e.Epsilon)
	runs := [2][]float64{
		{1 - e.B*grown - e.D*e.B, e.B * grown, e.D * e.B},
		{1 - e.B - e.D*e.B*grown, e.B, e.D * e.B * grown},
	}
	var r Example1Result
	var err error
	for i, p := range runs {
		if r.Tuned[i], err = selection.BestOfFinite(law, p, []float64{0, 1, 2}, selection.TieUniform); err != nil {
			return Example1Result{}, err
		}
	}
	for i := range r.Tuned[0] {
		r.Pure = math.Max(r.Pure, math.Abs(math.Log(r.Tuned[0][i]/r.Tuned[1][i])))
	}
	r.Approximate = math.Max(finiteEpsilon(r.Tuned[0], r.Tuned[1], papers.Xiang2024.Delta), finiteEpsilon(r.Tuned[1], r.Tuned[0], papers.Xiang2024.Delta))
	if r.Bound, err = selection.PureDP(law, e.Epsilon); err != nil {
		return Example1Result{}, err
	}
	// An (ε, 0) guarantee is a divergence of at most ε at every order.
	curve, err := selection.Theorem2(law, func(float64) float64 { return e.Epsilon })
	if err != nil {
		return Example1Result{}, err
	}
	g, err := rdp.NewAccountant().EpsilonOf(curve, papers.Xiang2024.Delta)
	r.BoundAtDelta, r.Tops = g.Epsilon.Upper, topsOf(law, r.Bound, e.BoundAtDelta)
	return r, err
}

// topsOf reads 3.11 as Theorem 2 at an order α, with no end to its other order, converted at α,
// the largest of a list of orders. It returns the least and the largest such α.
func topsOf(k law.TNB, bound float64, printed papers.Value) (tops [2]int) {
	for order := 2.0; order <= 1000; order++ {
		epsilon := convert(order, bound+math.Log(k.Distribution().Mean())/(order-1), papers.Xiang2024.Delta)
		if math.Abs(epsilon-printed.Number) <= printed.Source.AbsErr {
			tops[1] = int(order)
			if tops[0] == 0 {
				tops[0] = tops[1]
			}
		}
	}
	return tops
}

// finiteEpsilon returns the exact ε at delta of p against q: over the events that are worth
// taking, ln((P[S]-δ)/Q[S]) is largest at the one that belongs to ε. There are few outputs, so
// all events are tried.
func finiteEpsilon(p, q []float64, delta float64) float64 {
	worst := 0.0
	for event := 1; event < 1<<len(p); event++ {
		var sumP, sumQ float64
		for i := range p {
			if event>>i&1 == 1 {
				sumP, sumQ = sumP+p[i], sumQ+q[i]
			}
		}
		if sumP > delta {
			worst = math.Max(worst, math.Log((sumP-delta)/sumQ))
		}
	}
	return worst
}

// Compare sets our numbers next to the printed ones.
func (r Example1Result) Compare() figures.Comparison {
	e := papers.Xiang2024.Example1
	c := figures.Comparison{Name: "xiang2024-example1", Title: "Example 1: a selection whose price is nearly the bound"}
	add := func(v papers.Value, ours float64, note string) {
		c.Rows = append(c.Rows, figures.Against(v, ours).WithNote("%s", note))
	}
	for i, chances := range e.Tuned {
		for j, v := range chances {
			add(v, r.Tuned[i][j], "")
		}
	}
	add(e.Pure, r.Pure, "")
	cut := ""
	if math.Trunc(100*r.Approximate)/100 == e.Approximate.Number {
		cut = "printed are our digits, cut and not rounded"
	}
	add(e.Approximate, r.Approximate, cut)
	add(e.Bound, r.Bound, "")
	add(e.BoundAtDelta, r.BoundAtDelta, fmt.Sprintf("3 at δ = 0 is 3 at every δ, and orders without an end give it back; Theorem 2 gives the printed value if the largest order is %d to %d", r.Tops[0], r.Tops[1]))
	return c
}
