package progress

import (
	"fmt"
	"time"
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

// Left estimates the time that the rest of the task takes, from the durations of earlier runs. There is no
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
	spent := min(now.Sub(t.CellBegin), t.Expected[t.Cell-1]) // a cell that is late is about to end
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
