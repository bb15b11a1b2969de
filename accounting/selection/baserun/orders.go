package baserun

import (
	"math"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
)

// orderTable evaluates a memoized curve at a fixed list of orders. It evaluates only the orders
// that a question needs.
type orderTable struct {
	curve  rdp.Curve
	count  float64 // the divergences are those of count runs
	orders []float64
	known  []atomic.Uint64 // bits of the curve at an order, once it was asked; 0 before, and for a divergence of 0
}

// Table orders. The first is the least order of all, which has the best bound by total variation.
// Then α-1 runs from 0.01 to about 1e6 in steps of 10 %. Orders above 20 are integers.
const (
	tableStart = 0.01
	tableRatio = 1.1
	tableSize  = 194
)

var tableOrders = sync.OnceValue(func() []float64 {
	orders := []float64{rdp.MinOrder}
	for i := 1; i < tableSize; i++ {
		order := 1 + tableStart*math.Pow(tableRatio, float64(i))
		if order > 20 {
			order = math.Round(order)
		}
		if order != orders[len(orders)-1] {
			orders = append(orders, order)
		}
	}
	return orders
})

// tableTerms are (α-1) ln(1+1/(α-1)) and ln α of the table orders. They are used millions of times.
var tableTerms = sync.OnceValue(func() []struct{ log1p, log float64 } {
	orders := tableOrders()
	terms := make([]struct{ log1p, log float64 }, len(orders))
	for i, order := range orders {
		a := order - 1
		terms[i].log1p, terms[i].log = a*math.Log1p(1/a), numeric.Log(order)
	}
	return terms
})

// newOrderTable returns the table of a memoized curve. It leaves out the last orders if the curve
// is infinite there.
func newOrderTable(curve rdp.Curve) *orderTable {
	orders := tableOrders()
	finite := sort.Search(len(orders), func(i int) bool { return math.IsInf(curve(orders[i]), 1) })
	return &orderTable{curve: curve, count: 1, orders: orders[:finite], known: make([]atomic.Uint64, finite)}
}

// scaled returns the table of count runs.
func (t *orderTable) scaled(count int) *orderTable {
	s := *t
	s.count *= float64(count)
	return &s
}

// divergence returns entry i.
func (t *orderTable) divergence(i int) float64 {
	bits := t.known[i].Load()
	if bits == 0 {
		bits = math.Float64bits(t.curve(t.orders[i]))
		t.known[i].Store(bits)
	}
	return t.count * math.Float64frombits(bits)
}

// logDelta returns ln δ at ε from entry i.
func (t *orderTable) logDelta(i int, epsilon float64) float64 {
	return rdp.CanonneKamathSteinke.LogDelta(t.orders[i], t.divergence(i), epsilon)
}

// best returns the entry with the least δ at ε if δ, as a function of the order, has one minimum.
// The curve of a pair of distributions has one. Otherwise it returns a good entry.
func (t *orderTable) best(epsilon float64) int {
	lo, hi := 0, len(t.orders)-1
	for lo < hi {
		mid := (lo + hi) / 2
		if t.exponent(mid, epsilon) <= t.exponent(mid+1, epsilon) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// exponent is logDelta without the cut at 0, so it still slopes far from the minimum.
func (t *orderTable) exponent(i int, epsilon float64) float64 {
	terms := &tableTerms()[i]
	return (t.orders[i]-1)*(t.divergence(i)-epsilon) - terms.log1p - terms.log
}

// exponent returns orderTable.exponent at any order.
func exponent(order, divergence, epsilon float64) float64 {
	a := order - 1
	return a*(divergence-epsilon) - a*math.Log1p(1/a) - numeric.Log(order)
}

// delta returns an upper bound on δ at ε from the best entry or from the first. The first entry has
// the least bound by total variation.
func (t *orderTable) delta(epsilon float64) float64 {
	if len(t.orders) == 0 {
		return 1
	}
	return math.Exp(math.Min(t.logDelta(t.best(epsilon), epsilon), t.logDelta(0, epsilon)))
}

// refinedDelta is delta with up to extra more orders. Each is the vertex, in ln(α-1), of the
// parabola through three orders around the minimum. Every order gives a valid δ. More orders bring
// it closer to the least.
func (t *orderTable) refinedDelta(epsilon float64, extra int) float64 {
	delta := t.delta(epsilon)
	if len(t.orders) < 3 {
		return delta
	}
	i := min(max(t.best(epsilon), 1), len(t.orders)-2)
	var x, y [3]float64 // ln(α-1), increasing, and the exponent there
	for k := range x {
		x[k], y[k] = numeric.Log(t.orders[i-1+k]-1), t.exponent(i-1+k, epsilon)
	}
	for range extra {
		at := vertex(x[0], x[1], x[2], y[0], y[1], y[2])
		if !(at > x[0] && at < x[2]) || at == x[1] {
			break
		}
		order := 1 + math.Exp(at)
		divergence := t.count * t.curve(order)
		delta = math.Min(delta, oneOrder(order, divergence).DeltaAt(epsilon))
		x, y = around(x, y, at, exponent(order, divergence, epsilon))
	}
	return delta
}

// around returns three of four points around a minimum, increasing in x: the lower one of x[1] and
// at, and its neighbors.
func around(x, y [3]float64, at, value float64) ([3]float64, [3]float64) {
	left, right := at < x[1], value <= y[1]
	switch {
	case left && right:
		return [3]float64{x[0], at, x[1]}, [3]float64{y[0], value, y[1]}
	case left:
		return [3]float64{at, x[1], x[2]}, [3]float64{value, y[1], y[2]}
	case right:
		return [3]float64{x[1], at, x[2]}, [3]float64{y[1], value, y[2]}
	}
	return [3]float64{x[0], x[1], at}, [3]float64{y[0], y[1], value}
}

// vertex returns where the parabola through three points has slope 0.
func vertex(x0, x1, x2, y0, y1, y2 float64) float64 {
	d01, d12 := (y1-y0)/(x1-x0), (y2-y1)/(x2-x1)
	curvature := (d12 - d01) / (x2 - x0)
	return (x0+x1)/2 - d01/(2*curvature)
}
