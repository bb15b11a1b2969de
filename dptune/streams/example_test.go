package streams_test

import (
	"fmt"

	"github.com/dplab/dplab/dptune/streams"
)

// The root of a figure has a name: equal names and labels give equal draws, on any machine. A
// release takes its root from Secret, whose draws nobody can repeat.
func ExampleFixed() {
	root := streams.Fixed("figure 2")
	noise := root.Child("noise")
	fmt.Println(noise.Rand("step 3").IntN(1000), noise.Rand("step 3").IntN(1000), noise.Rand("step 4").IntN(1000))
	fmt.Println("reproducible:", root.Seeded())

	secret, err := streams.Secret()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("reproducible:", secret.Child("noise").Seeded())
	// Output:
	// 635 635 520
	// reproducible: true
	// reproducible: false
}
