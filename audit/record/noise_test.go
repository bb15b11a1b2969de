package record

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/audit/internal/tails"
)

// drawn returns so many queries of a size with standard normal noise, which spoil may change.
func drawn(rng *rand.Rand, queries, size int, spoil func(query int, z []float64)) draws {
	var s Session
	for t := range queries {
		q := Query{Name: "q", Value: make([]float64, size), Released: make([]float64, size), NoiseStdDev: 1}
		for i := range q.Released {
			q.Released[i] = rng.NormFloat64()
		}
		if spoil != nil {
			spoil(t, q.Released)
		}
		s.queries = append(s.queries, q)
	}
	return s.draws()
}

// On noise that is as declared, each family accuses with at most its level: of so many runs
// with independent noise, at most the 1-1e-7 quantile of the binomial law do. Eight families of
// three sizes fail by chance at most 3e-6 times.
func TestFalseAlarmsOfEachFamily(t *testing.T) {
	const runs, level = 3000, 0.1
	limit := mostOf(runs, level)
	for _, size := range []struct{ queries, coordinates int }{{1, 5}, {12, 7}, {40, 3}} {
		alarms, rng := map[string]int{}, rand.New(rand.NewPCG(1, uint64(size.queries)))
		for range runs {
			d := drawn(rng, size.queries, size.coordinates, nil)
			for _, test := range noiseTests {
				if f := test(d, level); len(f.found) > 0 {
					alarms[f.name]++
				}
			}
			s := Session{queries: d.queries, moved: map[int]bool{}, moveLevel: level, allowed: 1 + float64(rng.IntN(2))}
			for i := range s.queries {
				s.queries[i].Spend = accounting.PoissonSampled{SamplingRate: 0.3, Event: accounting.Gaussian{NoiseMultiplier: 1}}
				rate := 0.3
				if s.allowed == 2 {
					rate = 1 - 0.7*0.7
				}
				s.moved[i] = rng.Float64() < rate
			}
			if s.checkMoves(); len(s.faults) > 0 {
				alarms[testMoves]++
			}
		}
		t.Logf("%d queries of %d: of %d runs, accused at level %g (limit %d): %v", size.queries, size.coordinates, runs, level, limit, alarms)
		for name, count := range alarms {
			if count > limit {
				t.Errorf("%d queries of %d: %s: %d of %d honest runs accused: want at most %d", size.queries, size.coordinates, name, count, runs, limit)
			}
		}
	}
}

// mostOf returns the least k that Bin(n, p) exceeds with chance at most 1e-7.
func mostOf(n int, p float64) int {
	k := int(float64(n) * p)
	for tails.BinomialUpper(k+1, n, p) > 1e-7 {
		k++
	}
	return k
}

// A whole check accuses an honest mechanism with at most its significance.
func TestFalseAlarmsOfACheck(t *testing.T) {
	const checks, significance = 2000, 0.2
	alarms, limit := 0, mostOf(checks, significance)
	for seed := range uint64(checks) {
		step := accounting.PoissonSampled{SamplingRate: 0.5, Event: accounting.Gaussian{NoiseMultiplier: 2}}
		// Sums of up to 3 ones; the last one joins by a coin of its own.
		sum := func(last int, s *Session) error {
			coins := rand.New(rand.NewPCG(seed, 2))
			for range 20 {
				value := []float64{float64(coins.IntN(3)), 0, 0, 0}
				if coins.IntN(2) == 0 {
					value[0] += float64(last)
				}
				if _, err := s.Release(Query{Name: "sum", Sensitivity: 1, Value: value, NoiseStdDev: 2, Spend: step}); err != nil {
					return err
				}
			}
			return nil
		}
		report, err := Run(sum, 0, []Neighbor[int]{{Name: "one added", Data: 1}}, Config{
			Claim: accounting.SelfComposed{Event: step, Count: 20}, Seed: seed, Significance: significance})
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Faults) > 0 {
			alarms++
		}
		for _, f := range report.Faults {
			if f.Test == "" {
				t.Fatalf("seed %d: %v: not a fault that chance could make", seed, f)
			}
		}
	}
	t.Logf("%d of %d honest checks accused at significance %g: limit %d", alarms, checks, significance, limit)
	if alarms > limit {
		t.Errorf("%d of %d honest checks accused at significance %g: want at most %d", alarms, checks, significance, limit)
	}
}

