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

// Progress reports how far a run is. Show it only to the holder of the data: no guarantee covers
// the times and the examples per second, which depends on the size of the data set.
type Progress struct {
	Step, Steps       int           // steps done and in all, averaged over the replicas
	Replicas          int           // models that train
	Elapsed           time.Duration // since the start
	Remaining         time.Duration // estimated; 0 at the end
	ExamplesPerSecond float64       // expected number over all replicas, not the number drawn

	// EpsilonUpper is the ε of the steps done so far, by Plan.EpsilonUpper, of the replica with the
	// largest ε. It is for one model, not for all of them together. 0 if Plan.EpsilonUpper is nil.
	EpsilonUpper float64

	// Warning is the error of the first checkpoint that could not be written, nil if all could. The
	// run continues.
	Warning error
}

// String returns one line, for instance "step 120 of 300, ε <= 1.2346, 35000 examples/s, 12s left".
func (p Progress) String() string {
	return fmt.Sprintf("step %d of %d, %s, %v left", p.Step, p.Steps, p.Detail(), p.Remaining.Round(time.Second))
}

// Detail returns everything except steps and time, for a display that shows those itself.
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

// EpsilonUpperAt returns a function for Plan.EpsilonUpper: the upper bound of ε at delta by the
// accountant of auto.Default, or +Inf if the accountant has none or [Config.Statement] refuses the
// event. To include the truncation of the noise, pass it an accounting.WithDeltaReserve of
// [Config.TruncationDelta].
func EpsilonUpperAt(delta float64, accountants ...accounting.Accountant) func(accounting.Event) float64 {
	a := auto.Default(accountants...)
	return func(e accounting.Event) float64 {
		guarantee, err := a.EpsilonAt(e, delta)
		if err != nil || boundedSize(e, a.Neighboring()) != nil || math.IsNaN(guarantee.Epsilon.Upper) {
			return math.Inf(1)
		}
		return guarantee.Epsilon.Upper
	}
}

// ProgressLine returns a function for Plan.Progress. If out is a terminal, it keeps one line up to
// date. Otherwise it writes a line at most every two seconds, and one at the end.
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
			fmt.Fprintf(out, "\r\x1b[K%v\n", p) // go to the start of the line and clear it
		case terminal:
			fmt.Fprintf(out, "\r\x1b[K%v", p)
		case end || time.Since(last) >= every:
			last = time.Now()
			fmt.Fprintln(out, p)
		}
	}
}

// isTerminal reports whether out is a character device, such as a terminal.
func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}
