package dpsgd

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// ProgressLine returns a function for Plan.Progress that keeps one line up to date where out
// is a terminal, and elsewhere writes a line at most every two seconds and one at the end.
func ProgressLine(out io.Writer) func(Progress) {
	return progressLine(out, isTerminal(out), 2*time.Second)
}

func progressLine(out io.Writer, terminal bool, every time.Duration) func(Progress) {
	var mutex sync.Mutex
	var last time.Time
	return func(p Progress) {
		mutex.Lock()
		defer mutex.Unlock()
		end := p.Step >= p.Steps
		switch {
		case terminal && end:
			fmt.Fprintf(out, "\r\x1b[K%v\n", p) // to the line's start, and clear it
		case terminal:
			fmt.Fprintf(out, "\r\x1b[K%v", p)
		case end || time.Since(last) >= every:
			last = time.Now()
			fmt.Fprintln(out, p)
		}
	}
}

// isTerminal reports whether out is a device of characters, such as a terminal.
func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}
