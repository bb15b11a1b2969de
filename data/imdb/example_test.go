package imdb_test

import (
	"fmt"

	"github.com/dplab/dplab/data/imdb"
)

// What an embedding of the reviews must hold.
func Example() {
	fmt.Printf("ids 0 to %d, %d where a review has ended\n", imdb.Tokens-1, imdb.Padding)
	// Output:
	// ids 0 to 28995, -1 where a review has ended
}
