package engine_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
)

// TestMain runs the tests on the backend that DPLAB_TEST_BACKEND names, if it does.
func TestMain(m *testing.M) {
	if name := os.Getenv("DPLAB_TEST_BACKEND"); name != "" {
		err := os.Setenv(backend.Variable, name)
		if _, failed := backend.Open(""); failed != nil {
			err = failed
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// sameBits reports whether two results are equal: to the bit on the go backend, which
// promises it, and on others up to the rounding of some hundred float32 products.
func sameBits(got, want []float64) bool {
	if engine.DefaultBackend() == "go" {
		return slices.Equal(got, want)
	}
	return distance(got, want) <= 5e-6*length(want)
}

// compilesSlowly reports whether a program takes so long to compile on the backend under
// test that tests of many models should be content with fewer programs of each.
func compilesSlowly() bool { return engine.DefaultBackend() != "go" }

// partsOrWhole returns the size of microbatches that makes steps of several, or where programs
// compile slowly that of all examples, which takes one program for each model, not three.
func partsOrWhole(parts, whole int) int {
	if compilesSlowly() {
		return whole
	}
	return parts
}
