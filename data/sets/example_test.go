package sets_test

import (
	"fmt"

	"github.com/dplab/dplab/data/sets"
)

func ExampleFind() {
	digits, found := sets.Find("digits")
	if !found {
		return
	}
	train, test, err := digits.Load("")
	fmt.Println(train.Len(), test.Len(), train.Shape, err)
	// Output:
	// 1437 360 [8 8 1] <nil>
}
