package housing_test

import (
	"fmt"

	"github.com/dplab/dplab/data/housing"
)

// The threshold of the label is public, not from the data.
func Example() {
	fmt.Printf("label 1 from $%d on\n", housing.Threshold)
	// Output:
	// label 1 from $180000 on
}
