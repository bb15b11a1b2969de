package contour

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/pld"
)

var (
	replaceOne  = Accountant{Relation: accounting.ReplaceOne}
	replaceOnly = Accountant{Relation: accounting.ReplaceOne, options: accounting.Options{Unchecked: true}} // the search
)

// clipped is T sums of clipped vectors on Poisson samples, or of all records if q is 1.
func clipped(q, sigma float64, steps int) accounting.Event {
	return accounting.SelfComposed{Count: steps, Event: accounting.PoissonSampled{
		SamplingRate: q, Event: accounting.ClippedSum{NoiseMultiplier: sigma}}}
}

// replacedRow is log δ at ε, from testdata/replaced.py.
type replacedRow struct {
	id                string
	epsilon, logDelta float64
	event             accounting.Event
}

func readReplaced(t *testing.T) (rows []replacedRow, source string) {
	t.Helper()
	raw, err := os.ReadFile("testdata/replaced.csv")
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
		line = strings.TrimSpace(line)
		cells := strings.Split(line, ",")
		switch {
		case strings.HasPrefix(line, "#"):
			source += line + "\n"
			continue
		case cells[0] == "id":
			continue
		}
		r := replacedRow{id: cells[0], epsilon: number(cells[1]), logDelta: number(cells[3])}
		var events []accounting.Event
		for text := range strings.FieldsSeq(cells[2]) {
			p := strings.Split(text, ":")
			q, sigma, steps := number(p[0]), number(p[1]), int(number(p[2]))
			if q == 1 {
				events = append(events, accounting.SelfComposed{Count: steps, Event: accounting.Gaussian{NoiseMultiplier: sigma}})
			} else {
				events = append(events, clipped(q, sigma, steps))
			}
		}
		r.event = accounting.Composed{Events: events}
		rows = append(rows, r)
	}
	if len(rows) < 20 {
		t.Fatalf("%d rows", len(rows))
	}
	return rows, source
}

// TestReplacedTruths compares log δ and ε with a brute-force computation in ball arithmetic that
// shares no code. The check holds slightly above ε and fails slightly below it.
func TestReplacedTruths(t *testing.T) {
	rows, source := readReplaced(t)
	for _, r := range rows {
		accuracy := 1e-12 + 4e-16*math.Abs(r.logDelta)
		got, err := replaceOnly.LogDeltaAt(r.event, r.epsilon)
		if err != nil || got.Lower > r.logDelta+accuracy || got.Upper < r.logDelta-accuracy || got.Width() > 1e-6 {
			t.Errorf("%s: log δ %v, %v, want %.15g\n%s", r.id, got, err, r.logDelta, source)
		}
		g, err := replaceOnly.EpsilonAtLogDelta(r.event, r.logDelta)
		slop := 3*accuracy + 1e-15*r.epsilon // the slope of log δ is above 1/3
		if err != nil || r.epsilon < g.Epsilon.Lower-slop || r.epsilon > g.Epsilon.Upper+slop || g.Epsilon.Width() > 1e-6*r.epsilon+1e-11 || len(g.Warnings) > 0 && r.epsilon > 0 {
			t.Errorf("%s: %v, %v, want %.15g\n%s", r.id, g, err, r.epsilon, source)
		}
		if r.epsilon == 0 {
			continue
		}
		node, err := ask.Asked(replaceOne, r.event)
		if err != nil {
			t.Fatal(err)
		}
		_, check, err := replaceOne.epsilonOf(node, r.logDelta)
		if err != nil {
			t.Fatal(err)
		}
		at := func(factor float64) bool {
			c, err := check.above(r.epsilon*factor, math.Exp(r.logDelta))
			return err == nil && c.DeltaUpper <= math.Exp(r.logDelta)
		}
		if at(1 - 1e-6) {
			t.Errorf("%s: checked at ε = %g (1 - 1e-6), where δ is larger", r.id, r.epsilon)
		}
		if !at(1+1e-6) && !at(1+1e-4) {
			t.Errorf("%s: not checked at ε = %g (1 + 1e-4)", r.id, r.epsilon)
		}
		if got, delta := check.below(r.epsilon), math.Exp(r.logDelta); got > delta*(1+1e-12*math.Abs(r.logDelta)) {
			t.Errorf("%s: δ >= %.17g, and it is %.17g\n%s", r.id, got, delta, source)
		}
	}
}

