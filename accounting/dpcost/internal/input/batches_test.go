package input

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	_ "github.com/dplab/dplab/accounting/auto" // its selections, thresholds and others have names in JSON
)

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

// The answer finds the samples inside every event whose JSON has some. Each stored event is asked
// as it is, and with samples in the place of the Gaussians inside it.
func TestSamplesInsideEveryEvent(t *testing.T) {
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
			want := false
			for _, scheme := range []string{"poisson_sampled", "sampled_without_replacement", "random_allocation", "shuffled", "sampled_with_replacement", "truncated_poisson"} {
				want = want || strings.Contains(line, `"`+scheme+`"`)
			}
			if want {
				inside++
			}
			if got := BatchesOf(p.Event()) != nil; got != want {
				t.Errorf("%s: says how batches are drawn: %v, %s", line, got, p.Event())
			}
		}
	}
	if inside < 15 {
		t.Errorf("%d events have a sample inside", inside)
	}
}

// A user's name that looks like another event does not make batches. The samples next to it
// do.
func TestNamesAreNotBatches(t *testing.T) {
	name := "Shuffled(ours), PoissonSampled(q=0.123456789), TruncatedPoisson("
	bound := accounting.ProfileBound{Name: name, Epsilons: []float64{0, 1}, Deltas: []float64{0.5, 1e-7}}
	if got := BatchesOf(bound); got != nil {
		t.Errorf("%v: batches %+v, want none", bound, got)
	}
	if got := BatchesOf(accounting.RenyiBound{Name: name, Orders: []float64{2}, Divergences: []float64{1}}); got != nil {
		t.Errorf("a Rényi bound of this name: batches %+v, want none", got)
	}
	sample := accounting.SampledWithoutReplacement{SampleSize: 2, PopulationSize: 4, Event: accounting.Gaussian{NoiseMultiplier: 1}}
	if got := BatchesOf(accounting.Composed{Events: []accounting.Event{bound, sample}}); got == nil || got.Scheme != sampleOfSize {
		t.Errorf("next to a sample of fixed size: batches %+v, want %q only", got, sampleOfSize)
	}
}
