package engine

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/dpsgd/internal/noise"
	"github.com/dplab/dplab/dptune/streams"
)

// The graph makes the host's normals, on the backend under test: at the edges, and of a
// stream; for even and odd sizes.
func TestNormalsInGraphAreTheHosts(t *testing.T) {
	at := []uint32{0, 1, 2, 1<<24 - 1, 1 << 24, 1<<29 - 1, 1 << 29, 1 << 30, 1<<31 - 1, 1 << 31, 1<<31 + 1, 3 << 30, 1<<32 - 2, 1<<32 - 1}
	n := len(at)
	edges := make([]uint32, 3*n*n*n) // words at which a transform may go wrong, each against each
	for i := range n * n * n {
		edges[i], edges[n*n*n+i], edges[2*n*n*n+i] = at[i/n/n], at[i/n%n], at[i%n]
	}
	pairs := 500_001
	if testing.Short() {
		pairs = 60_001
	}
	random := make([]uint32, noise.WordsPerPair*pairs)
	noise.From(streams.Fixed("graph")).AES(0, random)
	for name, words := range map[string][]uint32{"edges": edges, "stream": random} {
		size := 2 * len(words) / noise.WordsPerPair
		compareNormals[float32](t, name, words, size, 5e-7, 2e-8) // four roundings; fastPair's of u near 1
		compareNormals[float64](t, name, words, size-1, 2e-15, 0)
	}
}

func compareNormals[T arrays.Real](t *testing.T, name string, words []uint32, size int, relative, absolute float64) {
	t.Helper()
	const std = 2.5
	count := len(words) / noise.WordsPerPair
	want, exact := make([]T, size), make([]float64, 2*count)
	noise.Fill(words, std, want)
	noise.Fill(words, 1, exact)
	exec, err := graph.NewExec(must1(backend.Open(""))(t), func(words, std *graph.Node) *graph.Node { return noise.Normals(words, std, size) })
	if err != nil {
		t.Fatal(err)
	}
	out, err := arrays.Call(exec, "making normals", tensors.FromFlatDataAndDimensions(words, 1, noise.WordsPerPair, count), arrays.Converted[T]([]float64{std}, 1))
	if err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	err = tensors.ConstFlatData(out[0], func(got []T) {
		for i := range got {
			off, r := math.Abs(float64(got[i])-float64(want[i]))/std, math.Hypot(exact[i%count], exact[count+i%count])
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
	arrays.Finalize(out...)
}

// The graph makes the host's words of ChaCha20, which are those of RFC 8439, for any number of
// streams and words; and of them the host's normals.
func TestChaCha20InGraphIsTheHosts(t *testing.T) {
	backend := must1(backend.Open(""))(t)
	if err := noise.CheckChaCha20(backend); err != nil {
		t.Error(err)
	}
	for _, c := range []struct{ steps, replicas, size int }{{1, 1, 1}, {2, 3, 11}, {1, 1, 5001}} {
		pairs := noise.Pairs(c.size)
		count, streamCount := noise.WordsPerPair*pairs, c.steps*c.replicas
		var keys, want []uint32
		std, normals := make([]float64, streamCount), make([]float64, streamCount*c.size)
		for r := range streamCount {
			source, words := noise.From(streams.Fixed("root "+strconv.Itoa(r))), make([]uint32, count)
			key := source.Key(r)
			source.ChaCha20(r, words)
			keys, want, std[r] = append(keys, key[:]...), append(want, words...), float64(r+1)
			noise.Fill(words, std[r], normals[r*c.size:(r+1)*c.size])
		}
		exec := must1(graph.NewExec(backend, func(keys, std *graph.Node) (words, normals *graph.Node) {
			words = noise.Words(keys, c.size)
			return words, noise.Normals(graph.Reshape(words, streamCount, noise.WordsPerPair, pairs), std, c.size)
		}))(t)
		out := must1(arrays.Call(exec, "drawing", tensors.FromFlatDataAndDimensions(keys, c.steps, c.replicas, noise.KeyWords), arrays.Converted[float64](std, streamCount)))(t)
		if got := must1(tensors.CopyFlatData[uint32](out[0]))(t); !slices.Equal(got, want) || !slices.Equal(out[0].Shape().Dimensions, []int{c.steps, c.replicas, noise.WordsPerPair, pairs}) {
			t.Errorf("%v: other words than the host's, of shape %v", c, out[0].Shape())
		}
		for i, got := range must1(arrays.Copied[float64](out[1]))(t) {
			if math.Abs(got-normals[i]) > 2e-14*std[i/c.size] { // 2e-15 of the radius, which ends at 9.42
				t.Fatalf("%v: normal %d is %g, want %g", c, i, got, normals[i])
			}
		}
		arrays.Finalize(out...)
	}
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

func BenchmarkNoise(b *testing.B) {
	const n = 109_930
	words, values := make([]uint32, noise.WordsPerPair*noise.Pairs(n)), make([]float32, n)
	for _, part := range []struct {
		name string
		f    func()
	}{
		{"words", func() { noise.From(streams.Fixed("benchmark")).AES(0, words) }},
		{"normals", func() { noise.Fill(words, 1, values) }},
	} {
		b.Run(part.name, func(b *testing.B) {
			for b.Loop() {
				part.f()
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/n, "ns/normal")
		})
	}
	exec := must1(graph.NewExec(must1(backend.Open(""))(b), func(words, std *graph.Node) *graph.Node { return noise.Normals(words, std, n) }))(b)
	input, std := tensors.FromFlatDataAndDimensions(words, 1, noise.WordsPerPair, noise.Pairs(n)), arrays.Converted[float32]([]float64{1}, 1)
	b.Run("graph", func(b *testing.B) {
		for b.Loop() {
			arrays.Finalize(must1(arrays.Call(exec, "making normals", input, std))(b)...)
		}
		b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/n, "ns/normal")
	})
}
