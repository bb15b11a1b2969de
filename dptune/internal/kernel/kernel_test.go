package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// array is a tensor with all that a naive twin needs.
type array struct {
	values []float32
	dims   []int
}

// at returns a value.
func (a array) at(index ...int) float32 {
	flat := 0
	for axis, i := range index {
		flat = flat*a.dims[axis] + i
	}
	return a.values[flat]
}

// replica returns that of one replica, or the one that all share, with the first side 1.
func (a array) replica(r int) array {
	r = min(r, a.dims[0]-1)
	each := len(a.values) / a.dims[0]
	return array{a.values[r*each : (r+1)*each], append([]int{1}, a.dims[1:]...)}
}

// whole returns an array of small whole numbers. float32 holds their sums and products exactly, so
// a twin must be equal for any order of its sums.
func whole(rng *rand.Rand, dims ...int) array {
	a := array{make([]float32, SizeOf(dims)), dims}
	for i := range a.values {
		a.values[i] = float32(rng.IntN(9) - 4)
	}
	return a
}

// normal returns an array of numbers whose sums are rounded.
func normal(rng *rand.Rand, dims ...int) array {
	a := array{make([]float32, SizeOf(dims)), dims}
	for i := range a.values {
		a.values[i] = float32(rng.NormFloat64())
	}
	return a
}

// run calls a graph function on the go backend.
func run(t *testing.T, f func(in []*graph.Node) *graph.Node, in ...array) array {
	t.Helper()
	backend, err := gobackend.New("ops_sequential")
	if err != nil {
		t.Fatal(err)
	}
	return runOn(t, backend, f, in...)
}

// runOn calls a graph function on a backend.
func runOn(t *testing.T, backend compute.Backend, f func(in []*graph.Node) *graph.Node, in ...array) array {
	t.Helper()
	exec, err := graph.NewExec(backend, f)
	if err != nil {
		t.Fatal(err)
	}
	var args []any
	for _, a := range in {
		args = append(args, tensors.FromFlatDataAndDimensions(a.values, a.dims...))
	}
	out, err := exec.Call(args...)
	if err != nil {
		t.Fatal(err)
	}
	got := array{dims: out[0].Shape().Dimensions}
	if err := tensors.ConstFlatData(out[0], func(flat []float32) { got.values = slices.Clone(flat) }); err != nil {
		t.Fatal(err)
	}
	return got
}

// twin makes an array from its values one by one.
func twin(dims []int, value func(index []int) float32) array {
	a := array{make([]float32, SizeOf(dims)), dims}
	index := make([]int, len(dims))
	for i := range a.values {
		a.values[i] = value(index)
		for axis := len(dims) - 1; axis >= 0; axis-- {
			if index[axis]++; index[axis] < dims[axis] {
				break
			}
			index[axis] = 0
		}
	}
	return a
}

// sum adds up n values.
func sum(n int, value func(i int) float32) float32 {
	total := float32(0)
	for i := range n {
		total += value(i)
	}
	return total
}

// naive is a function of the package on arrays, and what it should be, one number at a time.
type naive struct {
	f    func(in []*graph.Node) *graph.Node
	in   func(draw func(dims ...int) array, r int) []array // for r replicas
	want func(in []array) array
}

func two(f func(a, b *graph.Node) *graph.Node) func(in []*graph.Node) *graph.Node {
	return func(in []*graph.Node) *graph.Node { return f(in[0], in[1]) }
}

func one(f func(a *graph.Node) *graph.Node) func(in []*graph.Node) *graph.Node {
	return func(in []*graph.Node) *graph.Node { return f(in[0]) }
}

// product is Σ_k of values of two arrays, whose places are given.
func product(k int, a, b func(index []int, k int) float32) func(index []int) float32 {
	return func(index []int) float32 {
		return sum(k, func(i int) float32 { return a(index, i) * b(index, i) })
	}
}

// sizes are sides [m, k, n] of products: around the blocks of 3 or 4 rows and 8 columns that kernels take at once, with few
// and many of each.
var sizes = [][3]int{{1, 1, 1}, {2, 3, 5}, {3, 64, 8}, {4, 7, 9}, {5, 70, 17}, {24, 65, 3}, {25, 5, 40}, {30, 6, 30}}

