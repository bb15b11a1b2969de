// Command opens opens the backend that DPLAB_BACKEND names and prints its name: that of what auto stands for. It is built as
// the cells of a notebook are, so that it tells whether they will be able to.
package main

import (
	"fmt"
	"os"

	"github.com/dplab/dplab/dptune/dpsgd/backend"
	_ "github.com/dplab/dplab/notebooks/show" // with what it links
)

func main() {
	name, err := backend.Resolve("")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(name)
}
