package input

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	_ "github.com/dplab/dplab/accounting/auto" // its selections, thresholds and others have names in JSON
)

// A record is missing from what a loader shuffles: the last one takes its place. Over all orders of
// the first run, the orders of the second are each drawn equally often, and the sums of an epoch
// differ by at most √5. Records are vectors of a norm of at most 1, one dimension each way: the
// largest difference of sums is reached by some ±1.
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
	if largest != 5 || math.Abs(DistanceShuffled*DistanceShuffled-5) > 1e-15 {
		t.Errorf("an epoch's sums differ by up to √%g, and are priced by %g", largest, DistanceShuffled)
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

// The epochs of a rate and a number of steps are at least those of a loader, whether it drops the
// incomplete batch or not, counted batch by batch.
func TestEpochsOfALoader(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	for range 2000 {
		n := 1 + rng.IntN(500)
		batch, steps := 1+rng.IntN(n), 1+rng.IntN(3000)
		got := epochsOf(float64(batch)/float64(n), steps)
		for _, drop := range []bool{false, true} {
			epochs, left := 0, 0
			for range steps {
				if left == 0 {
					epochs++
					if left = n / batch; !drop && n%batch > 0 {
						left++
					}
				}
				left--
			}
			if got < epochs || drop && got != epochs {
				t.Fatalf("%d of %d, %d steps: %d epochs, a loader (drop the last: %v) has %d", batch, n, steps, got, drop, epochs)
			}
		}
	}
	if got := epochsOf(5e-324, 1); got != 1 {
		t.Errorf("%d epochs of one step", got)
	}
}

// Every event whose JSON has a sample inside says so in the text that the answer is read from. Each
// stored event is asked as it is, and with samples in the place of the Gaussians inside it.
func TestEveryEventWritesTheEventsInsideIt(t *testing.T) {
	text, err := os.ReadFile("../../../eventjson/testdata/events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	const gaussian, sampled = `:{"type":"gaussian","noise_multiplier":2}`, `:{"type":"poisson_sampled","sampling_rate":0.5,"event":{"type":"gaussian","noise_multiplier":2}}`
	inside := 0
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		for _, line := range []string{line, strings.ReplaceAll(line, gaussian, sampled)} {
			p, err := ParsePlan([]byte(`{"neighboring": "replace-one", "events": [` + line + `]}`))
			if err != nil {
				t.Errorf("%s: %v", line, err)
				continue
			}
			want := strings.Contains(line, `"poisson_sampled"`) || strings.Contains(line, `"sampled_without_replacement"`)
			if want {
				inside++
			}
			if got := BatchesOf(p.Event().String()) != nil; got != want {
				t.Errorf("%s: says how batches are drawn: %v, %s", line, got, p.Event())
			}
		}
	}
	if inside < 15 {
		t.Errorf("%d events have a sample inside", inside)
	}
}
