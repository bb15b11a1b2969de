package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// choose makes variants those of the environment.
func choose(t *testing.T, list string) {
	t.Helper()
	before := chosen
	t.Cleanup(func() { chosen = before })
	chosen = func() []Variant { return parseVariants(list) }
}

// posing is the go backend under another name, which makes it a device, or XLA on the processor.
type posing struct {
	compute.Backend
	shares bool
}

func (p posing) String() string         { return "posing" }
func (p posing) HasSharedBuffers() bool { return p.shares }

func pose(t *testing.T, shares bool) compute.Backend {
	t.Helper()
	backend, err := gobackend.New("ops_sequential")
	if err != nil {
		t.Fatal(err)
	}
	return posing{backend, shares}
}

// A variant is used only on a device, and only if it is listed.
func TestVariantsAreForDevices(t *testing.T) {
	uses := func(backend compute.Backend, v Variant) (yes bool) {
		if _, err := graph.NewExec(backend, func(x *graph.Node) *graph.Node { return x }); err != nil {
			t.Fatal(err)
		}
		g := graph.NewGraph(backend, "uses")
		return Uses(graph.Parameter(g, "x", shapes.Make(dtypes.Float32, 1)), v)
	}
	ofGo, err := gobackend.New("ops_sequential")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"", "tiny-products", " one-product, tiny-products,"} {
		choose(t, list)
		want := strings.Contains(list, "tiny-products")
		if got := uses(pose(t, false), TinyProducts); got != want {
			t.Errorf("%q on a device: %v", list, got)
		}
		if uses(pose(t, true), TinyProducts) || uses(ofGo, TinyProducts) || uses(pose(t, false), UnrolledSteps) {
			t.Errorf("%q: used on the processor, or without being listed", list)
		}
	}
}

// The list is checked by name, and has no two that exclude each other.
func TestCheckVariants(t *testing.T) {
	for list, want := range map[string]string{
		"": "", "chacha-turns": "", "tiny-products, one-product,unrolled-steps,contracted-phases": "",
		"tiny-products,fast":           `DPLAB_GPU_VARIANTS "fast": must be of chacha-turns, chacha-unrolled, `,
		"chacha-unrolled,chacha-turns": "must have only one of chacha-turns and chacha-unrolled",
	} {
		choose(t, list)
		if err := CheckVariants(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", list, err, want)
		}
	}
	choose(t, "b,a, b")
	if got := Variants(); !slices.Equal(got, []Variant{"a", "b"}) {
		t.Errorf("variants %v, want a and b", got)
	}
}

// Products with two small sides are broadcasts in every layout, with the same values. Larger ones
// stay products.
func TestTinyProducts(t *testing.T) {
	choose(t, string(TinyProducts))
	rng := rand.New(rand.NewPCG(1, 2))
	type layout struct {
		name     string
		f        func(a, b *graph.Node) *graph.Node
		lhs, rhs func(r, m, k, n int) []int
		at       func(rhs array, r, k, n int) float32
	}
	layouts := []layout{
		{"BatchedProduct", BatchedProduct, func(r, m, k, n int) []int { return []int{r, m, k} }, func(r, m, k, n int) []int { return []int{r, k, n} },
			func(b array, r, k, n int) float32 { return b.at(r, k, n) }},
		{"InnerProducts", InnerProducts, func(r, m, k, n int) []int { return []int{r, m, k} }, func(r, m, k, n int) []int { return []int{r, n, k} },
			func(b array, r, k, n int) float32 { return b.at(r, n, k) }},
		{"Times, shared", Times, func(r, m, k, n int) []int { return []int{r, m, k} }, func(r, m, k, n int) []int { return []int{1, k, n} },
			func(b array, r, k, n int) float32 { return b.at(0, k, n) }},
		{"TimesTransposed, shared", TimesTransposed, func(r, m, k, n int) []int { return []int{r, m, k} }, func(r, m, k, n int) []int { return []int{1, n, k} },
			func(b array, r, k, n int) float32 { return b.at(0, n, k) }},
		{"ProductOfRows, shared", ProductOfRows, func(r, m, k, n int) []int { return []int{1, m, k} }, func(r, m, k, n int) []int { return []int{r, k, n} },
			func(b array, r, k, n int) float32 { return b.at(r, k, n) }},
	}
	for _, s := range [][4]int{{3, 40, 8, 6}, {3, 6, 40, 8}, {2, 16, 16, 50}, {2, 17, 17, 5}, {1, 5, 4, 3}} {
		r, m, k, n := s[0], s[1], s[2], s[3]
		sides := []int{m, k, n}
		slices.Sort(sides)
		for _, l := range layouts {
			what := fmt.Sprintf("%s of %d: %d, %d, %d", l.name, r, m, k, n)
			a, b := whole(rng, l.lhs(r, m, k, n)...), whole(rng, l.rhs(r, m, k, n)...)
			dots := 0
			got := runOn(t, pose(t, false), func(in []*graph.Node) *graph.Node {
				y := l.f(in[0], in[1])
				dots = products(y.Graph())
				return y
			}, a, b)
			want := twin([]int{r, m, n}, func(i []int) float32 {
				return sum(k, func(j int) float32 { return a.at(min(i[0], a.dims[0]-1), i[1], j) * l.at(b, i[0], j, i[2]) })
			})
			if !slices.Equal(got.dims, want.dims) || !slices.Equal(got.values, want.values) {
				t.Errorf("%s: a wrong product, of shape %v", what, got.dims)
			}
			if small := sides[1] <= tiny; (dots == 0) != small {
				t.Errorf("%s: %d products in the program", what, dots)
			}
		}
	}
}

// products counts the products in a graph.
func products(g *graph.Graph) (count int) {
	for _, node := range g.Nodes() {
		if strings.Contains(node.Type().String(), "Dot") {
			count++
		}
	}
	return count
}
