package images_test

import (
	"fmt"

	"github.com/dplab/dplab/data/images"
)

// The classes are declared: a list of those in the folder could reveal an image.
func ExampleFolder() {
	pets := images.Folder{Classes: []string{"cat", "dog"}, Height: 4, Width: 5, Channels: 3}
	d, err := pets.Load("testdata/colors")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Len(), d.Shape, d.Labels)
	pets.Height, pets.Width = 32, 32
	_, err = pets.Load("testdata/colors")
	fmt.Println(err != nil)
	// Output:
	// 6 [4 5 3] [0 0 0 1 1 1]
	// true
}
