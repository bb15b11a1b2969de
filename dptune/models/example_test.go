package models_test

import (
	"fmt"

	"github.com/dplab/dplab/dptune/models"
)

// The largest network of the papers, with group normalization, which treats each example by itself.
func ExampleResNet18() {
	model, err := models.ResNet18()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Size(), "weights in", len(model.LayerSizes()), "layers that have some")
	// Output:
	// 11173962 weights in 11 layers that have some
}
