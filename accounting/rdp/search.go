package rdp

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

const (
	// MinOrder and MaxOrder bound the orders that are searched.
	MinOrder = 1 + 1e-6
	MaxOrder = 1e9

	gridPerDecade   = 4    // of α-1, from MinOrder to MaxOrder
	searchTolerance = 1e-5 // in log(α-1); a minimum is flat, so the error of the value is its square
)

// Best is the least value found by a search over orders.
type Best struct {
	Value float64 // the minimum
	Order float64 // the order, > 1, at which it was found
	AtEnd bool    // the order is the first or the last of the search
}

// OverOrders minimizes f over orders: on a grid, logarithmic in α-1 and rounded to the integers
// above 2, then by Brent's method around the best of the grid.
//
// Every order gives a valid bound. So a missed minimum makes the bound looser, never wrong. For the
// curves of sampled Gaussians nothing is missed. Their (α-1)RDP(α) is convex, so the classic and
// the Canonne-Kamath-Steinke ε and log δ are quasi-convex in the order.
//
// f may return +Inf. If it always does, Value is +Inf. NaN counts as +Inf. f is called about 70
// times.
func OverOrders(f func(order float64) float64) Best {
	value := func(order float64) float64 { return atMost(f(order)) }
	grid := orderGrid()
	best, at := Best{Value: math.Inf(1), Order: grid[0]}, 0
	for i, order := range grid {
		if v := value(order); v < best.Value {
			best, at = Best{Value: v, Order: order}, i
		}
	}
	if math.IsInf(best.Value, 1) {
		return best
	}
	lo, hi := grid[max(at-1, 0)], grid[min(at+1, len(grid)-1)]
	if refined := minimumBetween(value, lo, hi); refined.Value < best.Value {
		best = refined
	}
	const edge = 1 + 2*searchTolerance
	best.AtEnd = best.Order-1 <= (MinOrder-1)*edge || best.Order-1 >= (MaxOrder-1)/edge
	return best
}

// orderGrid returns the orders of the coarse search, increasing.
func orderGrid() []float64 {
	decades := math.Log10(MaxOrder-1) - math.Log10(MinOrder-1)
	n := int(math.Round(decades * gridPerDecade))
	orders := make([]float64, 0, n+1)
	for i := 0; i <= n; i++ {
		order := 1 + (MinOrder-1)*math.Pow(10, decades*float64(i)/float64(n))
		if order > 2 {
			order = math.Round(order) // integers are cheaper
		}
		if len(orders) == 0 || order > orders[len(orders)-1] {
			orders = append(orders, math.Min(order, MaxOrder))
		}
	}
	return orders
}

// minimumBetween minimizes f between the orders lo and hi, in x = log(α-1), by Brent's method:
// steps to the vertex of the parabola through the three best points, and golden sections if these
// do not shrink. It takes some ten calls. It returns the best value seen, so several minima do no
// harm.
//
// Reference: Brent (1973), Algorithms for Minimization without Derivatives, Chapter 5.
func minimumBetween(f func(order float64) float64, lo, hi float64) Best {
	const golden = 0.3819660112501051 // (3-√5)/2
	best := Best{Value: math.Inf(1)}
	at := func(x float64) float64 {
		order := 1 + math.Exp(x)
		v := f(order)
		if v < best.Value {
			best = Best{Value: v, Order: order}
		}
		return v
	}
	a, b := numeric.Log(lo-1), numeric.Log(hi-1)
	x := a + golden*(b-a) // the best, the second best and the one before
	w, v := x, x
	fx := at(x)
	fw, fv := fx, fx
	var step, before float64
	for range 100 {
		middle := (a + b) / 2
		if math.Abs(x-middle)+(b-a)/2 <= searchTolerance {
			break
		}
		parabola, ok := vertexStep(x, w, v, fx, fw, fv)
		if u := x + parabola; ok && math.Abs(parabola) < math.Abs(before)/2 && u > a && u < b {
			before, step = step, parabola
		} else {
			before = b - x
			if x >= middle {
				before = a - x
			}
			step = golden * before
		}
		if math.Abs(step) < searchTolerance/3 {
			step = math.Copysign(searchTolerance/3, middle-x)
		}
		u := x + step
		fu := at(u)
		if fu <= fx {
			if u >= x {
				a = x
			} else {
				b = x
			}
			v, fv, w, fw, x, fx = w, fw, x, fx, u, fu
			continue
		}
		if u < x {
			a = u
		} else {
			b = u
		}
		switch {
		case fu <= fw || w == x:
			v, fv, w, fw = w, fw, u, fu
		case fu <= fv || v == x || v == w:
			v, fv = u, fu
		}
	}
	return best
}

// vertexStep returns the step from x to the vertex of the parabola through three points.
func vertexStep(x, w, v, fx, fw, fv float64) (step float64, ok bool) {
	r, q := (x-w)*(fx-fv), (x-v)*(fx-fw)
	step = -((x-v)*q - (x-w)*r) / (2 * (q - r))
	return step, !math.IsNaN(step) && !math.IsInf(step, 0)
}