// Each family finds what it is for, and says where.
func TestFamiliesNameWhatTheyFind(t *testing.T) {
	second := func(_ int, z []float64) { copy(z[6:], z[:4]) }
	at := rand.New(rand.NewPCG(9, 9))
	for _, c := range []struct {
		test, where   string
		queries, size int
		spoil         func(query int, z []float64)
		family        func(draws, float64) family
	}{
		{test: testAll, where: "60 queries", queries: 60, size: 10, family: allMoments, spoil: scale(0.7)},
		{test: testAll, where: "60 queries", queries: 60, size: 10, family: allMoments, spoil: func(_ int, z []float64) { z[4] += 4 }},
		{test: testQuery, where: "query 3 (q)", queries: 6, size: 40, family: queryMoments, spoil: func(t int, z []float64) {
			if t == 3 {
				scale(0.01)(t, z)
			}
		}},
		{test: testCoordinate, where: `coordinate 7 of "q"`, queries: 12, size: 10, family: coordinateMoments, spoil: func(_ int, z []float64) { z[7] = 0 }},
		{test: testPairs, where: `coordinates 1 and 8 of "q"`, queries: 80, size: 10, family: pairs, spoil: func(_ int, z []float64) { z[8] = z[1] }},
		{test: testPairs, where: "and 4 more tests of these", queries: 300, size: 10, family: pairs, spoil: func(_ int, z []float64) { slices.Reverse(z[copy(z[5:], z[:5]):]) }},
		{test: testLags, where: "coordinates 6 apart", queries: 90, size: 10, family: lags, spoil: second},
		{test: testLags, where: "queries 5 apart", queries: 30, size: 10, family: lags, spoil: again(5, 0)},
		{test: testLags, where: "1 queries and 3 coordinates apart", queries: 30, size: 10, family: lags, spoil: again(1, 3)},
		{test: testDistance, where: "at", queries: 12, size: 53, family: distance, spoil: signs},
		{test: testTails, where: "beyond 2.01", queries: 20, size: 53, family: tailCounts, spoil: cut(2)},
		{test: testTails, where: "beyond 3.01", queries: 200, size: 53, family: tailCounts, spoil: cut(3)},
		{test: testTails, where: "beyond 0.01", queries: 40, size: 53, family: tailCounts, spoil: func(_ int, z []float64) { z[at.IntN(53)] = 0 }},
	} {
		d := drawn(rand.New(rand.NewPCG(4, 4)), c.queries, c.size, c.spoil)
		f := c.family(d, 1e-8)
		if len(f.found) == 0 {
			t.Errorf("%s, %s: not found", c.test, c.where)
			continue
		}
		s := Session{neighbor: "x"}
		s.accuse(f)
		fault := s.faults[0]
		if fault.Test != c.test || !strings.Contains(fault.Detail, c.where) || !(fault.Chance < fault.Limit) {
			t.Errorf("%v: want one of %q that names %q, with a chance below its limit", fault, c.test, c.where)
		}
	}
}

func scale(by float64) func(int, []float64) {
	return func(_ int, z []float64) {
		for i := range z {
			z[i] *= by
		}
	}
}

func signs(_ int, z []float64) {
	for i := range z {
		z[i] = math.Copysign(1, z[i])
	}
}

func cut(at float64) func(int, []float64) {
	return func(_ int, z []float64) {
		for i := range z {
			z[i] = max(-at, min(at, z[i]))
		}
	}
}

