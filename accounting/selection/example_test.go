package selection_test

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
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

// The paper's generic lemmas for a list of chances: 1 to 4 runs, and the same given at most 3.
func ExampleLemma22() {
	base := baserun.Run{Curve: rdp.PureDP(1)}
	whole := law.PMF{Weights: []float64{0, 0.4, 0.3, 0.2, 0.1}}
	untruncated, err := selection.Lemma7(whole, base)
	if err != nil {
		panic(err)
	}
	curve, err := selection.Lemma22(law.Truncated{Law: whole, Max: 3}, untruncated)
	if err != nil {
		panic(err)
	}
	fmt.Printf("order 8: %.4f for one run, %.4f for the law, %.4f truncated\n", base.Curve(8), untruncated(8), curve(8))
	// Output:
	// order 8: 0.9552 for one run, 1.7590 for the law, 1.9877 truncated
}

// A mechanism is run until its output is good, which has a chance of at least 1/10.
func ExampleProposition15() {
	run := rdp.ZCDP(0.01)
	for _, at := range [][2]float64{{1.5, 3}, {2, 2}, {math.Inf(1), 1}} {
		curve, err := selection.Proposition15(run, 0.1, at[0], at[1])
		if err != nil {
			panic(err)
		}
		fmt.Printf("q = %g, r = %g: %.3f at order 1.5, %.3f at order 20\n", at[0], at[1], curve(1.5), curve(20))
	}
	// Output:
	// q = 1.5, r = 3: 6.249 at order 1.5, 0.976 at order 20
	// q = 2, r = 2: 6.968 at order 1.5, 0.782 at order 20
	// q = +Inf, r = 1: +Inf at order 1.5, 0.622 at order 20
}
