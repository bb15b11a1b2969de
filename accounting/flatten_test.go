package accounting_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
)

func sample(q float64, e accounting.Event) accounting.Event {
	return accounting.PoissonSampled{SamplingRate: q, Event: e}
}

func repeat(n int, e accounting.Event) accounting.Event {
	return accounting.SelfComposed{Event: e, Count: n}
}

func flat(t testing.TB, event accounting.Event) accounting.Node {
	t.Helper()
	node, err := accounting.Flatten(event)
	if err != nil {
		t.Fatalf("%v: %v", event, err)
	}
	return node
}

// A sample of a sample has the product of the rates, rounded up and never down.
func TestFlattenJoinsPoissonSamples(t *testing.T) {
	inner := accounting.Gaussian{NoiseMultiplier: 1}
	for _, c := range []struct{ a, b float64 }{{0.5, 0.25}, {0.1, 0.1}, {0.01, 0.3}, {1, 0.7}, {0.7, 1}, {1e-200, 1e-150}, {1e-162, 1e-162}, {0.3, 1e-280}} {
		for _, wrapped := range []accounting.Event{sample(c.b, inner), repeat(1, sample(c.b, inner)), accounting.Composed{Events: []accounting.Event{sample(c.b, inner)}}} {
			node := flat(t, sample(c.a, wrapped))
			exact := new(big.Float).SetPrec(200).Mul(big.NewFloat(c.a), big.NewFloat(c.b))
			got := node.Rate
			if node.Shape != accounting.PoissonSample || node.Children[0].Event != accounting.Event(inner) || big.NewFloat(got).Cmp(exact) < 0 || node.Event != sample(got, inner) {
				t.Errorf("%g of %g: %v, below %v", c.a, c.b, node.Event, exact)
			}
			if below := math.Nextafter(got, 0); got > 1e-270 && big.NewFloat(below).Cmp(exact) >= 0 {
				t.Errorf("%g of %g: %v, not the next number above %v", c.a, c.b, node.Event, exact)
			}
		}
	}
}

// m' of the m of n is m' of n. The inner population must be the outer sample; n of n stays.
func TestFlattenJoinsSamplesOfFixedSize(t *testing.T) {
	fixed := func(m, n int, e accounting.Event) accounting.Event {
		return accounting.SampledWithoutReplacement{SampleSize: m, PopulationSize: n, Event: e}
	}
	node := flat(t, fixed(50, 100, repeat(1, fixed(10, 50, gaussian(1)))))
	if node.Shape != accounting.FixedSizeSample || node.Rate != 0.1 || node.Event != fixed(10, 100, gaussian(1)) {
		t.Errorf("10 of 50 of 100: %+v", node)
	}
	if node := flat(t, fixed(7, 7, gaussian(1))); node.Shape != accounting.FixedSizeSample || node.Rate != 1 {
		t.Errorf("7 of 7: %+v, want a sample: the relation is that of one", node)
	}
	asked := 0
	sum := accounting.ClippedSum{NoiseMultiplier: 1}
	for _, inside := range []func(population int) accounting.Event{
		func(n int) accounting.Event { return fixed(10, n, gaussian(1)) },
		func(n int) accounting.Event { return repeat(3, fixed(10, n, sum)) },
		func(n int) accounting.Event {
			return accounting.WorstCase{Events: []accounting.Event{sum, holding{sample(1, fixed(10, n, sum)), &asked}}}
		},
		func(n int) accounting.Event {
			return repeat(2, accounting.SampledWithReplacement{SampleSize: 3, PopulationSize: n, Event: sum})
		},
		func(n int) accounting.Event {
			return accounting.TruncatedPoisson{SamplingRate: 0.1, Cap: 10, PopulationSize: n, Event: sum}
		},
	} {
		if _, err := accounting.Flatten(fixed(50, 100, inside(40))); err == nil || !strings.Contains(err.Error(), "PopulationSize 40: must be the outer SampleSize, 50") {
			t.Errorf("%v on 50 of 100: %v", inside(40), err)
		}
		if _, err := accounting.Flatten(fixed(50, 100, inside(50))); err != nil {
			t.Errorf("%v on 50 of 100: %v", inside(50), err)
		}
	}
	parts := accounting.Parallel{Events: []accounting.Event{fixed(10, 20, sum), fixed(10, 30, sum)}} // 20 of the 50, and the others
	if _, err := accounting.Flatten(fixed(50, 100, parts)); err != nil {
		t.Errorf("parts of the 50: %v", err)
	}
}

