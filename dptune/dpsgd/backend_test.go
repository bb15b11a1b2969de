package dpsgd

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// A backend that fails or panics when it is opened is an error at each use, with its cause.
func TestBackendsThatDoNotOpen(t *testing.T) {
	cause := errors.New("no such device")
	for name, c := range map[string]struct {
		open func() (compute.Backend, error)
		want string
	}{
		"test-fails":  {func() (compute.Backend, error) { return nil, cause }, `backend "test-fails" does not open: no such device`},
		"test-panics": {func() (compute.Backend, error) { panic("boom") }, "boom"},
		"test-raises": {func() (compute.Backend, error) { panic(cause) }, "no such device"},
	} {
		if err := RegisterBackend(name, c.open); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(Backends(), name) {
			t.Errorf("Backends() lacks %q", name)
		}
		for range 2 {
			if _, err := openBackend(name); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want one that names %q", name, err, c.want)
			}
		}
		if err := RegisterBackend(name, c.open); err == nil {
			t.Errorf("%s was registered twice without an error", name)
		}
	}
}

func TestGoBackendIsOpenedOnce(t *testing.T) {
	first, err := openBackend("go")
	if err != nil {
		t.Fatal(err)
	}
	second, err := openBackend("go")
	if err != nil || first != second {
		t.Errorf("a second opening gave another backend, error %v", err)
	}
}

// A batch of the mean size and two deviations fits into few microbatches of at most 512.
func TestDefaultMicrobatch(t *testing.T) {
	narrow := Model{Input: []int{1}, Layers: []nn.Layer{nn.Dense(1, 1)}}
	for _, c := range []struct {
		examples int
		rate     float64
		want     int
	}{
		{2560, 0.1, 288},  // 256 + 2 √230.4 = 286.4
		{100, 1, 104},     // all, rounded up to a multiple of 8
		{1024, 1, 512},    // two halves
		{60000, 0.1, 480}, // 6000 + 2 √5400 = 6147 = 13 x 472.8
		{0, 0.5, 8},       // no data at all
		{1000, 1e-9, 8},   // hardly any
		{4, 1, 8},
		{1 << 30, 0.5, 512}, // a million parts
	} {
		got := Performance{}.defaultMicrobatch(narrow, Config{SamplingRate: c.rate}.likelyBatch(c.examples))
		if got != c.want {
			t.Errorf("%d examples, rate %g: %d, want %d", c.examples, c.rate, got, c.want)
		}
	}
	fixed := Config{Sampling: Sampling{Scheme: FixedBatches, Period: 51}}
	if got := (Performance{}).defaultMicrobatch(narrow, fixed.likelyBatch(20400)); got != 400 {
		t.Errorf("fixed batches of 400: %d, want 400", got)
	}
	wide := Model{Input: []int{1}, Layers: []nn.Layer{nn.Dense(1, 2000)}} // 6000 values an example
	for backend, want := range map[string]int{goBackend: 200, "another": 400} {
		if got := (Performance{Backend: backend}).defaultMicrobatch(wide, 400); got != want {
			t.Errorf("wide model on %s: %d, want %d", backend, got, want)
		}
	}
	// 60,000 and 6 million values an example, of which a microbatch holds 2^22 if it has 8.
	for outputs, want := range map[int]int{20_000: 64, 2_000_000: 8} {
		huge := Model{Input: []int{1}, Layers: []nn.Layer{nn.Dense(1, outputs)}}
		if got := (Performance{Backend: goBackend}).defaultMicrobatch(huge, 256); got != want {
			t.Errorf("%d outputs: %d, want %d", outputs, got, want)
		}
	}
}
