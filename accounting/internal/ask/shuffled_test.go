package ask

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
)

// A record is missing from what a loader shuffles: the last one takes its place. Over all orders
// of the first run, the orders of the second are each drawn equally often, and the sums of an
// epoch differ by at most √5. Records are vectors of a norm of at most 1, one dimension each way:
// the largest difference of sums is reached by some ±1.
func TestOneRecordFewerIsSqrt5(t *testing.T) {
	const n, batch, missing = 6, 2, 0
	count := map[[n - 1]int]int{}
	largest := 0.0
	permutations(n, func(order []int) {
		without := slices.Clone(order)
		at := slices.Index(without, missing)
		without[at] = without[n-1]
		without = without[:n-1]
		count[[n - 1]int(without)]++
		for signs := range 1 << n {
			total := 0.0
			for first := 0; first < n; first += batch {
				d := sum(order[first:first+batch], signs) - sum(without[first:min(first+batch, n-1)], signs)
				total += d * d
			}
			largest = max(largest, total)
		}
	})
	if largest != 5 || math.Abs(Moved*Moved-5) > 1e-15 {
		t.Errorf("an epoch's sums differ by up to √%g, and are priced by %g", largest, Moved)
	}
	if len(count) != 120 {
		t.Errorf("%d orders of 5, want 120", len(count))
	}
	for order, times := range count {
		if times != n {
			t.Errorf("order %v is drawn %d times, want %d", order, times, n)
		}
	}
}

func sum(records []int, signs int) (total float64) {
	for _, r := range records {
		total += float64(signs>>r&1)*2 - 1
	}
	return total
}

// permutations calls do with every order of 0 to n-1.
func permutations(n int, do func([]int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var from func(i int)
	from = func(i int) {
		if i == n {
			do(order)
			return
		}
		for j := i; j < n; j++ {
			order[i], order[j] = order[j], order[i]
			from(i + 1)
			order[i], order[j] = order[j], order[i]
		}
	}
	from(0)
}

// Every relation has its distance, inside compositions too, and what has no price is refused.
func TestReplace(t *testing.T) {
	sum, gaussian := accounting.ClippedSum{NoiseMultiplier: 2}, accounting.Gaussian{NoiseMultiplier: 2}
	shuffled := func(batches int, event accounting.Event) accounting.Event {
		return accounting.Shuffled{Batches: batches, Epochs: 3, Event: event}
	}
	run := func(noise float64) string {
		return accounting.SelfComposed{Event: accounting.Gaussian{NoiseMultiplier: noise}, Count: 3}.String()
	}
	inverse := math.Nextafter(2/Moved, 0)
	add, special, one := accounting.AddOrRemoveOne, accounting.ReplaceSpecial, accounting.ReplaceOne
	for _, c := range []struct {
		event    accounting.Event
		relation accounting.Neighboring
		want     string
	}{
		{shuffled(9, sum), special, run(2)},
		{shuffled(9, sum), one, run(math.Nextafter(1, 0))},
		{shuffled(9, sum), add, run(inverse)},
		{shuffled(1, sum), add, run(2)},
		{shuffled(2, sum), add, run(inverse)},
		{shuffled(9, gaussian), one, run(2)},
		{shuffled(9, gaussian), add, run(inverse)},
		{accounting.Composed{Events: []accounting.Event{accounting.PureDP{Epsilon: 1}, shuffled(9, sum)}}, special, "Composed(PureDP(ε=1), " + run(2) + ")"},
		{shuffled(9, accounting.Laplace{NoiseMultiplier: 2}), special, "3 x Laplace(b=2)"},
		{shuffled(9, shuffled(9, sum)), special, "3 x " + run(2)},
		{gaussian, add, ""},
		{shuffled(9, accounting.Laplace{NoiseMultiplier: 2}), add, "error"},
		{accounting.PoissonSampled{SamplingRate: 0.5, Event: shuffled(9, sum)}, add, "error"},
		{accounting.SampledWithoutReplacement{SampleSize: 1, PopulationSize: 2, Event: shuffled(9, sum)}, one, "error"},
	} {
		node, err := accounting.Flatten(c.event)
		if err != nil {
			t.Fatal(err)
		}
		got, found, err := replaceShuffled(node, c.relation)
		switch {
		case c.want == "error":
			if !errors.Is(err, accounting.ErrUnsupportedEvent) || !strings.Contains(err.Error(), "Shuffled(") {
				t.Errorf("%v, %v: %v, want an unsupported event", c.event, c.relation, err)
			}
		case err != nil || found != (c.want != "") || found && got.Event.String() != c.want:
			t.Errorf("%v, %v: %v, %v, %v, want %s", c.event, c.relation, got.Event, found, err, c.want)
		}
	}
}
