package progress

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/dplab/dplab/notebooks/run/nbformat"
)

// String describes the task at a time: name, cell, elapsed, estimate.
func (t *Task) String(now time.Time) string {
	if t.Cells == 0 {
		return fmt.Sprintf("%s: %s", t.Name, Short(now.Sub(t.Begin)))
	}
	text := fmt.Sprintf("%s: cell %d/%d, %s", t.Name, t.Cell, t.Cells, Short(now.Sub(t.Begin)))
	if left, ok := t.Left(now); ok {
		text += fmt.Sprintf(", ~%s left", Short(left))
	}
	return text
}

// Left estimates the time for the rest of the task from the durations of earlier runs. There is no
// estimate unless all remaining cells are known.
func (t *Task) Left(now time.Time) (time.Duration, bool) {
	if len(t.Expected) == 0 || t.Cell < 1 {
		return t.Total()
	}
	var left time.Duration
	for i := t.Cell - 1; i < len(t.Expected); i++ {
		if t.Expected[i] < 0 {
			return 0, false
		}
		left += t.Expected[i]
	}
	spent := min(now.Sub(t.CellBegin), t.Expected[t.Cell-1]) // a late cell is taken to end soon
	return left - spent, true
}

// Total estimates the time of the whole task.
func (t *Task) Total() (time.Duration, bool) {
	var total time.Duration
	for _, e := range t.Expected {
		if e < 0 {
			return 0, false
		}
		total += e
	}
	return total, len(t.Expected) > 0
}

// Short writes a duration in whole seconds, or tenths below ten: 4.2s, 42s, 3m07s, 1h02m.
func Short(d time.Duration) string {
	switch d = max(0, d); {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0fs", d.Truncate(time.Second).Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// Durations remembers how long cells took in earlier runs. It only helps estimates: a file that
// cannot be read or written is not an error.
type Durations struct {
	path    string
	mu      sync.Mutex
	seconds map[string]float64
}

// LoadDurations reads the durations kept at path.
func LoadDurations(path string) *Durations {
	d := &Durations{path: path, seconds: map[string]float64{}}
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, &d.seconds)
	}
	return d
}

func key(notebook, profile, source string) string {
	sum := sha256.Sum256([]byte(source))
	return notebook + " " + profile + " " + hex.EncodeToString(sum[:6])
}

// Get returns how long a cell took, and whether that is known.
func (d *Durations) Get(notebook, profile, source string) (time.Duration, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.seconds[key(notebook, profile, source)]
	return time.Duration(s * float64(time.Second)), ok
}

// Put stores how long a cell took.
func (d *Durations) Put(notebook, profile, source string, took time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seconds[key(notebook, profile, source)] = took.Seconds()
}

// Save writes the durations.
func (d *Durations) Save() {
	d.mu.Lock()
	defer d.mu.Unlock()
	data, err := json.MarshalIndent(d.seconds, "", " ")
	if err == nil && os.MkdirAll(filepath.Dir(d.path), 0o755) == nil {
		_ = nbformat.WriteFile(d.path, data)
	}
}
