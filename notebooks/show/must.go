package show

import (
	"fmt"
	"os"

	"github.com/janpfeifer/gonb/gonbui"
)

// Must returns v, or ends the program with the error's text and exit code 1.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// Check ends the program with the error's text and exit code 1, unless err is nil.
func Check(err error) {
	if err == nil {
		return
	}
	gonbui.Sync()
	fmt.Fprintf(os.Stderr, "error: %v\n", err)
	os.Exit(1)
}
