package candidate

import (
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
)

// Searches of up to 64 runs train 12 numbers of models, fewer than half as many again as were asked for, and exactly that many on go.
func TestNumbersOfModels(t *testing.T) {
	model, err := models.MLP(64, 10)
	if err != nil {
		t.Fatal(err)
	}
	config := dpsgd.Config{ClipNorm: 1, NoiseMultiplier: 1, SamplingRate: 0.1, Steps: 10, ExpectedBatchSize: 100}
	numbers := map[int]bool{}
	for runs := 1; runs <= 64; runs++ {
		n := runs + padding(runs, model, config, "xla:cpu")
		if numbers[n] = true; n < runs || 2*n >= 3*runs && n > runs {
			t.Errorf("%d runs train as %d models: want as many, or fewer than half as many again", runs, n)
		}
		if more := padding(runs, model, config, "go"); more != 0 {
			t.Errorf("%d runs: %d more on go, which compiles nothing", runs, more)
		}
	}
	if want := []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}; len(numbers) != len(want) {
		t.Errorf("numbers of models %v: want %v", numbers, want)
	}
	long := config
	long.Steps = 1e6
	if more := padding(5, model, long, "xla:cpu"); more != 0 {
		t.Errorf("5 long runs: %d more, which take longer than compiling", more)
	}
}