// cases are all functions at the sides of a product.
func cases(m, k, n int) map[string]naive {
	type draws = func(dims ...int) array
	rows := func(i, k int) func(draw draws, r int) []array {
		return func(draw draws, r int) []array { return []array{draw(r, m, k), draw(r, n, k)} }
	}
	matrices := func(shared bool) func(draw draws, r int) []array {
		return func(draw draws, r int) []array {
			if shared {
				return []array{draw(r, m, k), draw(1, k, n)}
			}
			return []array{draw(r, m, k), draw(r, k, n)}
		}
	}
	times := func(in []array) array {
		a, b := in[0], in[1]
		return twin([]int{a.dims[0], m, n}, product(k,
			func(i []int, k int) float32 { return a.at(i[0], i[1], k) },
			func(i []int, k int) float32 { return b.replica(i[0]).at(0, k, i[2]) }))
	}
	inner := func(in []array) array {
		a, b := in[0], in[1]
		return twin([]int{a.dims[0], m, n}, product(k,
			func(i []int, k int) float32 { return a.at(i[0], i[1], k) },
			func(i []int, k int) float32 { return b.replica(i[0]).at(0, i[2], k) }))
	}
	factors := func(draw draws, r int) []array { return []array{draw(r, m), draw(r, m, n)} }
	weighted := func(by func(factor float32) float32) func(in []array) array {
		return func(in []array) array {
			return twin(in[1].dims, func(i []int) float32 { return by(in[0].at(i[0], i[1])) * in[1].at(i...) })
		}
	}
	columns := func(draw draws, r int) []array { return []array{draw(r, n), draw(r, m, n)} }
	weightedColumns := func(by func(factor float32) float32) func(in []array) array {
		return func(in []array) array {
			return twin(in[1].dims, func(i []int) float32 { return by(in[0].at(i[0], i[2])) * in[1].at(i...) })
		}
	}
	itself := func(factor float32) float32 { return factor }
	present := func(factor float32) float32 {
		if factor == 0 {
			return 0
		}
		return 1
	}
	return map[string]naive{
		"BatchedProduct":              {two(BatchedProduct), matrices(false), times},
		"Times":                       {two(Times), matrices(false), times},
		"Times of a shared one":       {two(Times), matrices(true), times},
		"InnerProducts":               {two(InnerProducts), rows(n, k), inner},
		"TimesTransposed":             {two(TimesTransposed), rows(n, k), inner},
		"TimesTransposed of a shared": {two(TimesTransposed), func(draw draws, r int) []array { return []array{draw(r, m, k), draw(1, n, k)} }, inner},
		"ProductOfRows":               {two(ProductOfRows), matrices(false), times},
		"ProductOfRows that are shared": {two(ProductOfRows),
			func(draw draws, r int) []array { return []array{draw(1, m, k), draw(r, k, n)} },
			func(in []array) array {
				a, b := in[0], in[1]
				return twin([]int{b.dims[0], m, n}, product(k,
					func(i []int, k int) float32 { return a.at(0, i[1], k) },
					func(i []int, k int) float32 { return b.at(i[0], k, i[2]) }))
			}},
		"WeightedRows": {two(WeightedRows), factors, func(in []array) array {
			return twin([]int{in[1].dims[0], n}, product(m,
				func(i []int, k int) float32 { return in[0].at(i[0], k) },
				func(i []int, k int) float32 { return in[1].at(i[0], k, i[1]) }))
		}},
		"Weighted":        {two(Weighted), factors, weighted(itself)},
		"ZeroWhere":       {two(ZeroWhere), factors, weighted(present)},
		"WeightedColumns": {two(WeightedColumns), columns, weightedColumns(itself)},
		"ZeroColumns":     {two(ZeroColumns), columns, weightedColumns(present)},
		"SquaredNorms": {one(SquaredNorms), func(draw draws, r int) []array { return []array{draw(r, m, n, 2)} }, func(in []array) array {
			return twin(in[0].dims[:2], func(i []int) float32 {
				return sum(2*n, func(k int) float32 { v := in[0].at(i[0], i[1], k/2, k%2); return v * v })
			})
		}},
		"SumMiddle": {one(SumMiddle), func(draw draws, r int) []array { return []array{draw(r, m, n)} }, func(in []array) array {
			return twin([]int{in[0].dims[0], n}, func(i []int) float32 {
				return sum(m, func(k int) float32 { return in[0].at(i[0], k, i[1]) })
			})
		}},
		"SumLast": {one(SumLast), func(draw draws, r int) []array { return []array{draw(r, m, n)} }, func(in []array) array {
			return twin([]int{in[0].dims[0], m}, func(i []int) float32 {
				return sum(n, func(k int) float32 { return in[0].at(i[0], i[1], k) })
			})
		}},
		"Scaled": {two(Scaled), func(draw draws, r int) []array { return []array{draw(r, n), draw(r, 1)} }, func(in []array) array {
			return twin(in[0].dims, func(i []int) float32 { return in[0].at(i...) * in[1].at(i[0], 0) })
		}},
		"Transposed": {one(Transposed), func(draw draws, r int) []array { return []array{draw(r, m, n)} }, func(in []array) array {
			return twin([]int{in[0].dims[0], n, m}, func(i []int) float32 { return in[0].at(i[0], i[2], i[1]) })
		}},
		"FirstColumns": {one(func(x *graph.Node) *graph.Node { return FirstColumns(x, (n+1)/2) }),
			func(draw draws, r int) []array { return []array{draw(r, m, n)} }, func(in []array) array {
				return twin([]int{in[0].dims[0], m, (n + 1) / 2}, func(i []int) float32 { return in[0].at(i...) })
			}},
		"Column": {one(func(x *graph.Node) *graph.Node { return Column(x, n/2) }),
			func(draw draws, r int) []array { return []array{draw(r, n)} }, func(in []array) array {
				return twin([]int{in[0].dims[0], 1}, func(i []int) float32 { return in[0].at(i[0], n/2) })
			}},
		"ExpandLike": {two(func(x, like *graph.Node) *graph.Node { // which is used, even if x has its shape already
			return graph.Add(ExpandLike(x, like), graph.MulScalar(like, 0))
		}), func(draw draws, r int) []array { return []array{draw(r, 1, n), draw(r, m, n)} }, func(in []array) array {
			return twin(in[1].dims, func(i []int) float32 { return in[0].at(i[0], 0, i[2]) })
		}},
		"OnlyWhere": {two(func(mask, g *graph.Node) *graph.Node {
			return OnlyWhere(graph.GreaterThan(mask, graph.ZerosLike(mask)), g)
		}), func(draw draws, r int) []array { return []array{draw(r, m, n), draw(r, m, n)} }, func(in []array) array {
			return twin(in[0].dims, func(i []int) float32 {
				if in[0].at(i...) > 0 {
					return in[1].at(i...)
				}
				return 0
			})
		}},
	}
}

