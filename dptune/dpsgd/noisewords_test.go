package dpsgd

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/streams"
)

// edgeWords holds words at which a transform may go wrong, each against each.
func edgeWords() (h, l, a []uint32) {
	edges := []uint32{0, 1, 2, 1<<24 - 1, 1 << 24, 1<<29 - 1, 1 << 29, 1 << 30, 1<<31 - 1, 1 << 31, 1<<31 + 1, 3 << 30, 1<<32 - 2, 1<<32 - 1}
	for _, x := range edges {
		for _, y := range edges {
			for _, z := range edges {
				h, l, a = append(h, x), append(l, y), append(a, z)
			}
		}
	}
	return h, l, a
}

// The definition, with u and 1-u to the last digits of float64.
func TestTransformIsBoxMuller(t *testing.T) {
	h, l, a := edgeWords()
	for i := range h {
		x := uint64(h[i])<<32 | uint64(l[i])
		logarithm := math.Log((float64(x>>1) + 0.5) * 0x1p-63)
		if h[i] >= 1<<31 {
			logarithm = math.Log1p(-(float64(^x>>1) + 0.5) * 0x1p-63)
		}
		r, phi := math.Sqrt(-2*logarithm), (float64(a[i]%(1<<29))+0.5)/(1<<29)*math.Pi/4
		want := [2]float64{r * math.Sin(phi), r * math.Cos(phi)}
		if a[i]>>29&1 == 1 {
			want[0], want[1] = want[1], want[0]
		}
		if a[i]>>31 == 1 {
			want[0] = -want[0]
		}
		if a[i]>>30&1 == 1 {
			want[1] = -want[1]
		}
		for name, c := range map[string]struct {
			pair     func(h, l, a uint32) (float64, float64)
			relative float64
		}{"exact": {exactPair, 1e-15}, "fast": {fastPair, 1e-8}} {
			got := [2]float64{}
			got[0], got[1] = c.pair(h[i], l[i], a[i])
			for k := range got {
				// The fast one has u to 53 digits only, so that radii below 1e-4 lose some.
				if !(math.Abs(got[k]-want[k]) <= c.relative*r+1e-16/(r+1e-8)) {
					t.Fatalf("%s pair of words %#x %#x %#x: %v, want %v", name, h[i], l[i], a[i], got, want)
				}
			}
		}
	}
}

// The graph makes the host's normals, on the backend under test: at the edges, and of a
// stream; for even and odd sizes.
func TestNormalsInGraphAreTheHosts(t *testing.T) {
	h, l, a := edgeWords()
	edges := append(append(append([]uint32{}, h...), l...), a...)
	random := make([]uint32, wordsPerPair*500_001)
	noiseStream(streams.Fixed("graph"), 0).Fill(random)
	for name, words := range map[string][]uint32{"edges": edges, "stream": random} {
		size := 2 * len(words) / wordsPerPair
		compareNormals[float32](t, name, words, size, 5e-7, 2e-8) // four roundings; fastPair's of u near 1
		compareNormals[float64](t, name, words, size-1, 2e-15, 0)
	}
}

