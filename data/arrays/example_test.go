package arrays_test

import (
	"fmt"

	"github.com/dplab/dplab/data/arrays"
)

// Python wrote the file: numpy.savez("images.npz", x=pixels, y=classes).
func ExampleSchema() {
	pictures := arrays.Schema{Shape: []int{2, 3, 1}, Classes: 3}
	d, err := pictures.Load("testdata/images.npz")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Len(), d.Shape, d.Labels)
	fmt.Println(pictures.Assumptions()[0])
	_, err = pictures.LoadPair("testdata/x.npy", "testdata/y.npy")
	fmt.Println(err)
	// Output:
	// 4 [2 3 1] [2 0 1 2]
	// the bounds and the number of classes were chosen without looking at the data, and the shape of a record is public
	// arrays: x.npy: dtype <f8 without Schema.Low and High: bounds must be public, and are never computed here: the records' own bounds would reveal records
}
