package results_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/dplab/dplab/notebooks/results"
)

// The second call reads what the first has written; a changed config is computed again.
func ExampleLoad() {
	dir, err := os.MkdirTemp("", "results")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for _, steps := range []int{10, 10, 20} {
		epsilon, err := results.Load(filepath.Join(dir, "epsilon.json"), steps, func() (float64, error) {
			fmt.Println("computing", steps)
			return 0.1 * float64(steps), nil
		})
		fmt.Println(epsilon, err)
	}
	// Output:
	// computing 10
	// 1 <nil>
	// 1 <nil>
	// computing 20
	// 2 <nil>
}
