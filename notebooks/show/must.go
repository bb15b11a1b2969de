package show

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/janpfeifer/gonb/gonbui"
)

// Must returns v, or ends the program with the error's text and exit code 1.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// Check ends the program with the error's text and exit code 1, unless err is nil. In a cell it says at which line.
func Check(err error) {
	if err == nil {
		return
	}
	gonbui.Sync()
	fmt.Fprintf(os.Stderr, "error: %v\n", err)
	if gonbui.IsNotebook {
		fmt.Fprint(os.Stderr, places())
	}
	os.Exit(1)
}

// places returns a line for each place of the program itself, as a stack has them: GoNB puts the cell's line before it.
func places() string {
	var text strings.Builder
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, "main.") {
			fmt.Fprintf(&text, "\t%s:%d\n", frame.File, frame.Line)
		}
		if !more {
			return text.String()
		}
	}
}
