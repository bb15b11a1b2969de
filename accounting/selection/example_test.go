package selection_test

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

// What does it cost to publish the best of K runs of a Gaussian mechanism?
func Example() {
	l, err := law.Logarithmic(10) // 10 runs on average
	if err != nil {
		panic(err)
	}
	price, err := selection.EventAt(selection.BestOf{Law: l, Base: accounting.Gaussian{NoiseMultiplier: 1}}, 1e-5)
	if err != nil {
		panic(err)
	}
	fmt.Printf("one run    %.4f\n", price.OneRun.Epsilon.Upper)
	for _, b := range price.Bounds {
		fmt.Printf("%.4f  %s\n", b.Epsilon, b.Name)
	}
	// Output:
	// one run    4.3772
	// 6.0814  pointwise, exact Gaussian
	// 6.2131  sharpened profile, exact Gaussian
	// 6.4049  sharpened RDP
	// 6.7580  profile, exact Gaussian
	// 6.8218  sharpened profile, RDP
	// 7.4002  profile, RDP
	// 7.4104  Theorem 2
}
