package housing_test

import (
	"fmt"

	"github.com/dplab/dplab/data/housing"
)

// The constants that features and labels are made with: public, not from the data.
func Example() {
	fmt.Printf("label 1 from $%d on\n", housing.Threshold)
	for _, s := range housing.Scales[:3] {
		fmt.Printf("%s: %g ± %g\n", s.Column, s.Middle, s.Spread)
	}
	// Output:
	// label 1 from $180000 on
	// longitude: -119 ± 5
	// latitude: 37 ± 5
	// housing_median_age: 26 ± 26
}
