package progress

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTask(t *testing.T) {
	begin := time.Unix(0, 0)
	task := &Task{Name: "quickstart", Cells: 3, Cell: 2, Begin: begin, CellBegin: begin.Add(5 * time.Second)}
	known := []time.Duration{5 * time.Second, 10 * time.Second, 60 * time.Second}
	tests := []struct {
		name     string
		expected []time.Duration
		at       time.Duration
		want     string
	}{
		{"first run", nil, 8 * time.Second, "quickstart: cell 2/3, 8.0s"},
		{"a cell is new", []time.Duration{5 * time.Second, -1, time.Second}, 8 * time.Second, "quickstart: cell 2/3, 8.0s"},
		{"known", known, 8 * time.Second, "quickstart: cell 2/3, 8.0s, ~1m07s left"}, // 10 - 3 + 60
		{"late", known, 105 * time.Second, "quickstart: cell 2/3, 1m45s, ~1m00s left"},
	}
	for _, test := range tests {
		task.Expected = test.expected
		if got := task.String(begin.Add(test.at)); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	waiting := &Task{Name: "building", Begin: begin}
	if got := waiting.String(begin.Add(42 * time.Second)); got != "building: 42s" {
		t.Errorf("%q, want a task without cells", got)
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{-time.Second: "0.0s", 4240 * time.Millisecond: "4.2s", 42900 * time.Millisecond: "42s",
		187 * time.Second: "3m07s", 3725 * time.Second: "1h02m"} {
		if got := Short(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestDisplay(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		var out strings.Builder
		d := NewDisplay(&out, terminal)
		task := &Task{Name: strings.Repeat("long", 30), Cells: 2, Begin: time.Now()}
		d.Begin(task)
		d.Update(func() { task.Cell = 1 })
		d.Line("first %s", "line")
		d.End(task)
		d.Stop()
		d.Line("last line")
		text := out.String()
		if !strings.Contains(text, "first line\n") || !strings.HasSuffix(text, "last line\n") {
			t.Errorf("terminal %v: wrote %q, want both lines", terminal, text)
		}
		if got := strings.Contains(text, "\r"); got != terminal {
			t.Errorf("terminal %v: wrote %q: a carriage return belongs on a terminal only", terminal, text)
		}
		if !terminal {
			continue
		}
		if !strings.Contains(text, "longlong") || !strings.Contains(text, "...") {
			t.Errorf("wrote %q, want a status line cut to the width", text)
		}
		if status := text[strings.LastIndex(text, "longlong"):]; !strings.Contains(status, "\r\x1b[K") {
			t.Errorf("wrote %q: the status line is not removed", text)
		}
	}
}

func TestDurations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "durations.json")
	d := LoadDurations(path)
	if _, ok := d.Get("a.ipynb", "quick", "x"); ok {
		t.Error("a duration that nobody stored is known")
	}
	d.Put("a.ipynb", "quick", "x", 1500*time.Millisecond)
	d.Save()
	d = LoadDurations(path)
	if got, ok := d.Get("a.ipynb", "quick", "x"); !ok || got != 1500*time.Millisecond {
		t.Errorf("came back as %v, %v, want 1.5s", got, ok)
	}
	for _, other := range [][3]string{{"b.ipynb", "quick", "x"}, {"a.ipynb", "full", "x"}, {"a.ipynb", "quick", "y"}} {
		if _, ok := d.Get(other[0], other[1], other[2]); ok {
			t.Errorf("%v takes the duration of another cell", other)
		}
	}
	if err := os.WriteFile(path, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	LoadDurations(path).Put("a", "b", "c", 1) // a damaged file is like none
}