func TestFlattenRefuses(t *testing.T) {
	many := gaussian(1)
	for range 20 {
		many = repeat(math.MaxInt, many)
	}
	for want, event := range map[string]accounting.Event{
		"event is nil: must be an event":              nil,
		"PoissonSampled.SamplingRate 2: must be":      sample(2, gaussian(1)),
		"Composed.Events is empty":                    repeat(3, accounting.Composed{}),
		"SelfComposed.Count: 2.74e+303 runs of one e": many,
	} {
		if node, err := accounting.Flatten(event); err == nil || !strings.Contains(err.Error(), want) || !reflect.DeepEqual(node, accounting.Node{}) {
			t.Errorf("%q: %v, %v", want, node, err)
		}
	}
}

// drawEvent draws an event of all shapes.
func drawEvent(rng *rand.Rand, depth int) accounting.Event {
	if depth == 0 {
		switch rng.IntN(4) {
		case 0:
			return accounting.PureDP{Epsilon: rng.Float64()}
		case 1:
			return accounting.ZCDP{Rho: rng.Float64()}
		}
		return gaussian(1 + rng.Float64())
	}
	inner := func() accounting.Event { return drawEvent(rng, depth-1) }
	list := func() (events []accounting.Event) {
		for range 1 + rng.IntN(3) {
			events = append(events, inner())
		}
		return events
	}
	switch rng.IntN(6) {
	case 0, 1:
		return sample([]float64{1, 0.5, rng.Float64()}[rng.IntN(3)], inner())
	case 2:
		return repeat(1+rng.IntN(3), inner())
	case 3:
		return accounting.Composed{Events: list()}
	case 4:
		return accounting.Parallel{Events: list()}
	}
	return accounting.WorstCase{Events: list()}
}

// countOf counts mechanisms from the event itself; one of those in a Parallel, a WorstCase or a
// sample counts as one run.
func countOf(event accounting.Event) float64 {
	switch e := event.(type) {
	case accounting.SelfComposed:
		return float64(e.Count) * countOf(e.Event)
	case accounting.Composed:
		sum := 0.0
		for _, inner := range e.Events {
			sum += countOf(inner)
		}
		return sum
	case accounting.PoissonSampled:
		if e.SamplingRate == 1 {
			return countOf(e.Event)
		}
	}
	return 1
}

// curveOf returns the Rényi curve of a drawn event from the event itself: samples of samples are
// joined here, and all else is by the rules of composition.
func curveOf(t testing.TB, event accounting.Event) rdp.Curve {
	t.Helper()
	all := func(events []accounting.Event) (curves []rdp.Curve) {
		for _, inner := range events {
			curves = append(curves, curveOf(t, inner))
		}
		return curves
	}
	switch e := event.(type) {
	case accounting.SelfComposed:
		return rdp.Scale(curveOf(t, e.Event), e.Count)
	case accounting.Composed:
		return rdp.Sum(all(e.Events)...)
	case accounting.Parallel:
		return rdp.Max(all(e.Events)...)
	case accounting.WorstCase:
		return rdp.Max(all(e.Events)...)
	case accounting.PoissonSampled:
		rate, sampled := 1.0, event
	inside:
		for {
			switch e := sampled.(type) {
			case accounting.PoissonSampled:
				rate, sampled = rate*e.SamplingRate, e.Event
				continue
			case accounting.SelfComposed:
				if e.Count == 1 {
					sampled = e.Event
					continue
				}
			case accounting.Composed:
				if len(e.Events) == 1 {
					sampled = e.Events[0]
					continue
				}
			}
			break inside
		}
		var either []accounting.Event
		switch e := sampled.(type) {
		case accounting.Parallel:
			either = e.Events
		case accounting.WorstCase:
			either = e.Events
		}
		if len(either) > 0 { // a sample of one of several is one of several samples
			curves := make([]rdp.Curve, len(either))
			for i, e := range either {
				curves[i] = curveOf(t, accounting.PoissonSampled{SamplingRate: rate, Event: e})
			}
			return rdp.Max(curves...)
		}
		curve, err := rdp.PoissonAmplified(curveOf(t, sampled), rate)
		if err != nil {
			t.Fatal(err)
		}
		return curve
	}
	curve, err := rdp.FromEvent(event)
	if err != nil {
		t.Fatal(err)
	}
	return curve
}