// The values are of the exact pair, composed by a quadrature of its moment generating function to
// about 1e-7 (numpy). dp_accounting 0.6.0 gives 2.95596 for the first.
func TestReplacedValues(t *testing.T) {
	for _, c := range []struct {
		q, sigma float64
		steps    int
		delta    float64
		want     float64
	}{
		{0.01, 2, 5000, 1e-5, 2.955928329860931},
		{256. / 60000, 1.1, 14062, 1e-5, 4.22129673437948},
		{0.1, 4, 1000, 1e-6, 8.282502788787001},
		{0.003, 0.9, 3000, 1e-7, 2.0591360357413704},
		{0.001, 1, 100000, 1e-6, 3.191159138620242},
	} {
		g, err := replaceOne.EpsilonAt(clipped(c.q, c.sigma, c.steps), c.delta)
		if err != nil || math.Abs(g.Epsilon.Estimate-c.want) > 1e-7*c.want || g.Epsilon.Width() > 3e-9*c.want || !g.Epsilon.LowerChecked || g.Certificate == nil || len(g.Warnings) > 0 {
			t.Errorf("%+v: %v, %v", c, g, err)
		}
		if g.Neighboring != accounting.ReplaceOne || !strings.Contains(g.Method, "replace one") {
			t.Errorf("%+v: %v by %q", c, g.Neighboring, g.Method)
		}
	}
}

// oneByTails is δ of one step at any real ε, by normal tails at the output where the loss is ε.
func (s step) oneByTails(e float64) float64 {
	tail := func(x, mean float64) float64 { return math.Erfc((x-mean)/(s.sigma*math.Sqrt2)) / 2 }
	x := s.sigma * s.sigma * (e/2 + math.Asinh(math.Sinh(e/2)*math.Exp(1/(2*s.sigma*s.sigma))*(1-s.q)/s.q))
	return s.q*tail(x, 1) - (1-s.q)*math.Expm1(e)*tail(x, 0) - s.q*math.Exp(e)*tail(x, -1)
}

// oneByArea is δ of one step by a sum of (P - e^ε Q)₊, which errs by about its step squared.
func (s step) oneByArea(e, other float64) (sum float64) {
	density := func(x, mean float64) float64 {
		z := (x - mean) / s.sigma
		return math.Exp(-z*z/2) / (s.sigma * math.Sqrt(2*math.Pi))
	}
	h := s.sigma / 1000
	for x := -1 - 9*s.sigma; x < 1+9*s.sigma; x += h {
		p := (1-s.q)*density(x, 0) + s.q*density(x, 1)
		sum += h * math.Max(0, p-math.Exp(e)*((1-s.q)*density(x, 0)+s.q*density(x, other)))
	}
	return sum
}

// TestOneReplaced compares the closed form of one step with sums over the outputs, and far out with
// the closed form by tails. A pair with the new record at 0 lies outside: a planted mistake.
func TestOneReplaced(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 34))
	for range 40 {
		s := step{rng.Float64(), 0.3 * math.Exp(2.5*rng.Float64())}
		e := 2 * rng.Float64()
		lower, _, upper := oneReplaced(s.q, s.sigma)(e)
		want, wrong := s.oneByArea(e, -1), s.oneByArea(e, 0)
		if want < 1e-9 {
			continue
		}
		if log := numeric.Log(want); lower > log+1e-5 || upper < log-1e-5 || upper-lower > 1e-11 {
			t.Errorf("%v, ε %g: log δ in [%g, %g], want %g", s, e, lower, upper, log)
		}
		if lower < numeric.Log(wrong)+1e-5 {
			t.Errorf("%v, ε %g: log δ at least %g, that of a removed record is %g", s, e, lower, numeric.Log(wrong))
		}
		for _, e := range []float64{0, 1e-12, 1e-4, 5, 12} {
			lower, estimate, upper := oneReplaced(s.q, s.sigma)(e)
			if !(lower <= estimate && estimate <= upper) {
				t.Errorf("%v, ε %g: log δ [%g, %g, %g]", s, e, lower, estimate, upper)
			}
			if want := s.oneByTails(e); want > 1e-8 && math.Abs(numeric.Log(want)-estimate) > 1e-6 {
				t.Errorf("%v, ε %g: log δ %g, want %g", s, e, estimate, numeric.Log(want))
			}
		}
	}
	for _, s := range []step{{1e-12, 0.05}, {1e-300, 1e-3}, {0.5, 1e-99}, {1 - 0x1p-53, 1e99}, {0.3, 1e-3}} {
		for _, e := range []float64{0, 1e-300, 1, 1e5, 1e300} {
			lower, estimate, upper := oneReplaced(s.q, s.sigma)(e)
			if !(lower <= estimate && estimate <= upper && upper <= 1e-9) {
				t.Errorf("%v, ε %g: log δ [%g, %g, %g]", s, e, lower, estimate, upper)
			}
		}
	}
}