// again repeats the noise of some queries before, moved by some coordinates.
func again(queries, coordinates int) func(int, []float64) {
	var all []float64
	return func(t int, z []float64) {
		for i := range z {
			if from := len(all) - queries*len(z) - coordinates; from >= 0 {
				z[i] = all[from]
			}
			all = append(all, z[i])
		}
	}
}

// The sums of lags are those of two loops.
func TestAutocorrelations(t *testing.T) {
	for _, n := range []int{1, 2, 3, 64, 100} {
		z := drawn(rand.New(rand.NewPCG(5, 5)), 1, n, nil).z
		sums := autocorrelations(z)
		for lag := range n {
			want := 0.0
			for i := range n - lag {
				want += z[i] * z[i+lag]
			}
			if math.Abs(sums[lag]-want) > 1e-12*float64(n) {
				t.Errorf("%d values, lag %d: %g: want %g", n, lag, sums[lag], want)
			}
		}
	}
}

// Where pairs share no normal, the bound has a closed form: over m pairs, with r = Σ/m, it is
// m (s r + ½ ln(1-s²)) at s = (√(1+4r²) - 1)/(2r). Otherwise D_m(s) is Π_j (1 - 2s cos(πj/(m+1))),
// by the eigenvalues of a path.
func TestChainTail(t *testing.T) {
	for _, pairs := range []int{1, 5, 40} {
		for _, r := range []float64{0.1, 0.5, 1, 3} {
			s := (math.Sqrt(1+4*r*r) - 1) / (2 * r)
			want := float64(pairs) * (s*r + 0.5*math.Log1p(-s*s))
			for _, n := range []int{2 * pairs, 2*pairs + 9} { // and normals in no pair
				if got := chainTail(r*float64(pairs), n, n-pairs); math.Abs(got-want) > 1e-6*want {
					t.Errorf("%d pairs of %d, mean %g: %.9g: want %.9g", pairs, n, r, got, want)
				}
			}
		}
	}
	for _, m := range []int{1, 2, 3, 10, 1000} {
		for _, share := range []float64{0.1, 0.7, 0.999} {
			s, want := share/(2*math.Cos(math.Pi/float64(m+2))), [2]float64{}
			for more := range want {
				for j := 1; j <= m+more; j++ {
					want[more] += math.Log1p(-2 * s * math.Cos(math.Pi*float64(j)/float64(m+more+1)))
				}
			}
			got, next := logDeterminants(s, m)
			if tolerance := 1e-9 * float64(m); math.Abs(got-want[0]) > tolerance || math.Abs(next-want[1]) > tolerance {
				t.Errorf("m %d, s %g: %g and %g: want %g and %g", m, s, got, next, want[0], want[1])
			}
		}
	}
}

// The chances and limits of a report add up to no more than the significance.
func TestLevelsAddUp(t *testing.T) {
	const significance, neighbors, queries, size = 0.01, 3, 20, 7
	noise, moves := share(significance, neighbors)
	sum, d := float64(neighbors)*moves, drawn(rand.New(rand.NewPCG(6, 6)), queries, size, nil)
	tests := map[string]float64{testAll: 2, testQuery: 2 * queries, testCoordinate: 2 * size, testPairs: size * (size - 1) / 2, testLags: queries*size - 1, testDistance: 1, testTails: 14}
	for _, test := range noiseTests {
		f := test(d, noise/float64(len(noiseTests)))
		sum += float64(neighbors+2) * f.limit * tests[f.name]
	}
	if math.Abs(sum-significance) > 1e-12 {
		t.Errorf("limits add up to %g: want %g", sum, significance)
	}
}

// What a fault says.
func TestFaultText(t *testing.T) {
	silent := func(_ int, z []float64) { z[1] = 0 }
	s := Session{queries: drawn(rand.New(rand.NewPCG(7, 7)), 12, 3, silent).queries, noiseLevel: 1e-6}
	s.checkDrawnNoise()
	const want = `record: noise: recording: noise by coordinate, coordinate 1 of "q": standard deviation 0 times the declared, of 12 draws: chance at most 0, limit 2.4e-08`
	if got := s.faults[0].Error(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
