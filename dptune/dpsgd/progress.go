package dpsgd

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
)

// Progress says how far a run is, for the eyes of who holds the data: time, and the examples of
// a second, which follow from the size of the data set, are not covered by any guarantee.
type Progress struct {
	Step, Steps       int           // steps done and to do, averaged over the replicas
	Replicas          int           // models that train
	Elapsed           time.Duration // since the start
	Remaining         time.Duration // estimated; 0 at the end
	ExamplesPerSecond float64       // expected examples of all replicas, not those drawn

	// EpsilonUpper is the ε of what was done so far, by Plan.EpsilonUpper, of the dearest
	// replica. It is that of one model, not of all of them together. 0 if it was not asked for.
	EpsilonUpper float64

	// Warning is the first checkpoint that could not be written, nil if all could. The run goes on.
	Warning error
}

// String says all in one line, for instance
// "step 120 of 300, ε <= 1.2346, 35000 examples/s, 12s left".
func (p Progress) String() string {
	return fmt.Sprintf("step %d of %d, %s, %v left", p.Step, p.Steps, p.Detail(), p.Remaining.Round(time.Second))
}

// Detail says what there is beside steps and time, for a display that shows those itself.
func (p Progress) Detail() string {
	var parts []string
	if p.EpsilonUpper > 0 {
		parts = append(parts, "ε <= "+accounting.FormatUpper(p.EpsilonUpper))
	}
	parts = append(parts, fmt.Sprintf("%.0f examples/s", p.ExamplesPerSecond))
	if p.Warning != nil {
		parts = append(parts, fmt.Sprintf("warning: %v", p.Warning))
	}
	return strings.Join(parts, ", ")
}

// EpsilonUpperAt returns the upper bound of ε at delta by the accountant of auto.Default, for
// Plan.EpsilonUpper; +Inf where the accountant has none. To include that the noise
// is truncated, give it an accounting.WithDeltaReserve of [Config.TruncationDelta].
func EpsilonUpperAt(delta float64, accountants ...accounting.Accountant) func(accounting.Event) float64 {
	a := auto.Default(accountants...)
	return func(e accounting.Event) float64 {
		guarantee, err := a.EpsilonAt(e, delta)
		if err != nil || math.IsNaN(guarantee.Epsilon.Upper) {
			return math.Inf(1)
		}
		return guarantee.Epsilon.Upper
	}
}

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