// TestReplacedTwoSteps compares with the mean of the second step's δ over the outputs of the first,
// a trapezoid sum that converges faster than any power of its step.
func TestReplacedTwoSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 34))
	sum := func(a, b step, epsilon, h float64) (sum float64) {
		la := func(x float64) float64 {
			return numeric.Log(1 - a.q + a.q*math.Exp((2*x-1)/(2*a.sigma*a.sigma)))
		}
		for x := -12 * a.sigma; x < 1+12*a.sigma; x += h * a.sigma {
			density := math.Exp(la(x)-x*x/(2*a.sigma*a.sigma)) / math.Sqrt(2*math.Pi)
			sum += h * density * b.oneByTails(epsilon-la(x)+la(-x))
		}
		return sum
	}
	compared := 0
	for range 60 {
		a := step{0.02 + 0.9*rng.Float64(), 0.6 * math.Exp(1.5*rng.Float64())}
		b := step{0.02 + 0.9*rng.Float64(), 0.6 * math.Exp(1.5*rng.Float64())}
		if rng.IntN(2) == 0 {
			b = a
		}
		epsilon := 3 * rng.Float64()
		want, coarse := sum(a, b, epsilon, 0.005), sum(a, b, epsilon, 0.01)
		if math.Abs(want-coarse) > 1e-10*want || want < 1e-9 {
			continue
		}
		compared++
		event := accounting.Composed{Events: []accounting.Event{clipped(a.q, a.sigma, 1), clipped(b.q, b.sigma, 1)}}
		got, err := replaceOnly.LogDeltaAt(event, epsilon)
		if log := numeric.Log(want); err != nil || got.Lower > log+1e-7 || got.Upper < log-1e-7 || got.Width() > 1e-6 {
			t.Errorf("%v, %v, ε %g: log δ %v, %v, want %.12g", a, b, epsilon, got, err, log)
		}
	}
	if compared < 30 {
		t.Errorf("compared %d", compared)
	}
}

// TestReplacedOnGrids draws questions. The intervals of package pld, which shares no code with the
// integral, have numbers in common with those of this package.
func TestReplacedOnGrids(t *testing.T) {
	n := 40
	if testing.Short() {
		n = 12
	}
	rng := rand.New(rand.NewPCG(13, 34))
	log := func(lo, hi float64) float64 { return lo * math.Exp(rng.Float64()*numeric.Log(hi/lo)) }
	wide := 0
	for range n {
		q, sigma, steps, delta := log(1e-4, 0.9), log(0.4, 20), int(log(1, 1e4)), log(1e-9, 1e-2)
		g, err := replaceOnly.EpsilonAt(clipped(q, sigma, steps), delta)
		if err != nil {
			t.Fatal(err)
		}
		grid, err := accounting.Unchecked(pld.Accountant{Relation: accounting.ReplaceOne, Width: 1e-3, MaxGrid: 1 << 19}).EpsilonAt(clipped(q, sigma, steps), delta)
		if err != nil {
			t.Fatal(err)
		}
		if e := g.Epsilon; e.Lower > grid.Epsilon.Upper || e.Upper < grid.Epsilon.Lower || !(e.Lower <= e.Estimate && e.Estimate <= e.Upper) {
			t.Errorf("q %g, σ %g, %d steps, δ %g: %v, grid %v", q, sigma, steps, delta, e, grid.Epsilon)
		}
		if len(g.Warnings) > 0 {
			t.Logf("q %g, σ %g, %d steps, δ %g: %v, grid %v: %v", q, sigma, steps, delta, g.Epsilon, grid.Epsilon, g.Warnings)
			wide++
		}
	}
	if wide > n/10+1 {
		t.Errorf("%d of %d are wide", wide, n)
	}
}

