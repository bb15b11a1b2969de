package lineintegral

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
)

// truth is log δ of a program at ε in both directions.
type truth struct {
	id       string
	epsilon  float64
	program  Program
	logDelta [2]float64
}

// truths reads the files of package contour, made in ball arithmetic by brute-force scripts.
func truths(t *testing.T) []truth {
	t.Helper()
	rows, replaced := truthsIn(t, "slow_check.csv"), truthsIn(t, "replaced.csv")
	for i := range replaced {
		replaced[i].program.Replaced = true
	}
	return append(rows, replaced...)
}

func truthsIn(t *testing.T, file string) (rows []truth) {
	t.Helper()
	raw, err := os.ReadFile("../../../contour/testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for line := range strings.Lines(string(raw)) {
		cells := strings.Split(strings.TrimSpace(line), ",")
		if strings.HasPrefix(line, "#") || cells[0] == "id" {
			continue
		}
		r := truth{id: cells[0], epsilon: number(cells[1])}
		for i, cell := range cells[3:] {
			r.logDelta[i] = number(cell)
		}
		for text := range strings.FieldsSeq(cells[2]) {
			parts := strings.Split(text, ":")
			phase := Phase{Rate: number(parts[0]), Noise: number(parts[1]), Count: number(parts[2])}
			if phase.Rate == 1 {
				r.program.Gaussians = append(r.program.Gaussians, phase)
			} else {
				r.program.Phases = append(r.program.Phases, phase)
			}
		}
		rows = append(rows, r)
	}
	if len(rows) < 20 {
		t.Fatalf("%d rows", len(rows))
	}
	return rows
}

// chernoffAt returns log κ(a) M(a) e^{-aε}, +Inf where it cannot be bounded.
func (r truth) chernoffAt(d direction, a float64) float64 {
	value := logKappa(a).Hi - a*r.epsilon + r.program.muSquared().Hi*a*(a+1)/2
	for _, f := range r.program.Phases {
		line, ok := newRealLine(r.program.law(f), d, a, coarse)
		if !ok {
			return math.Inf(1)
		}
		value += f.Count * line.logM().Hi
	}
	return value
}

// least returns the a of the least of these, on a grid of factors.
func (r truth) least(d direction) (best float64) {
	least, factor := math.Inf(1), 1.3
	if testing.Short() {
		factor = 1.7
	}
	for a := 0.02; a < 3e4; a *= factor {
		if v := r.chernoffAt(d, a); v < least {
			least, best = v, a
		}
	}
	return best
}

// TestAnyLine: every witness gives bounds on their sides of the truth, however coarse the sums
// are. So the error terms are at least the errors. Sums are coarse in the points along the line,
// in their distance, and in the nodes of the inner integral.
func TestAnyLine(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 33))
	trials, least := 60, 400
	if testing.Short() {
		trials, least = 6, 150
	}
	tight, near, bounds := 0, 0, 0
	for _, r := range truths(t) {
		for d := range r.program.directions() {
			best := r.least(d)
			if best == 0 {
				continue
			}
			uniform := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
			for range trials {
				at := Line{C: best * uniform(0.3, 1.3)}
				at.Above, at.Omega = at.C*uniform(1.1, 3), uniform(3, 60)/at.C
				if d == remove && rng.IntN(3) == 0 {
					for _, f := range r.program.Phases {
						at.Cuts = append(at.Cuts, Cut{At: f.Noise * uniform(3, 12), Width: f.Noise * uniform(0.05, 0.3)})
					}
				}
				l, ok := r.program.prepare(d, at)
				if !ok {
					continue
				}
				if rng.IntN(3) == 0 {
					l.extra = math.Exp(uniform(-20, 0)) / (at.C * at.C)
				}
				if rng.IntN(2) == 0 {
					for _, line := range l.real {
						l.shifted = append(l.shifted, newShifted(line))
					}
				}
				f, ok := l.sample(1+rng.IntN(80), uniform(2, 30))
				if !ok {
					continue
				}
				bounds++
				log := numeric.Log(f.delta(r.epsilon))
				if low := numeric.Log(max(0, f.bounds(r.epsilon).Lo)); l.extra == 0 {
					if low > r.logDelta[d]+2e-8 {
						t.Errorf("%s, %v, %+v: log δ >= %.12g, truth %.12g", r.id, d, at, low, r.logDelta[d])
					}
					if low > r.logDelta[d]-1 {
						near++
					}
				}
				if log < r.logDelta[d]-2e-8 {
					t.Errorf("%s, %v, %+v, extra %g: log δ <= %.12g, truth %.12g", r.id, d, at, l.extra, log, r.logDelta[d])
				}
				if log < r.logDelta[d]+1 {
					tight++
				}
			}
		}
	}
	if bounds < least || tight < bounds/10 || near < bounds/50 {
		t.Errorf("%d bounds, %d upper and %d lower ones within a factor of e", bounds, tight, near)
	}
}
