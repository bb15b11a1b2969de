// Command opens opens the backend that DPLAB_BACKEND names and prints its name, for auto the one
// that opened. It is built as the cells of a notebook are. If it works, the cells can open the
// backend too.
package main

import (
	"fmt"
	"os"

	"github.com/dplab/dplab/dptune/dpsgd/backend"
	_ "github.com/dplab/dplab/notebooks/show" // for the backends that it links
)

func main() {
	name, err := backend.Resolve("")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(name)
}