// TestEveryReplacedIsChecked draws questions. Each upper end has a certificate, or a warning.
func TestEveryReplacedIsChecked(t *testing.T) {
	n := *questions
	if n == 0 {
		n = 200
		if testing.Short() {
			n = 50
		}
	}
	rng := rand.New(rand.NewPCG(14, 34))
	log := func(lo, hi float64) float64 { return lo * math.Exp(rng.Float64()*numeric.Log(hi/lo)) }
	missing := 0
	for range n {
		q, sigma, steps, delta := log(1e-4, 1), log(0.4, 50), int(log(1, 1e5)), log(1e-12, 1e-3)
		what := fmt.Sprintf("q %g, σ %g, %d steps, δ %g", q, sigma, steps, delta)
		g, err := replaceOne.EpsilonAt(clipped(q, sigma, steps), delta)
		if err != nil {
			t.Fatal(err)
		}
		switch c := g.Certificate; {
		case c == nil:
			missing++
			t.Logf("%s: %v", what, g.Warnings)
			if !slices.ContainsFunc(g.Warnings, func(w error) bool { return errors.Is(w, accounting.ErrUncertified) }) {
				t.Errorf("%s: %v has neither a certificate nor a warning", what, g)
			}
		case c.Epsilon != g.Epsilon.Upper || c.DeltaUpper > delta:
			t.Errorf("%s: %v, certificate %+v", what, g.Epsilon, c)
		}
	}
	if missing > n/50+1 {
		t.Errorf("%d of %d questions were not checked", missing, n)
	}
}

// TestReplacedSeams: more rate, more steps and less noise cost more, and a record that is replaced
// costs at least one that is removed and at most twice that at a doubled distance.
func TestReplacedSeams(t *testing.T) {
	at := func(a Accountant, e accounting.Event) accounting.Interval {
		t.Helper()
		g, err := a.EpsilonAt(e, 1e-6)
		if err != nil {
			t.Fatal(err)
		}
		return g.Epsilon
	}
	rng := rand.New(rand.NewPCG(15, 34))
	log := func(lo, hi float64) float64 { return lo * math.Exp(rng.Float64()*numeric.Log(hi/lo)) }
	for range 25 {
		q, sigma, steps := log(1e-5, 0.9), log(0.4, 50), int(log(1, 1e5))
		base := at(replaceOnly, clipped(q, sigma, steps))
		for name, e := range map[string]accounting.Event{
			"rate": clipped(1.05*q, sigma, steps), "noise": clipped(q, sigma/1.05, steps), "steps": clipped(q, sigma, steps+1+steps/10),
		} {
			if more := at(replaceOnly, e); more.Upper < base.Lower {
				t.Errorf("q %g, σ %g, %d steps: more %s costs %v, not more than %v", q, sigma, steps, name, more, base)
			}
		}
		if removed := at(search, sgd(q, sigma, steps)); removed.Lower > base.Upper {
			t.Errorf("q %g, σ %g, %d steps: a removed record costs %v, a replaced one %v", q, sigma, steps, removed, base)
		}
		whole := at(replaceOnly, clipped(1, sigma, steps))
		if base.Lower > whole.Upper {
			t.Errorf("q %g, σ %g, %d steps: %v on samples, %v without", q, sigma, steps, base, whole)
		}
	}
	near, one := at(replaceOnly, clipped(1-1e-9, 4, 3)), at(replaceOnly, clipped(1, 4, 3))
	if math.Abs(near.Upper-one.Upper) > 1e-6 || math.Abs(one.Upper-at(search, accounting.SelfComposed{Count: 3, Event: accounting.Gaussian{NoiseMultiplier: 2}}).Upper) > 1e-12 {
		t.Errorf("rate next to 1: %v, at 1: %v", near, one)
	}
	for _, c := range []struct {
		q, sigma float64
		steps    int
	}{{1e-12, 0.05, 10}, {0.3, 0.01, 10}, {1e-3, 1e3, 100}, {1e-200, 1, 5}, {3e-308, 1e-3, 7}, {0.5, 1e-120, 2}, {0.5, 1e120, 2}, {0.999, 0.4, 1000000}} {
		if e := at(replaceOnly, clipped(c.q, c.sigma, c.steps)); !(e.Lower >= 0 && e.Lower <= e.Estimate && e.Estimate <= e.Upper) {
			t.Errorf("%+v: %v", c, e)
		}
	}
}