func compareNormals[T real](t *testing.T, name string, words []uint32, size int, relative, absolute float64) {
	t.Helper()
	const std = 2.5
	count := len(words) / wordsPerPair
	want := make([]T, size)
	fillNoise(words, std, want)
	exec, err := graph.NewExec(must1(openBackend(defaultBackend))(t), func(words, std *graph.Node) *graph.Node { return normals(words, std, size) })
	if err != nil {
		t.Fatal(err)
	}
	out, err := call(exec, "making normals", tensors.FromFlatDataAndDimensions(words, 1, wordsPerPair, count), converted[T]([]float64{std}, 1))
	if err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	err = tensors.ConstFlatData(out[0], func(got []T) {
		for i := range got {
			x, y := exactPair(words[i%count], words[count+i%count], words[2*count+i%count])
			off, r := math.Abs(float64(got[i])-float64(want[i]))/std, math.Hypot(x, y)
			if !(off <= relative*r+absolute) {
				t.Fatalf("%s, %T %d: %g in the graph, %g on the host, from words %#x %#x %#x", name, got[i], i, got[i], want[i],
					words[i%count], words[count+i%count], words[2*count+i%count])
			}
			worst = max(worst, off/r)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s, %d of %T: off by at most %.2g of the radius", name, size, want[0], worst)
	finalize(out...)
}

func must1[V any](value V, err error) func(testing.TB) V {
	return func(t testing.TB) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// Beyond 6 deviations are 2 of 10^9 normals, too few to wait for. So the leading zeros of u
// are given and the other bits are drawn: with u < c, R is above r = √(-2 ln c), and for
// t >= r a normal is beyond t with chance Q(t)/c instead of Q(t).
func TestNoiseFarTails(t *testing.T) {
	const n = 400_000
	words := make([]uint32, wordsPerPair*n)
	for _, c := range []struct {
		zeros uint32 // leading, of h
		at    []float64
	}{{20, []float64{5.3, 5.5, 6, 6.3}}, {26, []float64{6.01, 6.5, 7}}, {31, []float64{6.6, 7, 7.5}}} {
		noiseStream(streams.Fixed("far tails"), int(c.zeros)).Fill(words)
		for i := range words[:n] {
			words[i] >>= c.zeros
		}
		values := make([]float32, 2*n)
		fillNoise(words, 1, values)
		chance := math.Ldexp(1, -int(c.zeros))
		for _, at := range c.at {
			if r := math.Sqrt(-2 * math.Log(chance)); at < r {
				t.Fatalf("%g is below the least radius %g", at, r)
			}
			mean := 2 * n * 0.5 * math.Erfc(at/math.Sqrt2) / chance
			upper, lower := 0.0, 0.0
			for _, v := range values {
				if float64(v) > at {
					upper++
				}
				if float64(v) < -at {
					lower++
				}
			}
			// The two of a pair are not both beyond: the counts are nearly Poisson.
			for side, count := range map[string]float64{"above": upper, "below": lower} {
				if math.Abs(count-mean) > sigmas*math.Sqrt(mean)+8 {
					t.Errorf("%.0f values %s %g deviations given u < 2^-%d, want %.1f", count, side, at, c.zeros, mean)
				}
			}
		}
	}
}

// The largest radius is √(128 ln 2), and what lies beyond is 2^-64 of each pair.
func TestNoiseTailVariation(t *testing.T) {
	for a := range uint32(8) {
		x, y := exactPair(0, 0, a<<29)
		if r := math.Hypot(x, y); math.Abs(r-math.Sqrt(128*math.Ln2)) > 1e-12 {
			t.Errorf("the largest radius is %g", r)
		}
	}
	for _, c := range []struct{ n, want float64 }{{0, 0}, {-1, 0}, {math.NaN(), 0}, {1, 0x1p-64}, {2, 0x1p-63}, {2e9, 2e9 * 0x1p-64}, {1e300, 1}} {
		if got := NoiseTailVariation(c.n); !(got >= c.want && got <= c.want*(1+1e-12)) {
			t.Errorf("NoiseTailVariation(%g) is %g, want %g", c.n, got, c.want)
		}
	}
}

// With an odd number of parameters a pair gives a step one normal, and of that pair's chance
// 2^-64 most shows in it: the normal ends at r, and within it is likelier by 1/(1-2^-64)
// and less likely by P(|Y| > √(r²-x²)). The distances of T steps add up, nearly.
func TestNoiseTailVariationOfOneParameter(t *testing.T) {
	const steps, cells = 1000, 400_000
	r := math.Sqrt(128 * math.Ln2)
	one := math.Erfc(r / math.Sqrt2) // beyond r, on both sides
	for i := range cells {
		x := (float64(i) + 0.5) / cells * r
		lost := math.Erfc(math.Sqrt(r*r-x*x)/math.Sqrt2) - 0x1p-64
		one += 2 * math.Max(0, lost) * math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) * r / cells
	}
	if !(one > 0.6*0x1p-64 && one < 0x1p-64) {
		t.Fatalf("the distance of one normal is %g of its pair's", one*0x1p64)
	}
	if got := NoiseTailVariation(steps); !(got >= steps*one) {
		t.Errorf("%d steps of one parameter: %g, want at least %g", steps, got, steps*one)
	}
}

func BenchmarkNoise(b *testing.B) {
	const n = 109_930
	words, values := make([]uint32, wordsPerPair*pairs(n)), make([]float32, n)
	for _, part := range []struct {
		name string
		f    func()
	}{
		{"words", func() { noiseStream(streams.Fixed("benchmark"), 0).Fill(words) }},
		{"normals", func() { fillNoise(words, 1, values) }},
	} {
		b.Run(part.name, func(b *testing.B) {
			for b.Loop() {
				part.f()
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/n, "ns/normal")
		})
	}
	exec := must1(graph.NewExec(must1(openBackend(defaultBackend))(b), func(words, std *graph.Node) *graph.Node { return normals(words, std, n) }))(b)
	input, std := tensors.FromFlatDataAndDimensions(words, 1, wordsPerPair, pairs(n)), converted[float32]([]float64{1}, 1)
	b.Run("graph", func(b *testing.B) {
		for b.Loop() {
			finalize(must1(call(exec, "making normals", input, std))(b)...)
		}
		b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/n, "ns/normal")
	})
}

func ExampleNoiseTailVariation() {
	const steps, parameters = 10_000, 109_930
	fmt.Printf("%.1e\n", NoiseTailVariation(steps*parameters))
	// Output: 6.0e-11
}
