package models_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/dptune/models"
)

// Sizes, inputs and classes that are listed are those of the models. Sizes are printed in
// cebere2024, Table 2 (68; 62,006; 11,173,962), or follow from the layers:
//
//	mlp         785·120 + 121·120 + 121·10
//	mnist-cnn   16(64+1) + 32(256+1) + 32(512+1) + 10(32+1)
//	all-conv    32(9+1) + 32(288+1) + 64(288+1) + 2·64(576+1) + 10(64+1)
//	last-layer  10(64+1)
//	imdb        28,996·16 + 16(16+1) + 2(16+1)
func TestNamedModelsAreAsListed(t *testing.T) {
	for _, n := range models.All() {
		m, err := n.Build()
		if err != nil {
			t.Errorf("%s: %v", n.Name, err)
			continue
		}
		if m.Size() != n.Size || !slices.Equal(m.Input, n.Input) {
			t.Errorf("%s: %d weights on %v, listed as %d on %v", n.Name, m.Size(), m.Input, n.Size, n.Input)
		}
		if found, err := models.ByName(n.Name); err != nil || found.Name != n.Name {
			t.Errorf("ByName(%q): %v, %v", n.Name, found.Name, err)
		}
	}
	if _, err := models.ByName("vgg"); err == nil || !strings.Contains(err.Error(), `"vgg"`) || !strings.Contains(err.Error(), "mlp") {
		t.Errorf("error %v: want one that names vgg and what there is", err)
	}
}

func ExampleByName() {
	named, err := models.ByName("fcnn")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := named.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m, m.Size())
	// Output:
	// MLP-8-6-2: Dense(8, 6), ReLU, Dense(6, 2), softmax cross-entropy 68
}
