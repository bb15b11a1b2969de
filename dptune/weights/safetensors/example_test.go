package safetensors_test

import (
	"fmt"

	"github.com/dplab/dplab/dptune/weights/safetensors"
)

// One third in float16 is 1365/4096.
func ExampleHalf() {
	fmt.Println(safetensors.Half(0x3555) * 4096)
	// Output:
	// 1365
}
