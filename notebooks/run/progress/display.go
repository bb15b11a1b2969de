// Package progress shows how far a run of notebooks is. On a terminal it writes one line again and
// again. Elsewhere (a file, a build server) it writes plain lines now and then. It also remembers
// how long cells took, to estimate the time left.
//
// It promises nothing to other modules.
package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Display shows progress. Its methods may be called from several goroutines.
type Display struct {
	out      io.Writer
	terminal bool
	width    int

	mu      sync.Mutex
	tasks   []*Task
	drawn   bool // the status line is on the screen
	done    chan struct{}
	stopped sync.WaitGroup
}

// Task is the progress of one notebook. Change it with Display.Update.
type Task struct {
	Name      string
	Cells     int
	Cell      int // number of the cell that runs, from 1
	Begin     time.Time
	CellBegin time.Time
	Expected  []time.Duration // for each cell, from earlier runs; empty if unknown
}

// IsTerminal reports whether f is a terminal that understands a carriage return.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb" && os.Getenv("CI") == ""
}

// Time between two status lines.
const (
	terminalEvery = 500 * time.Millisecond
	plainEvery    = 20 * time.Second
)

// NewDisplay starts a display that writes to out. Stop ends it.
func NewDisplay(out io.Writer, terminal bool) *Display {
	d := &Display{out: out, terminal: terminal, width: 79, done: make(chan struct{})}
	every := plainEvery
	if terminal {
		every = terminalEvery
	}
	d.stopped.Add(1)
	go d.tick(every)
	return d
}

func (d *Display) tick(every time.Duration) {
	defer d.stopped.Done()
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			d.mu.Lock()
			d.status()
			d.mu.Unlock()
		case <-d.done:
			return
		}
	}
}

// Stop removes the status line and ends the display. Line can still be used.
func (d *Display) Stop() {
	close(d.done)
	d.stopped.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tasks = nil
	d.erase()
}

// Line writes one or more permanent lines.
func (d *Display) Line(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.erase()
	fmt.Fprintf(d.out, format+"\n", args...)
	if d.terminal {
		d.status()
	}
}

// Begin adds a task.
func (d *Display) Begin(t *Task) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tasks = append(d.tasks, t)
}

// Update changes a task.
func (d *Display) Update(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

// End removes a task.
func (d *Display) End(t *Task) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range d.tasks {
		if d.tasks[i] == t {
			d.tasks = append(d.tasks[:i:i], d.tasks[i+1:]...)
			return
		}
	}
}

func (d *Display) erase() {
	if d.drawn {
		fmt.Fprint(d.out, "\r\x1b[K")
		d.drawn = false
	}
}

func (d *Display) status() {
	if len(d.tasks) == 0 {
		d.erase()
		return
	}
	var parts []string
	for _, t := range d.tasks {
		parts = append(parts, t.String(time.Now()))
	}
	if !d.terminal {
		fmt.Fprintln(d.out, "  "+strings.Join(parts, " | "))
		return
	}
	fmt.Fprint(d.out, "\r\x1b[K"+clip(strings.Join(parts, " | "), d.width))
	d.drawn = true
}

func clip(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-3]) + "..."
}