// TestReplacedRefuses: a Gaussian on a Poisson sample may show the sample, so it has no price here.
// A replaced record may change two parts of a Parallel, so it has none either, by any method.
func TestReplacedRefuses(t *testing.T) {
	both := accounting.Composed{Events: []accounting.Event{accounting.ClippedSum{NoiseMultiplier: 2}, accounting.ClippedSum{NoiseMultiplier: 2}}}
	for _, e := range []accounting.Event{
		sgd(0.01, 1, 10),
		accounting.PoissonSampled{SamplingRate: 0.1, Event: both},
		accounting.Composed{Events: []accounting.Event{clipped(0.1, 1, 3), sgd(0.1, 1, 3)}},
		accounting.Laplace{NoiseMultiplier: 1},
		accounting.Parallel{Events: []accounting.Event{clipped(0.1, 2, 1), clipped(0.1, 2, 1)}},
		accounting.Parallel{Events: []accounting.Event{accounting.Gaussian{NoiseMultiplier: 2}, accounting.Gaussian{NoiseMultiplier: 2}}},
	} {
		if d, err := replaceOne.LogDeltaAt(e, 1); !errors.Is(err, accounting.ErrUnsupportedEvent) || d.Upper < 0 {
			t.Errorf("%v: log δ %v, %v", e, d, err)
		}
		if d, err := replaceOne.DeltasAt(e, []float64{1}); !errors.Is(err, accounting.ErrUnsupportedEvent) || d != nil {
			t.Errorf("%v: δ %v, %v", e, d, err)
		}
		if g, err := replaceOne.EpsilonAt(e, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) || g.Epsilon.Upper < math.Inf(1) {
			t.Errorf("%v: %v, %v", e, g, err)
		}
	}
	if _, err := (Accountant{Relation: 17}).EpsilonAt(clipped(0.1, 1, 3), 1e-5); err == nil {
		t.Error("relation 17: no error")
	}
	special, err := Accountant{Relation: accounting.ReplaceSpecial}.EpsilonAt(clipped(0.01, 2, 100), 1e-5)
	removed, other := NewAccountant().EpsilonAt(sgd(0.01, 2, 100), 1e-5)
	if err != nil || other != nil || special.Epsilon != removed.Epsilon || special.Neighboring != accounting.ReplaceSpecial {
		t.Errorf("replace-special %v, %v; add-or-remove-one %v, %v", special, err, removed, other)
	}
}

// TestReplacedDeltas: the list of δ, the single values and the alternatives agree.
func TestReplacedDeltas(t *testing.T) {
	for _, e := range []accounting.Event{clipped(0.02, 1.5, 300), clipped(0.2, 1, 1), accounting.Gaussian{NoiseMultiplier: 2}} {
		epsilons := []float64{0, 0.1, 0.5, 1, 1.01, 2, 4}
		list, err := replaceOnly.DeltasAt(e, epsilons)
		worst, errWorst := replaceOnly.DeltasAt(accounting.WorstCase{Events: []accounting.Event{e, clipped(0.01, 5, 20)}}, epsilons)
		if err != nil || errWorst != nil {
			t.Fatal(err, errWorst)
		}
		for i, epsilon := range epsilons {
			one, err := replaceOnly.DeltaAt(e, epsilon)
			if err != nil || one.Lower > list[i].Upper || list[i].Lower > one.Upper || list[i].Width() > 1e-5*list[i].Upper || worst[i] != list[i] {
				t.Errorf("%v at ε = %g: %v, %v, in the list %v, as the worst %v", e, epsilon, one, err, list[i], worst[i])
			}
		}
	}
}

