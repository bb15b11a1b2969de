package noise

import (
	"math"
	"testing"

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
				// The fast one has u to 53 digits only, so radii below 1e-4 lose some.
				if !(math.Abs(got[k]-want[k]) <= c.relative*r+1e-16/(r+1e-8)) {
					t.Fatalf("%s pair of words %#x %#x %#x: %v, want %v", name, h[i], l[i], a[i], got, want)
				}
			}
		}
	}
}

// Beyond 6 deviations are 2 of 10^9 normals, too few to wait for. So the leading zeros of u
// are given and the other bits are drawn: with u < c, R is above r = √(-2 ln c), and for
// t >= r a normal is beyond t with chance Q(t)/c instead of Q(t).
func TestNoiseFarTails(t *testing.T) {
	const n = 400_000
	words := make([]uint32, WordsPerPair*n)
	for _, c := range []struct {
		zeros uint32 // leading, of h
		at    []float64
	}{{20, []float64{5.3, 5.5, 6, 6.3}}, {26, []float64{6.01, 6.5, 7}}, {31, []float64{6.6, 7, 7.5}}} {
		From(streams.Fixed("far tails")).AES(int(c.zeros), words)
		for i := range words[:n] {
			words[i] >>= c.zeros
		}
		values := make([]float32, 2*n)
		Fill(words, 1, values)
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

// The largest radius is √(128 ln 2).
func TestLargestRadius(t *testing.T) {
	for a := range uint32(8) {
		x, y := exactPair(0, 0, a<<29)
		if r := math.Hypot(x, y); math.Abs(r-math.Sqrt(128*math.Ln2)) > 1e-12 {
			t.Errorf("the largest radius is %g", r)
		}
	}
}
