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
	fmt.Println(pets.Assumptions()[0])
	// Output:
	// 6 [4 5 3] [0 0 0 1 1 1]
	// the classes were chosen without looking at the data, and the size and the channels of the images are public
}