// Drawn events: the simplest form is valid, is its own simplest form, runs as much, and has the
// Rényi curve of the event, at integer orders, where all samples have one formula.
func TestFlattenKeepsTheCurve(t *testing.T) {
	rng := rand.New(rand.NewPCG(30, 1))
	for range 300 {
		event := drawEvent(rng, rng.IntN(5))
		node := flat(t, event)
		again := flat(t, node.Event)
		if !reflect.DeepEqual(node, again) {
			t.Errorf("%v: %v, and again %v", event, node.Event, again.Event)
		}
		runs := 0.0
		for inside, count := range node.Runs() {
			if runs += count; inside.Shape == accounting.Repetition || inside.Shape == accounting.Sequence {
				t.Errorf("%v: runs %v", event, inside.Event)
			}
		}
		if want := countOf(event); runs != want {
			t.Errorf("%v: %g runs, want %g", event, runs, want)
		}
		before := curveOf(t, event)
		after, err := rdp.FromEvent(node.Event)
		if err != nil {
			t.Fatal(err)
		}
		for _, order := range []float64{2, 3, 8, 33} {
			if b, a := before(order), after(order); !(math.Abs(a-b) <= 1e-9*b) {
				t.Errorf("%v: curve %g at %g, that of %v is %g", event, b, order, node.Event, a)
			}
		}
	}
}

// holding is an event of another module that states what it holds, and counts how often it is asked.
type holding struct {
	inner accounting.Event
	asked *int
}

func (h holding) Validate() error { return nil }
func (h holding) String() string  { return "holding" }
func (h holding) Holds() []accounting.Event {
	*h.asked++
	return []accounting.Event{h.inner}
}

// Deep events are taken apart in one pass: each part is looked at once.
func TestFlattenIsLinear(t *testing.T) {
	const depth = 5000
	asked := 0
	var event accounting.Event = gaussian(1)
	for range depth {
		event = holding{accounting.Composed{Events: []accounting.Event{sample(0.5, repeat(1, event)), gaussian(2)}}, &asked}
	}
	node := flat(t, event)
	if asked != depth {
		t.Errorf("%d questions for %d events", asked, depth)
	}
	deepest := 0
	node.Contains(func(n accounting.Node) bool {
		if n.Shape == accounting.PoissonSample {
			deepest++
		}
		return false
	})
	if deepest != depth {
		t.Errorf("%d samples inside, want %d", deepest, depth)
	}
	for range 100000 {
		event = repeat(1, sample(1, event))
	}
	if again := flat(t, event); !reflect.DeepEqual(again.Event, node.Event) {
		t.Error("samples of all and single repetitions are not taken off")
	}
}

// endless is an event of another module that holds itself twice.
type endless struct{}

func (endless) Validate() error { return nil }
func (endless) String() string  { return "endless" }
func (e endless) Holds() []accounting.Event {
	return []accounting.Event{repeat(2, e), e}
}

// An event that holds itself, or nothing, is an error, which comes at once.
func TestFlattenRefusesHolders(t *testing.T) {
	asked := 0
	for want, event := range map[string]accounting.Event{
		"accounting_test.endless.Holds: events that hold each other: must be at most 10000 deep": repeat(3, endless{}),
		"accounting_test.holding.Holds()[0] is nil: must be an event":                            holding{nil, &asked},
	} {
		if node, err := accounting.Flatten(event); err == nil || !strings.Contains(err.Error(), want) || !reflect.DeepEqual(node, accounting.Node{}) {
			t.Errorf("%v: %v, want %q", event, err, want)
		}
	}
}

// A relation is checked inside of all events that state what they hold. An accountant does not
// price such an event by what it holds.
func TestCheckRelation(t *testing.T) {
	asked := 0
	parallel := accounting.Parallel{Events: []accounting.Event{gaussian(1), gaussian(2)}}
	for _, event := range []accounting.Event{parallel, repeat(2, parallel), sample(0.1, parallel), accounting.WorstCase{Events: []accounting.Event{gaussian(1), parallel}},
		holding{parallel, &asked}, repeat(2, holding{sample(0.5, parallel), &asked})} {
		node := flat(t, event)
		if err := node.CheckRelation("mine", accounting.ReplaceOne); !errors.Is(err, accounting.ErrUnsupportedEvent) || !strings.HasPrefix(err.Error(), "mine: Parallel(") {
			t.Errorf("%v: %v", event, err)
		}
		for _, relation := range []accounting.Neighboring{accounting.AddOrRemoveOne, accounting.ReplaceSpecial} {
			if err := node.CheckRelation("mine", relation); err != nil {
				t.Errorf("%v, %v: %v", event, relation, err)
			}
		}
	}
	if err := flat(t, repeat(2, gaussian(1))).CheckRelation("mine", accounting.ReplaceOne); err != nil {
		t.Error(err)
	}
	if _, err := rdp.FromEvent(holding{gaussian(1), &asked}); !errors.Is(err, accounting.ErrUnsupportedEvent) {
		t.Errorf("an unknown event that holds a known one: %v, want ErrUnsupportedEvent", err)
	}
}