// Every function equals its twin, to the bit, at sides around those of the kernels.
func TestFunctionsEqualTheirTwins(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(dims ...int) array { return whole(rng, dims...) }
	for _, side := range sizes {
		for name, c := range cases(side[0], side[1], side[2]) {
			in := c.in(draw, 3)
			got, want := run(t, c.f, in...), c.want(in)
			if !slices.Equal(got.dims, want.dims) {
				t.Errorf("%s at %v: shape %v, want %v", name, side, got.dims, want.dims)
				continue
			}
			for i, v := range got.values {
				if v != want.values[i] {
					t.Errorf("%s at %v: value %d is %g, want %g", name, side, i, v, want.values[i])
					break
				}
			}
		}
	}
}

// The result for a replica has the bits of a single replica, even with rounded sums, and beyond the
// 2²² multiplications at which the backend uses another kernel, for one product or only for all
// together.
func TestReplicasHaveTheBitsOfOneAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	draw := func(dims ...int) array { return normal(rng, dims...) }
	for _, c := range []struct {
		side     [3]int
		replicas int
	}{{[3]int{5, 70, 17}, 3}, {[3]int{31, 130, 30}, 7}, {[3]int{64, 600, 40}, 4}, {[3]int{130, 300, 120}, 2}} {
		for name, f := range cases(c.side[0], c.side[1], c.side[2]) {
			if name == "ProductOfRows that are shared" {
				continue // other backends only: here RowsFor repeats the rows
			}
			in := f.in(draw, c.replicas)
			together := run(t, f.f, in...)
			for r := range c.replicas {
				own := make([]array, len(in))
				for i, a := range in {
					own[i] = a.replica(r)
				}
				if alone := run(t, f.f, own...); !slices.Equal(together.replica(r).values, alone.values) {
					t.Errorf("%s at %v: replica %d of %d has other bits than alone", name, c.side, r, c.replicas)
				}
			}
		}
	}
}

