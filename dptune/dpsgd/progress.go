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
// Plan.EpsilonUpper; +Inf where the accountant has none. To count that the noise ends in the
// tails, give it an accounting.WithDeltaReserve of [Config.NoiseTail].
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

// meter counts model-steps and calls report at most ten times a second, and at the end.
type meter struct {
	report          func(Progress)
	epsilon         func(accounting.Event) float64 // nil for none
	distinct        []Config                       // those whose events differ
	from            Provenance                     // of the initial weights
	steps, replicas int
	examples        float64 // expected examples of one step of all replicas

	mutex       sync.Mutex
	start, last time.Time
	accounting  time.Duration // what the last ε took
	done        int           // model-steps
	skipped     int           // of those, taken from checkpoints
	furthest    int           // steps of the replica that has done most
	warning     error
}

func newMeter(p Plan, dataset int) *meter {
	m := &meter{report: p.Progress, epsilon: p.EpsilonUpper, from: p.InitialFrom, steps: p.Replicas[0].Steps, replicas: len(p.Replicas), start: time.Now()}
	seen := map[string]bool{}
	for _, c := range p.Replicas {
		m.examples += c.Sampling.Share() * float64(dataset)
		if event := c.Event().String(); m.epsilon != nil && !seen[event] {
			seen[event], m.distinct = true, append(m.distinct, c)
		}
	}
	return m
}

// Skip counts steps of a chunk of replicas that were done before.
func (m *meter) Skip(replicas, steps int) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.skipped += replicas * steps
	m.count(replicas*steps, steps)
}

// Add counts model-steps of a chunk of replicas, which have done so many steps each.
func (m *meter) Add(modelSteps, steps int) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.count(modelSteps, steps)
}

// Warn makes the next report, at the next step, tell of an error.
func (m *meter) Warn(err error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.warning, m.last = err, time.Time{}
}

func (m *meter) count(modelSteps, steps int) {
	m.done += modelSteps
	m.furthest = max(m.furthest, steps)
	// Accounting is to take a tenth of the time at most.
	interval := max(100*time.Millisecond, 10*m.accounting)
	now, total := time.Now(), m.steps*m.replicas
	if m.report == nil || modelSteps == 0 || (m.done < total && now.Sub(m.last) < interval) {
		return
	}
	elapsed, fresh := now.Sub(m.start), float64(m.done-m.skipped)
	progress := Progress{
		Step: m.done / m.replicas, Steps: m.steps, Replicas: m.replicas, Elapsed: elapsed,
		ExamplesPerSecond: m.examples * fresh / float64(m.replicas) / max(elapsed.Seconds(), 1e-9),
		EpsilonUpper:      m.epsilonUpper(),
		Warning:           m.warning,
	}
	if fresh > 0 {
		progress.Remaining = time.Duration(float64(elapsed) * float64(total-m.done) / fresh)
	}
	m.accounting = time.Since(now)
	m.report(progress)
	m.last = time.Now()
}

// epsilonUpper returns the largest ε of a replica that has done as many steps as any.
func (m *meter) epsilonUpper() float64 {
	largest := 0.0
	for _, c := range m.distinct {
		largest = max(largest, m.epsilon(m.from.before(c.EventAfter(m.furthest))))
	}
	return largest
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
