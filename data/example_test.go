package data_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/digits"
)

// Each example joins a part by its own coin, so one example more changes only one part. The digits
// are public. For private data the key is secret (see dptune/streams), and the sizes are not
// printed.
func ExampleSplitCoins() {
	train, _, err := digits.Load()
	if err != nil {
		fmt.Println(err)
		return
	}
	rest, held, err := data.SplitCoins(train, 0.2, rand.New(rand.NewChaCha8([32]byte{1})))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rest.Len(), held.Len(), data.SplitBy(rest, held))
	// Output:
	// 1116 321 SplitCoins
}