// plantedReplaced are faults of a search over the pair of a replaced record.
var plantedReplaced = []struct {
	name  string
	spoil func(p *program, logDelta *float64)
}{
	{"the pair of a removed record", func(p *program, _ *float64) { each(p, func(f *transform.Phase) { f.Replaced = false }) }},
	{"a step less", func(p *program, _ *float64) { p.phases[0].Count-- }},
	{"rates 1e-4 too small", func(p *program, _ *float64) { each(p, func(f *transform.Phase) { f.Q *= 1 - 1e-4 }) }},
	{"noise 1e-4 too large", func(p *program, _ *float64) { each(p, func(f *transform.Phase) { f.Sigma *= 1 + 1e-4 }) }},
	{"noise over the distance", func(p *program, _ *float64) { each(p, func(f *transform.Phase) { f.Sigma *= 2 }) }},
	{"plain Gaussians lost", func(p *program, _ *float64) { p.mu = 0 }},
	{"ln δ 1e-4 too large", func(_ *program, logDelta *float64) { *logDelta += 1e-4 }},
}

func each(p *program, change func(f *transform.Phase)) {
	for i := range p.phases {
		change(&p.phases[i])
	}
}

// TestPlantedReplaced spoils the search. An ε that a bug lowers is not shown by the check.
func TestPlantedReplaced(t *testing.T) {
	lowered := map[string]int{}
	for _, c := range []struct {
		event accounting.Event
		delta float64
	}{
		{clipped(0.01, 2, 5000), 1e-5},
		{clipped(0.25, 4, 100), 1e-6},
		{accounting.Composed{Events: []accounting.Event{clipped(0.02, 1, 500), clipped(0.1, 3, 200), accounting.Gaussian{NoiseMultiplier: 3}}}, 1e-8},
	} {
		node, err := ask.Asked(replaceOne, c.event)
		if err != nil {
			t.Fatal(err)
		}
		solve := func(spoil func(*program, *float64)) (honest program, s solution) {
			p, err := compile(node)
			if err != nil {
				t.Fatal(err)
			}
			honest, logDelta := p, numeric.Log(c.delta)
			p.phases = slices.Clone(p.phases)
			spoil(&p, &logDelta)
			return honest, p.solve(answer{upper: math.Inf(1)}, nil, func(q *problem, enough float64) *question { return q.epsilonAt(logDelta, enough) })
		}
		p, truth := solve(func(*program, *float64) {})
		if k, err := p.check(truth.lines).above(truth.worst.upper*(1+1e-6), c.delta); err != nil || k.DeltaUpper > c.delta {
			t.Errorf("%v: not shown without a bug: %v, %v", c.event, k, err)
		}
		for _, bug := range plantedReplaced {
			_, s := solve(bug.spoil)
			if !(s.worst.upper < truth.worst.upper*(1-1e-6)) {
				continue
			}
			lowered[bug.name]++
			for _, epsilon := range []float64{s.worst.upper, s.worst.upper * (1 + 1e-9), truth.worst.lower * (1 - 1e-6)} {
				if epsilon > truth.worst.lower*(1-1e-6) {
					continue
				}
				if k, err := p.check(s.lines).above(epsilon, c.delta); err == nil && k.DeltaUpper <= c.delta {
					t.Errorf("%v, %s: shown at ε = %g, and the true one is at least %g", c.event, bug.name, epsilon, truth.worst.lower)
				}
			}
		}
	}
	for _, bug := range plantedReplaced {
		if lowered[bug.name] == 0 {
			t.Errorf("%s: lowers no ε", bug.name)
		}
	}
}