// Rows and columns of factor 0 add exactly zero, even if they hold NaN or overflow.
func TestFactorZeroIsExactlyZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, f := range map[string]struct {
		f    func(factors, x *graph.Node) *graph.Node
		axis int // of x, along which factors are
	}{"WeightedRows": {WeightedRows, 1}, "Weighted": {Weighted, 1}, "ZeroWhere": {ZeroWhere, 1}, "WeightedColumns": {WeightedColumns, 2}, "ZeroColumns": {ZeroColumns, 2}} {
		x := whole(rng, 2, 6, 6)
		factors := array{[]float32{1, 0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0}, []int{2, 6}}
		poisoned := twin(x.dims, func(i []int) float32 {
			if factors.at(i[0], i[f.axis]) != 0 {
				return x.at(i...)
			}
			return []float32{nan, inf, -inf}[(i[1]+i[2])%3]
		})
		got, want := run(t, two(f.f), factors, poisoned), run(t, two(f.f), factors, x)
		if !slices.Equal(got.values, want.values) {
			t.Errorf("%s: %v of NaN with factor 0, want %v", name, got.values, want.values)
		}
	}
}

// PerSampleProduct multiplies the matrices of each example, and RowsFor and RepeatShared repeat what replicas share.
func TestExamplesAndSharedRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	a, b := whole(rng, 6, 5, 7), whole(rng, 6, 7, 9)
	got := run(t, two(func(a, b *graph.Node) *graph.Node { return PerSampleProduct(a, b, 2) }), a, b)
	want := twin([]int{6, 5, 9}, product(7,
		func(i []int, k int) float32 { return a.at(i[0], i[1], k) }, func(i []int, k int) float32 { return b.at(i[0], k, i[2]) }))
	if !slices.Equal(got.values, want.values) {
		t.Error("PerSampleProduct differs from its twin")
	}
	rows := run(t, one(func(x *graph.Node) *graph.Node { return RowsFor(x, 2, 2) }), a)
	if !slices.Equal(rows.dims, []int{2, 15, 7}) || !slices.Equal(rows.values, a.values) {
		t.Errorf("RowsFor of each replica's own: shape %v", rows.dims)
	}
	for name, f := range map[string]func(x *graph.Node) *graph.Node{
		"RowsFor":      func(x *graph.Node) *graph.Node { return RowsFor(x, 1, 3) },
		"RepeatShared": func(x *graph.Node) *graph.Node { return RepeatShared(graph.Reshape(x, 1, 30, 7), 3) },
	} {
		got := run(t, one(f), a)
		if !slices.Equal(got.dims, []int{3, 30, 7}) || !slices.Equal(got.values, slices.Concat(a.values, a.values, a.values)) {
			t.Errorf("%s: shape %v, and not three times what is shared", name, got.dims)
		}
	}
	if got := run(t, one(Images), array{a.values, []int{2, 3, 5, 7}}); !slices.Equal(got.dims, []int{6, 5, 7}) {
		t.Errorf("Images: shape %v", got.dims)
	}
}

// The constants of proofs, from their definitions: u is half the distance from 1 to the next
// number. γ_n = n u/(1-n u) is not below its value, and +Inf if it gives no bound.
func TestNumbersOfProofs(t *testing.T) {
	if u := UnitRoundoff(dtypes.Float32); u != float64(math.Nextafter32(1, 2)-1)/2 {
		t.Errorf("unit roundoff of float32 %g", u)
	}
	if u := UnitRoundoff(dtypes.Float64); u != (math.Nextafter(1, 2)-1)/2 {
		t.Errorf("unit roundoff of float64 %g", u)
	}
	if g := Gamma(dtypes.Float32, 1<<20); g < 1./15 || g > 1./15*(1+1e-11) { // n u = 1/16
		t.Errorf("γ is %g, want 1/15 from above", g)
	}
	if g := Gamma(dtypes.Float32, 1<<23); !math.IsInf(g, 1) {
		t.Errorf("γ at n u = 1/2 is %g, want +Inf", g)
	}
	if lost, least := LostSquares(dtypes.Float32, 3), Smallest(dtypes.Float32); lost != 3*least || float32(least) == 0 || float32(least)/2 >= float32(least) {
		t.Errorf("lost squares %g for 3 of %g", lost, least)
	}
}

// WantShape names what is missing, or has another shape.
func TestWantShape(t *testing.T) {
	says := func(want string, f func()) {
		t.Helper()
		defer func() {
			if err, ok := recover().(error); !ok || !strings.Contains(err.Error(), want) {
				t.Errorf("panic with %v, want one that says %q", err, want)
			}
		}()
		f()
	}
	says("the sum is missing (nil): must be of shape [2]", func() { WantShape("the sum", nil, []int{2}) })
	run(t, one(func(x *graph.Node) *graph.Node {
		WantShape("x", x, []int{2, 3})
		says("the sum is of shape [2 3]: must be [3 2]", func() { WantShape("the sum", x, []int{3, 2}) })
		return graph.AddScalar(x, 1)
	}), array{make([]float32, 6), []int{2, 3}})
}
